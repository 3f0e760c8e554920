package policy

import (
	"slices"
	"testing"
)

// Windows does not tell the cases of names apart, and its programs need variables of their own.
func TestEnvironOfWindows(t *testing.T) {
	host := []string{"=C:=C:\\work", "Path=C:\\bin", "SystemRoot=C:\\Windows", "ComSpec=C:\\Windows\\cmd.exe", "Secret=x", "github_token=t", "Notion_Key=k", "LC_all=C",
		"Http_Proxy=p", "path=D:\\bin"}
	p := Policy{EnvVars: []string{"GITHUB_TOKEN", "NOTION_*"}, Env: []Variable{{Name: "SYSTEMROOT", Value: "E:\\"}}}
	env, dropped := p.environ("windows", host, "TEMP=T:\\x")
	if want := []string{"ComSpec=C:\\Windows\\cmd.exe", "github_token=t", "Notion_Key=k", "LC_all=C", "path=D:\\bin", "SYSTEMROOT=E:\\", "TEMP=T:\\x"}; !slices.Equal(env, want) {
		t.Errorf("env %q, want %q", env, want)
	}
	if want := []string{"Http_Proxy", "Secret"}; !slices.Equal(dropped, want) {
		t.Errorf("dropped %q, want %q", dropped, want)
	}
	env, _ = p.environ("linux", host)
	if want := []string{"LC_all=C", "SYSTEMROOT=E:\\"}; !slices.Equal(env, want) {
		t.Errorf("elsewhere %q, want %q", env, want)
	}
}
