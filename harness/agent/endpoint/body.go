package endpoint

import (
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

var (
	errTooLarge = fmt.Errorf("the body is larger than %d MiB", maxBody>>20)
	errBusy     = fmt.Errorf("%d other requests are still being read", maxReaders)
)

// readBody reads the body of a request, as it was before it was compressed.
func readBody(r *http.Request) ([]byte, error) {
	plain, err := decompressed(r)
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	body, err := io.ReadAll(io.LimitReader(plain, maxBody+1))
	switch {
	case err != nil:
		return body, fmt.Errorf("the body cannot be read: %w", err)
	case len(body) > maxBody:
		return body[:0], errTooLarge
	}
	return body, nil
}

// decompressed returns the body without its encoding. The caller closes it.
func decompressed(r *http.Request) (io.ReadCloser, error) {
	in := io.LimitReader(r.Body, maxBody+1)
	var plain io.ReadCloser
	var err error
	switch encoding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))); encoding {
	case "", "identity":
		return io.NopCloser(in), nil
	case "gzip", "x-gzip":
		plain, err = gzip.NewReader(in)
	case "deflate":
		plain, err = zlib.NewReader(in)
	case "br":
		return io.NopCloser(brotli.NewReader(in)), nil
	case "zstd":
		var d *zstd.Decoder
		if d, err = zstd.NewReader(in, zstd.WithDecoderMaxMemory(maxBody), zstd.WithDecoderConcurrency(1)); err == nil {
			plain = d.IOReadCloser()
		}
	default:
		return nil, errors.New("unknown content-encoding " + encoding + " (gzip, deflate, br, zstd)")
	}
	if err != nil {
		return nil, fmt.Errorf("the body cannot be decompressed: %w", err)
	}
	return plain, nil
}
