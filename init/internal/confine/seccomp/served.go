package seccomp

// Letters of calls that the listener answers in earnest: Options.Egress. No table has them.
const (
	ruleServed        = 'e'
	ruleServedGet     = 'G'
	ruleServedSet     = 'E'
	ruleServedAddress = 'A'
)

// servedCalls are all that the listener may have to answer. sendmsg is none of them: a pair's end can go nowhere by it.
// recvmsg could not either, and is one for the address that a datagram comes from.
var servedCalls = [...]string{"socket", "connect", "bind", "listen", "getsockname", "getpeername", "getsockopt",
	"setsockopt", "sendto", "recvfrom", "recvmsg"}

// serve gives these letters to the calls; socket has a block of its own.
func serve(rules *[limit]byte, arch string) {
	setRule(rules, arch, ruleServed, "connect", "bind", "listen", "getsockname", "getpeername", "recvmsg")
	setRule(rules, arch, ruleServedGet, "getsockopt")
	setRule(rules, arch, ruleServedSet, "setsockopt")
	setRule(rules, arch, ruleServedAddress, "sendto", "recvfrom")
}

// servedBlocks writes the blocks of these letters.
func (a *assembler) servedBlocks() {
	if a.used[ruleServed] {
		a.action(ruleServed, retServe)
	}
	a.add(ruleServedGet, blockServedGet)
	a.add(ruleServedSet, blockServedSet)
	a.add(ruleServedAddress, blockServedAddress)
}
