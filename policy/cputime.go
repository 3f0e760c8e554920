package policy

import "math"

// CPUSeconds is the processor time of one process, and whether that is limited. The limit follows from the
// server's timeout: a server that spins on every granted core reaches both at once. Where the rate is
// unlimited the machine's processors count.
func (l *Limits) CPUSeconds(cpus int) (seconds int64, limited bool) {
	timeout, limited := l.Timeout.Value()
	milli, named := l.CPU.Value()
	if !named {
		milli = int64(cpus) * 1000
	}
	return max(1, int64(math.Ceil(timeout.Seconds()*float64(milli)/1000))), limited
}
