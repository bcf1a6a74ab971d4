package reports

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/dustin/go-humanize/english"

	"replanbench/harness/document/escape"
)

// eachText replaces every text below v by the result of edit.
func eachText(v reflect.Value, edit func(string) string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(edit(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			eachText(v.Elem(), edit)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			eachText(field, edit)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				eachText(v.Index(i), edit)
			}
		}
	}
}

// counted returns a number with its noun: "1 case", "2 cases".
func counted(n int, noun string) string {
	return fmt.Sprintf("%d %s", n, english.PluralWord(n, noun, ""))
}

// showControls replaces control characters by escapes, and keeps line breaks.
func showControls(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = escape.Terminal(lines[i])
	}
	return strings.Join(lines, "\n")
}
