package suffix

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/publicsuffix"
)

func TestPublic(t *testing.T) {
	for host, want := range map[string]bool{
		"co.uk": true, "com.au": true, "k12.ca.us": true, "ac.jp": true, "xn--55qx5d.cn": true, "com.ck": true, "any.ck": true,
		"www.ck": false, "a.www.ck": false, "kawasaki.jp": true, "a.kawasaki.jp": true, "city.kawasaki.jp": false, "pvt.k12.ma.us": true,
		"example.com": false, "example.co.uk": false, "co.ukx": false, "xco.uk": false, "github.io": false, "sch.uk": true, "com.com": false,
		"a.b": false, "zz.zz": false, "0.0": false, "!www.ck": true, "*.ck": true,
	} {
		if got := Public(host); got != want {
			t.Errorf("%s: %t", host, got)
		}
	}
}

func TestShared(t *testing.T) {
	for host, want := range map[string]bool{
		"github.io": true, "me.github.io": false, "vercel.app": true, "workers.dev": true, "s3.amazonaws.com": true, "amazonaws.com": true,
		"amazonaws-x.com": false, "a.s3.amazonaws.com": false, "example.com": false, "ngrok.io": true, "api.github.com": false, "github.com": false,
		"compute.estate": true, "a.compute.estate": true, "a.b.compute.estate": false,
	} {
		if got := Shared(host); got != want {
			t.Errorf("%s: %t", host, got)
		}
	}
}

// Every line is found, the first and the last too, and the tables are in order and small.
func TestTables(t *testing.T) {
	for name, table := range map[string]string{"icann": icann, "private": private} {
		inner, whole := strings.CutSuffix(table, "\n")
		lines := strings.Split(inner, "\n")
		if !whole || !slices.IsSorted(lines) || len(lines) < 2000 {
			t.Fatalf("%s: %d lines, out of order or cut off", name, len(lines))
		}
		for i, line := range lines {
			if !from(table, line, "\n") || from(table, line+"\x00", "") || from(table, line[:len(line)-1], "\n") != slices.Contains(lines, line[:len(line)-1]) {
				t.Errorf("%s: line %d, %s, is not found alone", name, i, line)
			}
		}
	}
	if n := len(icann) + len(private); n > 150_000 {
		t.Errorf("the tables have %d bytes", n)
	}
}

// FuzzPublic compares with the library, which no program here can load, since the library imports net/http.
func FuzzPublic(f *testing.F) {
	for _, table := range []string{icann, private} {
		for line := range strings.SplitSeq(strings.TrimSuffix(table, "\n"), "\n") {
			labels := strings.Split(strings.ReplaceAll(line, "!", ""), ".")
			slices.Reverse(labels)
			name := strings.ReplaceAll(strings.Join(labels, "."), "*", "any")
			f.Add(name)
			f.Add("below." + name)
		}
	}
	f.Fuzz(func(t *testing.T, host string) {
		for label := range strings.SplitSeq(host, ".") {
			if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
				return
			}
		}
		if !strings.Contains(host, ".") {
			return
		}
		if last := host[strings.LastIndexByte(host, '.')+1:]; strings.Trim(last, "0123456789") == "" {
			return // an address, or no name
		}
		whole, isPublic := publicsuffix.PublicSuffix(host)
		// A name above a suffix is none itself, and wider.
		above := from(icann, reversed(host), ".")
		if got, want := Public(host), whole == host && isPublic || above; got != want {
			t.Errorf("%s: public is %t", host, got)
		}
		above = from(private, reversed(host), ".")
		if got, want := Shared(host), whole == host && !isPublic || above; got != want {
			t.Errorf("%s: shared is %t", host, got)
		}
	})
}

func reversed(host string) string {
	labels := strings.Split(host, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}
