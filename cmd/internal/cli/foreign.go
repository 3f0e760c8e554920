package cli

import (
	"strings"

	"github.com/spf13/pflag"
)

// A habit is a flag of docker, bwrap, deno, firejail, nsjail, landrun, srt, codex, nono, systemd-run or of a tool of
// util-linux or coreutils, and what does the same here.
type habit struct {
	words   string   // spellings of the flag, between spaces, with - for _
	answers []string // the first one counts that names no flag which this version has not
}

// habits are data for an error alone: none of these words does anything.
var habits = [...]habit{
	{"-v --volume --mount --bind --bind-try --dev-bind --whitelist --read-write --rw --rwx --writable " +
		"--writable-root --bindmount --bind-paths --allow --allow-file --write-file --add-dir -W -B", []string{
		"write --allow-write PATH, or --allow-read PATH: a path has the same name inside"}},
	{"--ro-bind --ro-bind-try --read-only --readonly --ro --rox --read-file --bindmount-ro --add-exec -R", []string{
		"write --allow-read PATH: a path has the same name inside, and what can be read can be executed"}},
	{"--blacklist --hide --deny --noaccess", []string{
		"write --deny-read PATH, inside of what is allowed"}},
	{"--allow-cwd", []string{"write --allow-write . for the folder that you start from"}},
	{"--unrestricted-filesystem", []string{
		`write "filesystem": {"default": "read"} into a policy for all that you may read`}},
	{"-e --setenv -E", []string{"write --env NAME=VALUE, or --env NAME to forward yours"}},
	{"--env-all --allow-env --preserve-env --keep-env --preserve-environment", []string{
		"each variable is named: --env NAME, or --env 'PREFIX_*' for several"}},
	{"--unsetenv --clearenv --env-clear --rmenv --unset --ignore-environment", []string{
		"leave it out: a variable that --env does not name is not forwarded, but for HOME, PATH and their like"}},
	{"--network --net --iface-no-lo --macvlan-iface -n", []string{
		"there is no network by default; --allow-domain HOST[:PORT] opens one host, --level network all"}},
	{"--allow-net -N --share-net --allow-network --allow-host --allow-port --allowed-domains --connect-tcp " +
		"--net-allow --unrestricted-network --disable-clone-newnet", []string{
		"write --allow-domain HOST[:PORT], or --level network for all"}},
	{"--no-network --no-net --unshare-net --unshare-all --block-net --net-block", []string{
		"leave it out: without --allow-domain and --level network there is no network"}},
	{"--deny-net --block-host --deny-host --denied-domains --blocked-domains", []string{
		"write --deny-domain HOST[:PORT], inside of what --allow-domain opens"}},
	{"-p --port --bind-tcp --allow-bind", []string{
		"write --publish HOSTPORT:PORT for a port; what a property of systemd says has flags of its own: --memory, " +
			"--pids, --cpu, --timeout"}},
	{"--property", []string{
		"write --memory for MemoryMax, --pids for TasksMax, --cpu for CPUQuota, --timeout for RuntimeMaxSec"}},
	{"-w --workdir --chdir --working-dir --working-directory", []string{
		"write --cwd FOLDER, and --allow-read FOLDER if nothing else grants it"}},
	{"-u --uid --gid --group --reuid --regid --userspec", []string{"write --user UID:GID, as root"}},
	{"-m --memory-limit --max-memory --mem --mem-limit --rlimit-data --data --cgroup-mem-max", []string{
		"write --memory SIZE, as 512M"}},
	{"-c --cpus --cpu-shares --cpu-limit --max-cpu --cgroup-cpu-ms-per-sec", []string{
		"write --cpu CORES, as 1.5 or 500m"}},
	{"--pids-limit --rlimit-nproc --nproc --max-procs --max-processes --cgroup-pids-max", []string{"write --pids N"}},
	{"--ulimit --rlimit-nofile --nofile --max-files", []string{
		"write --open-files N, --file-size SIZE or --address-space SIZE"}},
	{"--rlimit-as --as", []string{"write --address-space SIZE"}},
	{"--rlimit-fsize --fsize", []string{"write --file-size SIZE"}},
	{"--stop-timeout --kill-after -k", []string{"write --grace TIME, as 5s"}},
	{"--time-limit --time --rlimit-cpu --runtime-max --timeout-ms --max-time", []string{
		"write --timeout TIME, as 60s"}},
	{"--tmpfs --tmpfsmount --shm-size --private-tmp", []string{
		"/tmp is private anyway; write --tmp-size SIZE for more room"}},
	{"--home --private", []string{
		"the home is private, and thrown away at the end; write --state NAME for one that lasts",
		"the home is private, and thrown away at the end; write --allow-write FOLDER for a folder that lasts"}},
	{"--cap-drop --caps.drop --no-new-privileges --nonewprivs --unshare-pid --unshare-user --unshare-ipc " +
		"--unshare-uts --unshare-cgroup --unshare-user-try --unshare-cgroup-try --new-session --proc --dev --rm " +
		"-i --interactive --init --seccomp --clear-groups --mount-proc --map-root-user --fork --as-pid-1 " +
		"--disable-userns --assert-userns-disabled --skip-setsid " +
		"--best-effort --ldd --nogroups --private-dev --memory-deny-write-execute --reset-env --inh-caps " +
		"--bounding-set", []string{
		"leave it out: every launch does that"}},
	{"--noprofile", []string{"write --profile none", "leave it out: there are no profiles in this version"}},
	{"--seccomp.drop --deny-syscalls --seccomp-string --block-syscall", []string{
		"write --deny-syscall NAME, once for each"}},
	{"--die-with-parent", []string{"leave it out: --on-host-exit terminate is the default"}},
	{"-t -it -ti --pty", []string{"write --tty for a terminal of the server's own; a limit of time is --timeout TIME",
		"leave it out: the server has the streams of this program"}},
	{"-d --detach --background --daemon", []string{
		"leave it out: the server stays in front, with the streams of the client that starts it"}},
	{"-A --allow-all --privileged --dangerously-allow-all --full-auto --yolo " +
		"--dangerously-bypass-approvals-and-sandbox", []string{
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
	{"--scope --slice --unit --wait --pipe --collect --same-dir --service-type --quit --no-block", []string{
		"leave it out: a server has no unit of its own; start mcp-sandbox itself by systemd-run for one"}},
	{"--args --json-status-fd --info-fd --sync-fd --block-fd --userns-block-fd --lock-file --control-fd", []string{
		"leave it out: --report-fd N gets a line in JSON when the server starts and when it ends"}},
	{"--pull --platform --gpus --restart --runtime --label --log-driver", []string{
		"leave it out: there is no container, and the command is a program of this machine"}},
	{"--add-host --dns --link --expose", []string{
		"leave it out: this machine looks up the names of --allow-domain; --level network gives its ports too"}},
	{"--allow-sys --allow-ffi --allow-import --no-prompt --allow-hrtime --unstable", []string{
		"it is a flag of deno's, which comes behind deno"}},
	{"--sandbox --no-sandbox --rootless --userns --perms --chmod --dir --symlink " +
		"--overlay-src --remount-ro", []string{
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
			if w != strings.ReplaceAll(word, "_", "-") {
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
