package platform

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func proc(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("/proc/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

func TestKernel(t *testing.T) {
	if got, err := Kernel(); err != nil || got != proc(t, "sys/kernel/osrelease") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestLastCap(t *testing.T) {
	caps, err := ReadCapabilities()
	if err != nil {
		t.Fatal(err)
	}
	if got := strconv.Itoa(caps.Last); got != proc(t, "sys/kernel/cap_last_cap") {
		t.Errorf("%s, the kernel says %s", got, proc(t, "sys/kernel/cap_last_cap"))
	}
}

func TestNamespaces(t *testing.T) {
	got, err := Namespaces()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range NamespaceNames() {
		link, err := os.Readlink("/proc/self/ns/" + name)
		if err != nil || link != name+":["+strconv.FormatUint(got[i], 10)+"]" {
			t.Errorf("%s is %d, %s, %v", name, got[i], link, err)
		}
	}
}

// That another's is told, the places show.
func TestOwnProc(t *testing.T) {
	if own, err := OwnProc(); err != nil || !own {
		t.Errorf("%v, %v", own, err)
	}
}

// In namespaces the places show it.
func TestMachinesRoot(t *testing.T) {
	b, err := os.ReadFile("/proc/self/uid_map")
	ranges, ok := ParseIDMap(b)
	if err != nil || !ok {
		t.Fatal(err)
	}
	whole := len(ranges) == 1 && ranges[0] == (IDRange{0, 0, 1<<32 - 1}) // the first namespace
	if got := MachinesRoot(); whole && got != (os.Geteuid() == 0) {
		t.Errorf("%v for user %d", got, os.Geteuid())
	}
}

// A file that is made meanwhile has the mode of the one mask there is.
func TestUmask(t *testing.T) {
	for name, ask := range map[string]func() (int, error){"shown": Umask, "aside": umaskAside} {
		t.Run(name, func(t *testing.T) {
			defer unix.Umask(unix.Umask(0o027))
			asked := make(chan struct{})
			go func() {
				defer close(asked)
				for range 2000 {
					if got, err := ask(); err != nil || got != 0o027 {
						t.Errorf("%#o, %v", got, err)
					}
				}
			}()
			dir := t.TempDir()
			for i := 0; ; i++ {
				select {
				case <-asked:
					return
				default:
				}
				path := filepath.Join(dir, strconv.Itoa(i))
				if err := os.Mkdir(path, 0o777); err != nil {
					t.Error(err)
				}
				info, err := os.Stat(path)
				if err != nil || info.Mode().Perm() != 0o750 {
					t.Errorf("%v, %v", info, err)
				}
				if err = os.Remove(path); err != nil || t.Failed() { // or a small /tmp is full
					t.Fatal(err)
				}
			}
		})
	}
}

func TestLandlockABI(t *testing.T) {
	abi, err := LandlockABI()
	if err != nil || abi < 0 {
		t.Fatalf("%d, %v", abi, err)
	}
	lsms, err := os.ReadFile("/sys/kernel/security/lsm")
	if err != nil {
		t.Skip("securityfs is not mounted: nothing to compare with")
	}
	if listed := strings.Contains(string(lsms), "landlock"); listed != (abi > 0) {
		t.Errorf("ABI %d; the kernel's modules are %s", abi, lsms)
	}
}

func TestErrnoName(t *testing.T) {
	for e, want := range map[unix.Errno]string{unix.EACCES: "EACCES", unix.ENOENT: "ENOENT", 4000: "errno 4000"} {
		if got := ErrnoName(e); got != want {
			t.Errorf("%d is %s", e, got)
		}
	}
}

func TestReadSmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, size := range []int{0, 1, 8191, 8192, 8193, 100000} {
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		if b, err := ReadSmall(path, size); err != nil || len(b) != size {
			t.Errorf("%d bytes of %d: %v", len(b), size, err)
		}
		if size == 0 {
			continue
		}
		if _, err := ReadSmall(path, size-1); !errors.Is(err, unix.EFBIG) {
			t.Errorf("%d bytes where %d are too many: %v", size, size-1, err)
		}
	}
	stat, _ := ReadSmall("/proc/self/stat", 4096)
	was := string(stat)
	if _, err := ReadSmall("/proc/self/status", 8191); err != nil || string(stat) != was {
		t.Errorf("a second read changed the first one's bytes: %q, %v", stat, err)
	}
	var e *os.PathError
	if _, err := ReadSmall(path+"/none", 1); !errors.As(err, &e) || !errors.Is(err, unix.ENOTDIR) {
		t.Errorf("%v", err)
	}
	if b, err := ReadSmall("/proc/self/stat", 4096); err != nil || len(b) == 0 {
		t.Errorf("a file of /proc, which says that it is empty: %q, %v", b, err)
	}
}

// A link in the middle of a path would let somebody else choose what is granted.
func TestOpenTreeFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "real"), 0o755), os.Symlink("real", filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"link", "link/../real"} {
		if fd, err := OpenTree(filepath.Join(dir, "real") + "/../" + path); !errors.Is(err, unix.ELOOP) {
			t.Errorf("%s: %d, %v", path, fd, err)
		}
	}
	fd, err := OpenTree(filepath.Join(dir, "real"))
	if os.Geteuid() != 0 {
		if !errors.Is(err, unix.EPERM) {
			t.Errorf("without the right to mount: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(fd)
}
