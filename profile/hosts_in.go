package profile

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
)

// hostsIn grants the hosts that a file names behind its key. A file that the server may write says nothing.
func (a *applying) hostsIn(f folder, writable []string) {
	if f.key == "" || slices.ContainsFunc(writable, func(folder string) bool { return holds(folder, f.real) }) {
		return
	}
	text, err := readSmall(f.real)
	if err != nil {
		const flag = "--allow-domain HOST:PORT"
		a.note(f.written, flag, "the hosts in "+f.written+" are not allowed: "+err.Error()+"; "+flag+" allows them")
		return
	}
	for _, value := range valuesOf(text, f.key) {
		a.hosts(&Argument{Grant: Host}, f.written, value)
	}
}

// readSmall reads a regular file of at most 1 MiB.
func readSmall(path string) (string, error) {
	const most = 1 << 20
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // open(2) of a pipe would wait
		return "", errors.Join(err, errors.New(path+" is no regular file"))
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && len(text) > most {
		err = errors.New("the file has more than 1 MiB")
	}
	return string(text), err
}

// valuesOf are the values of a key, as YAML and JSON write a key with its value in one line:
//
//	server: https://a.example.com:6443
//	"server": "https://a.example.com:6443",
func valuesOf(text, key string) (all []string) {
	for line := range strings.Lines(text) {
		for one := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune("{},", r) }) {
			name, value, ok := strings.Cut(strings.TrimLeft(one, " \t-"), ":")
			if ok && strings.Trim(name, ` \t"'`) == key {
				value, _, _ = strings.Cut(value, " #")
				all = append(all, strings.Trim(value, " \t\r\n\"'"))
			}
		}
	}
	return all
}
