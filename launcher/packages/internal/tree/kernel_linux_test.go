package tree

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Escaping agrees with the kernel: a link that openat2(2) with RESOLVE_BENEATH lets out of the folder is named, and of
// links that the kernel follows inside none is. Where the kernel meets nothing, Escaping may be stricter.
func TestEscapingAsTheKernel(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields(".. .. .. . a b c a/b .. l1 l2 l3 /etc")
	escapes, inside := 0, 0
	for round := range 300 {
		top := t.TempDir()
		if err := os.MkdirAll(top+"/a/b/c", 0o700); err != nil {
			t.Fatal(err)
		}
		var links []Entry
		for _, path := range []string{"l1", "a/l1", "a/b/l2", "l2", "a/l3", "l3"} {
			var parts []string
			for range 1 + random.IntN(5) {
				parts = append(parts, words[random.IntN(len(words))])
			}
			target := strings.Join(parts, "/")
			if err := os.Symlink(target, filepath.Join(top, path)); err != nil {
				t.Fatal(err)
			}
			links = append(links, Entry{Path: path, Kind: Link, Target: target})
		}
		fd, err := unix.Open(top, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		f := follower{map[string]string{}, nil, mostSteps}
		for _, l := range links {
			f.targets[l.Path] = l.Target
		}
		for _, l := range links {
			got, err := unix.Openat2(fd, l.Path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH})
			unix.Close(got)
			stays := f.staysInside(l.Path)
			switch err {
			case unix.EXDEV:
				escapes++
				if stays {
					t.Errorf("round %d: %s leads out, of %+v", round, l.Path, links)
				}
			case nil:
				inside++
				if !stays {
					t.Errorf("round %d: %s stays inside, of %+v", round, l.Path, links)
				}
			}
		}
		unix.Close(fd)
	}
	if escapes < 100 || inside < 100 {
		t.Errorf("%d led out and %d stayed: the links prove nothing", escapes, inside)
	}
}

// Two looks at a folder that did not change are the same, whichever goroutine was first.
func TestLookIsTheSame(t *testing.T) {
	top := t.TempDir()
	for i := range 40 {
		if err := os.MkdirAll(filepath.Join(top, strconv.Itoa(i), "x", "y"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	fd, err := unix.Open(top, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	first, err := Look(fd, 120)
	for range 100 {
		again, bad := Look(fd, 120)
		if err != nil || bad != nil || again != first {
			t.Fatalf("%+v, %v, and then %+v, %v", first, err, again, bad)
		}
	}
}

// What another file system holds, which is mounted in the folder, is no part of a package.
func TestSurveyOfAMount(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("it takes root to mount")
	}
	top := t.TempDir()
	if err := os.Mkdir(top+"/d", 0o700); err != nil {
		t.Fatal(err)
	}
	fd, err := openFolder(unix.AT_FDCWD, top)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if found, err := Survey(fd, Request{Owner: -1}); err != nil || len(found.Entries) != 1 {
		t.Errorf("without a mount: %+v, %v", found, err)
	}
	if err := unix.Mount("none", top+"/d", "tmpfs", 0, "mode=0700"); err != nil {
		t.Skip(err)
	}
	defer unix.Unmount(top+"/d", unix.MNT_DETACH)
	if _, err := Survey(fd, Request{Owner: -1}); err == nil || err.Error() != `"d" is on another file system` {
		t.Errorf("%v", err)
	}
}

// A package of more names than the bound is refused.
func TestMostNames(t *testing.T) {
	top := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		if err := os.Symlink("x", top+"/"+name); err != nil {
			t.Fatal(err)
		}
	}
	fd, err := unix.Open(top, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if found, err := Survey(fd, Request{Owner: -1, Most: 3}); err != nil || len(found.Entries) != 3 {
		t.Errorf("three of three: %v", err)
	}
	if _, err := Survey(fd, Request{Owner: -1, Most: 2}); err == nil {
		t.Error("three of two are taken")
	}
	if _, err := Look(fd, 2); err == nil {
		t.Error("three of two are looked at")
	}
}
