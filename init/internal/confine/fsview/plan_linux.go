package fsview

import (
	"cmp"
	"slices"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// Explain works out the View of a Request, and keeps the reasons, which the lines of a launch ask. An error is an
// *os.PathError whose Op is the policy's key, or a *CommandError.
func Explain(r Request) (*Explained, error) {
	t := newTree(&r)
	home, grants := findHome(t), &grants{tree: t}
	for _, step := range [...]func(){(&base{t}).add, storeFolders{t}.add, grants.add, hostSockets{grants}.add,
		home.addPrivate, grants.protectNames, storeFolders{t}.open, grants.denyPipes,
		(&command{toolchains{t}}).add, (&certificates{tree: t}).add, home.cwd} {
		if step(); t.err != nil {
			return nil, t.err
		}
	}
	grants.coverSockets()
	storeFolders{t}.note()
	grants.noteGiven()
	if r.Shared {
		grants.unheld()
	}
	t.points.emit(t.view, t.lookups.stat)
	t.view.limit(int64(r.Policy.Filesystem.TmpSize))
	if r.Shared {
		t.view.share(r.Private)
	} else {
		t.closeCovers()
		t.outside()
	}
	t.fillNotes()
	return &Explained{View: t.view, tree: t, rules: grants}, nil
}

// limit sets the private tmpfs's limits, tmpfs(5): size is the policy's number of bytes, 0 for the default and
// negative for none. There is an inode for each 8 KiB, which is more than npx needs for real servers, besides those
// of the layout itself.
func (v *View) limit(size int64) {
	if size < 0 {
		return
	}
	v.TmpSize = cmp.Or(size, 1<<30)
	layout := 16 + 2*len(v.Private) // the root, the masks of denied paths, the folder and the file of Landlock's proof
	for i := range v.Nodes {
		if slices.ContainsFunc(v.Private, func(n Node) bool { return policy.Below(v.Nodes[i].Path, n.Path) }) {
			layout++
		}
	}
	v.TmpInodes = v.TmpSize>>13 + int64(layout)
}

// fillNotes fills and sorts the notes for the report.
func (t *tree) fillNotes() {
	v := t.view
	for _, path := range t.implied {
		if p := t.points[path]; p != nil && p.act == bind {
			v.Implied = append(v.Implied, path)
		}
	}
	v.Implied = append(v.Implied, t.certified...)
	if v.Certified = t.certified; len(v.Copies) > 0 {
		v.Certified = []string{join(t.request.Private, PrivateCertificates)}
	}
	for _, list := range [...]*[]string{&v.Implied, &v.Certified, &v.Protected, &v.Unprotected, &v.Warnings} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
}

// outside finds a path that the host has and the server has not: the proof of the root looks for it.
func (t *tree) outside() {
	for _, path := range [...]string{"/boot", "/var", "/srv", "/opt", "/root", "/home", "/media", "/mnt",
		"/sys/kernel", "/sys/fs"} {
		if t.points.access(path).read || t.points.exists(path, private|folder|link|file) {
			continue
		}
		if _, err := statx(path); err == nil {
			t.view.Outside = path
			return
		}
	}
}
