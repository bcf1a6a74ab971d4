// Package jinja renders the part of the Jinja2 template language that prompts
// for replanning use, byte for byte as Python's Jinja2 3.1 renders it with its
// default settings and StrictUndefined: None and lists print as Python prints
// them, the remainder has Python's sign, one newline at the end of a template
// goes.
//
// It has if, for, set, macro, with, include, raw and white-space control; numbers, text,
// lists, tuples, dicts with text for keys, range and namespace; and the operators, filters, tests and
// methods listed in levels, filters, tests and methods. The rest it refuses by
// name, with its place and the way out, --renderer python. A prompt that
// silently differs from what the author's own program sends would be worse than
// none.
//
// Rendering is bounded: all that is evaluated, gone through or compared counts
// as steps, and text and lists count before they are made.
//
// The language is https://jinja.palletsprojects.com/en/3.1.x/templates/.
package jinja
