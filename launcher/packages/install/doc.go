// Package install fetches a package into the store and says how it is started.
//
//	start, _ := startline.Parse([]string{"npx", "-y", "@x/y", "dir"})
//	ready, err := install.Prepare(ctx, store, start, install.Options{Env: os.Environ(), Dir: "."})
//	ready.Command // STORE/npm/@x/y/1.2.3-…/node_modules/.bin/y dir
//	pol, target = ready.Apply(pol, target) // for launcher.Command
//
// A package in the store is started without network. Everything else is fetched by the package manager itself, in a
// sandbox of its own: the registries of the user's configuration are the only hosts, the new folder of the store is the
// only place that can be written, no variable of the user is there, and no install script runs unless
// [Options].Scripts. For its registries the manager is asked in another sandbox, which has no network at all.
// Afterwards the manager's lock file is read: a package without a hash, or from another host than a registry, is
// refused, and nothing is left of the install.
//
// Installs are kept apart by all that decided where they came from: a start gets what a start with the same sources
// installed, and nothing else.
//
// Not held: the archive that a registry serves under a name is installed. The hash says that it did not change on its
// way, and nothing of its author.
package install
