package corpora

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"
)

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
