/* What is refused is tried by tests/sandbox/attempts.c. */
#include "daemon/privsep/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/run.h"

static struct buffer text;

static void clean(void)
{
	buffer_free(&text);
}

FIXTURE(.teardown = clean);

TEST(what_holds_is_listed)
{
	sandbox_describe(
		&(struct sandbox_report){SANDBOX_SYSTEM_CALLS | SANDBOX_FILES,
					 0},
		&text);
	ck_assert_str_eq(text.data, "system calls, files");
}

TEST(what_is_lacking_is_listed_behind)
{
	sandbox_describe(
		&(struct sandbox_report){SANDBOX_NO_NEW_PRIVILEGES,
					 SANDBOX_NAMESPACES | SANDBOX_CODE},
		&text);
	ck_assert_ptr_nonnull(strstr(text.data, "no new privileges; "));
	ck_assert_ptr_nonnull(strstr(text.data, " namespaces, code"));
}

static void *wait_for_it(void *context)
{
	pthread_barrier_wait(context);
	return NULL;
}

/* A sanitizer may have threads, and builds no walls. */
TEST(a_process_with_threads_is_left_as_it_is)
{
	struct sandbox_report report;
	pthread_barrier_t barrier;
	pthread_t thread;
	enum error error;

	pthread_barrier_init(&barrier, NULL, 2);
	ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_it, &barrier),
			 0);
	error = sandbox_enter(&(struct sandbox_options){.role = ROLE_WORKER},
			      &report);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	if (error == ERR_NONE)
		ck_assert((report.lacks & SANDBOX_SYSTEM_CALLS) != 0);
	else
		ck_assert_int_eq(error, ERR_BUSY);
}

TEST(a_resolver_file_that_is_replaced_changes_the_stamp)
{
	uint64_t before = sandbox_resolver_stamp();

	ck_assert_uint_eq(sandbox_resolver_stamp(), before);
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("/etc/passwd", "/etc/hosts", "none", MS_BIND, NULL) != 0) {
		puts("no namespace of mounts is to be had");
		return;
	}
	ck_assert_uint_ne(sandbox_resolver_stamp(), before);
	umount("/etc/hosts");
	ck_assert_uint_eq(sandbox_resolver_stamp(), before);
}

struct emptied {
	unsigned walls;
	int opened;
	int made;
};

/* Its own root and working folder; a namespace of users is for processes. */
static void *empty(void *context)
{
	struct emptied *emptied = context;

	if (unshare(CLONE_FS) != 0)
		return NULL;
	emptied->walls = empty_root_enter();
	emptied->opened = open("/etc", O_PATH | O_CLOEXEC) < 0 ? errno : 0;
	emptied->made = mkdir("/new", 0700) != 0 ? errno : 0;
	return NULL;
}

TEST(nothing_is_in_an_empty_root_and_nothing_can_be_made)
{
	struct emptied emptied = {0};
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, empty, &emptied), 0);
	pthread_join(thread, NULL);
	if ((emptied.walls & SANDBOX_EMPTY_ROOT) == 0) {
		puts("only root may change the root of a thread");
		return;
	}
	ck_assert_int_eq(emptied.opened, ENOENT);
	ck_assert_int_eq(emptied.made, ENOENT);
}
