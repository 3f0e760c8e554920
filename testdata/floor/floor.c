// The floor: what the same namespaces and mounts cost in the plainest C program that can make them. It proves nothing,
// limits nothing, filters nothing, and is no sandbox.
//
//	floor [-r PATH]... [-l TARGET PATH]... -- COMMAND [ARG...]
//
// -r binds PATH read-only, with what is mounted below it; -l makes a symbolic link. Both in the new root, at PATH.
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOT "/sys" // hidden by the new root while that is built; nothing below it is bound

static void must(int ok, const char *what) {
	if (!ok) err(125, "%s", what);
}

static void put(const char *path, const char *text) {
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), path);
	close(fd);
}

// folders makes the folders above a path of the new root.
static void folders(char *path) {
	for (char *p = path + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(path, 0755);
		*p = '/';
	}
}

static void bind_ro(const char *path) {
	char at[4096];
	struct stat st;
	must(stat(path, &st) == 0, path);
	snprintf(at, sizeof at, ROOT "%s", path);
	folders(at);
	if (S_ISDIR(st.st_mode))
		mkdir(at, 0755);
	else
		must(mknod(at, S_IFREG | 0644, 0) == 0, at);
	int tree = syscall(SYS_open_tree, AT_FDCWD, path, 1 | O_CLOEXEC | 0x8000);
	must(tree >= 0, path);
	if (strncmp(path, "/dev/", 5)) {
		struct { unsigned long long set, clear, propagation, userns; } attr = {1 | 2 | 4, 0, 0, 0};
		must(syscall(SYS_mount_setattr, tree, "", 0x1000 | 0x8000, &attr, sizeof attr) == 0, path);
	}
	must(syscall(SYS_move_mount, tree, "", AT_FDCWD, at, 4) == 0, at);
	close(tree);
}

static void fresh(const char *type, const char *path, int flags, const char *data) {
	char at[4096];
	snprintf(at, sizeof at, ROOT "%s", path);
	folders(at);
	mkdir(at, 0755);
	must(mount(type, at, type, flags, data) == 0, at);
}

int main(int argc, char **argv) {
	uid_t uid = getuid();
	gid_t gid = getgid();
	int flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEWCGROUP;
	pid_t init = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
	must(init >= 0, "clone");
	if (init > 0) {
		int status;
		must(waitpid(init, &status, 0) == init, "wait");
		return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	char map[64];
	put("/proc/self/setgroups", "deny");
	snprintf(map, sizeof map, "%d %d 1", uid, uid);
	put("/proc/self/uid_map", map);
	snprintf(map, sizeof map, "%d %d 1", gid, gid);
	put("/proc/self/gid_map", map);
	must(mount("tmpfs", ROOT, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") == 0, ROOT);
	int i = 1;
	for (; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "-r")) {
			bind_ro(argv[++i]);
		} else if (!strcmp(argv[i], "-l")) {
			char at[4096];
			snprintf(at, sizeof at, ROOT "%s", argv[i + 2]);
			folders(at);
			must(symlink(argv[i + 1], at) == 0, at);
			i += 2;
		}
	}
	fresh("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "");
	fresh("devpts", "/dev/pts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666");
	fresh("tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, "");
	fresh("tmpfs", "/tmp", MS_NOSUID | MS_NODEV, "");
	must(chdir(ROOT) == 0 && syscall(SYS_pivot_root, ".", ".") == 0, "pivot_root");
	must(umount2(".", MNT_DETACH) == 0 && chdir("/") == 0, "umount2");
	pid_t server = fork();
	must(server >= 0, "fork");
	if (server == 0) {
		execv(argv[i + 1], argv + i + 1);
		err(127, "%s", argv[i + 1]);
	}
	int status;
	while (waitpid(-1, &status, 0) != server)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
