package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestGenerated makes the table again and compares.
func TestGenerated(t *testing.T) {
	got, err := generate(calls)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../table_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("table_gen.go is not what calls.txt and rules.go say: run go generate")
	}
	for _, file := range files() {
		if got, err := file.blocks(); err != nil {
			t.Fatal(err)
		} else if want, err := os.ReadFile("../" + file.name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what rules.go says: run go generate; %v", file.name, err)
		}
	}
	changed := strings.Replace(calls, "report ptrace", "allow ptrace", 1)
	if got, err := generate(changed); changed == calls || err != nil || bytes.Equal(got, want) {
		t.Errorf("a changed decision changes nothing: %v", err)
	}
}

func TestDecideErrors(t *testing.T) {
	for change, want := range map[[2]string]string{
		{"allow read ", "allow "}:           "read is not decided",
		{"allow read ", "allow read read "}: "read is unknown, or decided twice",
		{"allow read ", "allow reda "}:      "reda is unknown",
		{"allow read ", "permit read "}:     "is no rule",
		{"allow memfd_create", "allow"}:     "is no rule",
	} {
		_, err := decide(strings.Replace(calls, change[0], change[1], 1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q as %q: %v, want %q", change[0], change[1], err, want)
		}
	}
}
