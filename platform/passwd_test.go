package platform

import (
	"slices"
	"testing"
)

func TestHomesOf(t *testing.T) {
	const passwd = "root:x:0:0:root:/root:/bin/sh\nu:x:1000:1000:U,,,:/data/u:/bin/sh\n#c\nshort:x:7:7::\n\n+::::::\n" +
		"second:x:1000:1000::/data/second:\nnohome:x:8:8:::\nodd:x:x:8::/odd:\nlast:x:9:9::/last:/bin/sh"
	for _, c := range []struct {
		uids []int
		want []string
	}{{nil, nil}, {[]int{0}, []string{"/root"}}, {[]int{1000, 1000}, []string{"/data/u", "/data/second"}}, {[]int{9, 0}, []string{"/root", "/last"}}, {[]int{7, 8, 65533}, nil}} {
		if got := HomesOf(passwd, c.uids...); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.uids, got, c.want)
		}
	}
}
