package reports

import "bytes"

// withoutAssets leaves the libraries out of a page.
func withoutAssets(page []byte) []byte {
	for _, name := range []string{"d3.min.js", "plot.min.js"} {
		data, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			panic(err)
		}
		page = bytes.ReplaceAll(page, data, []byte("/* "+name+" */"))
	}
	return page
}
