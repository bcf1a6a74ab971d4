package live

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"iter"

	"github.com/tidwall/gjson"
)

// longestEvent bounds a line of a stream, in bytes.
const longestEvent = 32 << 20

// events makes an exchange whose answer comes as a stream of JSON objects (server-sent
// events), up to the one that says that it is done.
func (c *Client) events(ctx context.Context, path string, body []byte) iter.Seq2[gjson.Result, error] {
	return func(yield func(gjson.Result, error) bool) {
		res, err := c.send(ctx, path, body)
		if err != nil {
			yield(gjson.Result{}, err)
			return
		}
		defer res.Body.Close()
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, longestEvent)
		var data []byte
		for lines.Scan() {
			line := lines.Bytes()
			if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				data = append(append(data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
			}
			if len(line) > 0 || len(data) == 0 {
				continue
			}
			if bytes.HasPrefix(data, []byte("[DONE]")) {
				return
			}
			event, err := object(data)
			if said := event.Get("error"); err == nil && said.Exists() {
				err = errors.New("received error while streaming: " + said.String())
			}
			if !yield(event, err) || err != nil {
				return
			}
			data = nil
		}
		if err := lines.Err(); err != nil {
			yield(gjson.Result{}, err)
		}
	}
}
