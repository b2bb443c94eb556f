#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/privsep/sandbox.h"
#include "tests/sandbox/attempt.h"

static int opened(int file)
{
	int error = file < 0 ? errno : 0;

	if (file >= 0)
		close(file);
	return error;
}

static int result(long value)
{
	return value < 0 ? errno : 0;
}

static int read_store(const struct surroundings *around)
{
	return opened(open(around->store, O_RDONLY | O_CLOEXEC));
}

static int write_store(const struct surroundings *around)
{
	return opened(open(around->store, O_RDWR | O_CLOEXEC));
}

static int truncate_store(const struct surroundings *around)
{
	return result(truncate(around->store, 1));
}

static int create_file(const struct surroundings *around)
{
	return opened(open(around->copy, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static int create_here(const struct surroundings *around)
{
	(void)around;
	return opened(open("here", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static int remove_store(const struct surroundings *around)
{
	return result(unlink(around->store));
}

static int link_store(const struct surroundings *around)
{
	return result(link(around->store, around->copy));
}

static int make_symlink(const struct surroundings *around)
{
	return result(symlink("/etc", around->copy));
}

static int make_pipe(const struct surroundings *around)
{
	return result(mknod(around->copy, S_IFIFO | 0600, 0));
}

static int change_mode(const struct surroundings *around)
{
	return result(chmod(around->store, 0666));
}

static int read_passwd(const struct surroundings *around)
{
	(void)around;
	return opened(open("/etc/passwd", O_RDONLY | O_CLOEXEC));
}

/* The number is the same on all architectures. */
static int read_by_openat2(const struct surroundings *around)
{
	struct {
		unsigned long long flags, mode, resolve;
	} how = {O_RDONLY | O_CLOEXEC, 0, 0};

	return opened(
		(int)syscall(437, AT_FDCWD, around->store, &how, sizeof(how)));
}

static int read_hosts(const struct surroundings *around)
{
	(void)around;
	return opened(open("/etc/hosts", O_RDONLY | O_CLOEXEC));
}

static int list_authorities(const struct surroundings *around)
{
	(void)around;
	return opened(open("/etc/ssl", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static int list_root(const struct surroundings *around)
{
	(void)around;
	return opened(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static int look_at_store(const struct surroundings *around)
{
	struct stat status;

	return result(stat(around->store, &status));
}

static int leave_root(const struct surroundings *around)
{
	(void)around;
	return opened(
		open("../../../../../../etc/passwd", O_RDONLY | O_CLOEXEC));
}

static int read_own_memory(const struct surroundings *around)
{
	(void)around;
	return opened(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
}

static int make_memory_file(const struct surroundings *around)
{
	(void)around;
	return opened(memfd_create("page", MFD_CLOEXEC));
}

/*                                             main, spawner, fetcher, worker,
 * notifier */
const struct attempt_row file_attempts[] = {
	{"read the store's file", read_store, "++---", SANDBOX_FILES},
	{"write the store's file", write_store, "++---", 0},
	{"cut the store's file", truncate_store, "++---", 0},
	{"create a file in the store's folder", create_file, "++---", 0},
	{"create a file in the working folder", create_here, "++---", 0},
	{"remove a file", remove_store, "++---", 0},
	{"link a file", link_store, "++---", 0},
	{"make a symbolic link", make_symlink, "-+---", 0},
	{"make a named pipe", make_pipe, "-+---", 0},
	{"change the mode of a file", change_mode, "++---", 0},
	{"read /etc/passwd", read_passwd, "++---", SANDBOX_FILES},
	{"read it by a way out of the root", leave_root, "++---",
	 SANDBOX_FILES},
	{"read the store's file by openat2", read_by_openat2, "-+---", 0},
	{"read /etc/hosts", read_hosts, "+++-+", 0},
	{"list the authorities", list_authorities, "+++-+", 0},
	{"list /", list_root, "++---", SANDBOX_FILES},
	{"look at the store's file (stat)", look_at_store, "+++-+",
	 SANDBOX_EMPTY_ROOT},
	{"read /proc/self/maps", read_own_memory, "++---", SANDBOX_FILES},
	{"make a file in memory", make_memory_file, "+++-+", 0},
	{0},
};
