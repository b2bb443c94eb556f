/*
 * Landlock restricts the calling thread: each test uses a new one, so that this
 * one may still write coverage data.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "daemon/privsep/sandbox.h"
#include "tests/unit/run.h"

static const char *const a_file[] = {"/etc/passwd", NULL};
static const char *const a_folder[] = {"/no such file", "/usr/bin", NULL};

struct seen {
	struct landlock_rules rules;
	unsigned walls;
	int file;   /* errno of reading /etc/passwd, 0: it was read */
	int other;  /* of /etc/group */
	int folder; /* of listing /usr/bin */
	int write;  /* of a file that is new */
};

static int try_open(const char *path, int flags)
{
	int file = open(path, flags | O_CLOEXEC, 0600);
	int error = file < 0 ? errno : 0;

	if (file >= 0)
		close(file);
	return error;
}

static void *look(void *context)
{
	struct seen *seen = context;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	seen->walls = landlock_restrict(&seen->rules);
	seen->file = try_open("/etc/passwd", O_RDONLY);
	seen->other = try_open("/etc/group", O_RDONLY);
	seen->folder = try_open("/usr/bin", O_RDONLY | O_DIRECTORY);
	seen->write = try_open(".", O_WRONLY | O_TMPFILE);
	return NULL;
}

static struct seen see(struct landlock_rules rules)
{
	struct seen seen = {.rules = rules};
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, look, &seen), 0);
	pthread_join(thread, NULL);
	if (seen.walls == 0)
		puts("the kernel has no Landlock");
	return seen;
}

TEST(what_is_not_named_is_not_read)
{
	struct seen seen = see((struct landlock_rules){
		.readable = {a_file, NULL, a_folder},
		.has_files = true,
	});

	ck_assert_int_eq(seen.file, 0);
	ck_assert_int_eq(seen.folder, 0);
	if (seen.walls == 0)
		return;
	ck_assert_int_eq(seen.other, EACCES);
	ck_assert_int_eq(seen.write, EACCES);
}

TEST(without_paths_nothing_is_read)
{
	struct seen seen = see((struct landlock_rules){.has_files = true});

	if (seen.walls == 0)
		return;
	ck_assert((seen.walls & SANDBOX_FILES) != 0);
	ck_assert_int_eq(seen.file, EACCES);
	ck_assert_int_eq(seen.folder, EACCES);
}

TEST(files_may_be_left_as_they_were)
{
	struct seen seen = see((struct landlock_rules){.has_files = false});

	ck_assert((seen.walls & SANDBOX_FILES) == 0);
	ck_assert_int_eq(seen.other, 0);
	ck_assert_int_eq(seen.write, 0);
}
