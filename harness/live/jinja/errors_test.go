package jinja_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"replanbench/harness/live/jinja"
)

func TestErrorsNameTheirPlace(t *testing.T) {
	tests := []struct{ name, template, want string }{
		{"undefined", "a\n\nb {{ stepid }}", "t.j2:3:3: the variable 'stepid' is undefined (there are step_id)"},
		{
			"undefined in a loop", "{% for x in [1] %}\n{{ ghost }}\n{% endfor %}",
			"t.j2:2:1: the variable 'ghost' is undefined",
		},
		{
			"undefined in a macro", "{% macro m(a) %}\n{{ a }}{% endmacro %}\n{{ m() }}",
			"t.j2:2:1: the parameter 'a' is undefined",
		},
		{
			"columns are characters", "步骤 {{ ghost|upper }}",
			"t.j2:1:13: the filter 'upper': the variable 'ghost' is undefined",
		},
		{"lines end in two ways", "a\r\nb\rc {{ ghost }}", "t.j2:3:3: "},
		{"in a filter", "{{ 1|upper|nope }}", "t.j2:1:12: the filter 'nope' is not supported: use --renderer python"},
		{"wrong type", "\n{{ 3|indent }}", "t.j2:2:6: the filter 'indent': needs text, not an int"},
		{"no length", "{{ 3|length }}", "t.j2:1:6: the filter 'length': an int has no length"},
		{"end of block", "{% if step_id %}\n\n", "t.j2:2:1: the template ends before {% endif %}"},
		{"open string", "\n{{ 'abc }}", "t.j2:2:4: unexpected character '\\''"},
		{"open comment", "\n\n{# abc", "t.j2:3:3: a comment {# is not closed"},
		{"open raw", "{% raw %}x", "{% raw %} is not closed"},
		{"bracket", "{{ [1) }}", "t.j2:1:6: unexpected \")\": no such bracket is open"},
		{"unknown tag", "{% nope %}", "t.j2:1:4: unknown tag 'nope'"},
		{"tag out of place", "{% for x in [] %}{% endif %}", "unexpected tag 'endif' (expected else or endfor)"},
		{
			"argument", "{{ 'a'|replace('a', 'b', n=1) }}",
			"t.j2:1:8: the filter 'replace' has too many arguments, or an unknown one",
		},
		{"argument twice", "{{ 'a'|replace('a', old='b') }}", "the filter 'replace'"},
		{"no argument", "{{ 'a'.split(',').join() }}", "the method 'join' needs at least 1 arguments"},
		{"argument of a test", "{{ 1 is odd(2) }}", "the test 'odd' has too many arguments"},
		{"macro argument", "{% macro m() %}{% endmacro %}{{ m(1) }}", "the macro 'm' has too many arguments"},
		{"macro parameter", "{% macro m(a, a) %}{% endmacro %}", "duplicate parameter 'a'"},
		{"no item", "{{ [1][3] }}", "a list has no item at this index"},
		{"no function", "{{ step_id() }}", "a str cannot be called"},
		{"no namespace", "{% set step_id.a = 1 %}", "cannot assign an attribute of 'step_id', which is not a namespace"},
		{"unpacking", "{% set a, b = [1] %}", "1 values for 2 names"},
		{"no UTF-8", "\xff", "the template is not UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := render("t.j2", tt.template, map[string]any{"step_id": "s"})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, error %v\nwant an error with %q", out, err, tt.want)
			}
		})
	}
}

