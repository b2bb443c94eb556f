#include "daemon/privsep/spawner_client.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/privsep/process_table.h"
#include "daemon/privsep/sandbox.h"
#include "daemon/privsep/spawner.h"
#include "daemon/runtime/child.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/lock.h"
#include "daemon/runtime/thread.h"

/* Join the texts; each one ends with its NUL. */
static struct buffer command_join_texts(char *const *texts)
{
	struct buffer joined = {0};

	for (size_t i = 0; texts[i] != NULL; i++)
		buffer_append(&joined, texts[i], strlen(texts[i]) + 1);
	return joined;
}

/*
 * Let the spawner start the command. Return its process id, or a negative
 * errno.
 */
static int64_t command_request_run(struct spawner *spawner,
				   const struct child_command *command)
{
	struct buffer words = command_join_texts(command->words);
	struct buffer environment = command_join_texts(command->environment);
	const struct spawner_command row = {buffer_slice(&words),
					    buffer_slice(&environment)};
	struct buffer head = row_codec_encode(&spawner_command_layout, &row);
	int64_t number = -E2BIG;

	if (head.size <= FRAME_MAX_HEAD &&
	    command->input.size <= SPAWNER_MAX_INPUT &&
	    spawner_request(spawner,
			    &(struct frame_parts){.kind = SPAWNER_RUN,
						  .head = buffer_slice(&head),
						  .body = command->input,
						  .file = -1},
			    &number, NULL) != ERR_NONE)
		number = -EIO;
	buffer_free(&head);
	buffer_free(&environment);
	buffer_free(&words);
	return number;
}

enum child_state command_start(struct spawner *spawner, struct child *child_out,
			       const struct child_command *command)
{
	int64_t number;

	if (spawner == NULL)
		return child_start(child_out, command);
	*child_out =
		(struct child){.file = -1, .deadline_ms = command->deadline_ms};
	number = command_request_run(spawner, command);
	if (number <= 0)
		return child_fail(child_out, number == 0 ? EIO : (int)-number);
	child_out->pid = (pid_t)number;
	/*
	 * the spawner reaps the process only on request, so the process id is
	 * still valid
	 */
	child_out->file = pidfd_open(child_out->pid, 0);
	return CHILD_RUNS;
}

void command_kill(struct spawner *spawner, struct child *child)
{
	int64_t number;

	if (spawner == NULL) {
		child_kill(child);
		return;
	}
	/* without the spawner the command cannot be killed */
	(void)spawner_request_number(spawner, SPAWNER_KILL, child->pid, &number,
				     NULL);
	child_release(child);
}

enum child_state command_check(struct spawner *spawner, struct child *child,
			       uint64_t now_ms)
{
	int64_t status;

	if (spawner == NULL)
		return child_check(child, now_ms);
	if (spawner_request_number(spawner, SPAWNER_CHECK, child->pid, &status,
				   NULL) != ERR_NONE)
		status = -EIO;
	if (status == -EAGAIN && now_ms < child->deadline_ms)
		return CHILD_RUNS;
	if (status == -EAGAIN) {
		command_kill(spawner, child);
		return child_expire(child);
	}
	child_release(child);
	return child_judge(child, (int)status);
}

enum {
	/*
	 * time until a new process is ready; long, because the machine may be
	 * busy with other work
	 */
	START_MS = 60 * 1000,
	ANSWER_MS = 30 * 1000, /* time until the spawner responds to a
				  request */
	END_MS = 10 * 1000,    /* time until the spawner exits */
	MAX_ANSWER_BODY = 4096,
	MAX_STARTS = 6,       /* maximum number of attempts to start a
				 process */
	FIRST_PAUSE_MS = 100, /* pause between the first two attempts;
				 doubles each time */
};

struct spawner {
	struct lock lock; /* one request at a time */
	enum role role;   /* ROLE_SPAWNER or ROLE_LAUNCHER */
	struct channel channel;
	uint32_t start_ms;
	uint32_t answer_ms;
	atomic_bool is_lost; /* the spawner does not respond, so all requests
				fail */
	pthread_t owner;     /* the thread that may call spawner_check() */
	pid_t pid;
	struct process_table *roster; /* of the spawner, for a launcher */
	struct spawner *launcher;     /* or NULL */
};

