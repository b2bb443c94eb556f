#include "daemon/privsep/browser.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/runtime/clock.h"

const char bridge_variable[] = "TEMPLATED_ENDPOINT";

static const char bridge_file[] = "templated-bridge";

enum {
	NOBODY = 65534,
	BROWSER_USER = 1000, /* its id within the namespace */
	TO_BROWSER = 3,      /* descriptors of --remote-debugging-pipe */
	FROM_BROWSER = 4,
	FULL_FILE = 0, /* in the first process of the namespace */
	STEP_BYTES = 64 * 1024,
	PIPE_BYTES = 1024 * 1024,
	REASON_BYTES = 256,
	MAX_VERSION_BYTES = 100,
	FLUSH_TICKS = 20,
	MAX_BROWSER_FILES = 4096,
	WATCH_MS = 500, /* between two checks of the memory */
	MAX_ROLLUP = 4096,
	MAX_BROWSER_FILE_BYTES = 256 * 1024 * 1024,
	BROWSER_NAMESPACES = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS |
			     CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS,
};

static const char tmp_options[] = "mode=1777,size=256m,nr_inodes=64k";

const struct browser_options browser_options_default = {
	.memory_bytes = 1024ULL * 1024 * 1024,
	.total_bytes = 2048ULL * 1024 * 1024,
	.max_tasks = 512,
	.cpu_s = 300,
	.start_ms = 30 * 1000,
};

const char *const browser_programs[] = {
	"/usr/bin/chromium-headless-shell",
	"/usr/bin/chromium",
	NULL,
};

struct browser {
	pid_t pid;      /* the first process of its namespace; 0 = killed */
	int to;         /* pipe to the browser */
	int from;       /* pipe from the browser */
	int log;        /* file in memory with its standard error */
	int full;       /* pipe with a byte if it has used too much memory */
	bool is_remote; /* the process is a bridge to it */
	struct cdp cdp;
	size_t written;                              /* bytes of cdp.out */
	struct page_render *pages[MAX_BROWSER_TABS]; /* [page_count] */
	size_t page_count;
};

/* What the new process needs. */
struct browser_birth {
	const struct browser_options *options;
	char *program;
	char folder[PATH_MAX]; /* of the program */
	int to[2];
	int from[2];
	int go[2];     /* its ids are mapped */
	int failed[2]; /* the reason of a failure */
	int full[2];
	int log;
	bool is_root;
};

/* Report a failure to the parent process and exit. */
static _Noreturn void birth_fail(const struct browser_birth *birth,
				 const char *step)
{
	char text[REASON_BYTES];

	snprintf(text, sizeof(text), "%s: %s", step, strerrordesc_np(errno));
	(void)!write(birth->failed[1], text, strlen(text));
	_exit(1);
}

/*
 * Make a path of the old root folder visible in the new one, which is the
 * working folder. A missing path is skipped.
 */
static bool birth_show(const char *path)
{
	char target[PATH_MAX];
	struct stat status;
	ssize_t size;
	int file;

	if (lstat(path, &status) != 0)
		return true;
	if (S_ISLNK(status.st_mode)) {
		size = readlink(path, target, sizeof(target) - 1);
		if (size < 0)
			return false;
		target[size] = '\0';
		return symlink(target, path + 1) == 0;
	}
	if (S_ISDIR(status.st_mode)) {
		if (mkdir(path + 1, 0755) != 0 && errno != EEXIST)
			return false;
	} else {
		file = open(path + 1, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
		if (file < 0)
			return false;
		close(file);
	}
	return mount(path, path + 1, NULL, MS_BIND | MS_REC, NULL) == 0;
}

/* Make the parent folders of an absolute path below the working folder. */
static bool birth_make_parents(const char *path)
{
	char part[PATH_MAX];

	for (size_t i = 1; path[i] != '\0' && i < sizeof(part); i++) {
		if (path[i] != '/')
			continue;
		memcpy(part, path + 1, i - 1);
		part[i - 1] = '\0';
		if (mkdir(part, 0755) != 0 && errno != EEXIST)
			return false;
	}
	return true;
}

/* Fill the new root folder, which is the working folder. */
static bool birth_fill_root(const struct browser_birth *birth)
{
	static const char *const folders[] = {
		"dev", "dev/shm", "etc", "proc", "tmp", "var", "var/cache"};
	static const char *const paths[] = {"/usr",
					    "/bin",
					    "/sbin",
					    "/lib",
					    "/lib32",
					    "/lib64",
					    "/etc/alternatives",
					    "/etc/chromium",
					    "/etc/chromium.d",
					    "/etc/fonts",
					    "/etc/ld.so.cache",
					    "/etc/localtime",
					    "/var/cache/fontconfig",
					    "/dev/full",
					    "/dev/null",
					    "/dev/random",
					    "/dev/urandom",
					    "/dev/zero"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		if (mkdir(folders[i], 0755) != 0)
			return false;
	}
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		if (!birth_show(paths[i]))
			return false;
	}
	if (strncmp(birth->folder, "/usr/", 5) == 0)
		return true;
	return birth_make_parents(birth->folder) && birth_show(birth->folder);
}

