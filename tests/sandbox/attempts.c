/*
 * tests/sandbox/attempts.c - a table of what each role of the daemon can and
 * cannot do. Each attempt runs in a separate process, which has entered the
 * sandbox of the role as the user nobody, and again as root if we are root. For
 * nobody also where the systemd unit refuses calls, and without Landlock: the
 * attempt must still fail, unless the row allows it. The first column is
 * without a sandbox. Fails if the results differ from the table.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <seccomp.h>

#include "base/buffer.h"
#include "daemon/privsep/sandbox.h"
#include "tests/sandbox/attempt.h"

enum {
	NO_ROLE = ROLE_COUNT, /* no sandbox */
	/* the launcher has no filter, and the renderer that of a worker */
	TRIED_ROLES = ROLE_LAUNCHER,
	KILLED = 1000,
	FILES = 64,
	CELL = 11,
};

/* What the child says. */
struct outcome {
	int error; /* 0: done; KILLED */
	unsigned lacks;
};

static const struct attempt_row *const tables[] = {
	file_attempts,   network_attempts, process_attempts,
	memory_attempts, kernel_attempts,
};

static struct surroundings around;

/* Where the sandbox is entered. */
enum log_position {
	PLACE_KERNEL,     /* with all that this kernel has */
	PLACE_UNIT,       /* under what conf/templated.service refuses */
	PLACE_OLD_KERNEL, /* without Landlock */
	PLACES
};

static const char *const place_names[PLACES] = {"as nobody", "in the unit",
						"without Landlock"};

static enum log_position place;

/* A role has had a filter: sanitizers have none, wherever they are. */
static bool has_filter;

static void fail(const char *what)
{
	fprintf(stderr, "attempts: %s: %s\n", what, strerrordesc_np(errno));
	_exit(EXIT_FAILURE);
}

static int bound(int family, int type, const void *address, socklen_t bytes)
{
	int file = socket(family, type | SOCK_CLOEXEC, 0);

	if (file < 0 || bind(file, address, bytes) != 0)
		fail("binding");
	return file;
}

static int serve(int family, const void *address, socklen_t bytes)
{
	int file = bound(family, SOCK_STREAM, address, bytes);

	if (listen(file, FILES) != 0)
		fail("listening");
	return file;
}

static void make_surroundings(void)
{
	socklen_t bytes = sizeof(around.tcp);
	char path[MAX_NAME];

	snprintf(around.folder, sizeof(around.folder), "/tmp/attempts-XXXXXX");
	if (mkdtemp(around.folder) == NULL || chdir(around.folder) != 0 ||
	    chmod(around.folder, 0777) != 0)
		fail(around.folder);
	snprintf(around.store, sizeof(around.store), "%s/data.mdb",
		 around.folder);
	snprintf(around.copy, sizeof(around.copy), "%s/copy", around.folder);
	around.tcp.sin_family = AF_INET;
	around.tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	around.listening = serve(AF_INET, &around.tcp, bytes);
	getsockname(around.listening, (struct sockaddr *)&around.tcp, &bytes);
	around.path.sun_family = AF_UNIX;
	snprintf(around.path.sun_path, sizeof(around.path.sun_path), "%s/s",
		 around.folder);
	serve(AF_UNIX, &around.path, sizeof(around.path));
	chmod(around.path.sun_path, 0666);
	around.datagrams.sun_family = AF_UNIX;
	snprintf(around.datagrams.sun_path, sizeof(around.datagrams.sun_path),
		 "%s/d", around.folder);
	around.receiving = bound(AF_UNIX, SOCK_DGRAM, &around.datagrams,
				 sizeof(around.datagrams));
	chmod(around.datagrams.sun_path, 0666);
	snprintf(path, sizeof(path), "%s/log", around.folder);
	around.inherited = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (around.inherited < 0)
		fail(path);
	unlink(path);
	around.hidden.sun_family = AF_UNIX;
	snprintf(around.hidden.sun_path + 1, sizeof(around.hidden.sun_path) - 1,
		 "%s", around.folder);
	around.hidden_bytes =
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			    strlen(around.folder));
	serve(AF_UNIX, &around.hidden, around.hidden_bytes);
}

