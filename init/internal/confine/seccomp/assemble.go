package seccomp

// capacity is more than the longest program: a tree over 512 single numbers, every block, and the jumps between.
const capacity = 1024

// near is how far a conditional jump is let go: its offset has 8 bits, and up to two helpers may still come between.
const near = 250

// An assembler lays a program out from its end to its start, so that the goal of every jump is known when the jump
// is written. Positions are indices into code.
type assembler struct {
	code     [capacity]Instruction
	pos      int // of the instruction written last
	overflow bool

	used [128]bool // letters that a number has
	goal [128]goal // where each rule's letter leads
}

// A goal is an action, or a block that starts at pos.
type goal struct {
	action uint32 // 0: a block
	pos    int    // of the block, or of the nearest return of this action; 0: none yet
}

func (a *assembler) put(i Instruction) {
	if a.pos == 0 {
		a.overflow = true
		return
	}
	a.pos--
	a.code[a.pos] = i
}

// block copies a finished block in front of the instructions so far.
func (a *assembler) block(block string) {
	for i := len(block)/instructionSize - 1; i >= 0; i-- {
		a.put(decode(block, i))
	}
}

// reach returns a position that a jump written next can go to and that means the same as target.
func (a *assembler) reach(target int) int {
	if target-a.pos < near {
		return target
	}
	a.put(Instruction{Code: opJump, K: uint32(target - a.pos)})
	return a.pos
}

// leaf returns where a rule's letter leads from here. Returns are repeated where the last one is too far away.
func (a *assembler) leaf(rule byte) int {
	g := &a.goal[rule]
	if g.action == 0 {
		return a.reach(g.pos)
	}
	if g.pos == 0 || g.pos-a.pos >= near {
		a.put(Instruction{Code: opReturn, K: g.action})
		for i := range a.goal { // letters that mean the same action share it
			if a.goal[i].action == g.action {
				a.goal[i].pos = a.pos
			}
		}
	}
	return g.pos
}

// A span is a range of numbers with one rule, up to the next span's start.
type span struct {
	start uint32
	rule  byte
}

// dispatch writes the tree over all numbers and, in front of it, the check of the architecture.
func (a *assembler) dispatch(rules *[limit]byte, audit uint32) {
	var spans [limit + 1]span
	n := 0
	for i, rule := range rules {
		if n == 0 || !a.same(spans[n-1].rule, rule) {
			spans[n] = span{uint32(i), rule}
			n++
		}
	}
	if spans[n-1].rule != ruleNoSys { // from limit on, x32 and -1 included
		spans[n] = span{limit, ruleNoSys}
		n++
	}
	for i := range a.goal {
		if a.goal[i].action != 0 {
			a.leaf(byte(i)) // behind the tree, in reach of most of it
		}
	}
	if root := a.tree(spans[:n]); root != a.pos {
		a.put(Instruction{Code: opJump, K: uint32(root - a.pos)})
	}
	a.put(Instruction{Code: opLoad, K: offNumber})
	a.put(Instruction{Code: opReturn, K: retKill})
	a.put(Instruction{Code: opEqual, JT: 1, K: audit})
	a.put(Instruction{Code: opLoad, K: offArch})
}

// same says whether two letters lead to the same place.
func (a *assembler) same(x, y byte) bool {
	return x == y || a.goal[x].action != 0 && a.goal[x].action == a.goal[y].action
}

// tree writes the decision over spans and returns where it starts.
func (a *assembler) tree(spans []span) int {
	if len(spans) == 1 {
		return a.leaf(spans[0].rule)
	}
	half := len(spans) / 2
	upper := a.tree(spans[half:])
	lower := a.tree(spans[:half])
	upper = a.reach(upper)
	lower = a.reach(lower)
	a.put(Instruction{
		Code: opFrom,
		JT:   uint8(upper - a.pos),
		JF:   uint8(lower - a.pos),
		K:    spans[half].start,
	})
	return a.pos
}