/* Enter a new root folder; only /tmp and /dev/shm can be written. */
static void birth_change_root(const struct browser_birth *birth)
{
	const unsigned long flags = MS_NOSUID | MS_NODEV;
	/* what is bound keeps its own flags; /dev/null is a device */
	struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY |
						   MOUNT_ATTR_NOSUID};

	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tmpfs", "/tmp", "tmpfs", flags, "mode=755,size=1m") != 0 ||
	    chdir("/tmp") != 0)
		birth_fail(birth, "cannot mount a folder in memory");
	if (!birth_fill_root(birth))
		birth_fail(birth, "cannot fill the root folder");
	if (mount_setattr(AT_FDCWD, ".", AT_RECURSIVE, &read_only,
			  sizeof(read_only)) != 0)
		birth_fail(birth, "cannot protect the root folder");
	if (mount("proc", "proc", "proc", flags | MS_NOEXEC, NULL) != 0)
		birth_fail(birth, "cannot mount /proc");
	if (mount("tmpfs", "tmp", "tmpfs", flags, tmp_options) != 0 ||
	    mount("tmpfs", "dev/shm", "tmpfs", flags, tmp_options) != 0)
		birth_fail(birth, "cannot mount a folder in memory");
	if (syscall(SYS_pivot_root, ".", "tmp") != 0 ||
	    umount2("/tmp", MNT_DETACH) != 0 || chdir("/") != 0 ||
	    mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | flags,
		  NULL) != 0)
		birth_fail(birth, "cannot change the root folder");
}

static void birth_limit(const struct browser_birth *birth)
{
	const struct {
		int resource;
		rlim_t value;
	} limits[] = {
		{RLIMIT_CORE, 0},
		{RLIMIT_DATA, birth->options->memory_bytes},
		{RLIMIT_NPROC, birth->options->max_tasks},
		{RLIMIT_CPU, birth->options->cpu_s},
		{RLIMIT_NOFILE, MAX_BROWSER_FILES},
		{RLIMIT_FSIZE, MAX_BROWSER_FILE_BYTES},
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		struct rlimit limit = {limits[i].value, limits[i].value};
		struct rlimit old;

		if (getrlimit((__rlimit_resource_t)limits[i].resource, &old) !=
		    0)
			birth_fail(birth, "cannot read a limit");
		if (old.rlim_max < limit.rlim_max)
			limit.rlim_cur = limit.rlim_max = old.rlim_max;
		if (setrlimit((__rlimit_resource_t)limits[i].resource,
			      &limit) != 0)
			birth_fail(birth, "cannot set a limit");
	}
}

/* Gain no privileges, and die with the parent. */
static void birth_restrict(const struct browser_birth *birth)
{
	struct pollfd parent = {birth->failed[1], 0, 0};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
		birth_fail(birth, "cannot restrict the process");
	/* the parent may have died before the last call */
	poll(&parent, 1, 0);
	if ((parent.revents & POLLERR) != 0)
		_exit(1);
}

/* Become the user of the browser, which keeps capabilities until the exec. */
static void birth_become_user(const struct browser_birth *birth)
{
	if (birth->is_root && setgroups(0, NULL) != 0)
		birth_fail(birth, "cannot drop groups");
	if (setresgid(BROWSER_USER, BROWSER_USER, BROWSER_USER) != 0 ||
	    setresuid(BROWSER_USER, BROWSER_USER, BROWSER_USER) != 0)
		birth_fail(birth, "cannot change the user");
	birth_restrict(birth);
}

/*
 * The arguments of the browser. Threads that prepare scripts are switched off,
 * because they would make the order of events depend on the machine; so are
 * parts of the browser that pages do not need.
 */
