package jinja_test

import (
	"errors"
	"strings"
	"testing"

	"replanbench/harness/live/jinja"
)

func TestErrorsNameTheirPlace(t *testing.T) {
	included := func(name string) (string, error) {
		if name == "part.j2" {
			return "one\n{{ ghost }}", nil
		}
		return "", jinja.ErrNotFound
	}
	tests := []struct{ name, template, want string }{
		{"undefined", "a\n\nb {{ stepid }}", "t.j2:3: the variable 'stepid' is undefined (there are step_id)"},
		{"undefined in a loop", "{% for x in [1] %}\n{{ ghost }}\n{% endfor %}", "t.j2:2: the variable 'ghost' is undefined"},
		{"undefined in a macro", "{% macro m(a) %}\n{{ a }}{% endmacro %}\n{{ m() }}", "t.j2:2: the parameter 'a' was not given"},
		{"undefined in an include", "x\n{% include 'part.j2' %}", "part.j2:2: the variable 'ghost' is undefined"},
		{"missing include", "\n{% include 'none.j2' %}", `t.j2:2: including "none.j2"`},
		{"in a filter", "{{ 1|upper|nope }}", "t.j2:1: the filter 'nope' is not known"},
		{"wrong type", "\n{{ 3|indent }}", "t.j2:2: the filter 'indent': needs text, not an int"},
		{"end of block", "{% if step_id %}\n\n", "t.j2:2: the template ends where {% endif %} is missing"},
		{"open string", "\n{{ 'abc }}", "t.j2:2: unexpected character '\\''"},
		{"open comment", "\n\n{# abc", "t.j2:3: a comment {# is not closed"},
		{"argument", "{{ 'a'|replace('a', 'b', n=1) }}", "unexpected argument 'n'"},
		{"no argument", "{{ [1].count() }}", "the method 'count': takes 1 to 1 arguments, and 0 are given"},
		{"argument of a test", "{{ 1 is odd(2) }}", "takes 0 to 0 arguments, and 1 are given"},
		{"macro argument", "{% macro m() %}{% endmacro %}{{ m(1) }}", "the macro 'm' takes 0 arguments"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := render("t.j2", tt.template, map[string]any{"step_id": "s"}, included)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, error %v\nwant an error with %q", out, err, tt.want)
			}
		})
	}
}

// TestWhatItCannotDo: templates that Python renders and this package does not
// are refused as such.
func TestWhatItCannotDo(t *testing.T) {
	for _, template := range []string{
		"{% extends 'base' %}", "{% block a %}{% endblock %}", "{% import 'x' as y %}", "{% from 'x' import y %}",
		"{% for x in [1] recursive %}{% endfor %}", "{% autoescape true %}{% endautoescape %}",
		"{{ 'a'|wordwrap(3) }}", "{{ [1]|random }}", "{{ 'a'|urlencode }}", "{{ 'a' is callable }}", "{{ lipsum() }}",
		"{{ {1: 2} }}", "{{ 99999999999999999999 }}", "{{ 2 ** 70 }}", "{{ 9223372036854775807 + 1 }}",
		"{{ 'x'.encode() }}", "{{ 'x'.isdigit() }}", "{{ [2, 1].sort() }}", "{{ {'a': 1}.pop('a') }}", "{{ 'x'.__class__ }}",
		"{{ [1]|map('upper') }}", "{{ range }}", "{{ ('<' |e) + 'x' }}", "{{ '%5d' % 3 }}", "{{ '{:>5}'.format(3) }}",
		"{{ f(*[1]) }}", "{{ '1_000'|int }}", "{{ '\\N{BULLET}' }}", "{% for x in [1] %}{{ loop }}{% endfor %}",
	} {
		t.Run(template, func(t *testing.T) {
			out, err := render("t.j2", template, map[string]any{"f": 1}, nil)
			var refused *jinja.Error
			if !errors.As(err, &refused) || !refused.Unsupported {
				t.Errorf("got %q and %v, want a refusal that says so", out, err)
			}
		})
	}
}

