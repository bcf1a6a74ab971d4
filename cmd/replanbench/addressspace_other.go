//go:build !unix

package main

// addressSpaceWarning returns "": this system has no such limit.
func addressSpaceWarning() string { return "" }
