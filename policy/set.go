package policy

// Set changes one key as flags of mcp-sandbox run do, over a file's values: a list grows by the values, and
// the last value replaces any other key's. key is one of [Keys], such as "filesystem.allowRead". The values of
// a list are best given all at once: each call copies the list.
//
//	env               NAME=VALUE adds or replaces a variable; NAME and PREFIX_* forward the launcher's, like envVars
//	subprocess.allow, network.allowPrivate,
//	network.checkServerName  "true" or "false"
//	limits.*          as in a document, numbers without quotes
//
// The error is one line that names neither key nor flag: `"10X" is no quantity: …`. The error concerns one
// value alone; [Policy.Validate] checks combinations when all flags are read. Lists that p shares with a copy
// are not written to.
func (p *Policy) Set(key string, values ...string) error {
	for i := range keys {
		if k := &keys[i]; k.String() == key {
			return k.slot(p).set(values)
		}
	}
	return invalid(key, "is no key of a policy")
}
