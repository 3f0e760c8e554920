package seccomp

// limit is more than the highest number of the tables; from here on everything is ENOSYS.
const limit = 512

// The letters of the tables.
const (
	ruleAllow       = 'a'
	rulePerm        = 'p'
	ruleReport      = 'd'
	ruleNoSys       = '-'
	ruleClone       = 'c'
	ruleFork        = 'f'
	ruleExecve      = 'x'
	ruleIoctl       = 'i'
	ruleIPC         = 'v'
	rulePrlimit     = 'l'
	ruleSetrlimit   = 'L'
	ruleRename      = 'R'
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

// blocks decides the goal of each letter under these options, and writes the blocks that are needed.
func (a *assembler) blocks(rules *[limit]byte, o *Options) {
	for _, rule := range rules {
		a.used[rule] = true
	}
	a.action(ruleAllow, retAllow)
	refused := choose[uint32](o.Notify, retNotify, retPerm)
	a.action(rulePerm, retPerm)
	a.action(ruleReport, refused)
	a.action(ruleNoSys, retNoSys)
	a.action(ruleIPC, choose[uint32](o.NoIPC, retPerm, retAllow))
	a.add(rulePrlimit, choose(o.NoPeers, blockPrlimitOwn, blockPrlimit))
	a.add(ruleSetrlimit, blockSetrlimit)
	a.add(ruleRename, blockRename)
	a.exec(o, refused)
	a.sockets(o)
	a.add(ruleIoctl, blockIoctl)
	a.add(rulePersonality, blockPersonality)
	a.addReported(ruleSeccomp, blockSeccomp, refused)
	a.add(rulePrctl, blockPrctl)
	a.add(ruleMode1, blockMode1)
	a.add(ruleMode2, blockMode2)
	a.add(ruleOpen, blockOpen)
	a.add(ruleOpenat, blockOpenat)
	a.add(ruleMknod, blockMknod)
	a.add(ruleMknodat, blockMknodat)
	a.olderBlocks(o)
	a.servedBlocks()
}

// exec decides the calls that execute, fork and clone.
func (a *assembler) exec(o *Options, refused uint32) {
	if !o.OneExec {
		a.action(ruleFork, retAllow)
		a.action(ruleExecve, retAllow)
		a.addReported(ruleClone, blockClone, refused)
		return
	}
	a.action(ruleFork, refused)
	a.action(ruleExecve, retTrace)
	a.addReported(ruleClone, blockThread, refused)
}

// sockets puts the families together that stay; each block falls through to the next where the family is another.
func (a *assembler) sockets(o *Options) {
	a.add(ruleSocketpair, choose(o.NoUnix, blockPairConnected, blockPair))
	if o.NoUnix && o.NoInet && o.NoNetlink && !o.Egress {
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
	if !o.NoInet || o.Egress {
		end := a.pos
		a.block(blockInet)
		returns(a.code[a.pos:end], retAllow, choose[uint32](o.Egress, retServe, retAllow))
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

// addReported writes a block with refusals that are reported.
func (a *assembler) addReported(rule byte, block string, refused uint32) {
	end := a.pos
	a.add(rule, block)
	returns(a.code[a.pos:end], retPerm, refused)
}

// returns gives another result to the returns that have one.
func returns(code []Instruction, one, another uint32) {
	for i := range code {
		if c := &code[i]; c.Code == opReturn && c.K == one {
			c.K = another
		}
	}
}

func choose[T any](cond bool, yes, no T) T {
	if cond {
		return yes
	}
	return no
}
