package limitsonly

import (
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// facts are the values read back, by layer.
type facts map[order.Layer][]order.Fact

func (f facts) add(layer order.Layer, more ...order.Fact) { f[layer] = append(f[layer], more...) }

// layers are all nine, in the order of a report: the proved layers, and those that the system lacks.
func layers(proved facts, p *policy.Policy, system string) []order.LayerReport {
	var all []order.LayerReport
	for _, name := range order.Layers() {
		l := order.LayerReport{Layer: name, State: order.Absent, Facts: proved[name]}
		switch {
		case len(l.Facts) > 0:
			l.Conclude()
		case isOff(name, p):
			l.State = order.Off
		default:
			l.Reason, l.Effect = lacks(name, system)
		}
		all = append(all, l)
	}
	return all
}

// isOff reports whether a policy does not ask for a layer.
func isOff(layer order.Layer, p *policy.Policy) bool {
	if p.Level == policy.Privileged {
		return layer != order.Cgroup || unlimited(&p.Limits)
	}
	return layer == order.Network && p.Level == policy.LevelNetwork
}

// unlimited reports whether a policy asks for nothing that control groups hold elsewhere.
func unlimited(l *policy.Limits) bool {
	_, cpu := l.CPU.Value()
	_, memory := l.Memory.Value()
	_, pids := l.Pids.Value()
	return !cpu && !memory && !pids
}

// lacks are the reason why a system has no such layer, and the consequence.
func lacks(layer order.Layer, system string) (reason, effect string) {
	name := systemName(system)
	switch layer {
	case order.Namespaces:
		return name + " has no namespaces for this", "the server sees this machine's processes, users and names"
	case order.Root:
		return name + " has no file system of a process's own",
			"the server reads and writes every file that you can; no grant restricts it"
	case order.Privileges:
		return name + " has no way for a user to give up rights for good",
			"the server has the rights of the user who launched it"
	case order.Cgroup:
		if system == "windows" {
			return "Windows has no control groups",
				"what holds for the whole tree is the Job Object's, in layer limits"
		}
		return name + " has no control groups",
			"memory is limited for each process by itself, and the rate of processor time not at all"
	case order.Network:
		return "no user can take the network from a process on " + name, "the server reaches every address that you can"
	case order.Landlock:
		return "Landlock is Linux's", "no file is held back"
	case order.Seccomp:
		return "seccomp is Linux's", "the server can make every system call"
	}
	return name + " does not have it", "it does not hold"
}
