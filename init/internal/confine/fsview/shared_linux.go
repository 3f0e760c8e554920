package fsview

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// shared adds the base system for a server without a root of its own. The server sees the host's /proc, and all of
// /etc: a shared root has no generated files. A rule of Landlock cannot be taken back below its place, so of a
// visible host each folder is added but those that are made fresh in a root.
func (b *base) shared() {
	if b.request.Open {
		b.points.allow("/", entry{mode: typeFolder}, mayWrite)
		return
	}
	delete(b.points, "/dev/shm")
	b.system()
	b.visible("/etc")
	if b.request.HostNet {
		b.visible("/etc/resolv.conf")
	}
	b.authorities()
	if b.request.Policy.Filesystem.Default == policy.Read {
		b.hostFolders()
	}
}

// hostFolders adds the folders of the host's root.
func (b *base) hostFolders() {
	var names []string
	err := b.lookups.list("/", func(name []byte, _ uint32) bool {
		switch string(name) {
		case "dev", "proc", "sys", "tmp", "run":
		default:
			names = append(names, "/"+string(name))
		}
		return true
	})
	b.fail(err)
	// In a folder that the server's user cannot enter nothing can be opened, rule or not.
	names = slices.DeleteFunc(names, func(name string) bool {
		e, err := b.lookups.lstat(name)
		return err == nil && !b.request.enters(&e, name)
	})
	b.visible(names...)
}

// share leaves of a view the parts with a meaning without a root: the places of rules, and the folder private.
func (v *View) share(private string) {
	v.Nodes = slices.DeleteFunc(v.Nodes, func(n Node) bool { return n.Kind != Bind })
	v.Covers = nil
	v.Unprotected = append(v.Unprotected, v.Protected...)
	v.Protected = nil
	if v.Private = nil; private == "" {
		v.Unprotected = nil
		return
	}
	if v.State == "" {
		v.Private = append(v.Private, Node{Path: join(private, PrivateHome), Kind: Dir, Mode: 0o700})
	}
	v.Private = append(v.Private, Node{Path: join(private, PrivateTmp), Kind: Dir, Mode: 0o700})
	if at := join(private, PrivateCertificates); len(v.Copies) > 0 {
		v.Nodes = append(v.Nodes, Node{Path: at, Kind: Bind, Source: at, Folder: true}) // the launcher fills the FileID
	}
}