/* A client; accept and close earlier connections. */
static void bring_client(void)
{
	static int client = -1;

	if (client >= 0) {
		close(around.accepted);
		close(client);
	}
	client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (client < 0 || connect(client, (struct sockaddr *)&around.tcp,
				  sizeof(around.tcp)) != 0)
		fail("a client");
	around.accepted = accept4(around.listening, NULL, NULL, SOCK_CLOEXEC);
	if (around.accepted < 0)
		fail("accepting");
}

/* The state that each attempt must find. */
static void tidy(void)
{
	char text[8];
	int file;

	unlink(around.copy);
	unlink("here");
	unlink(around.store);
	file = open(around.store, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (file < 0 || fchmod(file, 0666) != 0 || write(file, "store", 5) != 5)
		fail(around.store);
	close(file);
	/* its queue is short */
	while (recv(around.receiving, text, sizeof(text), MSG_DONTWAIT) > 0)
		;
	if (ftruncate(around.inherited, 0) != 0)
		fail("a file to inherit");
	lseek(around.inherited, 0, SEEK_SET);
	bring_client();
}

static bool say(int file, struct outcome outcome)
{
	return write(file, &outcome, sizeof(outcome)) == sizeof(outcome);
}

/* Make the calls fail, as a unit or an older kernel does. */
static bool refuse(int error, const char *const *names)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	bool is_done = filter != NULL;

	for (; is_done && *names != NULL; names++)
		is_done = seccomp_rule_add(
				  filter, SCMP_ACT_ERRNO((unsigned)error),
				  seccomp_syscall_resolve_name(*names), 0) == 0;
	is_done = is_done && seccomp_load(filter) == 0;
	if (filter != NULL)
		seccomp_release(filter);
	return is_done;
}

/* Lines of the log go to journald's socket, or at least to no file. */
static bool enter_place(void)
{
	/* of RestrictNamespaces, and of @privileged and @resources as far as
	 * the daemon or an attempt calls them */
	static const char *const unit[] = {"unshare",   "setns",     "chroot",
					   "capset",    "setrlimit", "bpf",
					   "setresuid", "setresgid", NULL};
	static const char *const landlock[] = {"landlock_create_ruleset",
					       "landlock_add_rule",
					       "landlock_restrict_self", NULL};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDERR_FILENO) < 0)
		return false;
	close(null);
	if (place == PLACE_UNIT)
		return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		       refuse(EPERM, unit);
	return place != PLACE_OLD_KERNEL || refuse(ENOSYS, landlock);
}

/* Twice: an attempt that executes a program does not come back. */
static bool try_it(attempt *run, enum role role, int said)
{
	const struct sandbox_options options = {
		.role = role,
		.memory_bytes = 1U << 30,
		.max_files = FILES,
	};
	struct sandbox_report report = {0};
	struct outcome outcome = {0};

	if (!enter_place() || ((unsigned)role != NO_ROLE &&
			       sandbox_enter(&options, &report) != ERR_NONE))
		return false;
	outcome.lacks = report.lacks;
	if (!say(said, outcome))
		return false;
	outcome.error = run(&around);
	return say(said, outcome);
}

static struct outcome watch(attempt *run, enum role role)
{
	struct outcome outcome = {0};
	int said[2];
	int status = 0;
	pid_t child;

	if (pipe2(said, O_CLOEXEC) != 0)
		fail("pipe");
	fflush(stdout);
	child = fork();
	if (child < 0)
		fail("fork");
	if (child == 0)
		_exit(try_it(run, role, said[1]) ? EXIT_SUCCESS : EXIT_FAILURE);
	close(said[1]);
	while (read(said[0], &outcome, sizeof(outcome)) == sizeof(outcome))
		;
	if (waitpid(child, &status, 0) != child)
		fail("waiting");
	close(said[0]);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		outcome.error = KILLED;
	return outcome;
}

/* By the letter of the row. */
static bool is_right(struct outcome outcome, const struct attempt_row *row,
		     enum role role, bool is_root)
{
	char expected = row->expected[role];
	unsigned walls = row->walls != 0 ? row->walls : SANDBOX_SYSTEM_CALLS;

	if (expected == '?' || (expected == 'r' && is_root) ||
	    (expected != '+' && (outcome.lacks & walls) != 0))
		return true;
	if (outcome.error == KILLED || expected == 'k')
		return outcome.error == KILLED && expected == 'k';
	return (outcome.error == 0) == (expected == '+');
}

