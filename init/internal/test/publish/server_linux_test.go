package publish_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
)

// serverWord is the first argument of this test binary when it is a server.
const serverWord = "publish.test-server"

// serve is a server: each word is an act on the address behind it. It says "ready" when all of them listen, and ends
// with its standard input.
func serve(words []string) int {
	done := make(chan struct{})
	for _, word := range words {
		act, address, _ := strings.Cut(word, "@")
		l, err := net.Listen("tcp", address)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		switch act {
		case "echo":
			go echo(l)
		case "http":
			go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "page "+r.URL.Path) }))
		case "once":
			go callback(l, done)
		case "deaf":
		}
	}
	fmt.Println("ready " + held())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(done)
	}()
	<-done
	return 0
}

// echo says back what comes, until the end of input, and then ends its own.
func echo(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			io.Copy(c, c)
		}()
	}
}

// callback is what waits for the browser of somebody who logs in: one request, and the server ends.
func callback(l net.Listener, done chan struct{}) {
	c, err := l.Accept()
	if err != nil {
		return
	}
	b := make([]byte, 1024)
	n, _ := c.Read(b)
	first, _, _ := strings.Cut(string(b[:n]), "\r\n")
	fmt.Println(first)
	io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nlogged in"+strings.Repeat(".", 1<<20))
	c.Close()
	os.Exit(0)
}

// held is how many sockets the process has beside those that it made: those of a descriptor list read in /proc.
func held() string {
	own, n := 0, 0
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err.Error()
	}
	for _, e := range entries {
		to, _ := os.Readlink("/proc/self/fd/" + e.Name())
		if strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	for _, word := range os.Args[2:] {
		if strings.Contains(word, "@") {
			own++
		}
	}
	return fmt.Sprint(n-own, " more sockets")
}
