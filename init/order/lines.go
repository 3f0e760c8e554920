package order

import "strconv"

// Lines are the lines of a launch on standard error: the protections that the machine lacks, and the
// warnings; with verbose also the state of each layer.
func (e *Enforced) Lines(verbose bool) []string {
	var lines []string
	if verbose {
		lines = append(lines, "confinement "+e.Confinement+" (at least "+e.MinConfinement+" was asked for), level "+
			e.Level+", process "+strconv.Itoa(e.PID))
	}
	for i := range e.Layers {
		l := &e.Layers[i]
		if l.State == Absent {
			lines = append(lines, string(l.Layer)+" is absent: "+l.Reason+"; "+l.Effect)
			continue
		}
		if verbose {
			lines = append(lines, string(l.Layer)+" is "+string(l.State))
		}
		for _, f := range l.Facts {
			if f.Got == "" {
				lines = append(lines, string(l.Layer)+": no "+f.Name+": "+f.Reason+"; "+f.Effect)
			}
		}
	}
	return append(lines, e.Warnings...)
}
