package install

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/golang"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/npm"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/python"
)

// remember makes a manager be asked once for a configuration, without the long forms of the suite: half of an install
// that is refused is its question. What the question reads is the key.
func remember() {
	for _, row := range []*job.Manager{&npm.Manager, &python.Manager, &golang.Manager} {
		var answers sync.Map
		ask := row.Settings
		row.Settings = func(ctx context.Context, q *job.Question) (*job.Settings, error) {
			key, ok := reads(q)
			if !ok {
				return ask(ctx, q)
			}
			if known, ok := answers.Load(key); ok {
				s := known.(job.Settings)
				return &s, nil
			}
			s, err := ask(ctx, q)
			if err == nil {
				answers.Store(key, *s)
			}
			return s, err
		}
	}
}

// reads is what an answer depends on; it is not known where the configuration names other files, or logs in.
func reads(q *job.Question) (key string, ok bool) {
	info, err := os.Stat(q.Program)
	if err != nil || q.Auth {
		return "", false
	}
	key = fmt.Sprintf("%s\x00%s\x00%s\x00%v %v\x00%q", q.Home, q.Config, q.Program, info.Size(), info.ModTime(), q.Project)
	for _, file := range q.Files {
		b, err := os.ReadFile(file)
		if err == nil && (strings.Contains(string(b), "cafile") || strings.Contains(string(b), "cert")) {
			return "", false
		}
		key += fmt.Sprintf("\x00%q", b)
	}
	return key + "\x00" + q.Path, true
}
