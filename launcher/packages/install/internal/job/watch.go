package job

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"sync"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/internal/tree"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// How long an install may stand still: without a byte in its stage, and without a word. Registries answer a slow
// request in less, and the hosts of servers wait for 60 s.
const (
	stallAfter     = 45 * time.Second
	slowStallAfter = 10 * time.Minute       // a compiler can be silent for long
	measureEvery   = 3 * time.Second        // for an install that stands still
	lookEvery      = 100 * time.Millisecond // for one that is too large
	paintEvery     = 500 * time.Millisecond
	mostWords      = 4 << 20
)

// defaultSize is the most that an install may have on the disk at any time, caches and archives included. There may be
// a file or folder for each perName of it.
const (
	defaultSize policy.Quantity = 2 << 30
	perName                     = 5 << 10
)

// errStalled is the cause of an end by the watch.
var errStalled = errors.New("the install stands still")

// A tooLarge is the cause of an end by the watch, of an install that filled the disk.
type tooLarge struct {
	most policy.Quantity
	why  error // nil: bytes
}

func (t *tooLarge) Error() string {
	what := "more than " + t.most.String() + " came onto the disk"
	if refused, ok := errors.AsType[*tree.Refused](t.why); ok {
		what = fmt.Sprintf("more than %d files came onto the disk, or too deep folders (%s)", t.most/perName, refused)
	} else if t.why != nil {
		return "how much came onto the disk cannot be seen: " + t.why.Error()
	}
	return what + ": if the package is as large as that, type --install-size " + (2 * t.most).String()
}

// A watch sees how far a launch has come.
type watch struct {
	stage, title string
	terminal     io.Writer             // nil for none
	limit        time.Duration         // how long nothing may come
	most         policy.Quantity       // bytes in the stage; 0 is any number
	builds       func() *regexp.Regexp // of a speech, with which the limit is that of compilers
	began        time.Time
	said         string // the line on the terminal

	mu    sync.Mutex
	words bytes.Buffer
	moved time.Time // when there was progress last
	looks
}

// A size is that of a stage.
type size struct {
	bytes   int64
	entries int
}

// looks are the findings of the last look at the stage, its time and duration, and the free room on the disk.
type looks struct {
	size        size
	last        time.Time
	took        time.Duration
	free, inode int64
}

// Write takes the program's output. The beginning of too long a speech is forgotten.
func (w *watch) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.moved = time.Now()
	if w.words.Len()+len(b) > mostWords {
		w.words.Next(mostWords / 2)
	}
	return w.words.Write(b)
}

func (w *watch) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.words.String()
}

// start looks at the stage until the function that it returns is called, and calls stop where nothing has come for too
// long, or too much. The last look is at the stage that is left.
func (w *watch) start(stop func(error)) (end func()) {
	over := make(chan struct{})
	var looks sync.WaitGroup
	w.mu.Lock()
	w.moved = time.Now() // the program speaks already
	w.mu.Unlock()
	looks.Go(func() {
		measure, paint := time.NewTicker(measureEvery), time.NewTicker(paintEvery)
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		defer measure.Stop()
		defer paint.Stop()
		for {
			select {
			case <-over:
				w.say("")
				w.bound(stop)
				return
			case <-look.C:
				if w.isDue() {
					w.bound(stop)
				}
			case <-measure.C:
				if w.bound(stop); w.silence() > w.limit {
					stop(errStalled)
				}
			case <-paint.C:
				w.say(w.line())
			}
		}
	})
	return func() {
		close(over)
		looks.Wait()
	}
}

// bound calls stop where too much has come.
func (w *watch) bound(stop func(error)) {
	if err := w.measure(); err != nil {
		stop(err)
	}
}

// isDue spares the disk: looks take a tenth of the time at most. But where the disk has lost as much as the install may
// still take, the install may have taken it.
func (w *watch) isDue() bool {
	free, inodes := tree.Free(w.stage)
	return time.Since(w.last) >= 10*w.took || w.most > 0 && (w.free-free >= int64(w.most)-w.size.bytes ||
		w.inode-inodes >= int64(w.most/perName)-int64(w.size.entries))
}

// measure adds up the files in the stage, and looks in the words for the beginning of a build. The error is a
// *tooLarge.
func (w *watch) measure() error {
	most, began := tree.MostEntries, time.Now()
	if w.most > 0 {
		most = int(min(w.most/perName, math.MaxInt32))
	}
	w.free, w.inode = tree.Free(w.stage)
	var found size
	var err error
	found.bytes, found.entries, err = tree.Usage(w.stage, most)
	w.last, w.took = time.Now(), time.Since(began)
	if w.most > 0 && (err != nil || found.bytes > int64(w.most)) {
		return &tooLarge{w.most, err}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if found != w.size {
		w.size, w.moved = found, time.Now()
	}
	if w.builds != nil && w.builds().Match(w.words.Bytes()) {
		w.limit, w.builds = max(w.limit, slowStallAfter), nil
	}
	return nil
}

// silence is how long nothing has come.
func (w *watch) silence() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Since(w.moved)
}

// line returns the progress of the install. The title is cut where the terminal's row is shorter than the line: a
// further row cannot be written over.
func (w *watch) line() string {
	const begin = "mcp-sandbox: installing "
	end := fmt.Sprintf(": %.0f s", time.Since(w.began).Seconds())
	if w.size.bytes > 0 {
		end += fmt.Sprintf(", %d files, %.1f MB", w.size.entries, float64(w.size.bytes)/1e6)
	}
	if silent := w.silence(); silent > 10*time.Second {
		end += fmt.Sprintf(", nothing came for %.0f s", silent.Seconds())
	}
	title, row := w.title, w.columns()-1
	if room := row - len(begin) - len(end); len(title) > room {
		title = title[:max(room-1, 0)] + "…"
	}
	line := []rune(begin + title + end)
	return string(line[:min(len(line), row)])
}

// columns are those of the terminal, or of most terminals.
func (w *watch) columns() int {
	if t, ok := w.terminal.(interface{ Columns() int }); ok && t.Columns() > 1 {
		return t.Columns()
	}
	return 80
}

// say writes a line over the last one.
func (w *watch) say(line string) {
	if w.terminal != nil && line != w.said {
		fmt.Fprint(w.terminal, "\r\x1b[K"+line)
		w.said = line
	}
}
