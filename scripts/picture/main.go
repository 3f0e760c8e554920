// Command picture draws docs/picture.svg: what a server sees of the machine on which it runs.
//
//	go run ./scripts/picture > docs/picture.svg
//
// The drawing has the same bytes each time. Its only fonts are generic families, and its colours follow the reader's
// preference for light or dark.
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	w := bufio.NewWriter(os.Stdout)
	draw(w)
	if err := w.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}