static char *const browser_words[] = {
	"--headless",
	"--remote-debugging-pipe",
	"--user-data-dir=/tmp/profile",
	"--no-startup-window",
	"--block-new-web-contents",
	"--no-first-run",
	"--no-default-browser-check",
	"--no-pings",
	"--lang=en-US",
	"--window-size=1280,1024",
	"--hide-scrollbars",
	"--mute-audio",
	"--password-store=basic",
	"--renderer-process-limit=2",
	"--js-flags=--single-threaded",
	"--disable-background-networking",
	"--disable-background-timer-throttling",
	"--disable-breakpad",
	"--disable-client-side-phishing-detection",
	"--disable-component-update",
	"--disable-crash-reporter",
	"--disable-default-apps",
	"--disable-domain-reliability",
	"--disable-extensions",
	"--disable-gpu",
	"--disable-hang-monitor",
	"--disable-renderer-backgrounding",
	"--disable-site-isolation-trials",
	"--disable-speech-api",
	"--disable-sync",
	"--disable-features=IsolateOrigins,site-per-process,Translate,"
	"MediaRouter,OptimizationHints,AutofillServerCommunication,"
	"CertificateTransparencyComponentUpdater,InterestFeed,"
	"ScriptStreaming,BackgroundResourceFetch,ThreadedBodyLoader,"
	"ThreadedPreloadScanner,DelayAsyncScriptExecution,"
	"PreloadTopChromeWebUI,InitialWebUI,WebUIReloadButton",
};

static char *const browser_environment[] = {
	"HOME=/tmp", "PATH=/usr/bin:/bin",   "LANG=C.UTF-8",
	"TZ=UTC",    "XDG_CONFIG_HOME=/tmp", "XDG_CACHE_HOME=/tmp",
	NULL,
};

/* Execute the program, with `words` and the pipes. */
static _Noreturn void birth_execute_with(const struct browser_birth *birth,
					 char *const *words,
					 char *const *environment)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int first = fcntl(birth->to[0], F_DUPFD_CLOEXEC, 10);
	int second = fcntl(birth->from[1], F_DUPFD_CLOEXEC, 10);
	int log = fcntl(birth->log, F_DUPFD_CLOEXEC, 10);
	struct browser_birth moved = *birth;
	sigset_t none;

	moved.failed[1] = fcntl(birth->failed[1], F_DUPFD_CLOEXEC, 10);
	sigemptyset(&none);
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): the process has one thread */
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 ||
	    dup2(log, 2) < 0 || dup2(first, TO_BROWSER) < 0 ||
	    dup2(second, FROM_BROWSER) < 0)
		birth_fail(&moved, "cannot pass descriptors");
	close_range(FROM_BROWSER + 1, ~0U, CLOSE_RANGE_CLOEXEC);
	execve(birth->program, words, environment);
	birth_fail(&moved, "cannot execute the browser");
}

static _Noreturn void birth_execute(const struct browser_birth *birth)
{
	enum { COUNT = sizeof(browser_words) / sizeof(*browser_words) };
	char *words[COUNT + 3] = {birth->program};

	memcpy(words + 1, browser_words, sizeof(browser_words));
	if (birth->options->insecure)
		words[COUNT + 1] = "--no-sandbox";
	birth_execute_with(birth, words, browser_environment);
}

/* The process of a bridge. Other users can read words, but no environment. */
static _Noreturn void bridge_run(const struct browser_birth *birth)
{
	char *words[] = {birth->program, NULL};

	birth_restrict(birth);
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): the process has one thread */
	if (setenv(bridge_variable, birth->options->endpoint, 1) != 0)
		birth_fail(birth, "cannot pass the endpoint");
	birth_execute_with(birth, words, environ);
}

/* Return the bytes of a line "NAME: 123 kB" of a file in /proc/PID. */
static uint64_t birth_read_kib(const char *process, const char *file,
			       const char *name)
{
	char path[NAME_MAX + 32];
	char text[MAX_ROLLUP];
	const char *line;
	ssize_t size;
	int descriptor;

	snprintf(path, sizeof(path), "/proc/%s/%s", process, file);
	descriptor = open(path, O_RDONLY | O_CLOEXEC);
	if (descriptor < 0)
		return 0;
	size = read(descriptor, text, sizeof(text) - 1);
	close(descriptor);
	text[size < 0 ? 0 : size] = '\0';
	line = strstr(text, name);
	return line == NULL ? 0
			    : strtoull(line + strlen(name), NULL, 10) * 1024;
}

