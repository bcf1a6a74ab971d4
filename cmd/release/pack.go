package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"time"
)

// mode is that of a file in an archive: the first is the program.
func mode(i int) os.FileMode {
	if i == 0 {
		return 0o755
	}
	return 0o644
}

func packTar(files []string, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	t := tar.NewWriter(z)
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		head := &tar.Header{Name: filepath.Base(file), Mode: int64(mode(i)), Size: int64(len(data)), ModTime: at}
		if err := t.WriteHeader(head); err != nil {
			return nil, err
		}
		if _, err := t.Write(data); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func packZip(files []string, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		head := &zip.FileHeader{Name: filepath.Base(file), Method: zip.Deflate, Modified: at}
		head.SetMode(mode(i))
		w, err := z.CreateHeader(head)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(data); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
