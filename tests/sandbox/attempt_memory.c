/* Memory and disk other than the limit of the address space. */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/sandbox/attempt.h"

enum {
	PIECE = 1 << 20,
	PIECES = 48,
	ROOM = 16 * PIECE, /* of free address space */
	MEMFD_SECRET = 447,
	WIDE_PIPE = 1 << 20,
	MUCH = 64 << 20,
};

static int result(long value)
{
	return value < 0 ? errno : 0;
}

static int opened(int file)
{
	int error = file < 0 ? errno : 0;

	if (file >= 0)
		close(file);
	return error;
}

/* Write more to `file` than there is room for in the address space. */
static int fill(int file)
{
	char *piece = calloc(1, PIECE);
	struct rlimit limit = {ROOM, ROOM};
	ssize_t written = PIECE;

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_AS, &limit);
	for (int i = 0; i < PIECES && written == PIECE; i++)
		written = write(file, piece, PIECE);
	return written == PIECE ? 0 : errno;
}

static int fill_memory_file(const struct surroundings *around)
{
	int file = memfd_create("page", MFD_CLOEXEC);

	(void)around;
	return file < 0 ? errno : fill(file);
}

static int make_secret_memory(const struct surroundings *around)
{
	(void)around;
	return opened((int)syscall(MEMFD_SECRET, O_CLOEXEC));
}

static int fill_inherited(const struct surroundings *around)
{
	return fill(around->inherited);
}

static int lengthen_inherited(const struct surroundings *around)
{
	return result(ftruncate(around->inherited, PIECE));
}

static int allocate_inherited(const struct surroundings *around)
{
	return result(fallocate(around->inherited, 0, 0, PIECE));
}

static int write_into_inherited(const struct surroundings *around)
{
	return result(pwrite(around->inherited, "x", 1, PIECE));
}

static int share_too_much(const struct surroundings *around)
{
	void *memory = mmap(NULL, (size_t)2 << 30, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	(void)around;
	return memory == MAP_FAILED ? errno : 0;
}

static int grow_too_much(const struct surroundings *around)
{
	void *memory = mmap(NULL, PIECE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)around;
	memory = mremap(memory, PIECE, (size_t)2 << 30, MREMAP_MAYMOVE);
	return memory == MAP_FAILED ? errno : 0;
}

static int raise_size_of_files(const struct surroundings *around)
{
	struct rlimit limit = {MUCH, MUCH};

	(void)around;
	return result(setrlimit(RLIMIT_FSIZE, &limit));
}

static int raise_limit_of_parent(const struct surroundings *around)
{
	struct rlimit limit = {PIECE, PIECE};

	return result(prlimit(around->parent, RLIMIT_CORE, NULL, &limit));
}

static int share_by_system_v(const struct surroundings *around)
{
	int id = shmget(IPC_PRIVATE, PIECE, IPC_CREAT | 0600);

	(void)around;
	if (id < 0)
		return errno;
	return result(shmctl(id, IPC_RMID, NULL));
}

static int share_by_name(const struct surroundings *around)
{
	char name[MAX_NAME] = "/attempts";
	int file = shm_open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	(void)around;
	if (file >= 0)
		shm_unlink(name);
	return opened(file);
}

static int queue_by_name(const struct surroundings *around)
{
	char name[MAX_NAME] = "/attempts";
	mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600, NULL);

	(void)around;
	if (queue < 0)
		return errno;
	mq_unlink(name);
	return opened(queue);
}

static int queue_by_system_v(const struct surroundings *around)
{
	int id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);

	(void)around;
	return id < 0 ? errno : result(msgctl(id, IPC_RMID, NULL));
}

static int make_semaphores(const struct surroundings *around)
{
	int id = semget(IPC_PRIVATE, 100, IPC_CREAT | 0600);

	(void)around;
	return id < 0 ? errno : result(semctl(id, 0, IPC_RMID));
}

static int widen_pipe(const struct surroundings *around)
{
	int files[2];

	(void)around;
	if (pipe2(files, O_CLOEXEC) != 0)
		return errno;
	return result(fcntl(files[1], F_SETPIPE_SZ, WIDE_PIPE));
}

static int widen_socket(const struct surroundings *around)
{
	const int wanted = MUCH;
	int bytes = 0;
	socklen_t size = sizeof(bytes);

	if (setsockopt(around->accepted, SOL_SOCKET, SO_SNDBUFFORCE, &wanted,
		       sizeof(wanted)) == 0)
		return 0;
	setsockopt(around->accepted, SOL_SOCKET, SO_SNDBUF, &wanted,
		   sizeof(wanted));
	getsockopt(around->accepted, SOL_SOCKET, SO_SNDBUF, &bytes, &size);
	return bytes >= wanted ? 0 : EPERM;
}

static int make_counter(const struct surroundings *around)
{
	(void)around;
	return opened(eventfd(0, EFD_CLOEXEC));
}

static int make_poll(const struct surroundings *around)
{
	(void)around;
	return opened(epoll_create1(EPOLL_CLOEXEC));
}

static int open_a_thousand(const struct surroundings *around)
{
	int file = 0;

	for (int i = 0; i < 1000 && file >= 0; i++)
		file = dup(around->accepted);
	return result(file);
}

/*                                             main, spawner, fetcher, worker,
 * notifier */
const struct attempt_row memory_attempts[] = {
	{"fill a file in memory over the limit", fill_memory_file, "++---", 0},
	{"make secret memory", make_secret_memory, "-?---", 0},
	{"fill a file that was inherited", fill_inherited, "++---", 0},
	{"make it longer (ftruncate)", lengthen_inherited, "++---", 0},
	{"make it longer (fallocate)", allocate_inherited, "++---", 0},
	{"make it longer (pwrite)", write_into_inherited, "++---", 0},
	{"raise the limit of files' size", raise_size_of_files, "++---", 0},
	{"raise a limit of the parent", raise_limit_of_parent, "-?---", 0},
	{"share more memory than the limit", share_too_much, "-----", 0},
	{"grow memory over the limit (mremap)", grow_too_much, "-----", 0},
	{"share memory of System V", share_by_system_v, "-+---", 0},
	{"share memory by name", share_by_name, "++---", 0},
	{"make a queue of messages by name", queue_by_name, "-?---", 0},
	{"make a queue of System V", queue_by_system_v, "-+---", 0},
	{"make semaphores of System V", make_semaphores, "-+---", 0},
	{"make a wide pipe", widen_pipe, "++?-?", 0},
	{"make a socket wide", widen_socket, "rr---", 0},
	{"make a counter (eventfd)", make_counter, "+++-+", 0},
	{"make a list to poll (epoll)", make_poll, "+++-+", 0},
	{"open a thousand descriptors", open_a_thousand, "-----", 0},
	{0},
};
