#include <unistd.h>

#include "base/file.h"
#include "crawl/transfer.h"
#include "tests/unit/crawl/client.h"
#include "tests/unit/crawl/tls_server.h"
#include "tests/unit/run.h"

static struct tls_server server;
static struct client client;

static void start_server(void)
{
	tls_server_start(&server);
}

static void stop_server(void)
{
	tls_server_stop(&server);
}

static void setup(void)
{
	client_open(&client, NULL, 0);
	client.ports[0] = server.port;
	client.options.ca_file = server.ca_file;
	client.options.keeps_headers = true;
	client_renew(&client);
}

static void teardown(void)
{
	client_close(&client);
}

static void fetch(const char *host, uint16_t port, const char *path,
		  bool is_private_ok)
{
	struct url url;
	char text[128];

	snprintf(text, sizeof(text), "https://%s:%u%s", host, port, path);
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	client_send(&client,
		    (struct fetch_request){.url = &url,
					   .is_private_ok = is_private_ok});
}

static void check_reason(const char *reason)
{
	client_check_error(&client, ERR_TLS);
	ck_assert_msg(strstr(client.result.reason, reason) != NULL, "%s",
		      client.result.reason);
}

FIXTURE(.setup_once = start_server, .teardown_once = stop_server,
	.setup = setup, .teardown = teardown, .timeout_s = 60,
	.is_possible = tls_server_is_possible);

TEST(an_authority_of_the_operator_is_trusted)
{
	fetch("localhost", server.port, "/", true);
	client_check_body(&client, "hello");
	ck_assert_str_eq(client.result.address, "127.0.0.1");
	client.options.ca_file = NULL;
	client_renew(&client);
	fetch("localhost", server.port, "/", true);
	check_reason("unable to get local issuer certificate");
}

TEST(certificates_are_checked)
{
	fetch("127.0.0.1", server.port, "/", true);
	check_reason("subject name");
	fetch("localhost", server.expired_port, "/", true);
	check_reason("certificate has expired");
}

TEST(https_is_http_2_over_one_connection)
{
	char number[32];

	fetch("localhost", server.port, "/connection", true);
	ASSERT_OK(client.result.error);
	ck_assert_int_eq(strncmp(client.result.head.data, "HTTP/2 200", 10), 0);
	ck_assert_int_eq(strncmp(client.result.request.data,
				 "GET /connection HTTP/2\r\n", 24),
			 0);
	snprintf(number, sizeof(number), "%s", client.result.body.data);
	for (int i = 0; i < 5; i++) {
		fetch("localhost", server.port, "/connection", true);
		client_check_body(&client, number);
	}
}

TEST(packed_over_http_2)
{
	fetch("localhost", server.port, "/long", true);
	ASSERT_OK(client.result.error);
	ck_assert_uint_eq(client.result.body.size, 4000);
	ck_assert_uint_lt(client.result.wire_bytes, 1000);
}

TEST(an_open_connection_of_http_2_does_not_pass_the_filter)
{
	fetch("localhost", server.port, "/", true);
	client_check_body(&client, "hello");
	fetch("localhost", server.port, "/", false);
	client_check_error(&client, ERR_ADDRESS_FORBIDDEN);
	ck_assert_uint_eq(client.result.http_status, 0);
	fetch("localhost", server.port, "/", true);
	client_check_body(&client, "hello");
}

static size_t count_certificates(const char *path)
{
	static const char begin[] = "-----BEGIN CERTIFICATE-----";
	AUTO_BUFFER pem = {0};
	size_t count = 0;

	ASSERT_OK(file_read(path, MAX_CA_BYTES, &pem));
	for (const char *at = strstr(pem.data, begin); at != NULL;
	     at = strstr(at + 1, begin))
		count++;
	return count;
}

TEST(it_is_added_to_those_of_the_system)
{
	struct ca_bundle system;
	struct ca_bundle all;

	ck_assert(ca_bundle_open(&system, NULL));
	ck_assert(ca_bundle_open(&all, server.ca_file));
	ck_assert_ptr_nonnull(all.file);
	ck_assert_uint_eq(
		count_certificates(all.file),
		1 + (system.is_complete ? count_certificates(system.file) : 0));
	ca_bundle_close(&all);
	ck_assert_ptr_null(all.file);
	ca_bundle_close(&all);
	ca_bundle_close(&system);
}

TEST(it_may_come_as_bytes)
{
	AUTO_BUFFER pem = {0};

	ASSERT_OK(file_read(server.ca_file, MAX_CA_BYTES, &pem));
	client.options.ca_file = NULL;
	client.options.ca_pem = buffer_slice(&pem);
	client_renew(&client);
	fetch("localhost", server.port, "/", true);
	client_check_body(&client, "hello");
}

TEST(a_missing_file_of_authorities_is_an_error)
{
	client.options.ca_file = "/nonexistent/ca.pem";
	ck_assert_ptr_null(fetcher_create(&client.options));
}
