/* Each test is a separate process (Check forks): no test regains its
 * privileges. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/privsep/sandbox.h"
#include "tests/unit/run.h"

static char reason[USER_REASON_BYTES];

/* The leak checker traces its own process. */
static bool was_dumpable(void)
{
	int was = prctl(PR_GET_DUMPABLE);

	prctl(PR_SET_DUMPABLE, 1);
	return was != 0;
}

static const struct passwd *find_nobody(void)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread */
	return getpwnam("nobody");
}

TEST_LOOP(root_becomes_nobody_permanently, 0, geteuid() == 0)
{
	const struct passwd *nobody = find_nobody();

	ASSERT_OK(user_become("nobody", reason));
	ck_assert(!was_dumpable());
	ck_assert_uint_eq(getuid(), nobody->pw_uid);
	ck_assert_uint_eq(getegid(), nobody->pw_gid);
	ck_assert_int_eq(getgroups(0, NULL), 0);
	ck_assert_int_eq(setuid(0), -1);
	ck_assert_int_eq(open("/etc/shadow", O_RDONLY), -1);
}

TEST_LOOP(becoming_the_current_user_succeeds, 0, geteuid() == 0)
{
	ASSERT_OK(user_become("nobody", reason));
	ASSERT_OK(user_become("nobody", reason));
	ck_assert(!was_dumpable());
}

TEST_LOOP(only_root_may_become_another_user, 0, geteuid() == 0)
{
	ASSERT_OK(user_become("nobody", reason));
	ck_assert_int_eq(user_become("daemon", reason), ERR_ADDRESS_FORBIDDEN);
	ck_assert_str_eq(reason, "only root can become another user");
	was_dumpable();
}

TEST_LOOP(a_set_user_id_that_is_kept_is_a_way_back, 0, geteuid() == 0)
{
	const struct passwd *nobody = find_nobody();

	ck_assert_int_eq(setresgid(nobody->pw_gid, nobody->pw_gid, 0), 0);
	ck_assert_int_eq(setresuid(nobody->pw_uid, nobody->pw_uid, 0), 0);
	ck_assert_int_eq(user_become("nobody", reason), ERR_ADDRESS_FORBIDDEN);
	ck_assert_int_eq(setresuid(0, 0, 0), 0);
	was_dumpable();
}

TEST_LOOP(a_capability_that_is_kept_is_a_way_back, 0, geteuid() == 0)
{
	ck_assert_int_eq(prctl(PR_SET_SECUREBITS, 1 << 2),
			 0); /* NO_SETUID_FIXUP */
	ck_assert_int_eq(user_become("nobody", reason), ERR_ADDRESS_FORBIDDEN);
	ck_assert_str_eq(reason, "the process can become root again");
	was_dumpable();
}

TEST(root_is_refused)
{
	ck_assert_int_eq(user_become("root", reason), ERR_ADDRESS_FORBIDDEN);
	ck_assert_str_eq(reason, "it is root, or in root's group");
}

TEST(user_that_is_not_there_is_not_found)
{
	ck_assert_int_eq(user_become("no such user", reason), ERR_NOT_FOUND);
	ck_assert_str_eq(reason, "there is no such user");
}

TEST_LOOP(folder_that_is_made_is_the_users_and_one_that_is_there_stays, 0,
	  geteuid() == 0)
{
	char inner[] = "/tmp/user-XXXXXX/inner";
	struct stat status;

	inner[16] = '\0';
	ck_assert_ptr_nonnull(mkdtemp(inner));
	ASSERT_OK(user_make_folder("nobody", inner, 0700));
	ck_assert_int_eq(stat(inner, &status), 0);
	ck_assert_uint_eq(status.st_uid, 0);
	inner[16] = '/';
	ASSERT_OK(user_make_folder("nobody", inner, 0700));
	ck_assert_int_eq(stat(inner, &status), 0);
	ck_assert_uint_eq(status.st_uid, find_nobody()->pw_uid);
	rmdir(inner);
	inner[16] = '\0';
	rmdir(inner);
}

TEST(folder_that_cannot_be_made_is_an_error)
{
	ck_assert_int_eq(user_make_folder("no such user", "/tmp", 0700),
			 ERR_NOT_FOUND);
	ck_assert_int_eq(
		user_make_folder("nobody", "/proc/no such/folder", 0700),
		ERR_IO);
	ck_assert_int_eq(errno, ENOENT);
}
