package reports

import (
	"errors"
	"os"
	"os/signal"
	"slices"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// What lasts lies where the tests' variables say.
func init() { platform.EnvironmentIsUsers() }

// Reports of a clock that was years ahead neither stand for the newest nor push newer ones out.
func TestClockWasAhead(t *testing.T) {
	folder := home(t)
	Prepare()
	ahead := create(t, "ahead\n", -time.Second, false) // as a server of files whose clock is a little ahead has it
	for range Kept {
		create(t, "x\n", -10*365*24*time.Hour, false)
	}
	if at, err := Newest(); at != folder+"/"+ahead || err != nil {
		t.Error(at, err)
	}
	var made []string
	for i := range Kept {
		made = append(made, create(t, "now\n", time.Duration(Kept-i)*time.Second, false))
	}
	made = append(made[1:], ahead)
	slices.Sort(made)
	if got := names(t, folder); !slices.Equal(got, made) {
		t.Errorf("%q", got)
	}
}

// A folder of reports that another user owns is none.
func TestFolderOfAnother(t *testing.T) {
	folder := home(t)
	for range 2 {
		if !Prepare() {
			t.Fatal("this user's own is none")
		}
	}
	var err error
	if os.Geteuid() == 0 {
		err = os.Chown(folder, 4711, 4711)
	} else {
		err = errors.Join(os.Remove(folder), os.Symlink("/usr", folder))
	}
	if err != nil {
		t.Fatal(err)
	}
	if Prepare() {
		t.Error("prepared")
	}
	if fd, err := Create(order.NewID(), time.Now(), []byte("x\n")); err == nil {
		unix.Close(fd)
		t.Error("kept")
	}
}

// Of a line for which there is no room nothing is left, and the next line that fits is whole.
func TestNoHalfLine(t *testing.T) {
	folder := home(t)
	Prepare()
	fd, err := Create(order.NewID(), time.Now(), []byte("first\n"))
	if err != nil {
		t.Fatal(err)
	}
	signal.Ignore(unix.SIGXFSZ)
	defer signal.Reset(unix.SIGXFSZ)
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 10, Max: before.Max})
	long, short := Append(fd, []byte("longer\n")), Append(fd, []byte("end\n"))
	unix.Setrlimit(unix.RLIMIT_FSIZE, &before)
	Close(fd)
	text, err := os.ReadFile(folder + "/" + names(t, folder)[0])
	if long != unix.EFBIG || short != nil || string(text) != "first\nend\n" || err != nil {
		t.Errorf("%v, %v, %q, %v", long, short, text, err)
	}
}

// A launch whose new report another launch looks at gets no lock, and keeps as many others as any.
func TestWithoutLock(t *testing.T) {
	folder := home(t)
	Prepare()
	for range Kept {
		create(t, "another\n", time.Hour, false)
	}
	own := create(t, "own\n", 0, false)
	root, err := unix.Open(folder, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(root)
	trim(root, Kept-1, own)
	if all := names(t, folder); len(all) != Kept || !slices.Contains(all, own) {
		t.Errorf("%d reports are left, its own %v", len(all), slices.Contains(all, own))
	}
}
