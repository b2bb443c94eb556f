#include "daemon/runtime/systemd.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/run.h"

/* NOLINTBEGIN(concurrency-mt-unsafe): a test has one thread */

static void set(const char *home, const char *data, const char *runtime)
{
	setenv("HOME", home, 1);
	setenv("XDG_DATA_HOME", data, 1);
	setenv("XDG_RUNTIME_DIR", runtime, 1);
}

TEST(what_is_said_counts_more_than_the_home)
{
	char path[XDG_SOCKET_BYTES];

	set("/a", "/data", "/run/user/7");
	ck_assert(xdg_store_path(path, sizeof(path)));
	ck_assert_str_eq(path, "/data/templated");
	ck_assert(xdg_socket_path(path));
	ck_assert_str_eq(path, "/run/user/7/templated/templated.sock");
	/* by the specification a relative path is ignored */
	set("/a", "data", "run");
	ck_assert(xdg_store_path(path, sizeof(path)));
	ck_assert_str_eq(path, "/a/.local/share/templated");
	ck_assert(xdg_socket_path(path));
	ck_assert_str_eq(path, "/a/.local/share/templated/templated.sock");
}

TEST(without_a_home_there_are_none)
{
	char path[XDG_SOCKET_BYTES];

	set("", "", "");
	ck_assert(!xdg_store_path(path, sizeof(path)));
	ck_assert(!xdg_socket_path(path));
	ck_assert(!xdg_socket_find(path));
}

/* A socket's path has at most 107 bytes: "/r...r/templated/templated.sock" has
 * 25 after the folder. */
TEST(a_path_that_is_too_long_for_a_socket_is_none)
{
	char path[XDG_SOCKET_BYTES];
	char folder[84] = "/";

	memset(folder + 1, 'r', 81);
	set("", "", folder);
	ck_assert(xdg_socket_path(path));
	ck_assert_uint_eq(strlen(path), 107);
	folder[82] = 'r';
	set("", "", folder);
	ck_assert(!xdg_socket_path(path));
}

TEST(folders_are_made_for_nobody_else)
{
	char root[] = "/tmp/test_own_places.XXXXXX";
	char path[64];
	char file[64];
	struct stat status;

	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/a", root);
	snprintf(file, sizeof(file), "%s/a/b", root);
	ck_assert(xdg_folder_make(file));
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_uint_eq(status.st_mode & 0777U, 0700);
	ck_assert(xdg_folder_make(file));
	ck_assert_int_eq(rmdir(file), 0);
	/* a file is in the way */
	ck_assert_ptr_nonnull(freopen(file, "w", stdin));
	snprintf(path, sizeof(path), "%s/a/b/c", root);
	ck_assert(!xdg_folder_make(path));
	ck_assert_int_eq(errno, ENOTDIR);
	unlink(file);
	snprintf(path, sizeof(path), "%s/a", root);
	rmdir(path);
	ck_assert_int_eq(rmdir(root), 0);
}

/* NOLINTEND(concurrency-mt-unsafe) */
