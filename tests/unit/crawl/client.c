#include "tests/unit/crawl/client.h"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/run.h"

static bool isolate(void)
{
	struct ifreq loopback = {.ifr_name = "lo",
				 .ifr_flags = IFF_UP | IFF_RUNNING};
	int socket_of_net;
	bool is_up;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
		return false;
	socket_of_net = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	is_up = ioctl(socket_of_net, SIOCSIFFLAGS, &loopback) == 0;
	close(socket_of_net);
	return is_up;
}

bool client_can_isolate(void)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0)
		_exit(isolate() ? EXIT_SUCCESS : EXIT_FAILURE);
	if (waitpid(child, &status, 0) == child && status == 0)
		return true;
	printf("skipped: there are no network namespaces here\n");
	return false;
}

void client_isolate(void)
{
	ck_assert(isolate());
}

void client_renew(struct client *client)
{
	fetcher_destroy(client->fetcher);
	client->fetcher = fetcher_create(&client->options);
	ck_assert_ptr_nonnull(client->fetcher);
}

void client_open(struct client *client, const struct route *routes,
		 size_t count)
{
	*client = (struct client){
		.server = server_start(routes, count),
		.ports = {0, 80, 443},
	};
	client->ports[0] = client->server.port;
	client->options = (struct fetch_options){
		.user_agent = "templated-test",
		.max_body_bytes = CLIENT_MAX_BODY,
		.connect_timeout_ms = 5000,
		.total_timeout_ms = 20000,
		.stall_timeout_ms = 30000,
		.max_connections = 8,
		.ports = client->ports,
		.port_count = 3,
	};
	client_renew(client);
}

void client_close(struct client *client)
{
	fetch_result_free(&client->result);
	fetcher_destroy(client->fetcher);
	client->fetcher = NULL;
	server_stop(&client->server);
}

struct url client_url(const struct client *client, const char *path)
{
	char text[256];
	struct url url;

	snprintf(text, sizeof(text), "http://127.0.0.1:%u%s",
		 client->server.port, path);
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	return url;
}

void client_begin(struct client *client, const struct url *url,
		  bool is_private_ok, void *context)
{
	fetcher_start(client->fetcher, &(struct fetch_request){
					       .url = url,
					       .is_private_ok = is_private_ok,
					       .context = context,
				       });
}

void client_send(struct client *client, struct fetch_request request)
{
	request.context = client;
	fetcher_start(client->fetcher, &request);
	fetch_result_free(&client->result);
	/* a server that sends byte by byte wakes it often; Check ends the rest
	 */
	while (!fetcher_next(client->fetcher, &client->result))
		fetcher_run(client->fetcher, 1000);
	ck_assert_uint_eq(fetcher_running(client->fetcher), 0);
	ck_assert_ptr_eq(client->result.context, client);
}

void client_ask(struct client *client, const char *path,
		struct fetch_request request)
{
	struct url url = client_url(client, path);

	request.url = &url;
	request.is_private_ok = true;
	client_send(client, request);
}

void client_fetch(struct client *client, const char *path)
{
	client_ask(client, path, (struct fetch_request){0});
}

void client_check_body(const struct client *client, const char *text)
{
	const struct fetch_result *result = &client->result;

	ck_assert_msg(result->error == ERR_NONE, "%s", result->reason);
	ck_assert_msg(!result->is_cut, "%s", result->reason);
	ck_assert_str_eq(result->body.data, text);
	ck_assert_uint_eq(result->body.size, strlen(text));
}

/* An error has a reason and no body. */
void client_check_error(const struct client *client, enum error error)
{
	const struct fetch_result *result = &client->result;

	ck_assert_msg(result->error == error, "%s: %s",
		      error_text(result->error), result->reason);
	ck_assert_str_ne(result->reason, "");
	ck_assert_uint_eq(result->body.size, 0);
}

/* The received bytes are kept, and marked as truncated. */
void client_check_cut(const struct client *client, size_t size, bool is_broken)
{
	const struct fetch_result *result = &client->result;

	ck_assert_msg(result->error == ERR_NONE, "%s: %s",
		      error_text(result->error), result->reason);
	ck_assert(result->is_cut);
	ck_assert(result->is_broken == is_broken);
	ck_assert_str_ne(result->reason, "");
	ck_assert_uint_eq(result->body.size, size);
}
