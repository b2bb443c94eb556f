#include "tests/unit/crawl/client.h"
#include "tests/unit/run.h"

#define HELLO OK_HTML "Content-Length: 5\r\n\r\nhello"

/* The server is a proxy, too: then requests have whole URLs. */
static const struct route routes[] = {
	{.path = "/page", .keeps_open = 1, .answer = HELLO},
	{.path = "http://93.184.216.34/page", .keeps_open = 1, .answer = HELLO},
	{.path = "http://example.org:25/page",
	 .keeps_open = 1,
	 .answer = HELLO},
	{.path = "http://127.0.0.1/page", .keeps_open = 1, .answer = HELLO},
};

static struct client client;
static char proxy[64];

static void setup(void)
{
	client_isolate();
	client_open(&client, routes, COUNT_OF(routes));
	snprintf(proxy, sizeof(proxy), "http://127.0.0.1:%u",
		 client.server.port);
}

static void teardown(void)
{
	client_close(&client);
}

static struct url parse(const char *text)
{
	struct url url;

	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	return url;
}

/* The filter was not opened for it. */
static void fetch_closed(const char *text)
{
	struct url url = parse(text);

	client_send(&client, (struct fetch_request){.url = &url});
}

static void check_refused(const char *reason)
{
	client_check_error(&client, ERR_ADDRESS_FORBIDDEN);
	ck_assert_msg(strstr(client.result.reason, reason) != NULL, "%s",
		      client.result.reason);
	ck_assert_uint_eq(client.result.http_status, 0);
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 60,
	.is_possible = client_can_isolate);

TEST(private_addresses_are_refused_before_a_packet)
{
	static const char *const texts[] = {
		"http://10.0.0.1/",
		"http://127.0.0.1/",
		"http://localhost/",
		"http://169.254.169.254/latest/",
		"http://[fe80::1]/",
		"http://[::1]/",
		"http://[::]/",
		"http://[::ffff:10.0.0.1]/",
		"http://[64:ff9b::169.254.169.254]/",
		"http://[64:ff9b:1::a00:1]/",
		"http://[2002:a00:1::1]/",
		"http://[2001::1]/",
		"http://0x7f.1/",
		"http://2130706433/",
		"http://017700000001/",
		"http://0/",
		"http://10.1/",
		"http://0251.0376.0251.0376/",
		"https://192.168.1.1/"};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		fetch_closed(texts[i]);
		check_refused("private or reserved");
		ck_assert_str_eq(client.result.address, "");
	}
}

/* A packet would be lost here; the filter does not stop it. */
TEST(public_addresses_are_tried)
{
	fetch_closed("http://93.184.216.34/");
	client_check_error(&client, ERR_NOT_CONNECTED);
	fetch_closed("http://[2606:2800:220:1:248:1893:25c8:1946]/");
	client_check_error(&client, ERR_NOT_CONNECTED);
}

TEST(an_open_connection_does_not_pass_the_filter)
{
	struct url url = client_url(&client, "/page");

	client_fetch(&client, "/page");
	client_check_body(&client, "hello");
	ck_assert_str_eq(client.result.address, "127.0.0.1");
	client_send(&client, (struct fetch_request){.url = &url});
	check_refused("127.0.0.1");
	client_fetch(&client, "/page");
	client_check_body(&client, "hello");
}

static void allow(const char *text)
{
	static struct network network;

	ASSERT_OK(network_parse(text, &network));
	client.options.allowed = &network;
	client.options.allowed_count = 1;
	client_renew(&client);
}

TEST(an_allowed_network_is_reached)
{
	struct url url = client_url(&client, "/page");

	allow("127.0.0.0/8");
	for (unsigned i = 0; i < 2; i++) {
		client_send(&client,
			    (struct fetch_request){.url = &url,
						   .is_network_ok = true});
		client_check_body(&client, "hello");
	}
}

/* Not even by the connection of one that may. */
TEST(an_allowed_network_is_closed_to_others)
{
	struct url url = client_url(&client, "/page");

	allow("127.0.0.0/8");
	client_send(&client, (struct fetch_request){.url = &url});
	check_refused("127.0.0.1");
	client_send(&client,
		    (struct fetch_request){.url = &url, .is_network_ok = true});
	client_check_body(&client, "hello");
	client_send(&client, (struct fetch_request){.url = &url});
	check_refused("127.0.0.1");
}

