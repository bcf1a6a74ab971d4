package scenarios

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/tools/txtar"

	"replanbench/harness"
)

// maxReplies bounds the replies of one scenario together, in bytes.
const maxReplies = 64 << 20

// replyName splits reply.N.form.
func replyName(name string) (number int, form string, ok bool) {
	parts := strings.Split(name, ".")
	if len(parts) != 3 || parts[0] != "reply" {
		return 0, "", false
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil || n < 1 || strconv.Itoa(n) != parts[1] {
		return 0, "", false
	}
	form = parts[2]
	return n, form, form == "txt" || form == "b64" || form == "gen"
}

// reply takes the file of one reply; marker and start are the offsets of its
// marker line and of its contents.
func (p *parser) reply(f txtar.File, number int, form string, marker, start int) error {
	if due := len(p.s.Case.Replies) + 1; number != due {
		return p.errorf(marker, "%s stands where reply.%d is due; number the replies from 1, in order and without a gap",
			f.Name, due)
	}
	var text []byte
	var err error
	switch form {
	case "b64":
		text, err = p.base64(f, start)
	case "gen":
		text, err = p.recipe(f, start)
		if p.s.recipes == nil {
			p.s.recipes = map[int][]byte{}
		}
		p.s.recipes[number-1] = f.Data
	default:
		text = bytes.TrimSuffix(f.Data, []byte("\n"))
	}
	if err != nil {
		return err
	}
	p.size += len(text)
	p.s.Case.Replies = append(p.s.Case.Replies, harness.Reply(text))
	return nil
}

func (p *parser) base64(f txtar.File, start int) ([]byte, error) {
	text := bytes.TrimSpace(f.Data)
	raw, err := base64.StdEncoding.DecodeString(string(text))
	if err == nil {
		return raw, nil
	}
	if corrupt, ok := errors.AsType[base64.CorruptInputError](err); ok {
		start += bytes.Index(f.Data, text) + int(corrupt)
	}
	return nil, p.errorf(start, "%s is not base64 (the standard alphabet, padded with =)", f.Name)
}

func (p *parser) recipe(f txtar.File, start int) ([]byte, error) {
	text, offset, err := expand(f.Data, maxReplies-p.size)
	if err != nil {
		return nil, p.errorf(start+offset, "%s: %v", f.Name, err)
	}
	return text, nil
}

// expand carries out a recipe; the result has at most room bytes. An error
// comes with the offset of the line to blame.
func expand(recipe []byte, room int) (text []byte, offset int, err error) {
	for line := range bytes.Lines(recipe) {
		if s := bytes.TrimSpace(line); len(s) > 0 && s[0] != '#' {
			count, unit, err := instruction(string(s))
			if err == nil && len(unit) > 0 && count > (room-len(text))/len(unit) {
				err = fmt.Errorf("the replies of a scenario may have %d MiB in all; repeat less", maxReplies>>20)
			}
			if err != nil {
				return nil, offset, err
			}
			text = append(text, bytes.Repeat(unit, count)...)
		}
		offset += len(line)
	}
	return text, 0, nil
}

// instruction reads one line of a recipe: what to write, and how often.
func instruction(line string) (count int, unit []byte, err error) {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "text":
		count = 1
	case "repeat":
		var number string
		number, rest, _ = strings.Cut(rest, " ")
		if count, err = strconv.Atoi(number); err != nil || count < 0 {
			return 0, nil, fmt.Errorf("repeat takes a number and a JSON string (repeat 100 \"[\"), not %s", escape(number))
		}
		rest = strings.TrimSpace(rest)
	default:
		return 0, nil, fmt.Errorf("unknown instruction %s (a line is: text \"…\", or: repeat 100 \"…\")", escape(word))
	}
	if !strings.HasPrefix(rest, `"`) {
		return 0, nil, fmt.Errorf("%s must end in a JSON string, in quotes", word)
	}
	if unit, err = jsontext.AppendUnquote(nil, rest); err != nil {
		return 0, nil, fmt.Errorf("%s must end in a JSON string: %w", word, err)
	}
	return count, unit, nil
}

// escape quotes foreign text for a message: at most 60 characters of it,
// everything unprintable as an escape.
func escape(text string) string {
	if r := []rune(text); len(r) > 60 {
		text = string(r[:60]) + "…"
	}
	return strconv.QuoteToGraphic(text)
}
