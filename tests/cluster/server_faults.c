/*
 * tests/cluster/server_faults.c - the faults of FILE (faults.h) for a program
 * that asks the kernel for its disk and its clock, as those in Go do:
 *
 *	server_faults FILE PROGRAM [ARGUMENT...]
 *
 * This process becomes the program. A child of it answers its calls
 * (seccomp_unotify(2)), and hides the vDSO from it, by which it would read the
 * clock without a call.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults.h"

enum {
	MAX_WAITING = 4096, /* calls; further ones do not wait */
	STACK_FIELD = 26,   /* of /proc/PID/stat, behind the name's ")" */
	PATH_BYTES = 64,
	STAT_BYTES = 1024,
	MS_OF_S = 1000,
	NS_OF_MS = 1000000,
};

struct waiting {
	uint64_t id;
	int64_t until_ms;
};

struct server {
	const struct faults *faults;
	int fd; /* its calls come here */
	struct waiting waiting[MAX_WAITING];
	size_t count;
};

static _Noreturn void fail(const char *what)
{
	perror(what);
	_exit(1);
}

static int64_t steady_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * MS_OF_S + now.tv_nsec / NS_OF_MS;
}

static int open_of(pid_t pid, const char *name, int flags)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return open(path, flags | O_CLOEXEC);
}

/* The call goes on by itself, or has ended without an error. */
static void answer(struct server *server, uint64_t id, bool goes_on)
{
	struct seccomp_notif_resp response = {
		.id = id,
		.flags = goes_on ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0,
	};

	/* a signal may have ended it meanwhile; then it comes again */
	seccomp_notify_respond(server->fd, &response);
}

