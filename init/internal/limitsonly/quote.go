package limitsonly

import (
	"errors"
	"strings"
)

// errArgument is an argument that cmd.exe would not take as one.
var errArgument = errors.New("an argument with a line break or a NUL cannot be passed to a batch file")

// isBatch reports whether a path is a batch file, which CreateProcess hands to cmd.exe, with the arguments as
// they stand.
func isBatch(path string) bool {
	path = strings.ToLower(path)
	return strings.HasSuffix(path, ".bat") || strings.HasSuffix(path, ".cmd")
}

// batchLine is the command line of cmd.exe for a batch file. Quoting as for programs would let an argument such as
// `"&calc` start a program (CVE-2024-24576): cmd.exe knows no backslash before a quote. So each argument is in quotes,
// where only the quote and the percent sign are special: a quote is written twice, and a percent sign is followed by
// the empty substring of a variable that always exists, so that no name of one can form. Neither is true of a line
// break, which is refused.
func batchLine(script string, args []string) (string, error) {
	if strings.ContainsAny(script, "\"%\r\n\x00") {
		return "", errors.New("the batch file's name has a quote, a percent sign or a line break in it")
	}
	// /d: no AutoRun from the registry; /e:on: the substring syntax; /v:off: no !NAME!; /s: only the outer
	// quotes are taken off.
	b := []byte(`cmd.exe /d /e:on /v:off /s /c ""` + script + `"`)
	for _, a := range args {
		if strings.ContainsAny(a, "\r\n\x00") {
			return "", errArgument
		}
		b = append(b, ' ', '"')
		slashes := 0
		for i := range len(a) {
			switch a[i] {
			case '\\':
				slashes++
			case '"':
				// The program that the script starts sees a quote after 2n backslashes.
				b = append(b, strings.Repeat(`\`, slashes)+`"`...)
				slashes = 0
			case '%':
				b = append(b, "%%cd:~,"...)
				slashes = 0
			default:
				slashes = 0
			}
			b = append(b, a[i])
		}
		b = append(b, strings.Repeat(`\`, slashes)+`"`...)
	}
	return string(append(b, '"')), nil
}
