package corpora

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"

	"replanbench/harness"
)

// readDocument reads a file that is one JSON document.
func readDocument(name string) (jsontext.Value, error) {
	data, err := readWhole(name)
	if err != nil {
		return nil, err
	}
	return document(data)
}

// document reads JSON that Python wrote. NaN and infinities become null.
func document(data []byte) (jsontext.Value, error) {
	var doc jsontext.Value
	err := json.Unmarshal(data, &doc)
	if err != nil {
		if plain := withoutNaN(data); plain != nil {
			err = json.Unmarshal(plain, &doc)
		}
	}
	if err != nil {
		_, text := explain(err)
		return nil, errors.New(text)
	}
	return doc, nil
}

// noNumber matches a string, or a Python number that is not JSON.
var noNumber = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?Infinity|NaN`)

// withoutNaN replaces NaN and infinities outside strings by null. It returns nil if there
// are none.
func withoutNaN(data []byte) []byte {
	found := false
	plain := noNumber.ReplaceAllFunc(data, func(token []byte) []byte {
		if token[0] == '"' {
			return token
		}
		found = true
		return []byte("null")
	})
	if !found {
		return nil
	}
	return plain
}

// readPromptfoo reads the results that promptfoo writes with --output
// FILE.json, of format 3 and of the older ones with the list at the top.
func readPromptfoo(name string, found func(draft) bool) error {
	doc, err := readDocument(name)
	if err != nil {
		return err
	}
	results := lookup(doc, "results", "results")
	if results == nil {
		results = lookup(doc, "results")
	}
	if results.Kind() != '[' {
		return errors.New("missing list results.results (is it a result of promptfoo?)")
	}
	for i, result := range elements(results) {
		if !found(promptfooReply(name, i, result)) {
			break
		}
	}
	return nil
}

func promptfooReply(name string, i int, result jsontext.Value) draft {
	where := fmt.Sprintf("%s: result %d", name, i)
	output := lookup(result, "response", "output")
	if output == nil {
		reason := cmp.Or(text(lookup(result, "error")), "it has no response.output")
		return draft{err: &Problem{Source: where, Text: "no reply: " + clip(reason)}}
	}
	r := answer{Record: Record{
		ID:           cmp.Or(text(lookup(result, "id")), fmt.Sprintf("%s:%d", name, i)),
		Reply:        harness.Reply(text(output)),
		Model:        cmp.Or(text(lookup(result, "provider", "id")), text(lookup(result, "provider"))),
		Usage:        usage(lookup(result, "response"), "tokenUsage", "prompt", "completion"),
		FinishReason: finish(text(lookup(result, "response", "finishReason"))),
		Params:       params(lookup(result, "provider", "config")),
		PromptSHA256: hash(lookup(result, "prompt", "raw")),
		Messages:     asked(lookup(result, "prompt", "raw")),
	}}
	if r.calls = calling("function.name", "function.arguments", elements(output)...); r.calls != nil {
		r.Reply = "" // the output consists of calls only
	}
	if label := text(lookup(result, "prompt", "label")); label != "" && len(label) <= 80 {
		r.Tags = append(r.Tags, "prompt:"+label)
	}
	return draft{answer: r, doc: result}
}

// readInspect reads a log of inspect_ai: in its JSON form, or an archive .eval with
// a JSON document for each sample.
func readInspect(name string, found func(draft) bool) error {
	if archive, err := openZip(name); err != nil || archive != nil {
		return readEval(name, archive, err, found)
	}
	doc, err := readDocument(name)
	if err != nil {
		return err
	}
	samples := lookup(doc, "samples")
	if samples == nil {
		return errors.New("missing list samples (is it a log of inspect_ai, written with its samples?)")
	}
	for i, sample := range elements(samples) {
		if !found(inspectReply(name, i, sample, doc)) {
			break
		}
	}
	return nil
}

func inspectReply(name string, i int, sample, log jsontext.Value) draft {
	id, epoch := text(lookup(sample, "id")), text(lookup(sample, "epoch"))
	choice := lookup(sample, "output", "choices", "0")
	if choice == nil {
		reason := cmp.Or(text(lookup(sample, "error", "message")), "it has no output.choices")
		return draft{err: &Problem{Source: fmt.Sprintf("%s: sample %d (%s)", name, i, id), Text: "no reply: " + clip(reason)}}
	}
	r := answer{Record: Record{
		ID: id + "/" + epoch, Case: id,
		Model:        cmp.Or(text(lookup(log, "eval", "model")), text(lookup(sample, "output", "model"))),
		Reply:        harness.Reply(attached(sample, flatten(lookup(choice, "message", "content")))),
		FinishReason: finish(text(lookup(choice, "stop_reason"))),
		Usage:        usage(lookup(sample, "output"), "usage", "input_tokens", "output_tokens"),
		Params:       params(lookup(log, "plan", "config")),
	}}
	r.calls = calling("function", "arguments", elements(lookup(choice, "message", "tool_calls"))...)
	if input := lookup(sample, "input"); input != nil {
		r.PromptSHA256, r.Messages = hash(input), asked(input)
	}
	return draft{answer: r, doc: sample}
}

// attached returns the attachment that a text refers to, or the text itself.
func attached(sample jsontext.Value, said string) string {
	if name, ok := strings.CutPrefix(said, "attachment://"); ok {
		if whole := lookup(sample, "attachments", name); whole != nil {
			return text(whole)
		}
	}
	return said
}

// asked returns the messages of a prompt: its list of messages, the list in a JSON string,
// or one user message with the text.
func asked(prompt jsontext.Value) jsontext.Value {
	if list := unwrap(prompt); list.Kind() == '[' {
		if list = list.Clone(); list.Compact() != nil {
			return nil
		}
		return list
	}
	if prompt.Kind() != '"' {
		return nil
	}
	return encode([]jsontext.Value{message("user", text(prompt))})
}

// openZip opens a zip archive with deflate or zstd compression. It returns nil for any
// other file.
func openZip(name string) (*zip.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil // reading it as JSON reports the error
	}
	head := make([]byte, 4)
	n, err := io.ReadFull(f, head)
	f.Close()
	if err != nil || !bytes.Equal(head[:n], []byte("PK\x03\x04")) {
		return nil, nil
	}
	archive, err := zip.OpenReader(name)
	if err != nil {
		return nil, fmt.Errorf("damaged archive: %w", err)
	}
	archive.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor())
	return archive, nil
}

// readEval reads the header and the samples of a log archive, one sample at a time.
func readEval(name string, archive *zip.ReadCloser, err error, found func(draft) bool) error {
	if err != nil {
		return err
	}
	defer archive.Close()
	log := header(archive)
	files := slices.DeleteFunc(slices.Clone(archive.File), func(f *zip.File) bool {
		return path.Dir(f.Name) != "samples" || path.Ext(f.Name) != ".json"
	})
	if len(files) == 0 {
		return errors.New("the archive has no samples/*.json (is it a log of inspect_ai?)")
	}
	slices.SortStableFunc(files, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	for i, f := range files {
		sample, err := unzip(f)
		d := draft{err: &Problem{Source: name + "/" + f.Name, Text: fmt.Sprint(err)}}
		if err == nil {
			d = inspectReply(name, i, sample, log)
		}
		if !found(d) {
			break
		}
	}
	return nil
}

// header returns the header of the log, or of its start if the log is unfinished, or nil.
func header(archive *zip.ReadCloser) jsontext.Value {
	for _, name := range []string{"header.json", "_journal/start.json"} {
		for _, f := range archive.File {
			if f.Name == name {
				if doc, err := unzip(f); err == nil {
					return doc
				}
			}
		}
	}
	return nil
}

// unzip reads one document of an archive, up to a maximum uncompressed size.
func unzip(f *zip.File) (jsontext.Value, error) {
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxDocument+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("damaged: %w", err)
	case len(data) > maxDocument:
		return nil, fmt.Errorf("has more than %d MiB unpacked", maxDocument>>20)
	}
	return document(data)
}
