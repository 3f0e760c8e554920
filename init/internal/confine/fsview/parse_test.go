package fsview

import "testing"

func TestPasswd(t *testing.T) {
	for _, c := range []struct{ user, want string }{
		{"ada", "ada"}, {"root", "user"}, {"nobody", "user"}, {"a:b", "user"}, {"a\nb", "user"}, {"", "user"}, {"1a", "user"}, {"a.b-c_1", "a.b-c_1"},
	} {
		if got := userName([]string{"USER=" + c.user}); got != c.want {
			t.Errorf("%q: %q", c.user, got)
		}
	}
	if got := passwd("a", "1", "2", "/h:0:0"); got != "a:x:1:2::/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n" {
		t.Errorf("%q", got)
	}
}

func TestOrder(t *testing.T) {
	in := []string{"/", "/a", "/a/b", "/a/b/c", "/a-b", "/a.b", "/b"}
	for i := range in {
		for j := range in {
			if got := comparePaths(in[i], in[j]); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%s %s: %d", in[i], in[j], got)
			}
		}
	}
}

// u::rw- u:65533:r-x g::--- m::r-x o::---, as the kernel stores it.
func TestACL(t *testing.T) {
	raw := []byte{2, 0, 0, 0,
		1, 0, 6, 0, 255, 255, 255, 255,
		2, 0, 7, 0, 0xfd, 0xff, 0, 0,
		4, 0, 0, 0, 255, 255, 255, 255,
		8, 0, 4, 0, 9, 0, 0, 0,
		16, 0, 5, 0, 255, 255, 255, 255,
		32, 0, 1, 0, 255, 255, 255, 255}
	list := parseACL(raw)
	e := &entry{uid: 1, gid: 2}
	for _, c := range []struct {
		uid, gid, need uint32
		want           bool
	}{
		{1, 2, 6, true}, {1, 2, 1, false}, {65533, 2, 5, true}, {65533, 2, 2, false}, // the mask takes write away
		{7, 2, 4, false}, {7, 9, 4, true}, {7, 9, 1, false}, {7, 7, 1, true}, {7, 7, 4, false},
	} {
		if got := list.allows(e, c.uid, c.gid, c.need); got != c.want {
			t.Errorf("%d:%d needs %d: %v", c.uid, c.gid, c.need, got)
		}
	}
	for _, b := range [][]byte{nil, {1, 0, 0, 0}, raw[:7], raw[1:]} {
		if parseACL(b) != nil {
			t.Errorf("%v parses", b)
		}
	}
}
