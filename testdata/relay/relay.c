// The yardstick of the relay: the plainest one that splice(2) and poll(2) make, in one process. It decides nothing, counts
// nothing and holds nothing back.
//
//	relay ADDRESS PORT TO-ADDRESS TO-PORT
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAIRS 64
#define PIPE (256 << 10)

// One direction: what was read from a socket and is in the pipe until the other socket takes it.
struct way {
	int pipe[2];
	ssize_t held;
	int over;
};

static struct pair {
	int fd[2]; // the client's and the server's; 0: free
	struct way way[2]; // way[i] reads from fd[i]
} pairs[PAIRS];

static void must(int ok, const char *what) {
	if (!ok) err(1, "%s", what);
}

static struct sockaddr_in address(char **word) {
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(atoi(word[1]))};
	must(inet_pton(AF_INET, word[0], &a.sin_addr) == 1, word[0]);
	return a;
}

static void end(struct pair *p) {
	for (int i = 0; i < 2; i++) {
		close(p->fd[i]);
		if (p->way[i].held) { // the pipe of a free pair is empty
			close(p->way[i].pipe[0]);
			close(p->way[i].pipe[1]);
			p->way[i].pipe[0] = 0;
		}
		p->fd[i] = p->way[i].held = p->way[i].over = 0;
	}
}

static void begin(int listener, const struct sockaddr_in *to) {
	int one = 1, in = accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (in < 0) return;
	int out = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	must(out >= 0 && connect(out, (void *)to, sizeof *to) == 0, "connect");
	must(fcntl(out, F_SETFL, O_NONBLOCK) == 0, "fcntl");
	setsockopt(in, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	setsockopt(out, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	struct pair *p = pairs;
	while (p < pairs + PAIRS && p->fd[0]) p++;
	must(p < pairs + PAIRS, "too many connections");
	p->fd[0] = in;
	p->fd[1] = out;
	for (int i = 0; i < 2; i++) {
		if (p->way[i].pipe[0]) continue;
		must(pipe2(p->way[i].pipe, O_CLOEXEC | O_NONBLOCK) == 0, "pipe2");
		fcntl(p->way[i].pipe[1], F_SETPIPE_SZ, PIPE); // EPERM: the user's pipes have too many pages, and it stays at 64 KiB
	}
}

// move moves what it can in one direction; 0 if the connection is broken.
static int move(struct pair *p, int i, short readable) {
	struct way *w = &p->way[i];
	if (!w->held && !w->over && readable) {
		ssize_t n = splice(p->fd[i], 0, w->pipe[1], 0, PIPE, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		if (n < 0) return errno == EAGAIN;
		w->held = n;
		if (n == 0) {
			w->over = 1;
			shutdown(p->fd[!i], SHUT_WR);
		}
	}
	while (w->held) {
		ssize_t n = splice(w->pipe[0], 0, p->fd[!i], 0, w->held, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		if (n <= 0) return n < 0 && errno == EAGAIN;
		w->held -= n;
	}
	return 1;
}

int main(int argc, char **argv) {
	static struct pollfd set[1 + 2 * PAIRS];
	must(argc == 5, "usage: relay ADDRESS PORT TO-ADDRESS TO-PORT");
	signal(SIGPIPE, SIG_IGN);
	struct sockaddr_in from = address(argv + 1), to = address(argv + 3);
	int one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	must(bind(listener, (void *)&from, sizeof from) == 0 && listen(listener, PAIRS) == 0, "listen");
	set[0] = (struct pollfd){listener, POLLIN, 0};
	for (;;) {
		for (int i = 0; i < 2 * PAIRS; i++) {
			struct pair *p = &pairs[i / 2];
			struct way *in = &p->way[i % 2], *out = &p->way[!(i % 2)];
			short events = (in->held || in->over ? 0 : POLLIN) | (out->held ? POLLOUT : 0);
			// Of a socket without events poll(2) would tell hang-ups without an end.
			set[1 + i] = (struct pollfd){p->fd[0] && events ? p->fd[i % 2] : -1, events, 0};
		}
		must(poll(set, 1 + 2 * PAIRS, -1) > 0, "poll");
		for (int k = 0; k < PAIRS; k++) {
			struct pair *p = &pairs[k];
			if (!p->fd[0] || !(set[1 + 2 * k].revents | set[2 + 2 * k].revents)) continue;
			int whole = move(p, 0, set[1 + 2 * k].revents) && move(p, 1, set[2 + 2 * k].revents);
			if (!whole || (p->way[0].over && p->way[1].over && !p->way[0].held && !p->way[1].held)) end(p);
		}
		if (set[0].revents) begin(listener, &to);
	}
}
