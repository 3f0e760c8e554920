package main

import (
	"strings"

	"github.com/spf13/pflag"
)

// A habit is a flag of docker, bwrap, deno, firejail, srt or systemd-run, and what does the same here.
type habit struct {
	words   string   // spellings of the flag, between spaces
	answers []string // the first one counts that names no flag which this version has not
}

// habits are data for an error alone: none of these words does anything.
var habits = [...]habit{
	{"-v --volume --mount --bind --bind-try --dev-bind --whitelist --read-write -W", []string{
		"write --allow-write PATH, or --allow-read PATH: a path has the same name inside"}},
	{"--ro-bind --ro-bind-try --read-only --ro -R", []string{
		"write --allow-read PATH: a path has the same name inside"}},
	{"--blacklist --hide", []string{"write --deny-read PATH, inside of what is allowed"}},
	{"-e --setenv -E", []string{"write --env NAME=VALUE, or --env NAME to forward yours"}},
	{"--env-all --allow-env --preserve-env --keep-env", []string{
		"each variable is named: --env NAME, or --env 'PREFIX_*' for several"}},
	{"--unsetenv --clearenv --env-clear --rmenv", []string{
		"leave it out: a variable that --env does not name is not forwarded, but for HOME, PATH and their like"}},
	{"--network --net -n", []string{
		"there is no network by default; --allow-domain HOST[:PORT] opens one host, --level network all"}},
	{"--allow-net -N --share-net --allow-network --allow-host --allow-port --allowed-domains", []string{
		"write --allow-domain HOST[:PORT], or --level network for all"}},
	{"--no-network --no-net --unshare-net --unshare-all", []string{
		"leave it out: without --allow-domain and --level network there is no network"}},
	{"--deny-net --block-host --deny-host --denied-domains --blocked-domains", []string{
		"write --deny-domain HOST[:PORT], inside of what --allow-domain opens"}},
	{"-p", []string{"write --publish HOSTPORT:PORT"}},
	{"-w --workdir --chdir --working-dir --working-directory", []string{
		"write --cwd FOLDER, and --allow-read FOLDER if nothing else grants it"}},
	{"-u --uid --gid", []string{"write --user UID:GID, as root"}},
	{"-m --memory-limit --rlimit-data", []string{"write --memory SIZE, as 512M"}},
	{"-c --cpus --cpu-shares", []string{"write --cpu CORES, as 1.5 or 500m"}},
	{"--pids-limit --rlimit-nproc", []string{"write --pids N"}},
	{"--ulimit --rlimit-nofile --nofile", []string{"write --open-files N, --file-size SIZE or --address-space SIZE"}},
	{"--rlimit-as", []string{"write --address-space SIZE"}},
	{"--rlimit-fsize", []string{"write --file-size SIZE"}},
	{"--stop-timeout", []string{"write --grace TIME, as 5s"}},
	{"--tmpfs --shm-size --private-tmp", []string{"/tmp is private anyway; write --tmp-size SIZE for more room"}},
	{"--home --private", []string{
		"the home is private, and thrown away at the end; write --state NAME for one that lasts",
		"the home is private, and thrown away at the end; write --allow-write FOLDER for a folder that lasts"}},
	{"--cap-drop --caps.drop --no-new-privileges --nonewprivs --unshare-pid --unshare-user --unshare-ipc " +
		"--unshare-uts --unshare-cgroup --new-session --proc --dev --rm -i --interactive --init --noprofile " +
		"--seccomp", []string{
		"leave it out: every launch does that"}},
	{"--seccomp.drop", []string{"write --deny-syscall NAME, once for each"}},
	{"--die-with-parent", []string{"leave it out: --on-host-exit terminate is the default"}},
	{"-t -it -ti -d", []string{"write --tty for a terminal of the server's own; else leave it out",
		"leave it out: the server has the streams of this program"}},
	{"-A --allow-all --privileged --dangerously-allow-all", []string{
		"write what the server needs: --allow-read, --allow-write, --env; --level privileged confines nothing"}},
	{"--allow-run", []string{"leave it out: --subprocess=true is the default but in --level strict"}},
	{"--deny-run --no-exec --noexec", []string{"write --no-subprocess"}},
	{"--allow-socket", []string{
		"write --allow-unix-socket PATH", "this version grants no socket by name"}},
	{"-s --settings --config --profile", []string{"write --policy FILE"}},
	{"--dry-run", []string{`say "mcp-sandbox plan" in place of "mcp-sandbox run"`}},
	{"-q --silent", []string{"write --quiet", "leave it out: without --verbose only what went wrong is said"}},
	{"--debug", []string{"write --verbose"}},
	{"-V", []string{`say "mcp-sandbox version"`}},
	{"--learn --trace --audit", []string{
		"this version does not learn; --report FILE and mcp-sandbox report FILE tell what was denied"}},
	{"--cache --cache-dir --persist", []string{"write --state NAME: the home of that name lasts, and caches in it"}},
	{"--name --hostname", []string{"leave it out: a sandbox has no name; --state NAME names a home that lasts"}},
	{"-r", []string{"write --allow-read PATH"}},
	{"-C --directory", []string{"write --cwd FOLDER, and --allow-read FOLDER if nothing else grants it"}},
	{"--entrypoint", []string{"leave it out: the command is the first word behind the flags"}},
	{"--pull --platform --gpus --restart --detach --runtime --label --log-driver", []string{
		"leave it out: there is no container, and the command is a program of this machine"}},
	{"--add-host --dns --link --expose", []string{
		"leave it out: this machine looks up the names of --allow-domain; --level network gives its ports too"}},
	{"--allow-sys --allow-ffi --allow-import --no-prompt --allow-hrtime --unstable", []string{
		"it is a flag of deno's, which comes behind deno"}},
	{"--sandbox --no-sandbox --rootless --userns", []string{
		"leave it out: run confines always, and --level privileged alone confines nothing"}},
	{"--log --log-file --log-level -o --output", []string{"write --report FILE, or --verbose"}},
	{"-f --file --policy-file", []string{"write --policy FILE"}},
	{"-h --host", []string{"leave it out: the server's own flags come behind its COMMAND"}},
}

// answer is what does here what an unknown flag does elsewhere, or "".
func answer(set *pflag.FlagSet, word string) string {
	if set.Lookup("allow-read") == nil {
		return "" // no command of servers
	}
	for i := range habits {
		for w := range strings.FieldsSeq(habits[i].words) {
			if w != word {
				continue
			}
			for _, text := range habits[i].answers {
				if haveAll(set, text) {
					return text
				}
			}
		}
	}
	return ""
}

// haveAll reports whether every flag in a text exists.
func haveAll(set *pflag.FlagSet, text string) bool {
	for _, name := range flagsIn(text) {
		if set.Lookup(name) == nil {
			return false
		}
	}
	return true
}

// flagsIn are the names of the flags in a text.
func flagsIn(text string) (names []string) {
	for word := range strings.FieldsSeq(text) {
		word, _, _ = strings.Cut(strings.Trim(word, `,;:.()"'`), "=")
		if name, ok := strings.CutPrefix(word, "--"); ok && name != "" {
			names = append(names, name)
		}
	}
	return names
}
