/*
 * daemon/main.c - the main program of the daemon: command line, signals, and
 * messages to the service manager.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "daemon/account.h"
#include "daemon/config/config.h"
#include "daemon/http/server.h"
#include "daemon/nodes/broker.h"
#include "daemon/privsep/fetcher_process.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/process_table.h"
#include "daemon/privsep/renderer.h"
#include "daemon/privsep/sandbox.h"
#include "daemon/privsep/spawner_client.h"
#include "daemon/runtime/child.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/library_memory.h"
#include "daemon/runtime/systemd.h"
#include "daemon/service.h"
#include "page/charset.h"
#include "store/store.h"

/* Exit statuses. */
enum { DONE, FAILED, WRONG };

enum {
	/* interval between checks whether the threads respond */
	LOOK_MS = 60000,
	/* the same if there is a service manager, which then gets the status */
	STATUS_MS = 5000,
};

enum action { ACTION_RUN, ACTION_PRINT, ACTION_CHECK };

/* Values that getopt_long() returns for options without a letter. */
enum { WITHOUT_LETTER = 256, OPTION_CHECK, OPTION_PRINT, OPTION_VERSION };

/* The options, for getopt_long(), for the usage and for the manual page. */
static const struct {
	struct option option;
	/* name of the option's argument in the usage; "" = no argument */
	const char *value;
	const char *meaning;
} rows[] = {
	{{"config", required_argument, NULL, 'c'},
	 " FILE",
	 "read the configuration from FILE; the default is no file"},
	{{"check", no_argument, NULL, OPTION_CHECK},
	 "",
	 "check whether the daemon could start, and exit"},
	{{"print-config", no_argument, NULL, OPTION_PRINT},
	 "",
	 "print the complete, commented configuration and exit"},
	{{"help", no_argument, NULL, 'h'}, "", "print this text"},
	{{"version", no_argument, NULL, OPTION_VERSION},
	 "",
	 "print the version"},
};

enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

static void print_usage(FILE *file)
{
	fputs("usage: templated [-c FILE] [--check | --print-config]\n\n"
	      "Learns the templates of web sites; serves HTTP on a Unix "
	      "socket.\n\n",
	      file);
	for (size_t i = 0; i < ROW_COUNT; i++) {
		char letter[] = {'-', (char)rows[i].option.val, ',', ' ', 0};
		char text[64];

		snprintf(text, sizeof(text), "%s--%s%s",
			 rows[i].option.val < WITHOUT_LETTER ? letter : "",
			 rows[i].option.name, rows[i].value);
		fprintf(file, "  %-17s  %s\n", text, rows[i].meaning);
	}
	fputs("\nSIGHUP reloads FILE, SIGTERM and SIGINT stop the "
	      "daemon.\nExit status: 0 success, 1 failure, 2 invalid command "
	      "line or configuration.\n",
	      file);
}

struct arguments {
	const char *path;
	enum action action;
};

/*
 * Read the command line. Return false if the program must exit, with
 * *status_out as its status.
 */
static bool read_arguments(int count, char **values,
			   struct arguments *arguments, int *status_out)
{
	struct option options[ROW_COUNT + 1] = {{NULL, 0, NULL, 0}};
	char letters[2 * ROW_COUNT + 1] = "";
	int option;

	for (size_t i = 0; i < ROW_COUNT; i++) {
		size_t end = strlen(letters);

		options[i] = rows[i].option;
		if (rows[i].option.val >= WITHOUT_LETTER)
			continue;
		letters[end] = (char)rows[i].option.val;
		letters[end + 1] =
			rows[i].option.has_arg == no_argument ? '\0' : ':';
	}
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread exists yet */
	while ((option = getopt_long(count, values, letters, options, NULL)) !=
	       -1) {
		switch (option) {
		case 'c':
			arguments->path = optarg;
			break;
		case OPTION_CHECK:
			arguments->action = ACTION_CHECK;
			break;
		case OPTION_PRINT:
			arguments->action = ACTION_PRINT;
			break;
		case 'h':
			print_usage(stdout);
			*status_out = DONE;
			return false;
		case OPTION_VERSION:
			puts("templated " TEMPLATED_VERSION);
			*status_out = DONE;
			return false;
		default:
			print_usage(stderr);
			*status_out = WRONG;
			return false;
		}
	}
	if (optind == count)
		return true;
	fprintf(stderr, "templated: %s: unexpected argument\n", values[optind]);
	print_usage(stderr);
	*status_out = WRONG;
	return false;
}

static bool templated_load_config(const char *path, struct config *config)
{
	struct buffer message = {0};
	bool is_loaded;

	is_loaded = config_load(path, config, &message) == ERR_NONE;
	if (!is_loaded)
		fputs(message.data, stderr);
	buffer_free(&message);
	return is_loaded;
}

static int print_config(const struct config *config)
{
	struct buffer text = {0};

	config_print(config, &text);
	fwrite(text.data, 1, text.size, stdout);
	buffer_free(&text);
	return fflush(stdout) == 0 ? DONE : FAILED;
}

