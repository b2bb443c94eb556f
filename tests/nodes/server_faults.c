/*
 * tests/nodes/server_faults.c - the faults of FILE (faults.h) for a program
 * that asks the kernel for its disk and its clock, as those in Go do:
 *
 *	server_faults FILE PROGRAM [ARGUMENT...]
 *
 * This process becomes the program. A child of it answers its calls
 * (seccomp_unotify(2)). The clock is read without a call, by the vDSO, and very
 * often: the child writes to the program's copy of the vDSO that it is a call
 * as long as the clock is wrong, and no longer. For x86-64.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
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
	LOOK_MS = 10,       /* at whether the clock is wrong now */
	PATH_BYTES = 64,
	MS_OF_S = 1000,
	NS_OF_MS = 1000000,
};

/* clock_gettime, with whether the clock is wrong as its last byte. */
enum {
	TO_OWN = 14, /* how far the vDSO's own is behind END_OF_JUMP */
	END_OF_JUMP = 18,
	IS_WRONG = 26,
	STUB_BYTES = 27,
};
static const unsigned char stub[STUB_BYTES] = {
	0x85, 0xff,                 /* test edi, edi: REALTIME? */
	0x75, 0x09,                 /* jne own */
	0x80, 0x3d, 15, 0, 0, 0, 0, /* cmp byte [rip + 15], 0: wrong? */
	0x75, 0x05,                 /* jne call */
	0xe9, 0,    0,  0, 0,       /* own: jmp */
	0xb8, 228,  0,  0, 0,       /* call: mov eax, clock_gettime */
	0x0f, 0x05,                 /* syscall */
	0xc3,                       /* ret */
	0,
};

struct waiting {
	uint64_t id;
	int64_t until_ms;
};

struct server {
	const struct faults *faults;
	int fd;            /* its calls come here */
	int memory;        /* its own */
	off_t is_wrong;    /* in it: the stub's last byte */
	bool is_wrong_now; /* the available bytes */
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

/* The call continues automatically, or has ended without an error. */
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
	bool is_written;

	clock_gettime(CLOCK_REALTIME, &now);
	faults_shift(server->faults, &now);
	is_written = seccomp_notify_id_valid(server->fd, call->id) == 0 &&
		     pwrite(server->memory, &now, sizeof(now),
			    (off_t)call->data.args[1]) == sizeof(now);
	answer(server, call->id, !is_written);
}

/* From now on the clock is a call, or no longer. */
static void set_clock(struct server *server)
{
	bool is_wrong = server->faults->clock_ms != 0;
	unsigned char byte = is_wrong;

	if (is_wrong != server->is_wrong_now &&
	    pwrite(server->memory, &byte, 1, server->is_wrong) == 1)
		server->is_wrong_now = is_wrong;
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
			call->id, steady_ms() + 1 + server->faults->sync_ms};
}

/* Resume the calls that have waited long enough. Return the wait of the next
 * one, at most LOOK_MS. */
static int64_t end_waiting(struct server *server)
{
	int64_t now_ms = steady_ms();
	int64_t next_ms = LOOK_MS;
	size_t kept = 0;

	for (size_t i = 0; i < server->count; i++) {
		struct waiting row = server->waiting[i];
		int64_t left_ms = row.until_ms - now_ms;

		if (left_ms <= 0) {
			answer(server, row.id, true);
			continue;
		}
		if (left_ms < next_ms)
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

		set_clock(server);
		if (poll(&events, 1, (int)wait_ms) < 0 && errno != EINTR)
			fail("poll");
		if ((events.revents & POLLIN) != 0)
			take_call(server, call);
	}
}

/* Where the vDSO is in a program that has not run yet. */
static off_t vdso_of(pid_t pid)
{
	int fd = open_of(pid, "auxv", O_RDONLY);
	Elf64_auxv_t row = {0};

	while (fd >= 0 && row.a_type != AT_SYSINFO_EHDR)
		if (read(fd, &row, sizeof(row)) != sizeof(row))
			fail("/proc/PID/auxv");
	if (fd < 0)
		fail("/proc/PID/auxv");
	close(fd);
	return (off_t)row.a_un.a_val;
}