// TestRefusals: templates that Python renders and this package does not are
// refused, with the name of what is missing and the way out.
func TestRefusals(t *testing.T) {
	for template, want := range map[string]string{
		"{% extends 'base' %}": "the tag {% extends %}", "{% block a %}{% endblock %}": "the tag {% block %}",
		"{% import 'x' as y %}": "the tag {% import %}", "{% from 'x' import y %}": "the tag {% from %}",
		"{% include 'x' %}":                 "the tag {% include %}",
		"{% include f %}":                   "an include needs a single name in quotes",
		"{% include ['x', 'y'] %}":          "an include needs a single name in quotes",
		"{% include 'a\\x2ej2' %}":          "an include needs a single name in quotes",
		"{% include 'x' if f %}":            "an include needs a single name in quotes",
		"{% include 'x' without context %}": "an include without context",
		"{{ {1: 2} }}":                      "a key of a dict that is an int",
		"{{ {'a': 1}.keys() }}":             "printing a view of a dict", "{{ '%c'|format(65) }}": "the directive",
		"{{ '%*d'|format(3, 4) }}": "the directive", "{{ 1e400 }}": "the number 1e400",
		"{{ 1e308 * 10 }}":              "a float beyond the largest number",
		"{{ 4611686018427387903 / 2 }}": "it is larger than 2^53", "{{ 'x'|float }}": "text that is not a number",
		"{{ {'a': 1}.pop('a') }}":             "the method 'pop'",
		"{{ [{'a': 1}]|selectattr(f)|list }}": "an attribute must be a single string",
		"{{ [1]|tojson('-') }}":               "the filter 'tojson'", "{{ 25|round(-1) }}": "rounding to -1 digits",
		"{% filter upper %}abc{% endfilter %}":        "the tag {% filter %}",
		"{% call box('b') %}in{% endcall %}":          "the tag {% call %}",
		"{% autoescape true %}{% endautoescape %}":    "the tag {% autoescape %}",
		"{% for x in [1] recursive %}{% endfor %}":    "recursive loops",
		"{% for a, (b, c) in [] %}{% endfor %}":       "names in parentheses",
		"{% set x | upper %}x{% endset %}":            "a filter of a set block",
		"{% macro m() %}{{ varargs }}{% endmacro %}":  "the variable 'varargs'",
		"{% macro m() %}{{ kwargs }}{% endmacro %}":   "the variable 'kwargs'",
		"{% macro m() %}{{ caller() }}{% endmacro %}": "the variable 'caller'",
		"{{ self.a() }}": "the variable 'self'",
		"{% set n = namespace(a=1) %}{% for x in [1] if n.a %}{% endfor %}": "a for whose condition reads a namespace",
		"{% for x in [1] %}{{ loop }}{% endfor %}":                          "printing the variable loop",
		"{% for x in [1] %}{{ loop.changed(x) }}{% endfor %}":               "the method 'changed'",
		"{% for x in [1] %}{{ loop.cycle(1, 2) }}{% endfor %}":              "the method 'cycle'",
		"{% for x in [1] %}{{ loop.previtem }}{% endfor %}":                 "loop.previtem",
		"{% for x in [1] %}{{ loop.depth }}{% endfor %}":                    "loop.depth",
		"{% macro m() %}{% endmacro %}{{ m }}":                              "printing a macro",
		"{% set g = [1]|map('string') %}{{ g|list }}{{ g|list }}":           "iterating over a generator twice",
		"{% for x in ('<'|e) %}{% endfor %}":                                "iterating over safe text",
		"{{ 0x1F }}":                                                        "the number 0x1F",
		"{{ 1_000 }}":                                                       "the number 1_000",
		"{{ 99999999999999999999 }}":                                        "the number 99999999999999999999",
		"{{ 4611686018427387903 + 2 }}":                                     "4611686018427387903 + 2",
		"{{ 4611686018427387903 * -3 }}":                                    "4611686018427387903 * -3",
		"{{ 2 ** 3 }}":                                                      "the operator **",
		"{{ '%s' % 3 }}":                                                    "the operator %",
		"{{ [0] * 3 }}":                                                     "a list * an int",
		"{{ (1,) + (2,) }}":                                                 "a tuple + a tuple",
		"{{ ('<'|e) + 'x' }}":                                               "safe text + a str",
		"{{ ('<'|e) ~ 'x' }}":                                               "joining or filtering text marked as safe",
		"{{ [1] < [2] }}":                                                   "the order of lists",
		"{{ 'abc'[::2] }}":                                                  "a slice with a step",
		"{{ '\\N{BULLET}' }}":                                               `the escape \N`,
		"{{ '\\101' }}":                                                     `the escape \1`,
		"{{ '\\q' }}":                                                       `the escape \q`,
		"{{ (1 if false)|length }}":                                         "the value of a condition without else",
		"{{ f(*[1]) }}":                                                     "arguments by * and **",
		"{{ range }}":                                                       "printing a function",
		"{{ range(3) }}":                                                    "printing a range",
		"{{ range(1, 7, 2)|list }}":                                         "such arguments of range",
		"{{ dict(a=1) }}":                                                   "the function dict",
		"{{ cycler(1) }}":                                                   "the function cycler",
		"{{ joiner() }}":                                                    "the function joiner",
		"{{ lipsum() }}":                                                    "the function lipsum",
		"{{ 'x'.upper }}":                                                   "the attribute 'upper' of a str",
		"{{ 'x'.__class__ }}":                                               "the attribute '__class__'",
		"{{ [1]|map(attribute='a') }}":                                      "the attribute 'a' of an int",
		"{{ [1]|map(f)|list }}":                                             "the name of a filter must be a string",
		"{{ [1]|map('abs') }}":                                              "the filter 'abs'",
		"{{ [1]|select('callable') }}":                                      "the test 'callable'",
		"{{ [1]|map('string') }}":                                           "printing a generator",
		"{{ 'a'|indent(true) }}":                                            "the filter 'indent': an argument cannot be a bool here",
		"{{ 'x'|int }}":                                                     "the filter 'int'", "{{ '1_000'|int }}": "the filter 'int'",
		"{{ ' a b'.split(none, 1) }}":    "the method 'split': a limit for splitting at white space",
		"{{ 'a'.endswith(('a', 'b')) }}": "the method 'endswith'",
		"{{ 1 is none() () }}":           "calling the result of a filter or test",
	} {
		refused(t, template, want)
	}
	for filter := range strings.FieldsSeq("abs attr batch capitalize center dictsort filesizeformat forceescape " +
		"groupby items max min pprint " +
		"random reverse slice striptags sum truncate unique urlencode urlize wordcount wordwrap xmlattr") {
		refused(t, "{{ f|"+filter+" }}", "the filter '"+filter+"' is not supported")
	}
	for test := range strings.FieldsSeq("callable divisibleby escaped filter lower sameas test upper") {
		refused(t, "{{ f is "+test+" }}", "the test '"+test+"' is not supported")
	}
	for method := range strings.FieldsSeq("append capitalize casefold center count encode extend find format index " +
		"isdigit ljust pop remove rjust sort title update zfill") {
		refused(t, "{{ f."+method+"(1) }}", "the method '"+method+"' is not supported")
	}
}