/* Return the sum of a line of the files of all processes of the namespace. */
static uint64_t birth_sum(const char *file, const char *name)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): the process has one thread */
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	uint64_t sum = 0;

	/* NOLINTNEXTLINE(concurrency-mt-unsafe): the process has one thread */
	while (folder != NULL && (entry = readdir(folder)) != NULL)
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			sum += birth_read_kib(entry->d_name, file, name);
	if (folder != NULL)
		closedir(folder);
	return sum;
}

/*
 * Return whether all processes use too much memory. The sum of the resident
 * sizes, which is quick to read, counts shared memory several times.
 */
static bool birth_is_full(const struct browser_birth *birth)
{
	const uint64_t limit = birth->options->total_bytes;

	return birth_sum("status", "\nVmRSS:") > limit &&
	       birth_sum("smaps_rollup", "\nPss:") > limit;
}

/* Reap processes, and watch the memory, until the browser has ended. */
static int birth_watch(const struct browser_birth *birth, pid_t browser)
{
	const struct timespec pause = {0, WATCH_MS * 1000000L};
	uint64_t look_ms = clock_steady_ms() + WATCH_MS;
	sigset_t children;
	pid_t ended;
	int status = 0;

	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): the process has one thread */
	sigprocmask(SIG_BLOCK, &children, NULL);
	for (;;) {
		while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
			if (ended == browser)
				return WIFEXITED(status) ? WEXITSTATUS(status)
							 : 1;
		if (ended < 0 && errno != EINTR)
			return 1;
		sigtimedwait(&children, NULL, &pause);
		/* processes that exit all the time must not prevent this */
		if (clock_steady_ms() < look_ms)
			continue;
		if (birth_is_full(birth)) {
			(void)!write(FULL_FILE, "m", 1);
			return 1;
		}
		look_ms = clock_steady_ms() + WATCH_MS;
	}
}

/* The first process of the namespace: starts the browser, and reaps all. */
static _Noreturn void birth_run(const struct browser_birth *birth)
{
	char go = 0;
	pid_t browser;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	close(birth->go[1]);
	close(birth->failed[0]);
	if (read(birth->go[0], &go, 1) != 1)
		_exit(1);
	setsid();
	birth_become_user(birth);
	birth_change_root(birth);
	browser = fork();
	if (browser < 0)
		birth_fail(birth, "cannot start a process");
	if (browser == 0) {
		birth_limit(birth);
		birth_execute(birth);
	}
	dup2(birth->full[1], FULL_FILE);
	closefrom(FULL_FILE + 1);
	_exit(birth_watch(birth, browser));
}

static bool browser_write_map(pid_t pid, const char *name, const char *text)
{
	char path[64];
	int file;
	bool is_written;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	file = open(path, O_WRONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	is_written = write(file, text, strlen(text)) == (ssize_t)strlen(text);
	close(file);
	return is_written;
}

/* Give the ids in the new namespace a meaning outside of it. */
static bool browser_map_ids(const struct browser_birth *birth, pid_t pid)
{
	char users[64];
	char groups[64];

	snprintf(users, sizeof(users), "%d %u 1", BROWSER_USER,
		 birth->is_root ? (unsigned)NOBODY : geteuid());
	snprintf(groups, sizeof(groups), "%d %u 1", BROWSER_USER,
		 birth->is_root ? (unsigned)NOBODY : getegid());
	if (!birth->is_root && !browser_write_map(pid, "setgroups", "deny"))
		return false;
	return browser_write_map(pid, "uid_map", users) &&
	       browser_write_map(pid, "gid_map", groups);
}

void browser_kill(struct browser *browser)
{
	char byte;
	bool is_full = browser->full >= 0 && read(browser->full, &byte, 1) == 1;

	if (browser->pid == 0)
		return;
	kill(browser->pid, SIGKILL);
	/* returns when all processes of the namespace have ended */
	while (waitpid(browser->pid, NULL, 0) < 0 && errno == EINTR)
		;
	browser->pid = 0;
	for (size_t i = 0; i < browser->page_count; i++)
		page_render_stop(browser->pages[i],
				 is_full ? RENDER_TOO_MUCH_MEMORY
					 : RENDER_BROWSER_ENDED);
}

bool browser_is_alive(const struct browser *browser)
{
	return browser->pid != 0;
}

void browser_destroy(struct browser *browser)
{
	if (browser == NULL)
		return;
	browser_kill(browser);
	if (browser->to >= 0)
		close(browser->to);
	if (browser->from >= 0)
		close(browser->from);
	if (browser->log >= 0)
		close(browser->log);
	if (browser->full >= 0)
		close(browser->full);
	cdp_free(&browser->cdp);
	free(browser);
}

/* Close the ends of the pipes that the other process uses. */
static void birth_close(const struct browser_birth *birth)
{
	const int files[] = {birth->to[0], birth->from[1],   birth->go[0],
			     birth->go[1], birth->failed[1], birth->full[1]};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		if (files[i] >= 0)
			close(files[i]);
	}
}

