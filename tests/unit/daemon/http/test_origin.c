#include "daemon/http/tokens.h"

#include <stddef.h>

#include "tests/unit/run.h"

static const char names[] = "texts.example.org, texts,x.test";

TEST(addresses_and_names_of_ours_are_ours)
{
	static const char *const hosts[] = {
		"127.0.0.1",  "127.0.0.1:8481",    "192.0.2.1",
		"[::1]",      "[::1]:8481",        "[2001:db8::1]:1",
		"localhost",  "LocalHost:9000",    "texts",
		"texts:8481", "Texts.Example.Org", "x.test",
	};

	for (size_t i = 0; i < COUNT_OF(hosts); i++)
		ck_assert_msg(origin_is_host_ours(hosts[i], names), "%s",
			      hosts[i]);
}

TEST(a_name_that_others_may_point_here_is_not)
{
	static const char *const hosts[] = {
		"",
		"evil.test",
		"texts.example.org.evil.test",
		"example.org",
		"text",
		"textss",
		"localhost.evil.test",
		"127.0.0.1.evil.test",
		"127.1",
		"0x7f000001",
		"127.0.0.1:80:80",
		"127.0.0.1:x",
		"127.0.0.1 ",
		"user@127.0.0.1",
		"[::1",
		"[::1]x",
		"[127.0.0.1]",
		"[evil.test]",
		"::1",
		"texts, x.test",
		",",
		":80",
	};

	for (size_t i = 0; i < COUNT_OF(hosts); i++)
		ck_assert_msg(!origin_is_host_ours(hosts[i], names), "%s",
			      hosts[i]);
	ck_assert(!origin_is_host_ours(NULL, names));
	ck_assert(!origin_is_host_ours("texts", ""));
	ck_assert(!origin_is_host_ours("", ""));
}

TEST(a_page_of_ours_has_our_host_and_port)
{
	static const struct {
		const char *origin;
		const char *host;
		bool by_http;
		bool by_tls;
	} rows[] = {
		{"http://127.0.0.1:8481", "127.0.0.1:8481", true, false},
		{"https://127.0.0.1:8481", "127.0.0.1:8481", true, true},
		{"HTTPS://A.test", "a.TEST", true, true},
		{"http://127.0.0.1:9000", "127.0.0.1:8481", false, false},
		{"http://127.0.0.1", "127.0.0.1:8481", false, false},
		{"http://evil.test", "127.0.0.1:8481", false, false},
		{"http://127.0.0.1:8481.evil.test", "127.0.0.1:8481", false,
		 false},
		{"null", "127.0.0.1:8481", false, false},
		{"", "", false, false},
		{"127.0.0.1:8481", "127.0.0.1:8481", false, false},
		{"file://127.0.0.1:8481", "127.0.0.1:8481", false, false},
		{"httpx://a", "a", false, false},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ck_assert_msg(origin_is_own(rows[i].origin, rows[i].host,
					    false) == rows[i].by_http,
			      "%s", rows[i].origin);
		ck_assert_msg(origin_is_own(rows[i].origin, rows[i].host,
					    true) == rows[i].by_tls,
			      "%s", rows[i].origin);
	}
}

TEST(a_cookie_is_for_our_pages_and_the_user)
{
	ck_assert(origin_may_use_cookie(NULL));
	ck_assert(origin_may_use_cookie("same-origin"));
	ck_assert(origin_may_use_cookie("none"));
	ck_assert(!origin_may_use_cookie("same-site"));
	ck_assert(!origin_may_use_cookie("cross-site"));
	ck_assert(!origin_may_use_cookie(""));
}
