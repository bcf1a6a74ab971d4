package reports

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// colour is linear red, green and blue.
type colour [3]float64

// blindness maps colours to what people with a kind of colour blindness see (Machado, Oliveira
// and Fernandes 2009, severity 1).
var blindness = map[string][3]colour{
	"none":   {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protan": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deutan": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritan": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func parseColour(t *testing.T, text string) (c colour) {
	t.Helper()
	var parts [3]int
	if _, err := fmt.Sscanf(text, "#%02x%02x%02x", &parts[0], &parts[1], &parts[2]); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for i, n := range parts {
		if v := float64(n) / 255; v <= 0.04045 {
			c[i] = v / 12.92
		} else {
			c[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return c
}

func (c colour) times(m [3]colour) (r colour) {
	for i, row := range m {
		for k := range row {
			r[i] += row[k] * min(1, max(0, c[k]))
		}
	}
	return r
}

// lab returns the CIE L*a*b* coordinates of the colour.
func (c colour) lab() colour {
	xyz := c.times([3]colour{
		{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041},
	})
	f := func(v float64) float64 {
		if v > 0.008856 {
			return math.Cbrt(v)
		}
		return 7.787*v + 16.0/116
	}
	x, y, z := f(xyz[0]/0.95047), f(xyz[1]), f(xyz[2]/1.08883)
	return colour{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// TestTexturesOfPlots: no two of the eleven marks have the same texture.
func TestTexturesOfPlots(t *testing.T) {
	css, err := os.ReadFile("page/page.css")
	if err != nil {
		t.Fatal(err)
	}
	marks, owner := regexp.MustCompile(`\.c\d+ \{ background`).FindAllString(string(css), -1), map[string]string{}
	for _, m := range regexp.MustCompile(`\n(\.c\d[^{]*) \{ background-image: (.*)\}`).FindAllStringSubmatch(string(css), -1) {
		if owner[m[2]] != "" || strings.Contains(m[1], ",") {
			t.Errorf("%s %s: two marks have the texture %s", owner[m[2]], m[1], m[2])
		}
		owner[m[2]] = m[1]
	}
	slices.Sort(marks)
	if n := len(slices.Compact(marks)); n != 11 || len(owner) != n-1 { // one mark is plain
		t.Errorf("%d marks and %d textures, want 11 and 10", n, len(owner))
	}
}

// TestColoursOfPlots simulates colour blindness: any two colours of a plot stay different, in
// the light and the dark form of the page. A distance of 2.3 is just noticeable.
func TestColoursOfPlots(t *testing.T) {
	const least = 15.0
	css, err := os.ReadFile("page/page.css")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(string(css), 2)
	for i, block := range blocks {
		colours := map[string]colour{}
		for _, m := range regexp.MustCompile(`--([\w-]+): (#[0-9a-f]{6})`).FindAllStringSubmatch(block[1], -1) {
			colours[m[1]] = parseColour(t, m[2])
		}
		for _, pair := range []string{"c0 c1", "c2 c3", "c4 c5", "c0 rest", "c1 rest"} {
			names := strings.Fields(pair)
			p, q := colours[names[0]].times(blindness["none"]).lab(), colours[names[1]].times(blindness["none"]).lab()
			if d := math.Abs(p[0] - q[0]); d < 10 {
				t.Errorf("block %d: the lightness of %s differs by %.1f, want at least 10", i, pair, d)
			}
		}
		for _, plot := range []string{"c0 c1 c2 c3 c4 c5 rest", "good bad doubtful rest soft"} {
			names := strings.Fields(plot)
			for kind, m := range blindness {
				for a, one := range names {
					for _, other := range names[a+1:] {
						p, q := colours[one].times(m).lab(), colours[other].times(m).lab()
						if d := math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2]); d < least {
							t.Errorf("block %d, %s: %s and %s differ by %.1f, want at least %.0f", i, kind, one, other, d, least)
						}
					}
				}
			}
		}
	}
}
