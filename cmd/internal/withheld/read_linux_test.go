package withheld

import (
	"errors"
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// Only a regular file is opened: a pipe has the launcher wait for ever, and a device does what it does when opened.
func TestReadsFilesAlone(t *testing.T) {
	dir := t.TempDir()
	pipe, file := dir+"/pipe", dir+"/file"
	if err := errors.Join(unix.Mkfifo(pipe, 0o700), os.WriteFile(file, []byte("#!/x"), 0o700)); err != nil {
		t.Fatal(err)
	}
	p, err := os.OpenFile(pipe, os.O_RDWR, 0) // so that the fault is seen, and does not hang
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Write(make([]byte, 1<<15)); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{file: "#!/x", pipe: "", "/dev/zero": "", dir: "", dir + "/none": ""} {
		if got := string(read(at)); got != want {
			t.Errorf("%s: %q", at, got)
		}
	}
	t.Chdir(dir) // in which no program is looked for
	for name, want := range map[string]string{"pipe": "pipe", "file": file} {
		if got := find(name, "/", "."+":"+dir); got != want {
			t.Errorf("%s of PATH is %s", name, got)
		}
	}
	o := &order.Order{Command: []string{pipe}}
	strict := policy.Policy{Level: policy.Strict}.Effective(policy.Run)
	if all := shortages(o, &strict); len(all) > 0 {
		t.Errorf("%+v", all)
	}
}
