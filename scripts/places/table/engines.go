package table

import (
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/places/manifest"
)

// The images that containers have are made of nothing but folders: /usr is the machine's, read-only.

// Docker are containers of Docker's engine with its own default filter.
func Docker() []Place {
	const reduced, full = policy.Reduced, policy.Full
	user := []string{"--user", "1000:1000"}
	unfiltered := []string{"--security-opt", "seccomp=unconfined"}
	unmasked := []string{"--security-opt", "systempaths=unconfined"}
	noFolder := []string{"--read-only"}
	return []Place{
		{Name: "a user", Args: user, Want: reduced, Doctor: "EPERM"},
		{Name: "root", Want: reduced},
		{Name: "a user without an entry in passwd", Args: []string{"--user", "12345:54321"}, Want: reduced},
		{Name: "a user, seccomp=unconfined", Args: join(user, unfiltered), Want: reduced, Warns: "/proc", Doctor: "systempaths=unconfined"},
		{Name: "a user, seccomp=unconfined, systempaths=unconfined", Args: join(user, unfiltered, unmasked), Want: full},
		{Name: "root, seccomp=unconfined", Args: unfiltered, Want: reduced},
		{Name: "root, SYS_ADMIN", Args: []string{"--cap-add", "SYS_ADMIN"}, Want: reduced, Warns: "pivot_root"},
		{Name: "a user, read-only, no capability, no new privileges, /tmp a tmpfs",
			Args: join(user, noFolder, []string{"--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--tmpfs", "/tmp"}), Want: reduced},
		{Name: "a user, read-only, no /tmp, no passwd", Args: join(user, noFolder), Bare: true, Want: reduced},
		{Name: "a user, no /tmp, no passwd, HOME unset", Args: join(user, []string{"--env", "HOME"}), Bare: true, Want: reduced},
		{Name: "root, read-only, no /tmp, no passwd", Args: noFolder, Bare: true, Want: reduced},
		{Name: "a user, nowhere to write", Args: join(user, noFolder, []string{"--ipc", "none"}), Bare: true, Refused: "/dev/shm"},
	}
}

// GVisor are containers of Docker's engine on runsc, whose kernel has no Landlock, and user namespaces without mounts.
func GVisor() []Place {
	user := []string{"--user", "1000:1000"}
	return []Place{
		{Name: "a user", Args: user, Refused: "Landlock"},
		{Name: "a user, minConfinement limits", Args: user, Min: policy.ConfinementLimits, Want: policy.ConfinementLimits},
		{Name: "root, minConfinement limits", Min: policy.ConfinementLimits, Want: policy.ConfinementLimits},
	}
}

// Podman are containers of podman's engine, started by root, with its own default filter, which allows namespaces and mounts.
func Podman() []Place {
	const reduced, full = policy.Reduced, policy.Full
	user := []string{"--user", "1000:1000"}
	unmasked := []string{"--security-opt", "unmask=ALL"}
	return []Place{
		{Name: "a user", Args: user, Want: reduced, Warns: "/proc", Doctor: "unmask=ALL"},
		{Name: "a user, unmask=ALL", Args: join(user, unmasked), Want: full},
		{Name: "root", Want: reduced},
		{Name: "root, unmask=ALL", Args: unmasked, Want: reduced},
		{Name: "root, SYS_ADMIN", Args: []string{"--cap-add", "SYS_ADMIN"}, Want: reduced, Warns: "/proc", Doctor: "unmask=ALL"},
		{Name: "a user, read-only, no capability, no new privileges",
			Args: join(user, []string{"--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"}), Want: reduced},
		{Name: "a user, read-only, no /tmp, no passwd", Args: join(user, []string{"--read-only", "--read-only-tmpfs=false"}), Bare: true, Want: reduced},
	}
}

// Pod are the document's Pod and changes of it, started by Docker's engine as a kubelet has it started.
func Pod() []Place {
	var all []Place
	for _, p := range []Place{{Name: "as documented"}, {Name: manifest.NoFSGroup}, {Name: manifest.OtherUser}, {Name: manifest.NoTmp}} {
		if p.Name != "as documented" {
			p.Args = []string{p.Name}
		}
		p.Want, p.Doctor = policy.Reduced, "EPERM"
		all = append(all, p)
		p.Own, p.Name = true, p.Name+", its own command"
		all = append(all, p)
	}
	return all
}

func join(lists ...[]string) []string {
	var all []string
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}