/* Wait until the browser is executed. Append the reason of a failure. */
static bool browser_was_born(const struct browser_birth *birth,
			     struct buffer *reason)
{
	char text[REASON_BYTES];
	ssize_t size;

	do {
		size = read(birth->failed[0], text, sizeof(text));
	} while (size < 0 && errno == EINTR);
	if (size == 0)
		return true;
	if (size > 0)
		buffer_append(reason, text, (size_t)size);
	return false;
}

static bool birth_open(struct browser_birth *birth)
{
	return pipe2(birth->to, O_CLOEXEC) == 0 &&
	       pipe2(birth->from, O_CLOEXEC) == 0 &&
	       pipe2(birth->go, O_CLOEXEC) == 0 &&
	       pipe2(birth->full, O_CLOEXEC | O_NONBLOCK) == 0 &&
	       pipe2(birth->failed, O_CLOEXEC) == 0;
}

static enum error browser_spawn(struct browser *browser,
				struct browser_birth *birth,
				struct buffer *reason)
{
	enum error error = ERR_NONE;
	long pid;

	if (!birth_open(birth)) {
		buffer_append_text(reason, strerrordesc_np(errno));
		return ERR_IO;
	}
	browser->to = birth->to[1];
	browser->from = birth->from[0];
	browser->full = birth->full[0];
	pid = syscall(SYS_clone,
		      (browser->is_remote ? 0UL : BROWSER_NAMESPACES) | SIGCHLD,
		      NULL, NULL, NULL, NULL);
	if (pid == 0 && browser->is_remote) {
		close(birth->failed[0]);
		bridge_run(birth);
	}
	if (pid == 0)
		birth_run(birth);
	if (pid < 0) {
		buffer_printf(reason,
			      "the kernel refuses namespaces (%s); allow user "
			      "namespaces for this process",
			      strerrordesc_np(errno));
		error = ERR_ADDRESS_FORBIDDEN;
	} else {
		browser->pid = (pid_t)pid;
		if (!browser->is_remote &&
		    !browser_map_ids(birth, browser->pid)) {
			buffer_printf(reason, "cannot map its user: %s",
				      strerrordesc_np(errno));
			error = ERR_ADDRESS_FORBIDDEN;
		} else if (write(birth->go[1], "g", 1) != 1) {
			error = ERR_IO;
		}
	}
	birth_close(birth);
	if (error == ERR_NONE && !browser_was_born(birth, reason))
		error = ERR_ADDRESS_FORBIDDEN;
	close(birth->failed[0]);
	return error;
}

/*
 * Move bytes in both directions for at most `wait_ms`, or until `file` can be
 * read. Return false if the browser has closed a pipe.
 */
