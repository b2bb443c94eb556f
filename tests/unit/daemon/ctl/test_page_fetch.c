#include "daemon/ctl/offline_input.h"

#include "tests/unit/crawl/server.h"
#include "tests/unit/run.h"

#define HTML "HTTP/1.1 200 OK\r\nContent-Type: text/html;charset=utf-8\r\n"
#define BODY "Content-Length: 5\r\nConnection: close\r\n\r\n<p>hi"

#define HOP(from, to)                                                          \
	{                                                                      \
		.path = (from),                                                \
		.answer = "HTTP/1.1 301 Moved\r\nLocation: " to                \
			  "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" \
	}

static const struct route routes[] = {
	{.path = "/robots.txt",
	 .answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
		   "Content-Length: 47\r\nConnection: close\r\n\r\n"
		   "User-agent: *\nCrawl-delay: 0\nDisallow: /private\n"},
	{.path = "/page", .answer = HTML BODY},
	{.path = "/on",
	 .answer = "HTTP/1.1 302 Found\r\nLocation: /page\r\n"
		   "Content-Length: 0\r\nConnection: close\r\n\r\n"},
	{.path = "/in",
	 .answer = "HTTP/1.1 302 Found\r\nLocation: /private/page\r\n"
		   "Content-Length: 0\r\nConnection: close\r\n\r\n"},
	{.path = "/other",
	 .answer = "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.2:81/\r\n"
		   "Content-Length: 0\r\nConnection: close\r\n\r\n"},
	HOP("/11", "/10"),
	HOP("/10", "/9"),
	HOP("/9", "/8"),
	HOP("/8", "/7"),
	HOP("/7", "/6"),
	HOP("/6", "/5"),
	HOP("/5", "/4"),
	HOP("/4", "/3"),
	HOP("/3", "/2"),
	HOP("/2", "/on"),
	{.path = "/gone",
	 .answer = "HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n"
		   "Connection: close\r\n\r\n"},
};

static struct server server;
static struct page_fetcher *fetcher;
static struct buffer trouble;
static struct fetched_page page;

static void setup(void)
{
	server = server_start(routes, COUNT_OF(routes));
	fetcher = page_fetcher_create(1 << 20, NULL);
	ck_assert_ptr_nonnull(fetcher);
}

static void teardown(void)
{
	page_fetcher_destroy(fetcher);
	server_stop(&server);
	buffer_free(&trouble);
	buffer_free(&page.body);
	buffer_free(&page.charset);
}

static bool get(const char *path)
{
	char text[128];
	struct url url;

	snprintf(text, sizeof(text), "http://127.0.0.1:%u%s", server.port,
		 path);
	ASSERT_OK(url_parse(&url, slice_of(text), NULL));
	return page_fetch(fetcher, &url, &page, &trouble);
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_page_comes_with_its_address_after_redirects)
{
	ck_assert_msg(get("/on"), "%s", trouble.data);
	ck_assert_str_eq(page.body.data, "<p>hi");
	ck_assert_str_eq(page.charset.data, "utf-8");
	ck_assert_str_eq(page.url.text + page.url.path, "/page");
}

TEST(ten_redirects_are_followed)
{
	ck_assert_msg(get("/10"), "%s", trouble.data);
	ck_assert_str_eq(page.url.text + page.url.path, "/page");
}

TEST(an_eleventh_redirect_is_not)
{
	ck_assert(!get("/11"));
	ck_assert_str_eq(trouble.data, "more than 10 redirects");
}

TEST(robots_are_obeyed_after_redirects_too)
{
	ck_assert(!get("/private/page"));
	ck_assert_str_eq(trouble.data, "forbidden by line 3 of robots.txt: "
				       "Disallow: /private");
	buffer_clear(&trouble);
	ck_assert(!get("/in"));
	ck_assert_ptr_nonnull(strstr(trouble.data, "line 3 of robots.txt"));
}

/* 127.0.0.2 is no address that was named. */
TEST(a_redirect_leads_to_no_private_address)
{
	ck_assert(!get("/other"));
	ck_assert_ptr_nonnull(
		strstr(trouble.data, "cannot fetch its robots.txt"));
	ck_assert_ptr_nonnull(strstr(trouble.data, "127.0.0.2"));
}

TEST(what_is_no_page_is_told)
{
	ck_assert(!get("/gone"));
	ck_assert_str_eq(trouble.data, "HTTP status 410");
}