TEST(only_these_ports_are_open)
{
	fetch_closed("http://93.184.216.34:22/");
	check_refused("port 22");
	fetch_closed("https://[2606:2800::1]:6379/");
	check_refused("port 6379");
	client.options.port_count = 0;
	client_renew(&client);
	fetch_closed("http://93.184.216.34:8080/");
	client_check_error(&client, ERR_NOT_CONNECTED);
	fetch_closed("http://93.184.216.34:8081/");
	check_refused("port 8081");
	/* the operator named this one */
	client_fetch(&client, "/page");
	client_check_body(&client, "hello");
}

TEST(an_allowed_network_has_the_ports_of_everybody)
{
	struct url url = client_url(&client, "/page");

	client.options.port_count = 0;
	allow("127.0.0.1");
	client_send(&client,
		    (struct fetch_request){.url = &url, .is_network_ok = true});
	check_refused("port ");
	client_send(&client, (struct fetch_request){.url = &url,
						    .is_network_ok = true,
						    .is_port_ok = true});
	client_check_body(&client, "hello");
}

TEST(a_port_alone_may_be_opened)
{
	struct url url = client_url(&client, "/page");
	struct url far = parse("http://93.184.216.34:9000/");

	client.options.port_count = 0;
	client_renew(&client);
	client_send(&client,
		    (struct fetch_request){.url = &url, .is_port_ok = true});
	check_refused("127.0.0.1");
	client_send(&client,
		    (struct fetch_request){.url = &far, .is_port_ok = true});
	client_check_error(&client, ERR_NOT_CONNECTED);
}

TEST(a_proxy_must_be_trusted)
{
	struct url url = parse("http://93.184.216.34/page");

	client_send(&client,
		    (struct fetch_request){.url = &url, .proxy = proxy});
	check_refused("proxy");
	client.options.proxy = proxy;
	client_renew(&client);
	fetch_closed("http://93.184.216.34/page");
	check_refused("proxy");
	client.options.is_proxy_trusted = true;
	client_renew(&client);
	fetch_closed("http://93.184.216.34/page");
	client_check_body(&client, "hello");
	ck_assert_str_eq(client.result.address, "127.0.0.1");
}

TEST(a_trusted_proxy_gets_only_allowed_addresses)
{
	client.options.proxy = proxy;
	client.options.is_proxy_trusted = true;
	client_renew(&client);
	fetch_closed("http://127.0.0.1/page");
	check_refused("127.0.0.1");
	fetch_closed("http://10.0.0.1/page");
	check_refused("10.0.0.1");
	fetch_closed("http://example.org:25/page");
	check_refused("port 25");
}

/* The connection to the proxy is open, and leads to a private address. */
TEST(without_its_proxy_a_request_is_on_its_own)
{
	struct url url = parse("http://93.184.216.34/page");
	struct url direct = client_url(&client, "/page");

	client.options.is_proxy_trusted = true;
	client_renew(&client);
	client_send(&client,
		    (struct fetch_request){.url = &url, .proxy = proxy});
	client_check_body(&client, "hello");
	fetch_closed("http://93.184.216.34/page");
	client_check_error(&client, ERR_NOT_CONNECTED);
	client_send(&client, (struct fetch_request){.url = &direct});
	check_refused("127.0.0.1");
}

TEST(the_environment_names_no_proxy)
{
	/* NOLINTBEGIN(concurrency-mt-unsafe): one thread */
	setenv("http_proxy", "http://127.0.0.1:1/", 1);
	setenv("ALL_PROXY", "http://127.0.0.1:1/", 1);
	client_fetch(&client, "/page");
	client_check_body(&client, "hello");
	setenv("no_proxy", "*", 1);
	/* NOLINTEND(concurrency-mt-unsafe) */
	client.options.proxy = proxy;
	client.options.is_proxy_trusted = true;
	client_renew(&client);
	fetch_closed("http://93.184.216.34/page");
	client_check_body(&client, "hello");
}