static void show(struct outcome outcome, bool is_as_expected)
{
	const char *name = outcome.error == 0 ? "yes"
			   : outcome.error == KILLED
				   ? "killed"
				   : strerrorname_np(outcome.error);

	printf(" %*s%s", CELL - 1, name == NULL ? "?" : name,
	       is_as_expected ? " " : "!");
}

static unsigned try_row(const struct attempt_row *row, bool is_root)
{
	unsigned wrong = 0;

	printf("%-38s", row->name);
	for (unsigned i = 0; i <= TRIED_ROLES; i++) {
		unsigned column = i == 0 ? (unsigned)NO_ROLE : i - 1;
		struct outcome outcome;
		bool is_as_expected;

		tidy();
		outcome = watch(row->run, (enum role)column);
		has_filter |= column != NO_ROLE &&
			      (outcome.lacks & SANDBOX_SYSTEM_CALLS) == 0;
		is_as_expected =
			column == NO_ROLE ||
			is_right(outcome, row, (enum role)column, is_root);
		show(outcome, is_as_expected);
		wrong += !is_as_expected;
	}
	putchar('\n');
	return wrong;
}

static unsigned try_all(bool is_root)
{
	unsigned wrong = 0;

	around.parent = getpid();
	printf("%-38s %*s ", is_root ? "as root" : place_names[place], CELL - 1,
	       "(free)");
	for (unsigned role = 0; role < TRIED_ROLES; role++)
		printf(" %*s ", CELL - 1, role_name((enum role)role));
	putchar('\n');
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		const struct attempt_row *row = tables[i];

		for (; row->name != NULL; row++)
			wrong += try_row(row, is_root);
	}
	return wrong;
}

/* The kernel's features must work, otherwise a bug of ours could look like a
 * missing feature. Sanitizers run without. */
static bool is_kernels_fault(unsigned lacks)
{
	bool has_seccomp = prctl(PR_GET_SECCOMP) >= 0;
	bool has_landlock =
		syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0;

	return !((lacks & SANDBOX_SYSTEM_CALLS) != 0 && has_seccomp) &&
	       !((lacks & SANDBOX_FILES) != 0 && has_landlock);
}

/* Runs in a separate process, which prints the results. */
static int say_walls(enum role role, struct buffer *text)
{
	const struct sandbox_options options = {.role = role};
	struct sandbox_report report;

	if (sandbox_enter(&options, &report) != ERR_NONE)
		return EXIT_FAILURE;
	sandbox_describe(&report, text);
	printf("%s: %s\n", role_name(role), text->data);
	fflush(stdout);
	return strstr(text->data, "sanitizer builds") != NULL ||
			       is_kernels_fault(report.lacks)
		       ? EXIT_SUCCESS
		       : EXIT_FAILURE;
}

static unsigned describe(void)
{
	unsigned wrong = 0;

	for (unsigned role = 0; role < TRIED_ROLES; role++) {
		struct buffer text = {0};
		pid_t child;
		int status;

		fflush(stdout);
		child = fork();
		if (child == 0)
			_exit(say_walls((enum role)role, &text));
		if (waitpid(child, &status, 0) != child || status != 0)
			wrong++;
		buffer_free(&text);
	}
	return wrong;
}

static unsigned try_everywhere(void)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < PLACES && (i == 0 || has_filter); i++) {
		place = (enum log_position)i;
		wrong += try_all(false);
	}
	place = PLACE_KERNEL;
	return wrong;
}

/* All attempts are of the same user and may be traced, so that only the sandbox
 * stops them. */
static unsigned try_as_nobody(void)
{
	char reason[USER_REASON_BYTES];
	pid_t child;
	int status = 0;

	if (geteuid() != 0)
		return try_everywhere();
	unlink(around.store);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		unsigned wrong = 1;

		if (user_become("nobody", reason) == ERR_NONE &&
		    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0)
			wrong = try_everywhere();
		fflush(stdout);
		_exit(wrong > 0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		fail("nobody");
	return status != 0;
}

int main(void)
{
	unsigned wrong;

	make_surroundings();
	wrong = describe();
	wrong += try_as_nobody();
	if (geteuid() == 0)
		wrong += try_all(true);
	tidy();
	unlink(around.store);
	unlink(around.path.sun_path);
	unlink(around.datagrams.sun_path);
	rmdir(around.folder);
	if (wrong > 0)
		puts("not as expected: !");
	return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
