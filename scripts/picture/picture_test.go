package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func drawn() string {
	var b bytes.Buffer
	draw(&b)
	return b.String()
}

// The committed picture is what this program draws: go run ./scripts/picture > docs/picture.svg
func TestPictureIsCommitted(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "picture.svg")
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.ReplaceAll(string(got), "\r\n", "\n"); text != drawn() {
		t.Errorf("%s is not what this program draws", file)
	}
}

// The picture is XML with nothing from elsewhere: no font but generic families, no script, no reference.
func TestPictureStandsAlone(t *testing.T) {
	text := drawn()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	fonts := regexp.MustCompile(`font: [^;}]*`).FindAllString(text, -1)
	for _, f := range fonts {
		if !strings.HasSuffix(strings.TrimSpace(f), " sans-serif") && !strings.HasSuffix(strings.TrimSpace(f), " monospace") {
			t.Errorf("%q", f)
		}
	}
	if len(fonts) == 0 || regexp.MustCompile(`<script|href|url\(|@import|font-face`).MatchString(text) {
		t.Error("it has no font, or something from elsewhere")
	}
}

// Each class has a colour for light, and for dark too.
func TestPictureInTheDark(t *testing.T) {
	light, dark, found := strings.Cut(style, "@media (prefers-color-scheme: dark)")
	if !found {
		t.Fatal("no dark")
	}
	for _, m := range regexp.MustCompile(`class="([a-z]+)"`).FindAllStringSubmatch(drawn(), -1) {
		rule := regexp.MustCompile(`\.` + m[1] + `\b[^}]*\{`)
		if !rule.MatchString(light) || !rule.MatchString(dark) {
			t.Errorf("class %s has no colour in light or in dark", m[1])
		}
	}
}

// No text is wider than its box, with letters as wide as they are in the widest of the common fonts.
func TestTextsFit(t *testing.T) {
	const mono, sans, inner = 8.0, 7.6, 24
	for _, g := range groups() {
		for _, r := range g.rows {
			if n := float64(len(r.machine))*mono + inner; n > boxWide {
				t.Errorf("%s: %g of %d", r.machine, n, boxWide)
			}
			if n := float64(len(r.server))*sans + inner; n > serverW {
				t.Errorf("%s: %g of %d", r.server, n, serverW)
			}
		}
	}
	if n := float64(len(command))*mono + 2*margin; n > width {
		t.Errorf("%s: %g of %d", command, n, width)
	}
}
