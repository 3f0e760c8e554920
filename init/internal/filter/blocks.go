package filter

// limit is more than the highest number of the tables; from here on everything is ENOSYS.
const limit = 512

// The letters of the tables.
const (
	ruleAllow       = 'a'
	rulePerm        = 'p'
	ruleNoSys       = '-'
	ruleClone       = 'c'
	ruleFork        = 'f'
	ruleExecve      = 'x'
	ruleExecveat    = 'X'
	ruleIoctl       = 'i'
	ruleIPC         = 'v'
	rulePrlimit     = 'l'
	ruleSocket      = 's'
	ruleSocketpair  = 'S'
	rulePersonality = 'y'
	ruleSeccomp     = 'q'
	rulePrctl       = 'r'
	ruleMode1       = '1'
	ruleMode2       = '2'
	ruleOpen        = 'o'
	ruleOpenat      = 'O'
	ruleMknod       = 'n'
	ruleMknodat     = 'N'
)

// blocks decides for each letter what it means under these options, and writes the blocks that are needed.
func (a *assembler) blocks(rules *[limit]byte, o *Options) {
	for _, rule := range rules {
		a.used[rule] = true
	}
	a.action(ruleAllow, retAllow)
	a.action(rulePerm, retPerm)
	a.action(ruleNoSys, retNoSys)
	a.action(ruleIPC, either(o.NoIPC, retPerm, retAllow))
	a.action(rulePrlimit, retAllow)
	if o.NoPeers {
		a.add(rulePrlimit, blockPrlimit)
	}
	a.exec(o)
	a.sockets(o)
	a.add(ruleIoctl, blockIoctl)
	a.add(rulePersonality, blockPersonality)
	a.add(ruleSeccomp, blockSeccomp)
	a.add(rulePrctl, blockPrctl)
	a.add(ruleMode1, blockMode1)
	a.add(ruleMode2, blockMode2)
	a.add(ruleOpen, blockOpen)
	a.add(ruleOpenat, blockOpenat)
	a.add(ruleMknod, blockMknod)
	a.add(ruleMknodat, blockMknodat)
}

// exec writes what may be executed and cloned.
func (a *assembler) exec(o *Options) {
	if o.Exec == ExecFree {
		a.action(ruleFork, retAllow)
		a.action(ruleExecve, retAllow)
		a.action(ruleExecveat, retAllow)
		a.add(ruleClone, blockClone)
		return
	}
	a.action(ruleFork, retPerm)
	a.action(ruleExecve, either(o.Exec == ExecTraced, retTrace, retPerm))
	a.action(ruleExecveat, retPerm)
	a.add(ruleClone, blockThread)
	if o.Exec == ExecDescriptor {
		a.add(ruleExecveat, blockExecveat) // deny has seen to it that the letter is used
		for i := a.pos; i < a.pos+len(blockExecveat)/instructionSize; i++ {
			if a.code[i].K == descriptorMark {
				a.code[i].K = o.Descriptor
			}
		}
	}
}

// sockets puts the families together that stay; each block falls through to the next where the family is another.
func (a *assembler) sockets(o *Options) {
	a.add(ruleSocketpair, pick(o.NoUnix, blockPairConnected, blockPair))
	if o.NoUnix && o.NoInet && o.NoNetlink {
		a.action(ruleSocket, retNoFamily)
		return
	}
	if !a.used[ruleSocket] {
		return // by seccomp.deny
	}
	a.put(Instruction{Code: opReturn, K: retNoFamily})
	if !o.NoNetlink {
		a.block(blockNetlink)
	}
	if !o.NoInet {
		a.block(blockInet)
	}
	if !o.NoUnix {
		a.block(blockUnix)
	}
	a.goal[ruleSocket] = goal{pos: a.pos}
}

func (a *assembler) action(rule byte, action uint32) { a.goal[rule] = goal{action: action} }

// add writes the block that a letter leads to, if any number has it: arm64 has no open.
func (a *assembler) add(rule byte, block string) {
	if !a.used[rule] {
		return
	}
	a.block(block)
	a.goal[rule] = goal{pos: a.pos}
}

func either(cond bool, yes, no uint32) uint32 {
	if cond {
		return yes
	}
	return no
}

func pick(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}