/*
 * Block the signals that the main loop waits for. Call this before any thread
 * is started, so that all threads inherit it and only the main loop gets the
 * signals.
 */
static sigset_t block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	/*
	 * The parent process may have ignored SIGCHLD, which this process
	 * inherits. Then the kernel would reap the children itself, and this
	 * process would not notice when the spawner exits.
	 */
	signal(SIGCHLD, SIG_DFL);
	return set;
}

/*
 * Send `state`, such as "READY=1", and a status line for users to the service
 * manager.
 */
static void tell_manager(const struct service *service, const char *state)
{
	struct buffer text = {0};

	if (!notify_is_wanted())
		return;
	buffer_printf(&text, "%s\nSTATUS=", state);
	service_describe(service, &text);
	notify_send(text.data);
	buffer_free(&text);
}

static void templated_reload(struct service *service)
{
	char state[64];

	snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
		 clock_read_us(CLOCK_MONOTONIC));
	notify_send(state);
	service_reload(service);
	tell_manager(service, "READY=1");
}

/*
 * Return whether the spawner and the launcher are running. Without them no
 * process can be started, so the daemon must exit; the service manager then
 * restarts it.
 */
static bool has_starter(struct spawner *spawner)
{
	char why[PROCESS_END_BYTES];
	struct spawner *launcher = spawner_launcher(spawner);
	enum role role = ROLE_SPAWNER;

	if (spawner_check(spawner, why)) {
		if (launcher == NULL || spawner_check(launcher, why))
			return true;
		role = ROLE_LAUNCHER;
	}
	log_error("%s: has exited: %s; the daemon stops", role_name(role), why);
	return false;
}

/* Start the launcher if a browser is configured. */
static enum error templated_start_launcher(const struct config *config,
					   struct spawner *spawner)
{
	struct browser_options browser = browser_options_default;
	char variable[RENDERER_VARIABLE_BYTES];

	if (*config->browser == '\0' && *config->endpoint == '\0')
		return ERR_NONE;
	if (*config->endpoint == '\0')
		browser.program = config->browser;
	else
		browser.endpoint = config->endpoint;
	browser.insecure = config->is_browser_insecure != 0;
	browser.memory_bytes = config->browser_bytes;
	browser.total_bytes = config->browser_total_bytes;
	renderer_variable(&browser, variable);
	return launcher_create(spawner, variable);
}

static uint32_t pause_of_manager(void)
{
	uint32_t watchdog_ms = notify_watchdog_ms();
	uint32_t pause_ms = notify_is_wanted() ? STATUS_MS : LOOK_MS;

	return watchdog_ms != 0 && watchdog_ms < pause_ms ? watchdog_ms
							  : pause_ms;
}

/*
 * Handle signals until SIGTERM or SIGINT. Return false if the spawner has
 * exited.
 */
static bool templated_main_loop(struct service *service,
				struct spawner *spawner, const sigset_t *set)
{
	uint32_t pause_ms = pause_of_manager();
	const struct timespec pause = {
		.tv_sec = pause_ms / 1000U,
		.tv_nsec = (long)(pause_ms % 1000U) * 1000000L,
	};

	for (;;) {
		siginfo_t from = {0};
		int number = sigtimedwait(set, &from, &pause);

		if (number == SIGTERM || number == SIGINT) {
			log_info("%s from process %ld: stopping",
				 number == SIGINT ? "SIGINT" : "SIGTERM",
				 (long)from.si_pid);
			return true;
		}
		if (!has_starter(spawner))
			return false;
		if (number == SIGHUP)
			templated_reload(service);
		/*
		 * service_probe() returns only after the threads have responded
		 */
		service_probe(service);
		tell_manager(service, "WATCHDOG=1");
	}
}

static enum error templated_check_store(void *context,
					struct child_work_position *place,
					struct buffer *out)
{
	(void)out;
	snprintf(place->text, sizeof(place->text), "its pages");
	return store_check_unclean(context);
}

/*
 * If the last writer did not close the store, check the store in a separate
 * process. Call this before any thread is started. Return false if the store is
 * damaged; it is not changed then. The service reports other errors later.
 */
static bool recover_store(const struct config *config)
{
	const struct child_work trial = {
		.work = templated_check_store,
		.context = (void *)config->store_path,
		.limit_ms = config->check_ms > 0
				    ? config->check_ms
				    : child_work_limit_ms(config->store_path),
	};
	struct buffer out = {0};
	char why[CHILD_WORK_POSITION_BYTES];
	enum error error = run_in_child(&trial, &out, why);

	buffer_free(&out);
	if (error == ERR_STOPPED)
		log_error("store %s: %s; " STORE_ADVICE, config->store_path,
			  why);
	return error != ERR_STOPPED && error != ERR_CORRUPT;
}

/*
 * Enter the sandbox. From now on the main process cannot start processes
 * itself, and communicates only over its channels.
 */
