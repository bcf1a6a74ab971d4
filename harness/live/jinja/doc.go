// Package jinja renders the part of the Jinja2 template language that prompts for
// replanning use. The result equals, byte for byte, the result of Python's Jinja2 3.1 with its
// default settings and StrictUndefined. For example, None and lists are printed as
// Python prints them, the remainder has Python's sign, and a newline at the end of
// the template is removed.
//
// It has if, for, set, macro, with, include, raw and white-space control; numbers,
// text, lists, tuples, dicts with text keys, range and namespace; and the
// operators, filters, tests and methods of the tables levels, filters, tests and
// methods. It rejects everything else by name, with its place, and names the
// alternative, --renderer python: a prompt that silently differs from the one of
// the author's own program is worse than none.
//
// Rendering is bounded: each evaluation, iteration and comparison counts as a step,
// and texts and lists are counted before they are made.
//
// The language is https://jinja.palletsprojects.com/en/3.1.x/templates/.
package jinja
