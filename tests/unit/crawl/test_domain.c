#include "crawl/domain.h"

#include "tests/unit/run.h"

static void check(const char *host, const char *domain)
{
	struct slice found = domain_registrable(slice_of(host));

	ck_assert_msg(slice_equal(found, slice_of(domain)),
		      "%s: '%.*s' and not %s", host, (int)found.size,
		      (const char *)found.data, domain);
}

TEST(a_domain_is_one_label_more_than_a_public_suffix)
{
	check("example.org", "example.org");
	check("www.example.org", "example.org");
	check("a.b.example.co.uk", "example.co.uk");
	check("www.example.k12.ca.us", "example.k12.ca.us");
	check("deep.www.xn--bcher-kva.de", "xn--bcher-kva.de");
	/* wildcard and exception: *.ck, !www.ck */
	check("a.b.c.ck", "b.c.ck");
	check("a.www.ck", "www.ck");
	/* an IDN suffix: Rossiya */
	check("a.b.xn--p1ai", "b.xn--p1ai");
}

/* The pages of two owners of a hosting service are two sites. */
TEST(private_suffixes_count)
{
	check("me.github.io", "me.github.io");
	check("www.me.github.io", "me.github.io");
	check("a.you.blogspot.com", "you.blogspot.com");
}

TEST(an_unknown_suffix_is_one_label)
{
	check("a.b.test", "b.test");
	check("b.test", "b.test");
}

TEST(the_port_is_left_out)
{
	check("www.example.org:8080", "example.org");
	check("localhost:8080", "localhost");
	check("127.0.0.1:81", "127.0.0.1");
	check("[::1]:8080", "[::1]");
}

TEST(what_has_no_domain_is_whole)
{
	check("localhost", "localhost");
	check("127.0.0.1", "127.0.0.1");
	check("[2001:db8::1]", "[2001:db8::1]");
	check("co.uk", "co.uk");
	check("org", "org");
	check("", "");
	ck_assert_uint_eq(domain_registrable((struct slice){NULL, 0}).size, 0);
}

TEST(the_domain_points_into_the_host)
{
	const char *host = "www.example.org";

	ck_assert_ptr_eq(domain_registrable(slice_of(host)).data, host + 4);
}

TEST(a_host_longer_than_any_is_whole)
{
	char host[1000];
	struct slice text = {host, sizeof(host)};

	memset(host, 'a', sizeof(host));
	ck_assert(slice_equal(domain_registrable(text), text));
}
