package seccomp

// Letters of calls that an older Landlock leaves to the filter. No table has them.
const (
	ruleSignal     = 'k'
	ruleSetpgid    = 'g'
	ruleFcntl      = 'F'
	ruleIoctlOwner = 'I'
	ruleUncut      = 't'
	ruleUncutAt    = 'T'
)

// older gives these letters to the calls that the options mean. A call that an architecture has not got is passed over.
func older(rules *[limit]byte, arch string, o *Options) {
	set := func(rule byte, names ...string) { setRule(rules, arch, rule, names...) }
	if o.Guarded != [2]uint32{} {
		set(ruleSignal, "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")
		set(ruleNoSys, "pidfd_send_signal") // whose process no register names; Go and Python have their older ways
		set(ruleSetpgid, "setpgid")
		set(ruleFcntl, "fcntl")
		set(ruleIoctlOwner, "ioctl")
	}
	if o.NoCut {
		set(rulePerm, "truncate")
		set(ruleUncut, "open")
		set(ruleUncutAt, "openat")
	}
}

// setRule gives a letter to calls that are not refused.
func setRule(rules *[limit]byte, arch string, rule byte, names ...string) {
	for _, name := range names {
		if n, ok := lookup(arch, name); ok && n < limit && rules[n] != rulePerm {
			rules[n] = rule
		}
	}
}

// olderBlocks writes the blocks of these letters.
func (a *assembler) olderBlocks(o *Options) {
	a.add(ruleFcntl, blockFcntlOwner)
	a.add(ruleIoctlOwner, blockIoctlOwner)
	a.add(ruleUncut, blockUncut)
	a.add(ruleUncutAt, blockUncutAt)
	guarded, end := o.Guarded, a.pos
	if guarded[1] == 0 { // 0 is the caller's own group
		guarded[1] = guarded[0]
	}
	a.add(ruleSetpgid, blockSetpgid)
	a.add(ruleSignal, blockSignal)
	for i := a.pos; i < end; i++ {
		switch c := &a.code[i]; c.K {
		case guardMark1:
			c.K = guarded[0]
		case guardMark2:
			c.K = guarded[1]
		}
	}
}