// TestBounds: hostile templates come to an end, in little memory.
func TestBounds(t *testing.T) {
	for name, template := range map[string]string{
		"long range":     "{% for a in range(1000000000) %}x{% endfor %}",
		"loops in loops": "{% for a in range(20000) %}{% for b in range(20000) %}{% endfor %}{% endfor %}",
		"recursion":      "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
		"include itself": "{% include 't.j2' %}",
		"long text":      "{{ 'x' * 1000000000 }}",
		"doubled text":   "{% set ns = namespace(t='x') %}{% for i in range(60) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}",
		"doubled list":   "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = ns.l + ns.l %}{% endfor %}",
		"holds itself":   "{% set l = [] %}{% set _ = l.append(l) %}{{ l }}",
		"brackets":       "{{ " + strings.Repeat("(", 20_000),
		"signs":          "{{ " + strings.Repeat("-", 20_000) + "1 }}",
		"tags":           strings.Repeat("{% if 1 %}", 20_000),
		"elif":           "{% if 1 %}" + strings.Repeat("{% elif 1 %}", 20_000) + "{% endif %}",
		"not":            "{{ " + strings.Repeat("not ", 20_000) + "1 }}",
		"wide pad":       "{{ 'x'|center(1000000000000) }}",
		"sorts":          "{% set l = range(30000)|list %}{% for i in range(10000) %}{% set x = l|sort %}{% endfor %}",
		"searches":       "{% set l = range(30000)|list %}{% for i in range(10000) %}{% if -1 in l %}{% endif %}{% endfor %}",
		"tests":          "{% set l = range(30000)|list %}{% for i in range(10000) %}{% if -1 is in l %}{% endif %}{% endfor %}",
		"selection":      "{% set l = range(30000)|list %}{{ l|select('in', l)|list|length }}",
		"unique":         "{{ range(30000)|unique|list|length }}",
	} {
		t.Run(name, func(t *testing.T) {
			load := func(string) (string, error) { return template, nil }
			out, err := render("t.j2", template, nil, load)
			if err == nil {
				t.Errorf("it rendered %d bytes", len(out))
			}
		})
	}
}

// FuzzRender: whatever the template, rendering ends, gives an error with a
// place or a text, and gives the same again.
func FuzzRender(f *testing.F) {
	for _, s := range []string{
		"{% for d in step_dependencies %}{{ loop.index }}. {{ d }}\n{% endfor %}",
		"{% macro m(a, b=2) %}{{ a ~ b }}{% endmacro %}{{ m(1)|indent }}", "{{ [1, 'a'][0:1]|tojson }}{% raw %}{{{% endraw %}",
		"{%- if a is defined and not b -%}{# c #}{%- endif +%}", "{% set x %}y{% endset %}{{ x|replace('y', '\\u00e9')|upper }}",
	} {
		f.Add(s)
	}
	vars := map[string]any{"step_dependencies": []string{"a", "b"}, "n": 3, "none_": nil}
	f.Fuzz(func(t *testing.T, template string) {
		once, err := render("t.j2", template, vars, nil)
		var placed *jinja.Error
		if err != nil && (!errors.As(err, &placed) || placed.Line < 1) {
			t.Fatalf("an error without a place: %v", err)
		}
		if again, _ := render("t.j2", template, vars, nil); err == nil && again != once {
			t.Fatalf("first %q, then %q", once, again)
		}
	})
}

// TestUnique: what is text is told apart without being gone through.
func TestUnique(t *testing.T) {
	names := make([]any, 30_000)
	for i := range names {
		names[i] = strings.Repeat("x", i%300)
	}
	out, err := render("t.j2", "{{ l|unique|list|length }} {{ [1, true, 'a', 1.0, 'a', none]|unique|list }}", map[string]any{"l": names}, nil)
	if out != "300 [1, 'a', None]" || err != nil {
		t.Errorf("got %q and %v", out, err)
	}
}
