package policy

import "math"

// CPUSeconds is how much processor time one process may use in all, and whether that is limited. It follows
// from the time the server has, as a net under it: a server that spins on every core it has been given reaches
// both at once. Where the rate is unlimited the machine's processors count.
func (l *Limits) CPUSeconds(cpus int) (seconds int64, limited bool) {
	timeout, limited := l.Timeout.Value()
	milli, named := l.CPU.Value()
	if !named {
		milli = int64(cpus) * 1000
	}
	return max(1, int64(math.Ceil(timeout.Seconds()*float64(milli)/1000))), limited
}
