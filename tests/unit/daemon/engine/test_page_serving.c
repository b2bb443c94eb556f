/* The requests of a page. This suite replaces the fetcher. */
#include "daemon/engine/page_serving.h"

#include "base/memory.h"
#include "daemon/privsep/fetcher_client.h"
#include "tests/unit/run.h"

enum {
	PAGE = 7,
	REQUESTS = 30,
	BODY_BYTES = 300,
	PAGE_BYTES = 1000,
};

/* The requests of the fetcher; from `first` on they are being fetched. */
static struct {
	void *contexts[REQUESTS]; /* [count] */
	size_t limits[REQUESTS];  /* bytes of the responses */
	size_t first;
	size_t count;
	size_t most;        /* at a time */
	struct buffer body; /* of the last request */
	bool is_done;       /* the response of `first` may be taken */
} fake;

struct fetcher_client *
fetcher_client_create(const struct fetcher_client_options *options)
{
	(void)options;
	return mem_alloc(1, 1);
}

void fetcher_client_destroy(struct fetcher_client *remote)
{
	free(remote);
}

void fetcher_client_start(struct fetcher_client *remote,
			  const struct fetch_request *request, bool is_sitemap)
{
	(void)remote;
	ck_assert(!is_sitemap && fake.count < REQUESTS);
	buffer_clear(&fake.body);
	buffer_append_slice(&fake.body, request->body);
	fake.contexts[fake.count] = request->context;
	fake.limits[fake.count++] = request->max_body_bytes == 0
					    ? BODY_BYTES
					    : request->max_body_bytes;
	if (fake.count - fake.first > fake.most)
		fake.most = fake.count - fake.first;
}

/* The oldest request gets a response that is as large as it may be. */
void fetcher_client_run(struct fetcher_client *remote, uint32_t timeout_ms,
			const int *files, size_t count)
{
	(void)remote;
	(void)timeout_ms;
	(void)files;
	(void)count;
	fake.is_done = fake.first < fake.count;
}

bool fetcher_client_next(struct fetcher_client *remote,
			 struct fetch_result *result_out)
{
	(void)remote;
	if (!fake.is_done)
		return false;
	*result_out = (struct fetch_result){
		.context = fake.contexts[fake.first], .http_status = 200};
	buffer_append_text(&result_out->head, "HTTP/1.1 200 OK\r\n\r\n");
	for (size_t i = 0; i < fake.limits[fake.first]; i++)
		buffer_append_byte(&result_out->body, 'x');
	fake.first++;
	fake.is_done = false;
	return true;
}

/* The tests. */

static struct page_server *server;
static struct page_serving *serving;
static struct render_task task;
static struct url page_url;

static void begin(void)
{
	const struct rendering_options options = {
		.page = {.max_wall_ms = 1000,
			 .max_requests = REQUESTS,
			 .max_bytes = PAGE_BYTES},
		.fetch = {.max_body_bytes = BODY_BYTES},
		.ignores_robots = true,
	};

	memset(&fake, 0, sizeof(fake));
	ASSERT_OK(url_parse(&page_url, slice_of("http://a.test/"), NULL));
	task = (struct render_task){.url = &page_url};
	server = page_server_create(&options);
	ck_assert(page_server_start(server));
	serving = page_serving_open(server, PAGE, &task);
}

static void end(void)
{
	page_serving_close(serving);
	page_server_destroy(server);
	buffer_free(&fake.body);
}

FIXTURE(.setup = begin, .teardown = end);

static void ask(uint32_t number, const char *url)
{
	ck_assert(page_serving_ask(serving, &(struct page_request){
						    .number = number,
						    .method = "GET",
						    .url = url,
						    .kind = RENDER_DATA,
					    }));
}

TEST(responses_in_memory_do_not_exceed_the_bytes_of_the_page)
{
	struct served_answer served;
	size_t answered = 0;
	size_t bytes = 0;

	for (uint32_t i = 0; i < REQUESTS; i++) {
		char url[64];

		snprintf(url, sizeof(url), "http://host%u.test/", i);
		ask(i, url);
	}
	for (size_t i = 0; i < (size_t)2 * REQUESTS; i++)
		page_server_run(server, 0, NULL, 0);
	while (page_server_answer(server, &served)) {
		ck_assert_uint_eq(served.page, PAGE);
		bytes += served.answer.body.size;
		answered++;
		page_server_drop(server);
	}
	ck_assert_uint_eq(answered, REQUESTS);
	ck_assert_uint_eq(bytes, PAGE_BYTES);
	ck_assert_uint_eq(fake.most, PAGE_BYTES / BODY_BYTES);
}

TEST(a_page_that_ends_leaves_its_transfers)
{
	struct served_answer served;

	ask(1, "http://a.test/1");
	ask(2, "http://a.test/2");
	page_serving_close(serving);
	serving = page_serving_open(server, PAGE + 1, &task);
	for (size_t i = 0; i < 4; i++)
		page_server_run(server, 0, NULL, 0);
	ck_assert_uint_eq(fake.first, 2);
	ck_assert(!page_server_answer(server, &served));
}

