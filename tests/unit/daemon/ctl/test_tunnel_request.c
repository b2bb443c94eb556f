#include "daemon/ctl/browser_proxy.h"

#include "tests/unit/run.h"

#define TOKEN   "tokentokentokentokentokentokentokentokentok"
#define SESSION "sessionsessionsessionsessionsessionsessions"
#define HOST    "Host: 127.0.0.1:8481\r\n"
#define COOKIE  "Cookie: a=b; templated-8481=" SESSION "; c=d\r\n"
#define LET_IN  HOST COOKIE

static struct browser_proxy_keys keys;
static uint64_t now_ms = 1000;

static void make_keys(void)
{
	keys = (struct browser_proxy_keys){.token = TOKEN,
					   .session = SESSION,
					   .port = 8481,
					   .until_ms = now_ms + 1};
}

/* "V HEAD": what is done, and what is sent. */
static const char *judged(const char *head)
{
	static const char *const verdicts[] = {
		[BROWSER_PROXY_FORWARD] = "forward ",
		[BROWSER_PROXY_ENTER] = "enter ",
		[BROWSER_PROXY_REFUSE] = "refuse ",
	};
	static char text[4096];
	struct browser_proxy_request request;

	browser_proxy_decide(&keys, slice_of(head), now_ms, &request);
	snprintf(text, sizeof(text), "%s%s", verdicts[request.verdict],
		 request.head.data);
	buffer_free(&request.head);
	return text;
}

/* Return the status of the refusal; 0 if it is accepted. */
static int refusal(const char *head)
{
	const char *text = judged(head);

	return strncmp(text, "refuse HTTP/1.1 ", 16) == 0
		       ? (int)strtol(text + 16, NULL, 10)
		       : 0;
}

FIXTURE(.setup = make_keys);

TEST(token_lets_one_in)
{
	static const char head[] =
		"GET /?token=" TOKEN " HTTP/1.1\r\n" HOST "\r\n";
	const char *text = judged(head);

	ck_assert_ptr_nonnull(strstr(text, "enter HTTP/1.1 303 "));
	ck_assert_ptr_nonnull(strstr(text, "\r\nLocation: /\r\n"));
	ck_assert_ptr_nonnull(
		strstr(text, "\r\nSet-Cookie: templated-8481=" SESSION
			     "; Path=/; HttpOnly; SameSite=Strict\r\n"));
	ck_assert_int_eq(refusal(head), 403);
	ck_assert_int_eq(refusal(head), 403);
}

TEST(token_that_was_not_used_in_time_is_void)
{
	static const char head[] =
		"GET /?token=" TOKEN " HTTP/1.1\r\n" HOST "\r\n";

	keys.until_ms = now_ms;
	ck_assert_int_eq(refusal(head), 403);
	keys.until_ms = now_ms + 1;
	ck_assert_int_eq(refusal(head), 0);
	/* the session continues */
	keys.until_ms = now_ms;
	ck_assert_int_eq(refusal("GET / HTTP/1.1\r\n" LET_IN "\r\n"), 0);
}

TEST(a_wrong_token_is_refused)
{
	ck_assert_int_eq(
		refusal("GET /?token=" SESSION " HTTP/1.1\r\n" HOST "\r\n"),
		403);
	ck_assert_int_eq(refusal("GET /?token= HTTP/1.1\r\n" HOST "\r\n"), 403);
	ck_assert_int_eq(
		refusal("POST /?token=" TOKEN " HTTP/1.1\r\n" HOST "\r\n"),
		403);
	ck_assert(!keys.is_used);
}

TEST(what_is_forwarded_has_no_cookie_and_one_request)
{
	ck_assert_str_eq(
		judged("GET /ui/page?url=x%20y HTTP/1.1\r\n" LET_IN
		       "Connection: keep-alive\r\nAccept:  text/html \r\n"
		       "Proxy-Connection: x\r\nAuthorization: Bearer x\r\n"
		       "\r\n"),
		"forward GET /ui/page?url=x%20y HTTP/1.1\r\n" HOST
		"Accept: text/html\r\nConnection: close\r\n\r\n");
}

TEST(without_the_session_nothing_is_shown)
{
	ck_assert_int_eq(refusal("GET / HTTP/1.1\r\n" HOST "\r\n"), 403);
	ck_assert_int_eq(refusal("GET / HTTP/1.1\r\n" HOST
				 "Cookie: templated-8482=" SESSION "\r\n\r\n"),
			 403);
	ck_assert_int_eq(refusal("GET / HTTP/1.1\r\n" HOST
				 "Cookie: templated-8481=" TOKEN "\r\n\r\n"),
			 403);
	ck_assert_int_eq(refusal("GET / HTTP/1.1\r\n" HOST
				 "Cookie: templated-8481\r\n\r\n"),
			 403);
}

