package table

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Line begins each line of what Print writes: a test machine's console carries what others print too.
const Line = "places-account "

// Print writes accounts to a console, packed, in lines that it does not break.
func Print(w io.Writer, accounts map[string]Account) error {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if err := errors.Join(json.NewEncoder(z).Encode(accounts), z.Close()); err != nil {
		return err
	}
	text := base64.StdEncoding.EncodeToString(packed.Bytes())
	for len(text) > 0 {
		n := min(len(text), 1000)
		if _, err := fmt.Fprintln(w, Line+text[:n]); err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

// Read takes the accounts out of what a console carried; gzip has a checksum.
func Read(console string) (map[string]Account, error) {
	var text strings.Builder
	for line := range strings.Lines(console) {
		if rest, ok := strings.CutPrefix(line, Line); ok {
			text.WriteString(strings.TrimSpace(rest))
		}
	}
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text.String())))
	if err != nil {
		return nil, fmt.Errorf("accounts: %w", err)
	}
	accounts := map[string]Account{}
	if err := json.NewDecoder(z).Decode(&accounts); err != nil {
		return nil, fmt.Errorf("accounts: %w", err)
	}
	_, err = io.Copy(io.Discard, z) // to the checksum
	return accounts, err
}
