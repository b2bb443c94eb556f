#include "crawl/fetch.h"

#include "tests/unit/run.h"

static struct curl_slist *list;

static void make(struct fetch_request request)
{
	curl_slist_free_all(list);
	list = request_headers(&request);
}

static void teardown(void)
{
	curl_slist_free_all(list);
}

/* The only line there is, or "". */
static const char *own(const char *headers)
{
	make((struct fetch_request){.headers = headers});
	if (list == NULL)
		return "";
	ck_assert_ptr_null(list->next);
	return list->data;
}

FIXTURE(.teardown = teardown);

TEST(nothing_asks_for_nothing)
{
	make((struct fetch_request){0});
	ck_assert_ptr_null(list);
	make((struct fetch_request){.etag = "", .modified = "", .headers = ""});
	ck_assert_ptr_null(list);
}

TEST(conditions)
{
	struct fetch_request request = {.etag = "W/\"1\"", .modified = "then"};

	make(request);
	ck_assert(request_is_conditional(&request));
	ck_assert_str_eq(list->data, "If-None-Match: W/\"1\"");
	ck_assert_str_eq(list->next->data, "If-Modified-Since: then");
	ck_assert_ptr_null(list->next->next);
	request = (struct fetch_request){.etag = "\"1\"\r\nHost: evil"};
	make(request);
	ck_assert_ptr_null(list);
	ck_assert(!request_is_conditional(&request));
}

TEST(a_condition_that_does_not_fit_is_none)
{
	char etag[MAX_ETAG + 1] = {0};
	struct fetch_request request = {.etag = etag};

	memset(etag, 'x', MAX_ETAG - 1);
	ck_assert(request_is_conditional(&request));
	make(request);
	ck_assert_uint_eq(strlen(list->data),
			  strlen("If-None-Match: ") + MAX_ETAG - 1);
	etag[MAX_ETAG - 1] = 'x';
	ck_assert(!request_is_conditional(&request));
}

TEST(own_lines)
{
	ck_assert_str_eq(own("Cookie: a=b; c=d"), "Cookie: a=b; c=d");
	ck_assert_str_eq(own("\n\r\nX-A: b:c\r\n\n"), "X-A: b:c");
	make((struct fetch_request){.headers = "A: 1\nB: 2\n"});
	ck_assert_str_eq(list->data, "A: 1");
	ck_assert_str_eq(list->next->data, "B: 2");
}

TEST(what_is_no_line_or_not_theirs_is_left_out)
{
	static const char *const lines[] = {"Host: evil",
					    "content-length: 5",
					    "Transfer-Encoding: chunked",
					    "CONNECTION: close",
					    "Keep-Alive: 5",
					    "TE: trailers",
					    "Upgrade: h2c",
					    "Expect: 100-continue",
					    "Accept-Encoding: zstd",
					    "Range: bytes=0-",
					    "If-None-Match: x",
					    "Proxy-Authorization: x",
					    "Proxy-",
					    "no colon",
					    ": no name",
					    "Two Words: x",
					    "Tab:\tx",
					    "Bell: \a",
					    "Latin: \xe9",
					    "Del: \x7f",
					    "A\rHost: evil"};

	for (size_t i = 0; i < COUNT_OF(lines); i++)
		ck_assert_msg(own(lines[i])[0] == '\0', "%s", lines[i]);
}

TEST(a_line_has_a_limit)
{
	static char line[5000] = "A: ";

	memset(line + 3, 'x', 4092); /* 4095 in all */
	ck_assert_uint_eq(strlen(own(line)), 4095);
	line[4095] = 'x';
	ck_assert_str_eq(own(line), "");
}
