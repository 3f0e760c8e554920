package fsview

import "testing"

// Every mount that the model wants can be made for a real policy as well, with either root.
func TestBuild(t *testing.T) {
	root := plant(t, "home/x\n a/b/c/d\n a/.git/x\n l -> a/b")
	for _, w := range []wish{{}, {read: []string{"T/l"}}, {write: []string{"T/a"}, noRead: []string{"T/a/b"}}, {write: []string{"T/a", "T/a/b/c"}, noRead: []string{"T/a/b"}},
		{read: []string{"T"}}, {read: []string{"T/home/x"}}, {read: []string{"/etc", "/usr"}}} {
		for _, host := range []bool{false, true} {
			for _, net := range []bool{false, true} {
				w.host = host
				r := w.request(root)
				r.HostNet = net
				v, err := Plan(r)
				must(t, err)
				build(t, v)
			}
		}
	}
}

func BenchmarkPlan(b *testing.B) {
	root := plant(b, "home/.nvm/versions/node/v20/bin/node!\n home/.nvm/versions/node/v20/lib/node_modules/x\n home/p/node_modules/srv/index.js\n home/data/a/b/\n home/data/.git/x")
	for _, c := range []struct {
		name string
		wish wish
		cmd  string
	}{
		{"bare", wish{}, "/bin/true"},
		{"node", wish{read: []string{"T/home/p/node_modules"}, write: []string{"T/home/data"}}, "node"},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := c.wish.request(root)
			r.Env = append(r.Env, "PATH=/usr/local/sbin:/usr/local/bin:"+root+"/home/.nvm/versions/node/v20/bin:/usr/bin:/bin")
			r.Command = []string{c.cmd}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Plan(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
