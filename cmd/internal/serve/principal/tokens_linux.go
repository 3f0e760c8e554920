package principal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// tokens are the lines of a file: PRINCIPAL sha256:HEX. The file has no token, so a reader of it has none.
type tokens struct {
	who  map[[sha256.Size]byte]string
	have map[string]bool
}

// Tokens is the source of a file of tokens. tell is told why a changed file is not used.
func Tokens(file string, tell func(error)) (Source, error) {
	f, err := NewFresh(func() (tokens, error) { return readTokens(file) }, tell, file)
	return Source{func(r *http.Request) (string, error) {
		token, err := bearer(r)
		return f.Get().who[sha256.Sum256([]byte(token))], err
	}, func(who string) bool { return f.Get().have[who] }}, err
}

func readTokens(file string) (tokens, error) {
	t := tokens{map[[sha256.Size]byte]string{}, map[string]bool{}}
	text, err := os.ReadFile(file)
	if err != nil {
		return t, err
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		at := strings.LastIndexAny(line, " \t")
		digest, ok := strings.CutPrefix(line[at+1:], "sha256:")
		sum, err := hex.DecodeString(digest)
		who := strings.TrimSpace(line[:max(at, 0)])
		if !ok || err != nil || len(sum) != sha256.Size || !Valid(who) {
			return t, fmt.Errorf("%s:%d: a line is PRINCIPAL sha256:HEX, as mcp-sandbox-serve token prints it", file, n)
		}
		t.who[[sha256.Size]byte(sum)] = who
		t.have[who] = true
	}
	if len(t.who) == 0 {
		return t, fmt.Errorf("%s: no token: mcp-sandbox-serve token PRINCIPAL >>%s", file, file)
	}
	return t, nil
}

// NewToken makes a token of 256 bits and more, and the file's line for it.
func NewToken(who string) (token, line string) {
	token = rand.Text() + rand.Text()
	return token, fmt.Sprintf("%s sha256:%x\n", who, sha256.Sum256([]byte(token)))
}
