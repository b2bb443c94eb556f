#include "tests/unit/daemon/nodes/broker.h"

#include <arpa/inet.h>
#include <check.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "tests/unit/run.h"

#define PROGRAM "nats-server"

enum { HEARD_BYTES = 1 << 16 };

static char heard[HEARD_BYTES];
static size_t heard_size;
static pthread_mutex_t heard_lock = PTHREAD_MUTEX_INITIALIZER;

static void hear(const struct log_event *event)
{
	pthread_mutex_lock(&heard_lock);
	heard_size +=
		(size_t)snprintf(heard + heard_size, HEARD_BYTES - heard_size,
				 "%.900s\n", event->message);
	if (heard_size > HEARD_BYTES - 1000)
		heard_size = 0;
	pthread_mutex_unlock(&heard_lock);
}

void broker_hear(void)
{
	log_set_sink(hear);
}

bool broker_has_said(const char *part)
{
	bool has;

	pthread_mutex_lock(&heard_lock);
	has = strstr(heard, part) != NULL;
	pthread_mutex_unlock(&heard_lock);
	return has;
}

/* NOLINTBEGIN(cert-env33-c,concurrency-mt-unsafe): commands of a test, which
 * starts its threads later */

bool broker_is_installed(void)
{
	return system("command -v " PROGRAM " >/dev/null 2>&1") == 0 &&
	       system("command -v openssl >/dev/null 2>&1") == 0;
}

