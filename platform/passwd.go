package platform

import (
	"strconv"
	"strings"
)

// HomesOf returns the home folders that a passwd file gives to some users; passwd(5).
func HomesOf(passwd string, uids ...int) (homes []string) {
	for line := range strings.SplitSeq(passwd, "\n") {
		f := strings.Split(line, ":")
		if len(f) < 6 || f[5] == "" {
			continue
		}
		uid, err := strconv.Atoi(f[2])
		for _, u := range uids {
			if err == nil && uid == u {
				homes = append(homes, f[5])
				break
			}
		}
	}
	return homes
}
