package main

import "testing"

// TestExample runs the example as a program would, except for the long campaigns.
func TestExample(t *testing.T) {
	for _, test := range tests[1:] {
		t.Run(test.Name, test.F)
	}
}
