package basic

import (
	"strings"
	"time"

	"golang.org/x/sys/windows"
)

// Kill ends all processes of the job, and tells how many there were.
func (s *server) Kill() int {
	if len(s.members()) == 0 {
		return 0
	}
	n := s.living()
	windows.TerminateJobObject(s.inner, killed)
	for end := time.Now().Add(2 * time.Second); len(s.members()) > 0 && time.Now().Before(end); {
		time.Sleep(2 * time.Millisecond)
	}
	return n
}

// members are the processes in the job. Of more than the list takes the rest is not named, and killed with the others.
func (s *server) members() []uintptr {
	var l processList
	if s.inner == 0 {
		return nil
	}
	if err := askJob(s.inner, windows.JobObjectBasicProcessIdList, &l); err != nil && err != windows.ERROR_MORE_DATA {
		return nil
	}
	return l.pids[:min(int(l.listed), len(l.pids))]
}

// living counts the processes that the server started, and itself. The host of its console is the system's.
func (s *server) living() (n int) {
	for _, pid := range s.members() {
		if alive(int(pid)) && !strings.EqualFold(image(uint32(pid)), "conhost.exe") {
			n++
		}
	}
	return n
}

// image is the name of a process's program; "" if nobody may know.
func image(pid uint32) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(h)
	b := make([]uint16, windows.MAX_PATH)
	n := uint32(len(b))
	if windows.QueryFullProcessImageName(h, 0, &b[0], &n) != nil {
		return ""
	}
	path := windows.UTF16ToString(b[:n])
	return path[strings.LastIndexByte(path, '\\')+1:]
}
