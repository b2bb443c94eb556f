#include "crawl/fetch.h"

#include "page/robots_tag.h"
#include "tests/unit/run.h"

static struct response_head answer;
static struct fetch_result result;

/* Read these lines as the answer to a request for this page. */
static void read_lines(uint16_t status, const char *const *lines, size_t count)
{
	struct url url;

	ASSERT_OK(url_parse(&url, slice_of("http://a.example/b/c"), NULL));
	response_head_begin(&answer);
	result = (struct fetch_result){.http_status = status};
	for (size_t i = 0; i < count; i++)
		response_head_take(&answer, slice_of(lines[i]), &url);
	response_head_finish(&answer, 784111777, &result);
}

static void read_line(uint16_t status, const char *line)
{
	read_lines(status, &line, 1);
}

TEST(an_empty_head_is_of_html)
{
	read_lines(200, NULL, 0);
	ck_assert(result.is_html);
	ck_assert_str_eq(result.charset, "");
	ck_assert_str_eq(result.redirect, "");
	ck_assert_uint_eq(result.retry_after_s, 0);
	ck_assert_uint_eq(answer.codings.count, 0);
	ck_assert(!answer.is_unreadable);
}

TEST(types_may_be_long_or_strange)
{
	char line[300] = "Content-Type: application/pdf; name=";

	memset(line + strlen(line), 'x', 200);
	read_line(200, line);
	ck_assert(!result.is_html);
	read_line(200, "Content-Type: application/pdf; name=r\xe9sum\xe9");
	ck_assert(!result.is_html);
	ck_assert_str_eq(answer.content_type, "application/pdf; name=r?sum?");
	read_line(200, "content-type: text/html; charset=koi8-r");
	ck_assert(result.is_html);
	ck_assert_str_eq(result.charset, "koi8-r");
}

/* "": it does not redirect. */
static const char *redirect_of(uint16_t status)
{
	read_line(status, "Location: ../d#e");
	return result.redirect;
}

TEST(five_statuses_redirect)
{
	ck_assert_str_eq(redirect_of(301), "http://a.example/d");
	ck_assert_str_eq(redirect_of(302), "http://a.example/d");
	ck_assert_str_eq(redirect_of(303), "http://a.example/d");
	ck_assert_str_eq(redirect_of(307), "http://a.example/d");
	ck_assert_str_eq(redirect_of(308), "http://a.example/d");
	ck_assert_str_eq(redirect_of(200), "");
	ck_assert_str_eq(redirect_of(201), "");
	ck_assert_str_eq(redirect_of(300), "");
	ck_assert_str_eq(redirect_of(304), "");
	ck_assert_str_eq(redirect_of(305), "");
	ck_assert_str_eq(redirect_of(404), "");
	read_line(302, "Location: javascript:alert(1)");
	ck_assert_str_eq(result.redirect, "");
}

TEST(only_sane_validators_are_kept)
{
	char line[200] = "ETag: \"";

	read_line(200, "ETag: \"a b\"");
	ck_assert_str_eq(result.etag, "\"a b\"");
	read_line(200, "ETag: \"a\tb\"");
	ck_assert_str_eq(result.etag, "");
	memset(line + strlen(line), 'x',
	       MAX_ETAG - 2); /* with the quote: 127 */
	read_line(200, line);
	ck_assert_uint_eq(strlen(result.etag), MAX_ETAG - 1);
	line[strlen(line)] = 'x'; /* zeros follow */
	read_line(200, line);
	ck_assert_str_eq(result.etag, "");
	read_line(200, "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT");
	ck_assert_str_eq(result.modified, "Sun, 06 Nov 1994 08:49:37 GMT");
	read_line(200, "Last-Modified: \x01");
	ck_assert_str_eq(result.modified, "");
}

TEST(retry_after_counts_from_the_date_of_the_server)
{
	static const char *const lines[] = {
		"Retry-After: Sun, 06 Nov 1994 08:50:37 GMT",
		"Date: Sun, 06 Nov 1994 08:50:07 GMT"};

	read_lines(503, lines, 1);
	ck_assert_uint_eq(result.retry_after_s, 60);
	read_lines(503, lines, 2);
	ck_assert_uint_eq(result.retry_after_s, 30);
	read_line(503, "Retry-After: 120");
	ck_assert_uint_eq(result.retry_after_s, 120);
}

TEST(robots_tags_add_up)
{
	static const char *const lines[] = {"X-Robots-Tag: nofollow",
					    "X-Robots-Tag: other: noindex",
					    "x-robots-tag: templated: noindex"};

	read_lines(200, lines, 2);
	ck_assert_uint_eq(result.robots_tag, ROBOTS_TAG_NOFOLLOW);
	read_lines(200, lines, 3);
	ck_assert_uint_eq(result.robots_tag,
			  ROBOTS_TAG_NOFOLLOW | ROBOTS_TAG_NOINDEX);
}

TEST(codings_add_up_over_headers)
{
	static const char *const lines[] = {"Content-Encoding: gzip",
					    "Content-Encoding: br",
					    "Content-Encoding: gzip"};

	read_lines(200, lines, 2);
	ck_assert_uint_eq(answer.codings.count, 2);
	ck_assert(!answer.is_unreadable);
	read_lines(200, lines, 3);
	ck_assert(answer.is_unreadable);
	read_line(200, "Content-Encoding:");
	ck_assert(!answer.is_unreadable);
	read_line(200, "Content-Encoding: compress");
	ck_assert(answer.is_unreadable);
	read_line(200, "Content-Encoding: UTF-8");
	ck_assert(!answer.is_unreadable);
	ck_assert_uint_eq(answer.codings.count, 0);
	read_line(200, "Transfer-Encoding: Chunked");
	ck_assert(!answer.is_unreadable);
	read_line(200, "Transfer-Encoding: none");
	ck_assert(!answer.is_unreadable);
	read_line(200, "Transfer-Encoding: gzip, chunked");
	ck_assert(answer.is_unreadable);
}

TEST(refresh_is_the_redirect_of_a_page)
{
	read_line(200, "Refresh: 0; url=../d#e");
	ck_assert_str_eq(result.redirect, "http://a.example/d");
	ck_assert(!fetch_result_is_redirect(&result));
	read_line(200, "refresh: 5;URL='/x'");
	ck_assert_str_eq(result.redirect, "http://a.example/x");
	read_line(200, "Refresh: 300");
	ck_assert_str_eq(result.redirect, "");
	read_line(200, "Refresh: 0; url=javascript:alert(1)");
	ck_assert_str_eq(result.redirect, "");
	/* an error is no page */
	read_line(404, "Refresh: 0; url=/x");
	ck_assert_str_eq(result.redirect, "");
	/* a Location is not overridden */
	read_line(302, "Refresh: 0; url=/x");
	ck_assert_str_eq(result.redirect, "");
}
