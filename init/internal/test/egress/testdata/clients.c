// Reaches each of its targets, HOST:PORT, by HTTP, and writes a line about each. Its libc's resolver is what is tried.
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int get(struct addrinfo *a, char *text, size_t size) {
	static const char request[] = "GET /x HTTP/1.0\r\n\r\n";
	size_t n = 0;
	ssize_t got = -1;
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (!connect(fd, a->ai_addr, a->ai_addrlen) && write(fd, request, sizeof request - 1) > 0)
		while ((got = read(fd, text + n, size - 1 - n)) > 0)
			n += got;
	int error = errno;
	close(fd);
	errno = error;
	text[n] = 0;
	return got;
}

static void reach(char *host) {
	static char text[4096];
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *all, *a;
	char *port = strchr(host, ':');
	*port++ = 0;
	int failed = getaddrinfo(host, port, &hints, &all);
	if (failed) {
		printf("ERR %s\n", gai_strerror(failed));
		return;
	}
	for (a = all; a; a = a->ai_next)
		if (!get(a, text, sizeof text))
			break;
	char *body = a ? strstr(text, "\r\n\r\n") : NULL;
	if (body)
		printf("OK %s\n", body + 4);
	else
		printf("ERR %s\n", strerror(errno));
	freeaddrinfo(all);
}

int main(int argc, char **argv) {
	for (int i = 1; i < argc; i++) {
		reach(argv[i]);
		fflush(stdout);
	}
	return 0;
}
