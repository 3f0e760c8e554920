// Package cli is the frame of mcp-sandbox's commands: their flags with the help, the answer to a flag that is none, and
// the lines on standard error and standard output.
//
//	c := cli.Command{Name: "state list", Setup: func(f *cli.Flags) cli.Run {
//		long := false
//		f.Switch("long", "say more", &long)
//		return func(args []string) int { return cli.Show(page(args, long)) }
//	}}
//	code := c.Start(os.Args[2:])
package cli