/*
 * Return whether the other processes inherit this environment variable. They do
 * not get any others, which may hold secrets of the user who started the
 * daemon.
 */
static bool is_passed_on(const char *variable)
{
	static const char *const prefixes[] = {
		"PATH=",
		"TZ=",
		"LD_",
		"MALLOC_",
		"GLIBC_TUNABLES=",
		"LOCALDOMAIN=",
		"RES_OPTIONS=",
		"SSL_CERT_",
		"OPENSSL_",
		"GNUTLS_",
		"ASAN_OPTIONS=",
		"TSAN_OPTIONS=",
		"UBSAN_OPTIONS=",
		"LSAN_OPTIONS=",
		"LLVM_PROFILE_FILE=",
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/*
 * Return the environment of the other processes, and the variable `added`
 * unless it is NULL. The caller frees the list, but not the texts.
 */
static char **list_environment(char *added)
{
	size_t count = 0;
	char **kept;

	while (environ[count] != NULL)
		count++;
	kept = mem_alloc(count + 2, sizeof(*kept));
	count = 0;
	if (added != NULL)
		kept[count++] = added;
	for (size_t i = 0; environ[i] != NULL; i++)
		if (is_passed_on(environ[i]))
			kept[count++] = environ[i];
	return kept;
}

/* In the new process: execute the spawner or the launcher. */
static void execute_starter(enum role role, int socket, char *variable)
{
	sigset_t none;

	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	/*
	 * use a separate process group, so that Ctrl-C in a terminal signals
	 * only the main process
	 */
	setpgid(0, 0);
	process_execute(role, socket, list_environment(variable));
}

/*
 * Wait until the new process reports that it has entered its sandbox, or has
 * failed to.
 */
static enum error receive_ready(struct channel *channel, uint32_t start_ms,
				struct sandbox_report *walls_out)
{
	struct role_ready ready = {0};
	struct channel_frame frame;
	enum error error = channel_receive(channel, (int)start_ms, &frame);

	if (error == ERR_NONE &&
	    (frame.kind != ROLE_READY ||
	     !row_codec_decode(&role_ready_layout, frame.head, &ready) ||
	     ready.has_failed != 0))
		error = ERR_MALFORMED;
	frame_free(&frame);
	*walls_out = (struct sandbox_report){ready.holds, ready.lacks};
	return error;
}

static void process_register(struct spawner *spawner, enum role role, pid_t pid,
			     const struct sandbox_report *walls)
{
	process_table_add(spawner->roster,
			  &(struct process_entry){
				  .role = role,
				  .pid = pid,
				  .started_ms = clock_wall_ms(),
				  .walls = *walls,
			  });
}

static enum error start_starter(struct spawner *spawner, bool allows_commands,
				char *variable)
{
	const struct spawner_number rules = {allows_commands};
	struct sandbox_report walls;
	int ends[2];
	enum error error;

	if (channel_pair(ends) != ERR_NONE)
		return ERR_IO;
	spawner->channel = channel_of(ends[0], MAX_ANSWER_BODY);
	spawner->pid = fork();
	if (spawner->pid == 0)
		execute_starter(spawner->role, ends[1], variable);
	close(ends[1]);
	if (spawner->pid < 0)
		return ERR_IO;
	error = channel_send_row(&spawner->channel, SPAWNER_RULES,
				 &spawner_number_layout, &rules, -1);
	if (error == ERR_NONE)
		error = receive_ready(&spawner->channel, START_MS, &walls);
	if (error == ERR_NONE)
		process_register(spawner, spawner->role, spawner->pid, &walls);
	return error;
}

/* Stop the process and free `spawner`. NULL is a no-op. */
static void starter_stop(struct spawner *spawner)
{
	int status;

	if (spawner == NULL)
		return;
	channel_close(&spawner->channel);
	/*
	 * This fails if the main process has entered its sandbox. Then the
	 * process exits because its channel is closed, or together with this
	 * process.
	 */
	if (spawner->pid > 0)
		kill(spawner->pid, SIGKILL);
	if (spawner->pid > 0 &&
	    child_await(spawner->pid, END_MS, &status) == ETIMEDOUT)
		log_warn("%s: process %ld has not exited yet",
			 role_name(spawner->role), (long)spawner->pid);
	if (spawner->role == ROLE_SPAWNER)
		process_table_destroy(spawner->roster);
	lock_destroy(&spawner->lock);
	free(spawner);
}

/* `roster` NULL = a new table. */
static enum error starter_create(enum role role, bool allows_commands,
				 char *variable, struct process_table *roster,
				 struct spawner **starter_out)
{
	struct spawner *spawner = mem_alloc(1, sizeof(*spawner));
	char limits[THREAD_LIMITS_BYTES];

	spawner->role = role;
	spawner->channel.socket = -1;
	spawner->start_ms = START_MS;
	spawner->answer_ms = ANSWER_MS;
	spawner->owner = pthread_self();
	lock_init(&spawner->lock, LOCK_SPAWNER);
	spawner->roster = roster == NULL ? process_table_create() : roster;
	if (start_starter(spawner, allows_commands, variable) != ERR_NONE) {
		thread_limits(limits);
		log_error("%s: cannot start; %s", role_name(role), limits);
		starter_stop(spawner);
		return ERR_IO;
	}
	*starter_out = spawner;
	return ERR_NONE;
}

enum error spawner_create(struct spawner **starter_out, bool allows_commands)
{
	return starter_create(ROLE_SPAWNER, allows_commands, NULL, NULL,
			      starter_out);
}

enum error launcher_create(struct spawner *spawner, char *variable)
{
	return starter_create(ROLE_LAUNCHER, false, variable, spawner->roster,
			      &spawner->launcher);
}

struct spawner *spawner_launcher(struct spawner *spawner)
{
	return spawner == NULL ? NULL : spawner->launcher;
}

static void process_describe_end(int64_t status, char *why)
{
	int number = (int)status;

	if (status < 0)
		snprintf(why, PROCESS_END_BYTES, "for an unknown reason");
	else if (WIFEXITED(number))
		snprintf(why, PROCESS_END_BYTES, "exit status %d",
			 WEXITSTATUS(number));
	else
		snprintf(why, PROCESS_END_BYTES, "signal %d (%s)",
			 WTERMSIG(number), sigdescr_np(WTERMSIG(number)));
}

bool spawner_check(struct spawner *spawner, char *why_out)
{
	int status;
	bool has_ended =
		waitpid(spawner->pid, &status, WNOHANG) == spawner->pid;
	/*
	 * read is_lost after waitpid(): spawner_request() sets it before it
	 * closes the channel, which makes the spawner exit
	 */
	bool is_lost = atomic_load(&spawner->is_lost);

	if (has_ended) {
		process_describe_end(status, why_out);
		process_table_remove(spawner->roster, spawner->pid, true);
		spawner->pid = 0;
	}
	/*
	 * then the spawner may have exited only because its channel was closed
	 */
	if (is_lost)
		snprintf(why_out, PROCESS_END_BYTES, "it does not respond");
	return !has_ended && !is_lost;
}

void spawner_set_timeout(struct spawner *spawner, uint32_t timeout_ms)
{
	spawner->start_ms = timeout_ms;
	spawner->answer_ms = timeout_ms;
}

struct process_table *spawner_process_table(struct spawner *spawner)
{
	return spawner->roster;
}

void spawner_destroy(struct spawner *spawner)
{
	if (spawner != NULL)
		starter_stop(spawner->launcher);
	starter_stop(spawner);
}

/*
 * Receive a response: a number and, if file_out is not NULL, the passed file or
 * -1.
 */
static enum error spawner_receive_response(struct spawner *spawner,
					   int64_t *number_out, int *file_out)
{
	struct spawner_number answer;
	struct channel_frame frame;
	enum error error = channel_receive(&spawner->channel,
					   (int)spawner->answer_ms, &frame);

	if (error == ERR_NONE &&
	    (frame.kind != SPAWNER_DONE ||
	     !row_codec_decode(&spawner_number_layout, frame.head, &answer)))
		error = ERR_MALFORMED;
	if (error == ERR_NONE) {
		*number_out = answer.number;
		if (file_out != NULL) {
			*file_out = frame.file;
			frame.file = -1;
		}
	}
	frame_free(&frame);
	return error;
}

enum error spawner_request(struct spawner *spawner,
			   const struct frame_parts *parts, int64_t *number_out,
			   int *file_out)
{
	enum error error = ERR_STOPPED;

	*number_out = -EIO;
	if (file_out != NULL)
		*file_out = -1;
	lock_acquire(&spawner->lock);
	if (!atomic_load(&spawner->is_lost))
		error = channel_send(&spawner->channel, parts);
	if (error == ERR_NONE) {
		error = spawner_receive_response(spawner, number_out, file_out);
		/*
		 * Later responses would belong to other requests, so treat the
		 * spawner as dead. Send the owner the signal that the exit of
		 * the spawner would cause.
		 */
		if (error == ERR_TIMEOUT || error == ERR_MALFORMED) {
			atomic_store(&spawner->is_lost, true);
			channel_close(&spawner->channel);
			pthread_kill(spawner->owner, SIGCHLD);
		}
	}
	lock_release(&spawner->lock);
	if (error == ERR_TIMEOUT)
		log_error("%s: no response within %" PRIu32
			  " ms; the daemon sends it no further requests",
			  role_name(spawner->role), spawner->answer_ms);
	else if (error == ERR_MALFORMED)
		log_error("%s: invalid response; the daemon sends it no "
			  "further requests",
			  role_name(spawner->role));
	return error;
}

enum error spawner_request_number(struct spawner *spawner,
				  enum spawner_request_kind kind,
				  int64_t number, int64_t *number_out,
				  int *file_out)
{
	const struct spawner_number asked = {number};
	struct buffer head = row_codec_encode(&spawner_number_layout, &asked);
	enum error error = spawner_request(
		spawner,
		&(struct frame_parts){
			.kind = kind, .head = buffer_slice(&head), .file = -1},
		number_out, file_out);

	buffer_free(&head);
	return error;
}

/*
 * Let the spawner start a process; return its id and the socket of the channel
 * for the main process. ERR_STOPPED: the spawner has exited; ERR_IO: the system
 * cannot create a process now. A response with only one of the two values is
 * invalid: then the socket is closed, or the process is killed.
 */
static enum error ask_for_process(struct spawner *spawner, enum role role,
				  int64_t *number_out, int *socket_out)
{
	enum error error = spawner_request_number(spawner, SPAWNER_START, role,
						  number_out, socket_out);
	int64_t status;

	if (error != ERR_NONE)
		return ERR_STOPPED;
	if (*number_out > 0 && *number_out <= INT32_MAX && *socket_out >= 0)
		return ERR_NONE;
	if (*socket_out >= 0)
		close(*socket_out);
	*socket_out = -1;
	if (*number_out > 0) {
		spawner_request_number(spawner, SPAWNER_END, *number_out,
				       &status, NULL);
		*number_out = -EBADMSG;
	}
	return ERR_IO;
}

static enum error get_process(struct spawner *spawner, enum role role,
			      int64_t *number_out, int *socket_out)
{
	uint64_t pause_ms = FIRST_PAUSE_MS;
	enum error error =
		ask_for_process(spawner, role, number_out, socket_out);

	for (int i = 1; error == ERR_IO && i < MAX_STARTS; i++) {
		log_warn("%s: cannot start: %s; retrying in %" PRIu64 " ms",
			 role_name(role), strerrordesc_np((int)-*number_out),
			 pause_ms);
		clock_nanosleep(
			CLOCK_MONOTONIC, 0,
			&(struct timespec){
				.tv_sec = (time_t)(pause_ms / 1000U),
				.tv_nsec = (long)(pause_ms % 1000U) * 1000000L,
			},
			NULL);
		pause_ms *= 2;
		error = ask_for_process(spawner, role, number_out, socket_out);
	}
	return error;
}

static enum error
process_start_by_spawner(struct spawner *spawner,
			 const struct process_options *options,
			 struct process *process)
{
	const struct role_init hello = {options->memory_bytes};
	char why[PROCESS_END_BYTES];
	char limits[THREAD_LIMITS_BYTES];
	struct sandbox_report walls;
	int64_t number;
	int socket;
	enum error error =
		get_process(spawner, options->role, &number, &socket);

	if (error != ERR_NONE) {
		thread_limits(limits);
		log_error("%s: cannot start: %s%s%s", role_name(options->role),
			  error == ERR_IO ? strerrordesc_np((int)-number)
					  : "the spawner has exited",
			  error == ERR_IO ? "; " : "",
			  error == ERR_IO ? limits : "");
		return ERR_IO;
	}
	process->pid = (pid_t)number;
	process->channel = channel_of(socket, options->max_body);
	error = channel_send_row(&process->channel, ROLE_INIT,
				 &role_init_layout, &hello, -1);
	if (error == ERR_NONE)
		error = receive_ready(&process->channel, spawner->start_ms,
				      &walls);
	if (error == ERR_NONE) {
		process_register(spawner, options->role, process->pid, &walls);
		return ERR_NONE;
	}
	process_end(spawner, process, why);
	if (error == ERR_TIMEOUT) /* then process_end() has killed it */
		snprintf(why, sizeof(why), "not ready after %" PRIu32 " ms",
			 spawner->start_ms);
	log_error("%s: failed to start: %s", role_name(options->role), why);
	return ERR_IO;
}

/* Argument of thread_main(). */
struct thread_start {
	role_main *main;
	int socket;
};

static void *thread_main(void *argument)
{
	struct thread_start start = *(struct thread_start *)argument;

	free(argument);
	start.main(start.socket);
	return NULL;
}

static enum error start_thread(const struct process_options *options,
			       struct process *process)
{
	struct thread_start *start = mem_alloc(1, sizeof(*start));
	int ends[2];

	if (channel_pair(ends) != ERR_NONE) {
		free(start);
		return ERR_IO;
	}
	*start = (struct thread_start){options->main, ends[1]};
	if (!thread_start(&process->thread, NULL, thread_main, start)) {
		close(ends[0]);
		close(ends[1]);
		free(start);
		return ERR_IO;
	}
	process->channel = channel_of(ends[0], options->max_body);
	return ERR_NONE;
}

enum error process_start(struct spawner *spawner,
			 const struct process_options *options,
			 struct process *process_out)
{
	*process_out = (struct process){
		.channel = {.socket = -1},
		.resolver = sandbox_resolver_stamp(),
	};
	return spawner == NULL ? start_thread(options, process_out)
			       : process_start_by_spawner(spawner, options,
							  process_out);
}

int process_end(struct spawner *spawner, struct process *process, char *why_out)
{
	int64_t status = -1;

	if (spawner != NULL)
		process_table_measure(spawner->roster, process->pid);
	if (process->pid == 0) {
		shutdown(process->channel.socket, SHUT_RDWR);
		pthread_join(process->thread, NULL);
	} else if (spawner_request_number(spawner, SPAWNER_END, process->pid,
					  &status, NULL) != ERR_NONE) {
		status = -1;
	}
	if (spawner != NULL)
		process_table_remove(spawner->roster, process->pid,
				     why_out != NULL);
	channel_close(&process->channel);
	if (why_out != NULL)
		process_describe_end(status, why_out);
	return status >= 0 && WIFSIGNALED((int)status) ? WTERMSIG((int)status)
						       : 0;
}

bool process_is_outdated(const struct process *process)
{
	return process->pid != 0 &&
	       process->resolver != sandbox_resolver_stamp();
}

uint64_t process_cpu_ms(const struct process *process)
{
	struct timespec used;
	clockid_t clock;

	if (process->pid == 0 ||
	    clock_getcpuclockid(process->pid, &clock) != 0 ||
	    clock_gettime(clock, &used) != 0)
		return 0;
	return (uint64_t)used.tv_sec * 1000U +
	       (uint64_t)used.tv_nsec / 1000000U;
}
