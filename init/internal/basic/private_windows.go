package basic

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/windows"
)

// makePrivate makes a folder that only this user may enter. The rights are set as it is made, and inherited below it.
func makePrivate(base, prefix string) (string, error) {
	sid, err := user()
	if err != nil {
		return "", err
	}
	sd, err := windows.SecurityDescriptorFromString("D:P(A;OICI;FA;;;" + sid + ")")
	if err != nil {
		return "", err
	}
	for range 100 {
		dir := filepath.Join(base, prefix+random())
		name, err := windows.UTF16PtrFromString(dir)
		if err != nil {
			return "", err
		}
		attributes := inheritable(sd)
		attributes.InheritHandle = 0
		if err = windows.CreateDirectory(name, attributes); err == windows.ERROR_ALREADY_EXISTS {
			continue
		}
		if err != nil {
			return "", &os.PathError{Op: "mkdir", Path: dir, Err: err}
		}
		return dir, nil
	}
	return "", errTaken
}

// errTaken is a name that somebody made before.
var errTaken = errors.New("every name that was tried is taken")

// user is the SID of who runs this process.
func user() (string, error) {
	u, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return "", err
	}
	return u.User.Sid.String(), nil
}

// random is what makes a name: a GUID without its punctuation.
func random() string {
	g, err := windows.GenerateGUID()
	if err != nil {
		return "x"
	}
	return strings.NewReplacer("{", "", "}", "", "-", "").Replace(g.String())
}

// facts reads back who may enter the folder.
func (v *private) facts() []order.Fact {
	f := order.Fact{Name: "who may enter the private folder", Want: "the owner"}
	sid, err := user()
	var sd *windows.SECURITY_DESCRIPTOR
	if err == nil {
		sd, err = windows.GetNamedSecurityInfo(v.dir, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	}
	if err != nil {
		f.Reason, f.Effect = "its rights cannot be read: "+err.Error(), "others may be able to enter"
		return []order.Fact{f}
	}
	const system = "SY" // who may do everything anyway; some systems add it by themselves
	f.Got = "the owner"
	for _, who := range trustees(sd.String()) {
		if who != sid && who != system {
			f.Got = "also " + who
		}
	}
	return []order.Fact{f}
}

// folders are those that programs expect in a home.
func (v *private) folders() []string {
	return []string{filepath.Join(v.home, "AppData", "Roaming"), filepath.Join(v.home, "AppData", "Local")}
}

// variables lead to the private folders. TEMP is what GetTempPath takes.
func (v *private) variables() []string {
	drive := filepath.VolumeName(v.home)
	return []string{"TEMP=" + v.tmp, "TMP=" + v.tmp, "TMPDIR=" + v.tmp, "HOME=" + v.home, "USERPROFILE=" + v.home, "HOMEDRIVE=" + drive,
		"HOMEPATH=" + v.home[len(drive):], "APPDATA=" + v.folders()[0], "LOCALAPPDATA=" + v.folders()[1]}
}

// give has nothing to do: the server runs as the user who made the folder.
func (v *private) give() error { return nil }

// mine reports whether a folder is no link to elsewhere. TEMP is the user's own.
func mine(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir()
}

// alive reports whether a process runs. What cannot be asked does.
func alive(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err == windows.ERROR_INVALID_PARAMETER {
		return false
	}
	if err != nil {
		return true
	}
	defer windows.CloseHandle(h)
	r, err := windows.WaitForSingleObject(h, 0)
	return err != nil || r != windows.WAIT_OBJECT_0
}

// ownMask has nothing to do: there is no umask.
func ownMask() func() { return func() {} }