/* Ports that are free, all at one time. */
static void pick_ports(uint16_t *ports, unsigned count)
{
	int sockets[2 * BROKER_SERVERS];

	for (unsigned i = 0; i < count; i++) {
		struct sockaddr_in address = {.sin_family = AF_INET,
					      .sin_addr.s_addr =
						      htonl(INADDR_LOOPBACK)};
		socklen_t size = sizeof(address);

		sockets[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		ck_assert_int_eq(
			bind(sockets[i], (struct sockaddr *)&address, size), 0);
		getsockname(sockets[i], (struct sockaddr *)&address, &size);
		ports[i] = ntohs(address.sin_port);
	}
	for (unsigned i = 0; i < count; i++)
		close(sockets[i]);
}

static void configure(const struct broker *broker, unsigned server)
{
	struct buffer text = {0};
	char path[128];

	buffer_printf(&text,
		      "server_name: s%u\n"
		      "listen: \"127.0.0.1:%u\"\n"
		      "jetstream { store_dir: \"%s/s%u\", max_file: 1G }\n%s\n",
		      server, broker->ports[server], broker->folder, server,
		      broker->settings);
	if (broker->count > 1) {
		buffer_printf(&text,
			      "cluster { name: test, listen: \"127.0.0.1:%u\", "
			      "routes: [",
			      broker->ports[BROKER_SERVERS + server]);
		for (unsigned i = 0; i < broker->count; i++)
			buffer_printf(&text, "\n\"nats://127.0.0.1:%u\"",
				      broker->ports[BROKER_SERVERS + i]);
		buffer_append_text(&text, "] }\n");
	}
	snprintf(path, sizeof(path), "%s/s%u.conf", broker->folder, server);
	ck_assert_int_eq(file_write(path, buffer_slice(&text)), ERR_NONE);
	buffer_free(&text);
}

void broker_resume(struct broker *broker, unsigned server)
{
	char path[128];
	char log[128];

	snprintf(path, sizeof(path), "%s/s%u.conf", broker->folder, server);
	snprintf(log, sizeof(log), "%s/s%u.log", broker->folder, server);
	broker->servers[server] = fork();
	ck_assert_int_ge(broker->servers[server], 0);
	if (broker->servers[server] != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	execlp(PROGRAM, PROGRAM, "-c", path, "-l", log, (char *)NULL);
	_exit(127);
}

void broker_kill(struct broker *broker, unsigned server)
{
	if (broker->servers[server] == 0)
		return;
	kill(broker->servers[server], SIGKILL);
	waitpid(broker->servers[server], NULL, 0);
	broker->servers[server] = 0;
}

void broker_start(struct broker *broker, unsigned count, const char *settings)
{
	size_t size = 0;

	*broker = (struct broker){.count = count,
				  .settings = settings,
				  .folder = "/tmp/broker-XXXXXX"};
	ck_assert_ptr_nonnull(mkdtemp(broker->folder));
	pick_ports(broker->ports, 2 * BROKER_SERVERS);
	for (unsigned i = 0; i < count; i++) {
		size += (size_t)snprintf(broker->urls + size,
					 sizeof(broker->urls) - size,
					 "%snats://127.0.0.1:%u",
					 i == 0 ? "" : ",", broker->ports[i]);
		configure(broker, i);
		broker_resume(broker, i);
	}
}

/* Its own folder with the files as an operator puts them there. */
static void install(const struct broker *broker, unsigned server,
		    const char *routes, const char *folder)
{
	char command[512];
	char path[128];

	snprintf(command, sizeof(command),
		 "cd %s && mkdir c%u && cp %s/*.conf secrets/passwords.conf "
		 "secrets/ca.pem c%u/ && cp secrets/localhost.pem "
		 "c%u/server.pem && cp secrets/localhost.key c%u/server.key",
		 broker->folder, server, folder, server, server, server);
	ck_assert_int_eq(system(command), 0);
	snprintf(path, sizeof(path), "%s/c%u/routes.conf", broker->folder,
		 server);
	ck_assert_int_eq(file_write(path, slice_of(routes)), ERR_NONE);
}

/* As the unit does: in the folder, the rest from the environment. */
static void run_conf(struct broker *broker, unsigned server)
{
	char text[128];

	broker->servers[server] = fork();
	ck_assert_int_ge(broker->servers[server], 0);
	if (broker->servers[server] != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	snprintf(text, sizeof(text), "%s/c%u", broker->folder, server);
	if (chdir(text) != 0)
		_exit(127);
	snprintf(text, sizeof(text), "%c", 'a' + (int)server);
	setenv("NATS_NAME", text, 1);
	snprintf(text, sizeof(text), "127.0.0.1:%u", broker->ports[server]);
	setenv("NATS_CLIENTS", text, 1);
	snprintf(text, sizeof(text), "127.0.0.1:%u",
		 broker->ports[BROKER_SERVERS + server]);
	setenv("NATS_SERVERS", text, 1);
	snprintf(text, sizeof(text), "%s/s%u", broker->folder, server);
	setenv("NATS_STORE", text, 1);
	execlp(PROGRAM, PROGRAM, "-c", "nats-server.conf", "-l", "log",
	       (char *)NULL);
	_exit(127);
}

void broker_start_conf(struct broker *broker, const char *folder)
{
	struct buffer routes = {0};
	char command[512];
	size_t size = 0;

	*broker = (struct broker){.count = BROKER_SERVERS,
				  .settings = "",
				  .folder = "/tmp/broker-XXXXXX"};
	ck_assert_ptr_nonnull(mkdtemp(broker->folder));
	pick_ports(broker->ports, 2 * BROKER_SERVERS);
	snprintf(command, sizeof(command),
		 "sh %s/make-secrets %s/secrets localhost", folder,
		 broker->folder);
	ck_assert_int_eq(system(command), 0);
	buffer_append_text(&routes, "routes: [\n");
	for (unsigned i = 0; i < broker->count; i++) {
		buffer_printf(&routes, "\"nats://localhost:%u\"\n",
			      broker->ports[BROKER_SERVERS + i]);
		size += (size_t)snprintf(broker->urls + size,
					 sizeof(broker->urls) - size,
					 "%stls://localhost:%u",
					 i == 0 ? "" : ",", broker->ports[i]);
	}
	buffer_append_text(&routes, "]\n");
	for (unsigned i = 0; i < broker->count; i++) {
		install(broker, i, routes.data, folder);
		run_conf(broker, i);
	}
	buffer_free(&routes);
}

void broker_end(struct broker *broker)
{
	char command[128];

	for (unsigned i = 0; i < broker->count; i++)
		broker_kill(broker, i);
	snprintf(command, sizeof(command), "rm -rf %s", broker->folder);
	ck_assert_int_eq(system(command), 0);
}

struct broker_options broker_options(const struct broker *broker)
{
	return (struct broker_options){.servers = broker->urls,
				       .name = "node-a",
				       .credentials = "",
				       .user = "",
				       .password_file = "",
				       .ca_file = "",
				       .certificate_file = "",
				       .key_file = "",
				       .timeout_ms = 2000,
				       .replicas = broker->count,
				       .lease_ms = 5000,
				       .event_age_s = 3600,
				       .creates = true};
}

enum error broker_try(struct broker **bus_out, const struct broker_ops *ops,
		      const struct broker_options *options)
{
	char why[BROKER_WHY_BYTES];
	enum error error = ops->open(bus_out, options, why);

	hear(&(struct log_event){.message = why});
	ck_assert_int_eq(error == ERR_NONE, why[0] == '\0');
	return error;
}

struct broker *broker_open(const struct broker_ops *ops,
			   const struct broker_options *options)
{
	struct broker *bus = NULL;
	enum error error = ERR_NETWORK;

	for (unsigned i = 0; i < 400 && error == ERR_NETWORK; i++) {
		error = broker_try(&bus, ops, options);
		if (error == ERR_NONE)
			return bus;
		test_sleep_ms(50);
	}
	ck_abort_msg("the servers did not get ready: %.600s", heard);
}

/* NOLINTEND(cert-env33-c,concurrency-mt-unsafe) */
