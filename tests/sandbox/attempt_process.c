#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/privsep/sandbox.h"
#include "tests/sandbox/attempt.h"

enum { PAGE = 4096 };

static int result(long value)
{
	return value < 0 ? errno : 0;
}

static int execute(const struct surroundings *around)
{
	static char word[] = "true";
	static char *const words[] = {word, NULL};
	static char *const nothing[] = {NULL};

	(void)around;
	execve("/bin/true", words, nothing);
	return errno;
}

static int start_process(const struct surroundings *around)
{
	pid_t child = fork();

	(void)around;
	if (child < 0)
		return errno;
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	return 0;
}

/* By clone(CLONE_VFORK) or clone3(). */
static int spawn(const struct surroundings *around)
{
	static char word[] = "true";
	static char *const words[] = {word, NULL};
	static char *const nothing[] = {NULL};
	pid_t child;
	int error =
		posix_spawn(&child, "/bin/true", NULL, NULL, words, nothing);

	(void)around;
	if (error == 0)
		waitpid(child, NULL, 0);
	return error;
}

static void *nothing_to_do(void *context)
{
	return context;
}

static int start_thread(const struct surroundings *around)
{
	pthread_t thread;
	int error = pthread_create(&thread, NULL, nothing_to_do, NULL);

	(void)around;
	if (error == 0)
		pthread_join(thread, NULL);
	return error;
}

static int trace_parent(const struct surroundings *around)
{
	long done = ptrace(PTRACE_SEIZE, around->parent, NULL, NULL);

	return result(done);
}

static int read_parent(const struct surroundings *around)
{
	static long other;
	long word;
	struct iovec here = {&word, sizeof(word)};
	/* the parent has it at the same address */
	struct iovec there = {&other, sizeof(other)};

	return result(process_vm_readv(around->parent, &here, 1, &there, 1, 0));
}

static int open_parent(const struct surroundings *around)
{
	char name[MAX_NAME];
	int file;

	snprintf(name, sizeof(name), "/proc/%ld/mem", (long)around->parent);
	file = open(name, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return errno;
	close(file);
	return 0;
}

/* Signal 0: whether one may. */
static int signal_parent(const struct surroundings *around)
{
	return result(kill(around->parent, 0));
}

static int signal_itself(const struct surroundings *around)
{
	(void)around;
	signal(SIGUSR1, SIG_IGN);
	return raise(SIGUSR1) == 0 ? 0 : errno;
}

static int own_signals_of_pipe(const struct surroundings *around)
{
	int files[2];

	if (pipe2(files, O_CLOEXEC) != 0)
		return errno;
	return result(fcntl(files[0], F_SETOWN, around->parent));
}

static int become_root(const struct surroundings *around)
{
	(void)around;
	return result(setresuid(0, 0, 0));
}

static int raise_limit(const struct surroundings *around)
{
	struct rlimit limit;

	(void)around;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_max++;
	return result(setrlimit(RLIMIT_NOFILE, &limit));
}

static int dump_core(const struct surroundings *around)
{
	struct rlimit limit = {1 << 20, 1 << 20};

	(void)around;
	return result(setrlimit(RLIMIT_CORE, &limit));
}

static int be_dumpable(const struct surroundings *around)
{
	(void)around;
	return result(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
}

static int map_code(const struct surroundings *around)
{
	void *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)around;
	return code == MAP_FAILED ? errno : 0;
}

static int make_code(const struct surroundings *around)
{
	void *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)around;
	return code == MAP_FAILED
		       ? errno
		       : result(mprotect(code, PAGE, PROT_READ | PROT_EXEC));
}

static int map_library(const struct surroundings *around)
{
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	void *code;

	(void)around;
	if (file < 0)
		file = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return errno;
	code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	return code == MAP_FAILED ? errno : 0;
}

static int take_memory(const struct surroundings *around)
{
	void *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)around;
	return memory == MAP_FAILED ? errno : 0;
}

/* The parent gives 1 GiB. */
static int take_too_much(const struct surroundings *around)
{
	void *memory = mmap(NULL, (size_t)PAGE << 20, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	(void)around;
	return memory == MAP_FAILED ? errno : 0;
}

const struct attempt_row process_attempts[] = {
	{"execute /bin/true", execute, "-+---", 0},
	{"start a process (fork)", start_process, "-+---", 0},
	{"start a process (posix_spawn)", spawn, "-+---", 0},
	{"start a thread", start_thread, "+++-+", 0},
	{"trace the parent", trace_parent, "-----", 0},
	{"read the parent's memory", read_parent, "-----", 0},
	{"open the parent's memory in /proc", open_parent, "-+---",
	 SANDBOX_TCP},
	{"signal the parent", signal_parent, "-+---", 0},
	{"signal itself", signal_itself, "+++++", 0},
	{"have the parent signalled by a pipe", own_signals_of_pipe, "-+---",
	 0},
	{"become root", become_root, "-r---", 0},
	{"raise the limit of descriptors", raise_limit, "rr---", 0},
	{"allow core dumps", dump_core, "rr---", 0},
	{"be traceable again", be_dumpable, "-+---", 0},
	{"map memory to write and execute", map_code, "-+---", 0},
	{"execute what was written", make_code, "-+---", 0},
	{"map a library", map_library, "-++-+", 0},
	{"take memory", take_memory, "+++++", 0},
	{"take more than the limit", take_too_much, "-----", 0},
	{0},
};
