// Package readme reads the examples of README.md and docs/embedding.md, so that tests can run them as a reader would.
//
//	for _, block := range readme.Blocks(text, "sh") {
//		for line := range strings.Lines(block) {
//
// The tests of this package run each of them: the lines of shells, each server of the mcp.json entries and the
// programs of docs/embedding.md. scripts/dist/machine.sh runs the quick start once more, on a machine without Go.
package readme

import "strings"

// Blocks are the fenced blocks of a language in a text of Markdown, without their fences.
func Blocks(text, language string) []string {
	var blocks []string
	for {
		_, rest, found := strings.Cut(text, "\n```"+language+"\n")
		if !found {
			return blocks
		}
		block, after, _ := strings.Cut(rest, "\n```\n")
		blocks, text = append(blocks, block+"\n"), after
	}
}