func refused(t *testing.T, template, want string) {
	t.Helper()
	out, err := render("t.j2", template, map[string]any{"f": 1})
	var e *jinja.Error
	if !errors.As(err, &e) || !e.Unsupported || !strings.Contains(err.Error(), want) ||
		!strings.HasSuffix(err.Error(), ": use --renderer python") {
		t.Errorf("%s gave %q and %v, want a refusal of %q", template, out, err, want)
	}
}

// hostile templates must come to an end, in little memory.
func hostile() map[string]string {
	return map[string]string{
		"long range":     "{% for a in range(1000000000) %}x{% endfor %}",
		"loops in loops": "{% for a in range(20000) %}{% for b in range(20000) %}{% endfor %}{% endfor %}",
		"recursion":      "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
		"deep scopes":    "{% macro m(n) %}{% for i in range(9) %}{{ m(n ~ i) }}{% endfor %}{% endmacro %}{{ m('') }}",
		"long text":      "{{ 'x' * 1000000000 }}",
		"largest text":   "{{ 'x' * 4611686018427387903 }}",
		"doubled text":   "{% set ns = namespace(t='x') %}{% for i in range(60) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}",
		"added text":     "{% set ns = namespace(t='x') %}{% for i in range(60) %}{% set ns.t = ns.t + ns.t %}{% endfor %}",
		"doubled list":   "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = ns.l + ns.l %}{% endfor %}",
		"lists in lists": "{% set ns = namespace(l=[]) %}{% for i in range(100) %}{% set ns.l = [ns.l, ns.l] %}{% " +
			"endfor %}{{ ns.l }}",
		"JSON of lists": "{% set ns = namespace(l=[]) %}{% for i in range(100) %}{% set ns.l = [ns.l, ns.l] %}{% " +
			"endfor %}{{ ns.l|tojson }}",
		"compared lists": "{% set n = namespace(a=[], b=[]) %}{% for i in range(100) %}{% set n.a = [n.a, n.a] %}{% set " +
			"n.b = [n.b, n.b] %}{% endfor %}{{ n.a == n.b }}",
		"deep list": "{% set ns = namespace(l=[]) %}{% for i in range(1000) %}{% set ns.l = [ns.l] %}{% endfor " +
			"%}{{ ns.l }}",
		"wide indent":      "{{ 'x\ny'|indent(1000000000000) }}",
		"indent of lines":  "{{ ('x\n' * 100000)|indent(1000) }}",
		"wide join":        "{{ range(10000)|join('x' * 10000) }}",
		"replaced nothing": "{{ ('x' * 100000)|replace('', 'x' * 1000) }}",
		"escapes":          "{{ ('<' * 8000000)|e }}",
		"quotes":           "{{ ['\n' * 9000000] }}",
		"captures":         "{% for i in range(100) %}{% set x %}{{ 'x' * 1000000 }}{% endset %}{% endfor %}",
		"slices":           "{% set t = 'x' * 100000 %}{% for i in range(10000) %}{% set u = t[1:] %}{% endfor %}",
		"splits":           "{% set t = 'x ' * 100000 %}{% for i in range(10000) %}{% set u = t.split() %}{% endfor %}",
		"brackets":         "{{ " + strings.Repeat("(", 20_000),
		"signs":            "{{ " + strings.Repeat("-", 20_000) + "1 }}",
		"tags":             strings.Repeat("{% if 1 %}", 20_000),
		"elif":             "{% if 1 %}" + strings.Repeat("{% elif 1 %}", 20_000) + "{% endif %}",
		"not":              "{{ " + strings.Repeat("not ", 20_000) + "1 }}",
		"sum":              "{{ 1" + strings.Repeat(" + 1", 20_000) + " }}",
		"filters":          "{{ 'x'" + strings.Repeat("|upper", 20_000) + " }}",
		"sorts":            "{% set l = range(30000)|list %}{% for i in range(10000) %}{% set x = l|sort %}{% endfor %}",
		"searches": "{% set l = range(30000)|list %}{% for i in range(10000) %}{% if -1 in l %}{% endif %}{% " +
			"endfor %}",
		"searched text": "{% set t = 'x' * 1000000 %}{% for i in range(10000) %}{% if 'y' in t %}{% endif %}{% endfor %}",
		"compared text": "{% set t, u = 'x' * 1000000, 'x' * 1000000 %}{% for i in range(10000) %}{% if t == u %}{% " +
			"endif %}{% endfor %}",
		"tests": "{% set l = range(30000)|list %}{% for i in range(10000) %}{% if -1 is in l %}{% endif %}{% " +
			"endfor %}",
		"JSON of dicts": "{% set ns = namespace(l={}) %}{% for i in range(100) %}{% set ns.l = {'a': ns.l, 'b': ns.l} " +
			"%}{% endfor %}{{ ns.l|tojson(100) }}",
		"compared dicts": "{% set n = namespace(a={}, b={}) %}{% for i in range(100) %}{% set n.a = {'a': n.a, 'b': " +
			"n.a} %}{% set n.b = {'a': n.b, 'b': n.b} %}{% endfor %}{{ n.a == n.b }}",
		"dicts":     "{{ " + strings.Repeat("{'a': ", 20_000),
		"widths":    "{% for i in range(100) %}{{ '%999999s%.999999f'|format(1, 2) }}{% endfor %}",
		"titles":    "{{ ('a-' * 8000000)|title }}",
		"selection": "{% set l = range(30000)|list %}{{ l|select('in', l)|list|length }}",
	}
}