static bool browser_move(struct browser *browser, int wait_ms, int file)
{
	struct buffer *out = &browser->cdp.out;
	const bool has_out = browser->written < out->size;
	struct pollfd files[] = {{browser->from, POLLIN, 0},
				 {has_out ? browser->to : -1, POLLOUT, 0},
				 {file, POLLIN, 0}};
	char bytes[STEP_BYTES];
	ssize_t size;

	if (poll(files, 3, wait_ms) < 0)
		return errno == EINTR;
	if ((files[1].revents & POLLERR) != 0)
		return false;
	if (files[1].revents != 0) {
		size = write(browser->to, out->data + browser->written,
			     out->size - browser->written);
		if (size < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		browser->written += size < 0 ? 0 : (size_t)size;
		if (browser->written == out->size) {
			buffer_clear(out);
			browser->written = 0;
		}
	}
	if (files[0].revents != 0) {
		size = read(browser->from, bytes, sizeof(bytes));
		if (size == 0 ||
		    (size < 0 && errno != EAGAIN && errno != EINTR))
			return false;
		if (size > 0)
			cdp_feed(&browser->cdp,
				 (struct slice){bytes, (size_t)size});
	}
	return true;
}

/* Append the last line that the browser has written to its standard error. */
static void browser_quote_log(const struct browser *browser,
			      struct buffer *reason)
{
	char text[512];
	off_t size = lseek(browser->log, 0, SEEK_END);
	off_t begin =
		size > (off_t)sizeof(text) ? size - (off_t)sizeof(text) : 0;
	ssize_t count = pread(browser->log, text, sizeof(text), begin);

	while (count > 0 && text[count - 1] == '\n')
		count--;
	if (count <= 0)
		return;
	if (reason->size > 0)
		buffer_append_text(reason, ": ");
	for (ssize_t i = 0; i < count; i++) {
		if (text[i] < ' ' || text[i] > '~')
			text[i] = ' ';
	}
	buffer_append(reason, text, (size_t)count);
}

/* Wait until the browser responds to its first command. */
static enum error browser_greet(struct browser *browser, uint32_t start_ms,
				struct buffer *reason)
{
	const uint64_t deadline_ms = clock_steady_ms() + start_ms;
	uint64_t awaited =
		cdp_send(&browser->cdp, "", "Browser.getVersion", NULL);
	struct cdp_message message;
	enum error error = ERR_NONE;
	uint64_t now_ms;

	while (now_ms = clock_steady_ms(), now_ms < deadline_ms) {
		while (cdp_next(&browser->cdp, &message, &error)) {
			bool is_it = message.id == awaited;
			const char *version = cdp_text(message.value, "product",
						       MAX_VERSION_BYTES);

			if (is_it && version != NULL)
				buffer_append_text(reason, version);
			json_decref(message.root);
			if (is_it)
				return ERR_NONE;
		}
		if (error == ERR_NONE &&
		    browser_move(browser, (int)(deadline_ms - now_ms), -1))
			continue;
		if (!browser->is_remote)
			buffer_append_text(reason,
					   "the browser ended at its start; if "
					   "its own sandbox is the reason, "
					   "allow user namespaces");
		browser_quote_log(browser, reason);
		return ERR_IO;
	}
	buffer_append_text(reason, "the browser did not respond");
	return ERR_TIMEOUT;
}

/* Find the program and its folder. */
static enum error birth_find(struct browser_birth *birth, char *path,
			     struct buffer *reason)
{
	const char *program = birth->options->program;
	char *slash;

	for (size_t i = 0; program == NULL && browser_programs[i] != NULL; i++)
		if (access(browser_programs[i], X_OK) == 0)
			program = browser_programs[i];
	if (program == NULL) {
		buffer_append_text(reason,
				   "no browser is installed; install the "
				   "package chromium or "
				   "chromium-headless-shell");
		return ERR_NOT_FOUND;
	}
	if (access(program, X_OK) != 0 || realpath(program, path) == NULL) {
		buffer_printf(reason,
			      "%s: %s; install the package chromium, or name "
			      "another browser",
			      program, strerrordesc_np(errno));
		return ERR_NOT_FOUND;
	}
	birth->program = path;
	snprintf(birth->folder, sizeof(birth->folder), "%s", path);
	slash = strrchr(birth->folder, '/');
	*slash = '\0';
	return ERR_NONE;
}

/* Find the program templated-bridge: beside this one, or installed. */
static enum error bridge_find(struct browser_birth *birth, char *path,
			      struct buffer *reason)
{
	ssize_t size = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash;

	path[size < 0 ? 0 : size] = '\0';
	slash = strrchr(path, '/');
	birth->program = path;
	if (slash != NULL &&
	    slash + 1 + sizeof(bridge_file) <= path + PATH_MAX) {
		memcpy(slash + 1, bridge_file, sizeof(bridge_file));
		if (access(path, X_OK) == 0)
			return ERR_NONE;
	}
	snprintf(path, PATH_MAX, "%s/%s", BRIDGE_FOLDER, bridge_file);
	if (access(path, X_OK) == 0)
		return ERR_NONE;
	buffer_printf(reason,
		      "%s: %s; install the package templated-bridge (a build "
		      "needs libwebsockets-dev)",
		      path, strerrordesc_np(errno));
	return ERR_NOT_FOUND;
}

enum error browser_start(const struct browser_options *options,
			 struct browser **browser_out, struct buffer *reason)
{
	struct browser_birth birth = {
		.options = options,
		.to = {-1, -1},
		.from = {-1, -1},
		.go = {-1, -1},
		.failed = {-1, -1},
		.full = {-1, -1},
		.is_root = geteuid() == 0,
	};
	struct browser *browser;
	char path[PATH_MAX];
	enum error error = options->endpoint == NULL
				   ? birth_find(&birth, path, reason)
				   : bridge_find(&birth, path, reason);

	/* a browser that ends while it is written to is an error */
	signal(SIGPIPE, SIG_IGN);
	*browser_out = NULL;
	if (error != ERR_NONE)
		return error;
	browser = mem_alloc(1, sizeof(*browser));
	browser->to = browser->from = browser->full = -1;
	browser->is_remote = options->endpoint != NULL;
	browser->log = memfd_create("browser", MFD_CLOEXEC);
	birth.log = browser->log;
	error = browser_spawn(browser, &birth, reason);
	if (error == ERR_NONE) {
		fcntl(browser->to, F_SETFL, O_NONBLOCK);
		fcntl(browser->from, F_SETFL, O_NONBLOCK);
		fcntl(browser->to, F_SETPIPE_SZ, PIPE_BYTES);
		fcntl(browser->from, F_SETPIPE_SZ, PIPE_BYTES);
		error = browser_greet(browser, options->start_ms, reason);
	}
	if (error != ERR_NONE) {
		browser_destroy(browser);
		return error;
	}
	*browser_out = browser;
	return ERR_NONE;
}

/* Log why the bridge has ended. */
static void browser_log_end(const struct browser *browser)
{
	struct buffer reason = {0};

	if (browser->is_remote)
		browser_quote_log(browser, &reason);
	if (reason.size > 0)
		log_warn("%s", reason.data);
	buffer_free(&reason);
}

void browser_exchange(struct browser *browser, int wait_ms, int file)
{
	struct cdp_message message;
	enum error error;

	if (!browser_is_alive(browser))
		return;
	if (!browser_move(browser, wait_ms, file)) {
		browser_log_end(browser);
		browser_kill(browser);
		return;
	}
	while (cdp_next(&browser->cdp, &message, &error)) {
		for (size_t i = 0; i < browser->page_count; i++)
			page_render_take(browser->pages[i], &message);
		json_decref(message.root);
	}
	if (error == ERR_NONE)
		return;
	for (size_t i = 0; i < browser->page_count; i++)
		page_render_stop(browser->pages[i], RENDER_MALFORMED);
	browser_kill(browser);
}

struct page_render *browser_open(struct browser *browser,
				 const struct page_render_options *options)
{
	struct page_render *page =
		page_render_create(&browser->cdp, options, clock_steady_ms());

	assert(browser->page_count < MAX_BROWSER_TABS);
	if (!browser_is_alive(browser))
		page_render_stop(page, RENDER_BROWSER_ENDED);
	browser->pages[browser->page_count++] = page;
	return page;
}

/* Give the page no further messages. */
static void browser_forget(struct browser *browser,
			   const struct page_render *page)
{
	size_t i = 0;

	while (browser->pages[i] != page)
		i++;
	browser->pages[i] = browser->pages[--browser->page_count];
}

void browser_close(struct browser *browser, struct page_render *page)
{
	browser_forget(browser, page);
	page_render_destroy(page);
}

struct page_render *browser_render(struct browser *browser,
				   const struct page_render_options *options,
				   render_source *source, void *context)
{
	struct page_render *page = browser_open(browser, options);
	struct page_request request;
	enum render_end end;

	while (!page_render_is_done(page, clock_steady_ms())) {
		browser_exchange(browser, RENDER_TICK_MS, -1);
		while (page_render_request(page, &request)) {
			struct page_answer answer = {0};

			source(context, &request, &answer);
			page_render_answer(page, &answer);
		}
	}
	/* the last command discards the context of the page */
	for (int i = 0; i < FLUSH_TICKS && browser_is_alive(browser) &&
			!page_render_is_closed(page);
	     i++)
		browser_exchange(browser, RENDER_TICK_MS, -1);
	browser_forget(browser, page);
	end = page_render_result(page).end;
	if (!render_has_dom(end) && end != RENDER_NOT_LOADED &&
	    end != RENDER_SELECTOR)
		browser_kill(browser);
	return page;
}