/* Requests with a body. */

#define JSON "Content-Type: application/json\r\n"
#define OWN  "Origin: http://a.test\r\n"

static struct page_request post_of(const char *url, const char *head)
{
	static uint32_t number;

	return (struct page_request){
		.number = ++number,
		.method = "POST",
		.url = url,
		.head = slice_of(head),
		.body = slice_of("{}"),
		.kind = RENDER_DATA,
	};
}

/* Return whether the request is sent, with its body. */
static bool is_sent(struct page_request request)
{
	const size_t count = fake.count;
	struct served_answer served;
	bool is_new;

	ck_assert(page_serving_ask(serving, &request));
	is_new = fake.count > count;
	ck_assert(!is_new ||
		  slice_equal(buffer_slice(&fake.body), request.body));
	page_server_run(server, 0, NULL, 0);
	ck_assert(page_server_answer(server, &served));
	ck_assert((served.answer.status == 200) == is_new);
	page_server_drop(server);
	return is_new;
}

TEST(queries_of_the_site_to_itself_are_sent)
{
	static const char *const types[] = {
		"application/json",    "Application/JSON ; charset=utf-8",
		"application/graphql", "application/graphql-response+json",
		"application/ld+json",
	};
	char head[128];

	ASSERT_OK(url_parse(&page_url, slice_of("http://www.a.test/"), NULL));
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		snprintf(head, sizeof(head), OWN "Content-Type: %s\r\n",
			 types[i]);
		/* each of these has the bytes of a page of its own */
		page_serving_close(serving);
		serving = page_serving_open(server, PAGE, &task);
		ck_assert_msg(is_sent(post_of("http://api.a.test/q", head)),
			      "%s", types[i]);
	}
}

TEST(other_types_of_a_body_are_refused)
{
	static const char *const heads[] = {
		OWN,
		OWN "Content-Type: application/x-www-form-urlencoded\r\n",
		OWN "Content-Type: multipart/form-data; boundary=a\r\n",
		OWN "Content-Type: text/plain; a=application/json\r\n",
		OWN "Content-Type: application/jsonp\r\n",
		OWN "Content-Type: +json\r\n",
		OWN JSON "Content-Type: text/plain\r\n",
		OWN JSON JSON,
	};

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		ck_assert_msg(!is_sent(post_of("http://a.test/q", heads[i])),
			      "%s", heads[i]);
}

TEST(other_sites_and_kinds_of_a_body_are_refused)
{
	struct page_request request = post_of("http://a.test/q", OWN JSON);

	ck_assert(!is_sent(post_of("http://b.test/q", OWN JSON)));
	ck_assert(!is_sent(post_of("http://a.test/q", JSON)));
	ck_assert(
		!is_sent(post_of("http://a.test/q", "Origin: null\r\n" JSON)));
	ck_assert(!is_sent(post_of("http://a.test/q",
				   OWN "Referer: http://b.test/\r\n" JSON)));
	request.kind = RENDER_OTHER; /* a beacon */
	ck_assert(!is_sent(request));
	request.kind = RENDER_DOCUMENT; /* a form */
	ck_assert(!is_sent(request));
	request.kind = RENDER_DATA;
	request.method = "PUT";
	ck_assert(!is_sent(request));
	request.method = "POST";
	request.body.size = 0;
	ck_assert(!is_sent(request));
	ck_assert(is_sent(post_of("http://a.test/q", OWN JSON)));
}

TEST(only_the_preflight_of_a_post_is_sent)
{
	struct page_request request = post_of("http://api.a.test/q", OWN);

	request.method = "OPTIONS";
	request.body.size = 0;
	ck_assert(!is_sent(request));
	request.head = slice_of("Access-Control-Request-Method: POST\r\n" OWN);
	ck_assert(is_sent(request));
	request.head = slice_of("Access-Control-Request-Method: PUT\r\n" OWN);
	ck_assert(!is_sent(request));
	request.head = slice_of("Access-Control-Request-Method: POST\r\n"
				"Origin: http://b.test\r\n");
	ck_assert(!is_sent(request));
}

TEST(the_body_of_a_get_is_not_sent)
{
	struct page_request request = post_of("http://a.test/q", OWN JSON);

	request.method = "GET";
	ck_assert(page_serving_ask(serving, &request));
	ck_assert_uint_eq(fake.count, 1);
	ck_assert_uint_eq(fake.body.size, 0);
}

TEST(the_bodies_of_a_page_have_a_limit)
{
	static char text[MAX_RENDER_BODY];
	struct page_request request = post_of("http://a.test/q", OWN JSON);

	request.body = (struct slice){text, sizeof(text)};
	for (size_t i = 0; i < 4; i++) {
		ck_assert(page_serving_ask(serving, &request));
		request.number += 1000;
	}
	while (fake.first < fake.count)
		page_server_run(server, 0, NULL, 0);
	ck_assert_uint_eq(fake.count, 4);
	ck_assert(page_serving_ask(serving, &request));
	page_server_run(server, 0, NULL, 0);
	ck_assert_uint_eq(fake.count, 4);
}