/* Of the kernel's one vDSO, as it lies here; offsets are from its begin. */
struct vdso {
	const unsigned char *image;
	const Elf64_Sym *symbols;
	size_t count;
	const char *names;
	size_t end; /* of what is loaded */
};

static struct vdso read_vdso(void)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	const unsigned char *image = (void *)getauxval(AT_SYSINFO_EHDR);
	struct vdso vdso = {.image = image};
	const Elf64_Phdr *segment;
	const Elf64_Dyn *row = NULL;

	errno = ENOSYS; /* where it is incomplete */
	if (image == NULL)
		fail("vDSO");
	segment = (const void *)(image + ((const Elf64_Ehdr *)image)->e_phoff);
	for (size_t i = ((const Elf64_Ehdr *)image)->e_phnum; i > 0; i--) {
		if (segment->p_type == PT_LOAD)
			vdso.end = segment->p_offset + segment->p_filesz;
		if (segment->p_type == PT_DYNAMIC)
			row = (const void *)(image + segment->p_offset);
		segment++;
	}
	for (; row != NULL && row->d_tag != DT_NULL; row++) {
		if (row->d_tag == DT_SYMTAB)
			vdso.symbols = (const void *)(image + row->d_un.d_ptr);
		if (row->d_tag == DT_STRTAB)
			vdso.names = (const char *)image + row->d_un.d_ptr;
	}
	if (vdso.symbols == NULL || vdso.names == NULL)
		fail("vDSO");
	/* the names follow them: nothing else gives their number */
	vdso.count = (size_t)(vdso.names - (const char *)vdso.symbols) /
		     sizeof(*vdso.symbols);
	return vdso;
}

static void write_at(int memory, const void *bytes, size_t count, size_t at)
{
	if (pwrite(memory, bytes, count, (off_t)at) != (ssize_t)count)
		fail("/proc/PID/mem");
}

/* The stub is what the vDSO has as clock_gettime; it lies in the rest of the
 * vDSO's last page. */
static void put_stub(struct server *server, pid_t pid)
{
	const struct vdso vdso = read_vdso();
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t base = (size_t)vdso_of(pid);
	const size_t at = (vdso.end + page - 1) / page * page - STUB_BYTES;
	unsigned char code[STUB_BYTES];

	memcpy(code, stub, sizeof(code));
	if (at < vdso.end)
		fail("vDSO has no room");
	for (size_t i = 0; i < vdso.count; i++) {
		const Elf64_Sym *symbol = &vdso.symbols[i];
		size_t place =
			(size_t)((const unsigned char *)symbol - vdso.image);
		int32_t back = (int32_t)(symbol->st_value - (at + END_OF_JUMP));

		if (strcmp(vdso.names + symbol->st_name,
			   "__vdso_clock_gettime") != 0)
			continue;
		memcpy(code + TO_OWN, &back, sizeof(back));
		write_at(server->memory, code, sizeof(code), base + at);
		write_at(server->memory, &at, sizeof(at),
			 base + place + offsetof(Elf64_Sym, st_value));
		server->is_wrong = (off_t)(base + at + IS_WRONG);
		return;
	}
	fail("clock_gettime of the vDSO");
}

/* From here to the first instruction of the program. */
static void follow_exec(struct server *server, pid_t pid, int ready)
{
	int status;

	if (ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_TRACEEXEC) != 0)
		fail("ptrace");
	if (write(ready, "", 1) != 1)
		fail("write");
	close(ready);
	if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
		_exit(1);
	server->memory = open_of(pid, "mem", O_RDWR);
	put_stub(server, pid);
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

/* The system calls to intercept from now on: writes to a disk, and the time
 * where it is a call. Exec closes the descriptor. */
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
	/* an opened file is written next, with a call that sockets use, too */
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
		follow_exec(&server, pid, sockets[1]);
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
