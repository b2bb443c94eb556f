#include "daemon/runtime/systemd.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/run.h"

/* NOLINTBEGIN(concurrency-mt-unsafe): a test has one thread */

static int open_manager(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memcpy(address.sun_path, path, strlen(path));
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	ck_assert_int_eq(
		bind(file, (struct sockaddr *)&address,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
				 strlen(path))),
		0);
	setenv("NOTIFY_SOCKET", path, 1);
	return file;
}

static void check_told(int file, const char *wanted)
{
	char text[64] = "";
	ssize_t size = recv(file, text, sizeof(text) - 1, MSG_DONTWAIT);

	ck_assert_int_eq(size, (ssize_t)strlen(wanted));
	ck_assert_str_eq(text, wanted);
}

TEST(the_manager_is_notified_over_a_file)
{
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/tmp/test_notify.%ld", (long)getpid());
	file = open_manager(path);
	notify_send("READY=1");
	check_told(file, "READY=1");
	close(file);
	unlink(path);
	/* the listener has exited */
	notify_send("STOPPING=1");
}

TEST(the_manager_is_notified_over_an_abstract_name)
{
	char path[64];
	int file;

	snprintf(path, sizeof(path), "@test_notify.%ld", (long)getpid());
	file = open_manager(path);
	notify_send("RELOADING=1\nMONOTONIC_USEC=7");
	check_told(file, "RELOADING=1\nMONOTONIC_USEC=7");
	close(file);
}

TEST(a_manager_that_does_not_read_stops_nothing)
{
	char path[64];
	char text[64];
	unsigned count = 1;
	int file;

	snprintf(path, sizeof(path), "@test_notify.%ld", (long)getpid());
	file = open_manager(path);
	for (int i = 0; i < 10000; i++)
		notify_send("WATCHDOG=1");
	check_told(file, "WATCHDOG=1");
	while (recv(file, text, sizeof(text), MSG_DONTWAIT) > 0)
		count++;
	/* some were sent, and the others had no room */
	ck_assert_uint_lt(count, 10000);
	close(file);
}

/* Who listens at the beginning of a name that is too long is not meant. */
TEST(without_a_manager_nothing_is_sent)
{
	char path[200];
	char cut[sizeof(((struct sockaddr_un *)0)->sun_path)];
	char text[64];
	int file;

	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	path[0] = '@';
	snprintf(path + 1, 20, "%019ld", (long)getpid());
	path[20] = 'x';
	memcpy(cut, path, sizeof(cut) - 1);
	cut[sizeof(cut) - 1] = '\0';
	file = open_manager(cut);
	unsetenv("NOTIFY_SOCKET");
	notify_send("READY=1");
	setenv("NOTIFY_SOCKET", "", 1);
	notify_send("READY=1");
	setenv("NOTIFY_SOCKET", path, 1);
	notify_send("READY=1");
	ck_assert_int_lt(recv(file, text, sizeof(text), MSG_DONTWAIT), 0);
	/* it would have heard */
	setenv("NOTIFY_SOCKET", cut, 1);
	notify_send("STOPPING=1");
	check_told(file, "STOPPING=1");
	close(file);
}

TEST(the_watchdog_is_fed_twice_as_often_as_it_must)
{
	char pid[32];

	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	ck_assert_uint_eq(notify_watchdog_ms(), 0);
	setenv("WATCHDOG_USEC", "30000000", 1);
	ck_assert_uint_eq(notify_watchdog_ms(), 15000);
	snprintf(pid, sizeof(pid), "%ld", (long)getpid());
	setenv("WATCHDOG_PID", pid, 1);
	ck_assert_uint_eq(notify_watchdog_ms(), 15000);
	setenv("WATCHDOG_PID", "1", 1);
	ck_assert_uint_eq(notify_watchdog_ms(), 0);
}

/* NOLINTEND(concurrency-mt-unsafe) */
