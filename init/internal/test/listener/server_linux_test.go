package listener_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// arguments are those with which a call is refused that is allowed with others. All others are made with none: what
// they would do without a filter is fail.
var arguments = map[string][2]uintptr{
	"clone":   {unix.CLONE_NEWUSER | unix.CLONE_FS},
	"seccomp": {unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER},
}

// undisturbed is for a thread whose calls are counted: no signal reaches it any more. One that comes while a call's
// answer is on its way has the call made, and told, once more (seccomp_do_user_notification in kernel/seccomp.c gives
// the wait up for a signal, even if the answer was taken before it has the lock again), and the runtime of Go sends
// SIGURG to a thread that is long in a call. The goroutine keeps the thread.
func undisturbed() {
	runtime.LockOSThread()
	var all unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, nil); err != nil {
		panic(err)
	}
}

func call(name string) syscall.Errno {
	nr, ok := seccomp.Number(name)
	if !ok {
		return unix.ENXIO
	}
	a := arguments[name]
	_, _, e := syscall.RawSyscall6(uintptr(nr), a[0], a[1], 0, 0, 0, 0)
	return e
}

// serve is the server.
func serve(words []string) int {
	does, args := words[0], words[1:]
	switch does {
	case "calls": // each of the names, and what became of it
		undisturbed()
		for _, name := range args {
			fmt.Println(name, unix.ErrnoName(call(name)))
		}
	case "thread": // not the process's first
		fmt.Println(unix.ErrnoName(elsewhere(func() syscall.Errno { return call("ptrace") })), os.Getpid())
	case "child":
		cmd := testbed.As(serverIs, "thread")
		cmd.Stdout = os.Stdout
		if err := cmd.Run(); err != nil {
			fmt.Println(err)
		}
	case "flood", "interrupted-flood": // so many calls by so many threads, the latter behind a byte of input
		calls, _ := strconv.Atoi(args[0])
		threads, _ := strconv.Atoi(args[1])
		begin := undisturbed
		if does == "interrupted-flood" {
			begin = runtime.LockOSThread
			os.Stdin.Read(make([]byte, 1))
		}
		fmt.Println(flood(calls, threads, begin))
	case "flood-and-read": // a file that is denied, when the input has ended
		fmt.Println(flood(3000, 4, func() {})) // a thread that ends takes its counts along
		io.Copy(io.Discard, os.Stdin)
		_, err := os.ReadFile(args[0])
		fmt.Println(errors.Is(err, os.ErrPermission))
	case "descriptors":
		entries, err := os.ReadDir("/proc/self/fd")
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		fmt.Println(strings.Join(names, " "), err)
	}
	return 0
}

// elsewhere calls f in a thread that is not the process's first.
func elsewhere(f func() syscall.Errno) (e syscall.Errno) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		undisturbed()
		if unix.Gettid() == unix.Getpid() { // which is kept from the next
			e = elsewhere(f)
		} else {
			e = f()
		}
	}()
	<-done
	return e
}

// flood reports what its calls came to, each errno once. Each thread begins with something.
func flood(calls, threads int, begin func()) string {
	var mu sync.Mutex
	var wg sync.WaitGroup
	seen := map[string]int{}
	for range threads {
		wg.Go(func() {
			begin()
			for range calls / threads {
				e := call("ptrace")
				mu.Lock()
				seen[unix.ErrnoName(e)]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return fmt.Sprint(seen)
}
