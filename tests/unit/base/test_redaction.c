#include "base/log.h"

#include "tests/unit/run.h"

static void check_shown(void (*redact)(struct slice, struct buffer *),
			const char *text, const char *shown)
{
	AUTO_BUFFER out = {0};

	buffer_append_text(&out, "");
	redact(slice_of(text), &out);
	ck_assert_str_eq(out.data, shown);
}

TEST(of_proxies_passwords_and_queries_are_hidden)
{
	check_shown(redact_proxy, "https://user:secret@a.test/hook?t=secret",
		    "https://***@a.test/hook?***");
	check_shown(redact_proxy, "http://token@a.test:3128",
		    "http://***@a.test:3128");
	check_shown(redact_proxy, "https://a:b@c@a.test/",
		    "https://***@a.test/");
	check_shown(redact_proxy, "https://a.test/@p", "https://a.test/@p");
	check_shown(redact_proxy, "https://a.test?x=@b", "https://a.test?***");
	check_shown(redact_proxy, "user:secret@a.test:3128", "***@a.test:3128");
	check_shown(redact_proxy, "", "");
}

TEST(of_hooks_the_host_is_shown)
{
	check_shown(redact_target, "https://a.test/services/T0/B0/secret",
		    "https://a.test/***");
	check_shown(redact_target, "https://u:s@a.test:81?k=secret",
		    "https://***@a.test:81?***");
	check_shown(redact_target, "https://a.test/", "https://a.test/");
	check_shown(redact_target, "https://a.test", "https://a.test");
	check_shown(redact_target, "exec:/bin/tell --key secret",
		    "exec:/bin/tell ***");
	check_shown(redact_target, "exec:/bin/tell http://u:s@a.test/",
		    "exec:/bin/tell ***");
	check_shown(redact_target, "exec:/bin/tell", "exec:/bin/tell");
}

TEST(of_headers_the_names_are_shown)
{
	check_shown(redact_headers,
		    "Authorization: Basic c2VjcmV0\nX-Key: a: b\n",
		    "Authorization: ***\nX-Key: ***\n");
	check_shown(redact_headers, "no colon", ": ***\n");
	check_shown(redact_headers, "", "");
}