static bool close_in(struct spawner *spawner, bool connects)
{
	struct process_entry entry = {
		.role = ROLE_MAIN,
		.pid = getpid(),
		.started_ms = clock_wall_ms(),
	};
	enum error error =
		sandbox_enter(&(struct sandbox_options){.role = ROLE_MAIN,
							.connects = connects},
			      &entry.walls);

	if (error != ERR_NONE) {
		log_error("%s: cannot enter the sandbox: %s; check the "
			  "kernel's seccomp and Landlock support",
			  role_name(ROLE_MAIN), error_text(error));
		return false;
	}
	process_table_add(spawner_process_table(spawner), &entry);
	return true;
}

/*
 * Open the certificate and the port with the rights of the original user,
 * because the configured user may have no access to them.
 */
static bool listen_for_tcp(const struct config *config,
			   struct tcp_listener **listener_out)
{
	*listener_out = NULL;
	if (*config->listen_address == '\0')
		return true;
	if (tcp_open(listener_out, config->listen_address,
		     config->listen_certificate,
		     config->listen_key) != ERR_NONE)
		return false;
	return !config_certifies_nodes(config) ||
	       tcp_trust(*listener_out, config->bus_ca_file) == ERR_NONE;
}

/*
 * Check, before the process enters the sandbox, what the service will use: the
 * sockets, on which another daemon may respond, the store and other files.
 */
static bool templated_check_places(const struct config *config)
{
	bool is_usable = listen_check(config->socket_path) == ERR_NONE;

	if (*config->reader_path != '\0' &&
	    listen_check(config->reader_path) != ERR_NONE)
		is_usable = false;
	return is_usable && recover_store(config) &&
	       service_check(config) == ERR_NONE;
}

static int serve_as_user(const struct config *config, const char *path,
			 const struct tcp_listener *listener)
{
	struct spawner *spawner = NULL;
	struct service *service = NULL;
	bool is_asked_to;
	sigset_t set;

	if (notify_is_wanted())
		datagram_open();
	set = block_signals();
	/*
	 * Start the spawner before anything is opened that other processes must
	 * not inherit.
	 */
	if (spawner_create(&spawner, config->allows_exec) != ERR_NONE)
		return FAILED;
	if (templated_start_launcher(config, spawner) != ERR_NONE ||
	    !close_in(spawner, *config->servers != '\0') ||
	    service_start(&service, config, path, spawner, listener) !=
		    ERR_NONE) {
		spawner_destroy(spawner);
		return FAILED;
	}
	tell_manager(service, "READY=1");
	is_asked_to = templated_main_loop(service, spawner, &set);
	notify_send("STOPPING=1");
	service_stop(service);
	spawner_destroy(spawner);
	return is_asked_to ? DONE : FAILED;
}

/*
 * Do what the start does as the user of the daemon. With ACTION_CHECK stop
 * before the first process is started.
 */
static int templated_start(const struct config *config,
			   const struct arguments *arguments,
			   const struct tcp_listener *listener)
{
	bool is_check = arguments->action == ACTION_CHECK;

	if (!account_become_user(config))
		return WRONG;
	if (!templated_check_places(config) ||
	    (is_check && service_check_data(config) != ERR_NONE))
		return FAILED;
	if (!is_check)
		return serve_as_user(config, arguments->path, listener);
	printf("%s: no errors; the daemon can start\n",
	       arguments->path == NULL ? "defaults" : arguments->path);
	return DONE;
}

static int templated_serve(struct config *config,
			   const struct arguments *arguments)
{
	struct tcp_listener *listener = NULL;
	int status = FAILED;

	service_set_log(config);
	if (arguments->path == NULL && !account_set_xdg_paths(config))
		return FAILED;
	activation_close_on_exec();
	/*
	 * Load the module for the broker with the rights of the original user,
	 * because root may keep the program in a folder that no other user can
	 * enter.
	 */
	if ((*config->servers == '\0' ||
	     broker_load(config->servers) != NULL) &&
	    listen_for_tcp(config, &listener))
		status = templated_start(config, arguments, listener);
	tcp_close(listener);
	return status;
}

/*
 * Run this process in the role `name`. The spawner executes this program again
 * for each role; see daemon/privsep/spawner_client.h.
 */
static int templated_run_role(const char *name)
{
	static const struct role_program programs[ROLE_COUNT] = {
		[ROLE_SPAWNER] = {spawner_main, NULL},
		[ROLE_FETCHER] = {fetcher_main, NULL},
		[ROLE_NOTIFIER] = {fetcher_main, NULL},
		[ROLE_WORKER] = {worker_main, charset_load},
		[ROLE_LAUNCHER] = {launcher_main, NULL},
		[ROLE_RENDERER] = {renderer_main, NULL},
	};

	return process_main(name, programs);
}

int main(int count, char **values)
{
	struct arguments arguments = {0};
	struct config config;
	int status;

	library_memory_install();
	if (count == 3 && strcmp(values[1], "--role") == 0)
		return templated_run_role(values[2]);
	if (!read_arguments(count, values, &arguments, &status))
		return status;
	if (!templated_load_config(arguments.path, &config))
		return WRONG;
	if (arguments.action == ACTION_PRINT)
		return print_config(&config);
	return templated_serve(&config, &arguments);
}
