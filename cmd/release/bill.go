package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// document is a bill of materials: CycloneDX 1.5.
type document struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	URL        string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// bill lists what a program was built from, as Go recorded it there.
func bill(file, version string) ([]byte, error) {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read what the program was built from: %w", err)
	}
	self := module(info.Main.Path, version)
	self.Type = "application"
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "GO") || strings.HasPrefix(s.Key, "vcs") || s.Key == "CGO_ENABLED" {
			self.Properties = append(self.Properties, property{"build:" + s.Key, s.Value})
		}
	}
	d := document{
		Format: "CycloneDX", Spec: "1.5", Version: 1, Metadata: metadata{self},
		Components: []component{module("std", strings.TrimPrefix(info.GoVersion, "go"))},
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := module(m.Path, m.Version)
		c.Properties = []property{{"go:sum", m.Sum}}
		d.Components = append(d.Components, c)
	}
	data, err := json.MarshalIndent(d, "", "  ")
	return append(data, '\n'), err
}

// module is a module as a component, with its package URL.
func module(path, version string) component {
	var parts []string
	for p := range strings.SplitSeq(path, "/") {
		parts = append(parts, url.PathEscape(p))
	}
	address := "pkg:golang/" + strings.Join(parts, "/") + "@" + url.PathEscape(version)
	return component{Type: "library", Ref: address, Name: path, Version: version, URL: address}
}