func TestBounds(t *testing.T) {
	for name, template := range hostile() {
		t.Run(name, func(t *testing.T) {
			bounded(t, template, nil, 500_000, 16<<20)
			if out, err := render("t.j2", template, nil); err == nil {
				t.Errorf("it rendered %d bytes", len(out))
			}
		})
	}
}

// bounded renders within limits and fails where more memory was used than these
// allow. That every step and byte was counted beforehand bounds the time, too.
func bounded(t *testing.T, template string, vars map[string]any, steps, bytes int) (string, error) {
	t.Helper()
	parsed, err := jinja.Parse("t.j2", template)
	if err != nil {
		return "", err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text, stepsLeft, bytesLeft, err := jinja.RenderWithin(parsed, vars, steps, bytes)
	runtime.ReadMemStats(&after)
	// A step takes little memory, for example a scope; text that is built piece by
	// piece grows by doubling.
	const stepSize, growth, base = 1 << 10, 8, 1 << 20
	usedSteps, usedBytes := min(steps, steps-stepsLeft), min(bytes, bytes-bytesLeft)
	if most, used := base+growth*usedBytes+stepSize*usedSteps, int(after.TotalAlloc-before.TotalAlloc); used > most {
		t.Errorf("rendering took %d bytes, and %d steps and %d bytes were counted", used, usedSteps, usedBytes)
	}
	if err == nil && (stepsLeft < 0 || bytesLeft < 0 || len(text) > usedBytes) {
		t.Errorf("%d bytes were rendered with %d steps and %d bytes left", len(text), stepsLeft, bytesLeft)
	}
	return text, err
}

// FuzzRender: whatever the template, rendering stays within its limits, gives an
// error with a place or a text, and gives the same again.
func FuzzRender(f *testing.F) {
	for _, s := range []string{
		"{% for d in step_dependencies %}{{ loop.index }}. {{ d }}\n{% endfor %}",
		"{% macro m(a, b=2) %}{{ a ~ b }}{% endmacro %}{{ m(1)|indent }}",
		"{{ [1, 'a'][0:1]|tojson }}{% raw %}{{{% endraw %}",
		"{%- if a is defined and not b -%}{# c #}{%- endif +%}",
		"{% set x %}y{% endset %}{{ x|replace('y', '\\u00e9')|upper }}",
		"{{ 'a b'.split(' ')|map('replace', 'a', 'bb')|select('ne', 'c')|sort|join('-') * 9 }}",
	} {
		f.Add(s)
	}
	f.Add("{% with a = {'k': 1.5e3, 'l': [2]} %}{{ a|tojson(2) }}{{ [a]|selectattr('l.0', 'eq', 2)|list }}{% endwith %}")
	f.Add("{{ '%05.2f %-3s %(a)s'|format(1.5, 'x')|title }}{% for k, v in {'a': 7 // 2.0}.items() %}{{ v|round(1) % 2 " +
		"}}{% endfor %}{% include 'a' %}")
	for _, s := range hostile() {
		if len(s) < 1000 {
			f.Add(s)
		}
	}
	vars := map[string]any{"step_dependencies": []string{"a", "b"}, "n": 3, "none_": nil}
	f.Fuzz(func(t *testing.T, template string) {
		const steps, bytes = 2_000, 64 << 10
		once, err := bounded(t, template, vars, steps, bytes)
		var placed *jinja.Error
		if err != nil && (!errors.As(err, &placed) || placed.Line < 1 || placed.Column < 1) {
			t.Fatalf("an error without a place: %v", err)
		}
		if again, _ := bounded(t, template, vars, steps, bytes); err == nil && again != once {
			t.Fatalf("first %q, then %q", once, again)
		}
	})
}
