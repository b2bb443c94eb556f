#include "daemon/runtime/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/runtime/clock.h"
#include "store/folder.h"

/* The process that does the work. */
struct child_run {
	pid_t pid;
	int file; /* pipe with its result */
	const struct child_work_position *place;
};

enum { LEAST_MS = 60000, MIB_MS = 1000, CHUNK_BYTES = 65536 };

uint64_t child_work_limit_ms(const char *path)
{
	char name[MAX_PATH_BYTES];
	struct stat status;

	if (!folder_name(name, path, FOLDER_DATA) || stat(name, &status) != 0)
		return LEAST_MS;
	return LEAST_MS + ((uint64_t)status.st_size >> 20) * MIB_MS;
}

static void child_run_write(int file, const struct buffer *out)
{
	const char *at = out->data;
	size_t left = out->size;

	while (left > 0) {
		ssize_t size = write(file, at, left);

		if (size < 0 && errno != EINTR)
			return;
		if (size > 0) {
			at += size;
			left -= (size_t)size;
		}
	}
}

/* Runs in the new process. */
static _Noreturn void child_run_main(const struct child_work *trial,
				     struct child_work_position *place,
				     int file, pid_t parent)
{
	struct buffer out = {0};
	enum error error = ERR_STOPPED;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0); /* no core dump */
	if (getppid() == parent)
		error = trial->work(trial->context, place, &out);
	child_run_write(file, &out);
	_exit(-(int)error);
}

/* Read the result to its end; return false if the time is over before. */
static bool child_run_read(int file, uint64_t until_ms, struct buffer *out)
{
	struct pollfd poll_file = {.fd = file, .events = POLLIN};

	for (;;) {
		uint64_t now_ms = clock_steady_ms();
		uint64_t left_ms = now_ms < until_ms ? until_ms - now_ms : 0;
		ssize_t size;
		int ready = poll(&poll_file, 1,
				 left_ms > CHUNK_BYTES ? CHUNK_BYTES
						       : (int)left_ms);

		if (ready == 0 && left_ms == 0)
			return false;
		if (ready <= 0)
			continue;
		size = read(file, buffer_reserve(out, CHUNK_BYTES),
			    CHUNK_BYTES);
		if (size > 0)
			out->size += (size_t)size;
		else if (size == 0 || errno != EINTR)
			return true;
	}
}

static enum error tell_end(int status, bool is_late,
			   const struct child_work_position *place,
			   const struct child_work *trial, char *why)
{
	char text[CHILD_WORK_POSITION_BYTES / 4];

	if (!is_late && WIFEXITED(status))
		return (enum error) - WEXITSTATUS(status);
	if (is_late)
		snprintf(text, sizeof(text), "took more than %llu s",
			 (unsigned long long)trial->limit_ms / 1000);
	else
		snprintf(text, sizeof(text), "was killed by signal %d (%s)",
			 WTERMSIG(status), sigdescr_np(WTERMSIG(status)));
	snprintf(why, CHILD_WORK_POSITION_BYTES, "the check %s%s%.128s", text,
		 place->text[0] == '\0' ? "" : " at ", place->text);
	return ERR_STOPPED;
}

/* Wait for the process to end. */
static enum error child_run_wait(const struct child_work *trial,
				 const struct child_run *worker,
				 struct buffer *out, char *why)
{
	bool is_late = !child_run_read(
		worker->file, clock_steady_ms() + trial->limit_ms, out);
	int status = 0;

	if (is_late)
		kill(worker->pid, SIGKILL);
	while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
		;
	return tell_end(status, is_late, worker->place, trial, why);
}

enum error run_in_child(const struct child_work *trial, struct buffer *out,
			char *why)
{
	struct child_work_position *place =
		mmap(NULL, sizeof(*place), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	enum error error = ERR_IO;
	pid_t parent = getpid();
	struct child_run worker = {.place = place};
	int ends[2];

	snprintf(why, CHILD_WORK_POSITION_BYTES, "no process is available");
	if (place == MAP_FAILED)
		return ERR_IO;
	if (pipe2(ends, O_CLOEXEC) == 0) {
		fflush(NULL); /* or both would write pending output */
		worker.file = ends[0];
		worker.pid = fork();
		if (worker.pid == 0) {
			close(ends[0]);
			child_run_main(trial, place, ends[1], parent);
		}
		close(ends[1]);
		if (worker.pid > 0)
			error = child_run_wait(trial, &worker, out, why);
		close(ends[0]);
	}
	munmap(place, sizeof(*place));
	return error;
}