TEST(names_of_others_do_not_lead_here)
{
	ck_assert_int_eq(
		refusal("GET / HTTP/1.1\r\nHost: evil.example:8481\r\n" COOKIE
			"\r\n"),
		421);
	ck_assert_int_eq(
		refusal("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" COOKIE "\r\n"),
		421);
	ck_assert_int_eq(refusal("GET / HTTP/1.1\r\n" COOKIE "\r\n"), 421);
	ck_assert_int_eq(
		refusal("GET / HTTP/1.1\r\nHost: localhost:8481\r\n" COOKIE
			"\r\n"),
		0);
}

TEST(changes_come_from_our_own_pages)
{
	static const char post[] = "POST /ui/sites HTTP/1.1\r\n" LET_IN;
	char head[512];

	snprintf(head, sizeof(head), "%s\r\n", post);
	ck_assert_int_eq(refusal(head), 403);
	snprintf(head, sizeof(head), "%sOrigin: null\r\n\r\n", post);
	ck_assert_int_eq(refusal(head), 403);
	snprintf(head, sizeof(head), "%sOrigin: http://127.0.0.1:9\r\n\r\n",
		 post);
	ck_assert_int_eq(refusal(head), 403);
	snprintf(head, sizeof(head), "%sOrigin: http://127.0.0.1:8481\r\n\r\n",
		 post);
	ck_assert_int_eq(refusal(head), 0);
}

TEST(other_sites_may_not_even_ask)
{
	ck_assert_int_eq(refusal("GET / HTTP/1.1\r\n" LET_IN
				 "Sec-Fetch-Site: cross-site\r\n\r\n"),
			 403);
	ck_assert_int_eq(refusal("GET / HTTP/1.1\r\n" LET_IN
				 "Sec-Fetch-Site: same-site\r\n\r\n"),
			 403);
	ck_assert_int_eq(refusal("GET / HTTP/1.1\r\n" LET_IN
				 "Sec-Fetch-Site: none\r\n\r\n"),
			 0);
}

TEST(a_body_has_one_length)
{
#define POST                                            \
	"POST /ui/sites HTTP/1.1\r\n" LET_IN "Origin: " \
	"http://127.0.0.1:8481\r\n"
	struct browser_proxy_request request;

	ck_assert_int_eq(refusal(POST "Transfer-Encoding: chunked\r\n\r\n"),
			 411);
	ck_assert_int_eq(refusal(POST "Content-Length: 1\r\n"
				      "Content-Length: 2\r\n\r\n"),
			 400);
	ck_assert_int_eq(refusal(POST "Content-Length: -1\r\n\r\n"), 400);
	ck_assert_int_eq(refusal(POST "Content-Length: \r\n\r\n"), 400);
	ck_assert_int_eq(refusal(POST "Content-Length: 67108865\r\n\r\n"), 413);
	browser_proxy_decide(&keys,
			     slice_of(POST "Content-Length: 67108864\r\n\r\n"),
			     now_ms, &request);
	ck_assert_uint_eq(request.body_bytes, 67108864);
	buffer_free(&request.head);
}

TEST(a_malformed_request_is_refused)
{
	static const char *const heads[] = {
		"\r\n\r\n",
		"GET / HTTP/1.0\r\n\r\n",
		"GET http://127.0.0.1:8481/ HTTP/1.1\r\n" LET_IN "\r\n",
		"GET  / HTTP/1.1\r\n" LET_IN "\r\n",
		"GET /\x01 HTTP/1.1\r\n" LET_IN "\r\n",
		"GET / HTTP/1.1\r\n" LET_IN "A : b\r\n\r\n",
		"GET / HTTP/1.1\r\n" LET_IN "A: b\r\n c\r\n\r\n",
		"GET / HTTP/1.1\r\n" LET_IN "A: b\nC: d\r\n\r\n",
		"GET / HTTP/1.1\r\n" LET_IN HOST "\r\n",
		"GET / HTTP/1.1\r\n" LET_IN ": b\r\n\r\n",
	};

	for (size_t i = 0; i < COUNT_OF(heads); i++)
		ck_assert_msg(refusal(heads[i]) == 400, "%s", heads[i]);
	ck_assert_int_eq(refusal("PUT / HTTP/1.1\r\n" LET_IN "\r\n"), 405);
}
