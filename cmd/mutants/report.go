package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

// readReasons reads why mutants may survive: a file, a function and a change, and
// behind # the reason.
func readReasons(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	reasons := map[string]string{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, reason, ok := strings.Cut(line, " # ")
		if !ok {
			return nil, fmt.Errorf("%s:%d: the line has no reason (file function \"was\" → \"is\" # reason)", path, n)
		}
		reasons[strings.TrimSpace(key)] = reason
	}
	return reasons, lines.Err()
}

// key is the mutant in a file of reasons; lines move, and are left out.
func (s site) key() string { return s.file + " " + s.in + " " + s.change() }

// report writes the table and the survivors, and says whether 95 % were noticed.
func report(w io.Writer, results []result, reasons map[string]string) bool {
	var order []string
	counts := map[string]map[fate]int{}
	total := map[fate]int{}
	for _, r := range results {
		if counts[r.dialect] == nil {
			order, counts[r.dialect] = append(order, r.dialect), map[fate]int{}
		}
		counts[r.dialect][r.fate]++
		total[r.fate]++
	}
	fmt.Fprintf(w, "%-14s %8s %10s %9s %9s %9s\n", "rules", "mutants", "scenarios", "campaign", "survived", "noticed")
	for _, name := range order {
		row(w, name, counts[name])
	}
	share := row(w, "all", total)
	for _, r := range results {
		if r.fate != survived {
			continue
		}
		reason := reasons[r.key()]
		if reason == "" {
			reason = "no reason is known"
		}
		fmt.Fprintf(w, "survived: %s:%d\n  %s # %s\n", r.file, r.line, r.key(), reason)
	}
	return share >= 0.95
}

// row writes the counts of one dialect, and returns the share that was noticed.
func row(w io.Writer, name string, n map[fate]int) float64 {
	noticed := n[byScenarios] + n[byCampaign]
	all := noticed + n[survived]
	share := float64(noticed) / float64(max(1, all))
	fmt.Fprintf(w, "%-14s %8d %10d %9d %9d %7.1f %%\n", name, all, n[byScenarios], n[byCampaign], n[survived], 100*share)
	return share
}
