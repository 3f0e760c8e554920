package testbed

import "flag"

// Waiting has four parallel tests run at once, or as many as -test.parallel says: for a package whose tests wait most
// of the time, on two processors. Call it in TestMain, before Run.
func Waiting() {
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if said {
		return
	}
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
}
