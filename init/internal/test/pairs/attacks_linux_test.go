package pairs_test

import "testing"

// tables are the attacks, by what they are about.
func tables() map[string][]attack {
	return map[string][]attack{"pointers": badPointers(), "families": families(), "addresses": addresses(),
		"sends": append(sends(), reaches()...), "races": races(), "signals": signals(), "processes": processes(),
		"states": states(), "passes": passes(), "floods": floods()}
}

// everyAttack is the acts of all tables, and those of other tests, by their names.
func everyAttack() map[string]func(*server) string {
	all := map[string]func(*server) string{"after the shim": afterShim, "slow memory": slowMemory}
	add := func(table []attack) {
		for _, a := range table {
			all[a.name] = a.act
		}
	}
	for _, table := range tables() {
		add(table)
	}
	add(reported())
	return all
}

// Each attack comes to nothing, and leaves neither the server nor the shim a descriptor. Without a launcher the attack
// comes to something, or the kernel refuses the same.
func TestAttacks(t *testing.T) {
	for name, attacks := range tables() {
		t.Run(name, func(t *testing.T) {
			sandboxed(t, attacks)
			w := unsandboxed(t, attacks)
			if all := w.reached(); name == "sends" && len(all) < 2+len(w.unix) {
				t.Error("without a launcher only reached:", all)
			}
		})
	}
}