static void read_clock(struct server *server, const struct seccomp_notif *call)
{
	struct timespec now;
	int memory;
	bool is_written;

	if (server->faults->clock_ms == 0) {
		answer(server, call->id, true);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	faults_shift(server->faults, &now);
	memory = open_of((pid_t)call->pid, "mem", O_WRONLY);
	/* whose memory that is, if the call is gone by now, nobody knows */
	is_written = memory >= 0 &&
		     seccomp_notify_id_valid(server->fd, call->id) == 0 &&
		     pwrite(memory, &now, sizeof(now),
			    (off_t)call->data.args[1]) == sizeof(now);
	if (memory >= 0)
		close(memory);
	answer(server, call->id, !is_written);
}

static void take_call(struct server *server, struct seccomp_notif *call)
{
	memset(call, 0, sizeof(*call));
	if (seccomp_notify_receive(server->fd, call) != 0)
		return;
	if (call->data.nr == SCMP_SYS(clock_gettime))
		read_clock(server, call);
	else if (server->faults->sync_ms == 0 || server->count == MAX_WAITING)
		answer(server, call->id, true);
	else
		server->waiting[server->count++] = (struct waiting){
			call->id, steady_ms() + server->faults->sync_ms};
}

/* The calls that have waited long enough go on; how long the next one waits,
 * -1: there is none. */
static int64_t end_waiting(struct server *server)
{
	int64_t now_ms = steady_ms();
	int64_t next_ms = -1;
	size_t kept = 0;

	for (size_t i = 0; i < server->count; i++) {
		struct waiting row = server->waiting[i];
		int64_t left_ms = row.until_ms - now_ms;

		if (left_ms <= 0) {
			answer(server, row.id, true);
			continue;
		}
		if (next_ms < 0 || left_ms < next_ms)
			next_ms = left_ms;
		server->waiting[kept++] = row;
	}
	server->count = kept;
	return next_ms;
}

/* As long as there is the program. */
static void serve(struct server *server)
{
	struct pollfd events = {.fd = server->fd, .events = POLLIN};
	struct seccomp_notif *call;
	struct seccomp_notif_resp *unused;

	if (seccomp_notify_alloc(&call, &unused) != 0)
		fail("seccomp_notify_alloc");
	while ((events.revents & (POLLHUP | POLLERR)) == 0) {
		int64_t wait_ms = end_waiting(server);

		if (poll(&events, 1, (int)wait_ms) < 0 && errno != EINTR)
			fail("poll");
		if ((events.revents & POLLIN) != 0)
			take_call(server, call);
	}
}

/* Where the stack of a program begins that has not run yet: the number of its
 * arguments is there. */
static off_t stack_of(pid_t pid)
{
	char text[STAT_BYTES] = "";
	int fd = open_of(pid, "stat", O_RDONLY);
	const char *field;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		fail("/proc/PID/stat");
	close(fd);
	field = strrchr(text, ')');
	for (int i = 0; field != NULL && i < STACK_FIELD; i++)
		field = strchr(field + 1, ' ');
	return field == NULL ? 0 : (off_t)strtoumax(field, NULL, 10);
}

static unsigned long read_word(int memory, off_t at)
{
	unsigned long word;

	if (pread(memory, &word, sizeof(word), at) != sizeof(word))
		fail("/proc/PID/mem");
	return word;
}

static void hide_vdso(pid_t pid)
{
	const unsigned long ignored = AT_IGNORE;
	const off_t word = sizeof(unsigned long);
	int memory = open_of(pid, "mem", O_RDWR);
	off_t at = stack_of(pid);
	unsigned long kind;

	at += (off_t)(1 + read_word(memory, at) + 1) * word; /* the arguments */
	while (read_word(memory, at) != 0)                   /* environment */
		at += word;
	at += word;
	for (; (kind = read_word(memory, at)) != AT_NULL; at += 2 * word)
		if (kind == AT_SYSINFO_EHDR &&
		    pwrite(memory, &ignored, sizeof(ignored), at) != word)
			fail("/proc/PID/mem");
	close(memory);
}

/* From here to the first instruction of the program. */
static void follow_exec(pid_t pid, int ready)
{
	int status;

	if (ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_TRACEEXEC) != 0)
		fail("ptrace");
	if (write(ready, "", 1) != 1)
		fail("write");
	close(ready);
	if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
		_exit(1);
	hide_vdso(pid);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static void send_fd(int socket, int fd)
{
	union control control = {.header = {
					 .cmsg_len = CMSG_LEN(sizeof(fd)),
					 .cmsg_level = SOL_SOCKET,
					 .cmsg_type = SCM_RIGHTS,
				 }};
	struct iovec byte = {"", 1};
	struct msghdr message = {
		.msg_iov = &byte,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	if (sendmsg(socket, &message, 0) != 1)
		fail("sendmsg");
}

static int receive_fd(int socket)
{
	union control control;
	char byte;
	struct iovec bytes = {&byte, 1};
	struct msghdr message = {
		.msg_iov = &bytes,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	int fd;

	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1 ||
	    message.msg_controllen == 0)
		fail("recvmsg");
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	return fd;
}

/* The calls that are asked about, from now on: those that write to a disk, and
 * what the time is. Its descriptor is closed by exec. */
static int begin_asking(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	const int writes[] = {SCMP_SYS(pwrite64), SCMP_SYS(fsync),
			      SCMP_SYS(fdatasync), SCMP_SYS(ftruncate),
			      SCMP_SYS(renameat)};
	int error = 0;

	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++)
		error |=
			seccomp_rule_add(filter, SCMP_ACT_NOTIFY, writes[i], 0);
	/* what is made is written next, by a call that sockets have, too */
	error |=
		seccomp_rule_add(filter, SCMP_ACT_NOTIFY, SCMP_SYS(openat), 1,
				 SCMP_A2(SCMP_CMP_MASKED_EQ, O_CREAT, O_CREAT));
	error |= seccomp_rule_add(filter, SCMP_ACT_NOTIFY,
				  SCMP_SYS(clock_gettime), 1,
				  SCMP_A0(SCMP_CMP_EQ, CLOCK_REALTIME));
	if (error != 0 || seccomp_load(filter) != 0)
		fail("seccomp");
	return seccomp_notify_fd(filter);
}

int main(int argc, char *argv[])
{
	static struct server server;
	int sockets[2];
	pid_t pid = getpid();
	pid_t child;
	char byte;

	if (argc < 3) {
		fprintf(stderr, "usage: %s FILE PROGRAM [ARGUMENT...]\n",
			argv[0]);
		return 2;
	}
	server.faults = faults_map(argv[1]);
	if (server.faults == NULL)
		fail(argv[1]);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
		fail("socketpair");
	child = fork();
	if (child < 0)
		fail("fork");
	if (child == 0) {
		close(sockets[0]);
		server.fd = receive_fd(sockets[1]);
		follow_exec(pid, sockets[1]);
		serve(&server);
		return 0;
	}
	close(sockets[1]);
	send_fd(sockets[0], begin_asking());
	if (read(sockets[0], &byte, 1) != 1)
		fail("server_faults: its child");
	execv(argv[2], argv + 2);
	fail(argv[2]);
}
