package scenarios

import (
	"errors"
	"fmt"
	"io/fs"

	"replanbench/harness/document/strictjson"
)

// Error is a mistake in a scenario file, with its place. Line and Column
// count from 1, columns in characters; both are 0 where the fault is the file
// as a whole.
type Error struct {
	File         string
	Line, Column int
	Message      string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// fileError makes an error of the operating system one of this package.
func fileError(path string, err error) error {
	var pathErr *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Error{File: path, Message: "there is no such file or directory; check the path"}
	case errors.Is(err, fs.ErrPermission):
		return &Error{File: path, Message: "may not be read; check its permissions"}
	case errors.As(err, &pathErr):
		return &Error{File: path, Message: "cannot be read: " + pathErr.Err.Error()}
	}
	return &Error{File: path, Message: "cannot be read: " + err.Error()}
}

// source is a file's name and bytes, to place errors in.
type source struct {
	name string
	data []byte
}

// errorf makes an error at a byte offset of the file.
func (s source) errorf(offset int, format string, args ...any) error {
	line, column := strictjson.Position(s.data, offset)
	return &Error{s.name, line, column, fmt.Sprintf(format, args...)}
}
