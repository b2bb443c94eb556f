#include "tests/unit/crawl/tls_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/unit/run.h"

#define PATH "PATH=$PATH:/usr/sbin; export PATH; "

enum { LONG_BYTES = 4000, WAITS = 200 };

/* NOLINTBEGIN(concurrency-mt-unsafe,cert-env33-c): one thread, own commands */

bool tls_server_is_possible(void)
{
	if (system(PATH "command -v openssl >/dev/null &&"
			"command -v nginx >/dev/null") == 0)
		return true;
	printf("skipped: there is no openssl or no nginx\n");
	return false;
}

static void run(const char *folder, const char *command)
{
	AUTO_BUFFER line = {0};

	buffer_printf(&line, PATH "cd %s && (%s) >log 2>&1", folder, command);
	ck_assert_msg(system(line.data) == 0, "%s", line.data);
}

/* NOLINTEND(concurrency-mt-unsafe,cert-env33-c) */

static void make_certificates(const char *folder)
{
	run(folder, "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "
		    "/CN=templated-test-authority -keyout ca.key -out ca.pem");
	run(folder, "openssl req -newkey rsa:2048 -nodes -subj /CN=localhost "
		    "-keyout key.pem -out request.pem");
	run(folder, "echo subjectAltName=DNS:localhost > names");
	run(folder, "openssl x509 -req -in request.pem -CA ca.pem -CAkey "
		    "ca.key -CAcreateserial -days 2 -extfile names -out "
		    "good.pem");
	run(folder, "openssl x509 -req -in request.pem -CA ca.pem -CAkey "
		    "ca.key -CAcreateserial -days 0 -extfile names -out "
		    "expired.pem");
}

static void add_site(struct buffer *conf, const struct tls_server *server,
		     uint16_t port, const char *certificate)
{
	buffer_printf(conf,
		      "server { listen 127.0.0.1:%u ssl http2;\n"
		      "ssl_certificate %s/%s; ssl_certificate_key %s/key.pem;\n"
		      "location / { return 200 hello; }\n"
		      "location /connection { return 200 $connection; }\n"
		      "location /long { return 200 ",
		      port, server->folder, certificate, server->folder);
	for (int i = 0; i < LONG_BYTES; i++)
		buffer_append_byte(conf, 'x');
	buffer_append_text(conf, "; }\n}\n");
}

static void write_conf(const struct tls_server *server)
{
	static const char *const kinds[] = {"client_body", "proxy", "fastcgi",
					    "uwsgi", "scgi"};
	AUTO_BUFFER conf = {0};
	char path[96];

	buffer_printf(&conf,
		      "daemon off; master_process off; pid %s/pid;\n"
		      "error_log %s/error;\nevents {}\n"
		      "http { access_log off; default_type text/html;\n"
		      "gzip on; gzip_min_length 100;\n",
		      server->folder, server->folder);
	/* else it makes folders of the system's */
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		buffer_printf(&conf, "%s_temp_path %s/%s;\n", kinds[i],
			      server->folder, kinds[i]);
	add_site(&conf, server, server->port, "good.pem");
	add_site(&conf, server, server->expired_port, "expired.pem");
	buffer_append_text(&conf, "}\n");
	snprintf(path, sizeof(path), "%s/conf", server->folder);
	ck_assert_int_eq(file_write(path, buffer_slice(&conf)), 0);
}

static bool is_listening(uint16_t port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons(port),
				      .sin_addr.s_addr =
					      htonl(INADDR_LOOPBACK)};
	int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool is_open = connect(client, (const struct sockaddr *)&address,
			       sizeof(address)) == 0;

	close(client);
	return is_open;
}

static void start_nginx(struct tls_server *server)
{
	char command[512];

	snprintf(command, sizeof(command),
		 PATH "exec nginx -p %s -c %s/conf -e %s/error >%s/log 2>&1",
		 server->folder, server->folder, server->folder,
		 server->folder);
	server->pid = fork();
	if (server->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(EXIT_FAILURE);
	}
	for (int i = 0; i < WAITS && !is_listening(server->port); i++)
		usleep(50000);
	ck_assert(is_listening(server->port));
}

void tls_server_start(struct tls_server *server)
{
	*server = (struct tls_server){.folder = "/tmp/templated-tls-XXXXXX"};
	ck_assert_ptr_nonnull(mkdtemp(server->folder));
	snprintf(server->ca_file, sizeof(server->ca_file), "%s/ca.pem",
		 server->folder);
	make_certificates(server->folder);
	server->port = test_free_port();
	server->expired_port = test_free_port();
	write_conf(server);
	start_nginx(server);
}

void tls_server_stop(struct tls_server *server)
{
	char command[96];

	kill(server->pid, SIGKILL);
	waitpid(server->pid, NULL, 0);
	snprintf(command, sizeof(command), "rm -r %s", server->folder);
	/* NOLINTNEXTLINE(concurrency-mt-unsafe,cert-env33-c): as above */
	ck_assert_int_eq(system(command), 0);
}
