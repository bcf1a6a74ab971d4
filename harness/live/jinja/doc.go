// Package jinja renders the part of the Jinja2 template language that prompts
// use, byte for byte as Python's Jinja2 3.1 renders it with its default
// settings and StrictUndefined: None and lists print as Python prints them,
// division, remainder, comparison, slices and sorting are Python's, one newline
// at the end of a template goes.
//
// What it cannot do it refuses, with the template and the line: inheritance
// (extends, block), import, recursive loops, extensions, filters and methods
// that it does not know, integers beyond 64 bits. A prompt that silently
// differs from what the author's own program sends would be worse than none.
// Engines for Go that imitate Jinja2 compare values of different types, divide
// and join text by Go's rules, and give no door to their syntax tree by which
// such templates could be told; so this package has its own.
//
// It is not a general template engine: values are numbers, text, lists and
// dicts, and rendering is bounded in steps, depth and output.
//
// The language is that of https://jinja.palletsprojects.com/en/3.1.x/templates/.
package jinja
