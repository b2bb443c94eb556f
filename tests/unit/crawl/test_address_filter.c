#include "crawl/address_filter.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/unit/run.h"

static bool allows(const char *text)
{
	return address_filter_allows_text(text, NULL, 0);
}

/* Of each forbidden range: the last before, the first, the last, the next. */
static const struct {
	const char *before; /* NULL: also forbidden, or none */
	const char *first;
	const char *last;
	const char *after;
} ranges[] = {
	{NULL, "0.0.0.0", "0.255.255.255", "1.0.0.0"},
	{"9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"},
	{"100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"},
	{"126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"},
	{"169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"},
	{"172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"},
	{"191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"},
	{"192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"},
	{"192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"},
	{"192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"},
	{"198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"},
	{"198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"},
	{"203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"},
	{"223.255.255.255", "224.0.0.0", "239.255.255.255", NULL},
	{NULL, "240.0.0.0", "255.255.255.255", NULL},
	{NULL, "::", "::ffff:ffff", "::1:0:0"},
	{"64:ff9b:0:ffff:ffff:ffff:ffff:ffff",
	 "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "64:ff9b:2::"},
	{"ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	 "100::", "100:0:0:1:ffff:ffff:ffff:ffff", "100:0:0:2::"},
	{"2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	 "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"},
	{"2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
	 "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"},
	{"3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	 "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"},
	{"5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	 "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "5f01::"},
	{"fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	 "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fe00::"},
	{"fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	 "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL},
	{NULL, "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL},
	{NULL, "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL},
};

TEST_ROWS(the_edges_of_each_range, ranges)
{
	ck_assert_msg(!allows(ranges[_i].first), "%s", ranges[_i].first);
	ck_assert_msg(!allows(ranges[_i].last), "%s", ranges[_i].last);
	if (ranges[_i].before != NULL)
		ck_assert_msg(allows(ranges[_i].before), "%s",
			      ranges[_i].before);
	if (ranges[_i].after != NULL)
		ck_assert_msg(allows(ranges[_i].after), "%s", ranges[_i].after);
}

/*
 * IANA's special-purpose registries as of 2025, where they say "not globally
 * reachable", by first and last address; also ranges inside another one.
 */
static const char *const edges[] = {
	"0.0.0.0",
	"0.255.255.255",
	"10.0.0.0",
	"10.255.255.255",
	"100.64.0.0",
	"100.127.255.255",
	"127.0.0.0",
	"127.255.255.255",
	"169.254.0.0",
	"169.254.255.255",
	"172.16.0.0",
	"172.31.255.255",
	"192.0.0.0",
	"192.0.0.7",
	"192.0.0.8",
	"192.0.0.170",
	"192.0.0.171",
	"192.0.0.255",
	"192.0.2.0",
	"192.0.2.255",
	"192.168.0.0",
	"192.168.255.255",
	"198.18.0.0",
	"198.19.255.255",
	"198.51.100.0",
	"198.51.100.255",
	"203.0.113.0",
	"203.0.113.255",
	"240.0.0.0",
	"255.255.255.255",
	"::",
	"::1",
	"::ffff:0.0.0.0",
	"::ffff:255.255.255.255",
	"64:ff9b:1::",
	"64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
	"100::",
	"100::ffff:ffff:ffff:ffff",
	"100:0:0:1::",
	"100:0:0:1:ffff:ffff:ffff:ffff",
	"2001::",
	"2001:0:ffff:ffff:ffff:ffff:ffff:ffff",
	"2001:2::",
	"2001:2:0:ffff:ffff:ffff:ffff:ffff",
	"2001:10::",
	"2001:1f:ffff:ffff:ffff:ffff:ffff:ffff",
	"2001:db8::",
	"2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
	"3fff::",
	"3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
	"5f00::",
	"5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	"fc00::",
	"fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	"fe80::",
	"febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
};

TEST_ROWS(the_registries_of_iana, edges)
{
	ck_assert_msg(!allows(edges[_i]), "%s", edges[_i]);
}

TEST(ranges_of_the_registries_that_are_globally_reachable)
{
	ck_assert(allows("192.31.196.1"));
	ck_assert(allows("192.52.193.1"));
	ck_assert(allows("192.175.48.1"));
	ck_assert(allows("2620:4f:8000::1"));
}

TEST(ports)
{
	static const uint16_t own[] = {80, 9000};

	ck_assert(address_filter_allows_port(NULL, 0, 80));
	ck_assert(address_filter_allows_port(NULL, 0, 443));
	ck_assert(address_filter_allows_port(NULL, 0, 8080));
	ck_assert(address_filter_allows_port(NULL, 0, 8443));
	ck_assert(!address_filter_allows_port(NULL, 0, 22));
	ck_assert(!address_filter_allows_port(NULL, 0, 0));
	ck_assert(!address_filter_allows_port(NULL, 0, 65536 + 80));
	ck_assert(address_filter_allows_port(own, 2, 9000));
	ck_assert(!address_filter_allows_port(own, 2, 443));
}

TEST(public_addresses_are_allowed)
{
	ck_assert(allows("8.8.8.8"));
	ck_assert(allows("2606:4700:4700::1111"));
	ck_assert(allows("::ffff:8.8.8.8"));
	ck_assert(allows("64:ff9b::8.8.8.8"));
	ck_assert(allows("2002:808:808::1"));
}

TEST(ipv4_inside_ipv6_is_checked)
{
	ck_assert(!allows("::ffff:127.0.0.1"));
	ck_assert(!allows("::ffff:169.254.169.254"));
	ck_assert(!allows("64:ff9b::10.0.0.1"));
	ck_assert(!allows("2002:7f00:1::1"));
	ck_assert(!allows("2002:a9fe:a9fe::"));
	ck_assert(!allows("::127.0.0.1"));
	ck_assert(!allows("::ffff:0:10.0.0.1"));
	ck_assert(allows("::ffff:0:8.8.8.8"));
}

TEST(a_malformed_address_is_refused)
{
	struct sockaddr_un path = {.sun_family = AF_UNIX};

	ck_assert(!address_filter_allows((const struct sockaddr *)&path, NULL,
					 0));
	ck_assert(!allows(""));
	ck_assert(!allows("example.org"));
	ck_assert(!allows("8.8.8.8:80"));
}

TEST(an_allowed_network_opens_just_itself)
{
	struct network networks[2];

	ASSERT_OK(network_parse("10.1.2.3/16", &networks[0]));
	ASSERT_OK(network_parse("::1", &networks[1]));
	ck_assert(address_filter_allows_text("10.1.0.0", networks, 2));
	ck_assert(address_filter_allows_text("10.1.255.255", networks, 2));
	ck_assert(address_filter_allows_text("::ffff:10.1.2.3", networks, 2));
	ck_assert(address_filter_allows_text("64:ff9b::10.1.2.3", networks, 2));
	ck_assert(address_filter_allows_text("::1", networks, 2));
	ck_assert(!address_filter_allows_text("10.0.255.255", networks, 2));
	ck_assert(!address_filter_allows_text("10.2.0.0", networks, 2));
	ck_assert(!address_filter_allows_text("::2", networks, 2));
	ck_assert(!address_filter_allows_text("127.0.0.1", networks, 2));
}

TEST(networks_are_parsed)
{
	static const uint8_t ten[16] = {[10] = 0xff, [11] = 0xff, 10};
	struct network network;

	ASSERT_OK(network_parse("10.0.0.0/8", &network));
	ck_assert_mem_eq(network.address, ten, 16);
	ck_assert_uint_eq(network.prefix, 104);
	ASSERT_OK(network_parse("10.0.0.0", &network));
	ck_assert_uint_eq(network.prefix, 128);
	ASSERT_OK(network_parse("0.0.0.0/0", &network));
	ck_assert_uint_eq(network.prefix, 96);
	ASSERT_OK(network_parse("::/0", &network));
	ck_assert_uint_eq(network.prefix, 0);
	ASSERT_OK(network_parse("fc00::/128", &network));
	ck_assert_uint_eq(network.prefix, 128);
}

TEST(a_malformed_network_is_refused)
{
	static const char *const texts[] = {
		"",         "/8",          "10.0.0.0/",    "10.0.0.0/33",
		"::/129",   "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.0/0008",
		"10.0.0",   "example.org", "10.0.0.0/8 ",  "[::1]",
		"fe80::1%1"};
	struct network network;

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		ck_assert_msg(network_parse(texts[i], &network) ==
				      ERR_MALFORMED,
			      "%s", texts[i]);
}

TEST(private_names)
{
	static const char *const private[] = {
		"localhost",  "localhost:8080", "a.localhost",
		"127.0.0.1",  "127.0.0.1:80",   "[::1]",
		"[::1]:8080", "192.168.1.1",    "[fd00::1]"};
	static const char *const public[] = {"example.org",
					     "mylocalhost",
					     "localhost.example.org",
					     "8.8.8.8:80",
					     "[2606:4700::1]:81",
					     "",
					     "["};

	for (size_t i = 0; i < COUNT_OF(private); i++)
		ck_assert_msg(address_filter_is_private_name(private[i]), "%s",
			      private[i]);
	for (size_t i = 0; i < COUNT_OF(public); i++)
		ck_assert_msg(!address_filter_is_private_name(public[i]), "%s",
			      public[i]);
}

TEST(addresses_are_written)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(0x0a000001)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
				  .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	char text[INET6_ADDRSTRLEN];

	address_filter_format((const struct sockaddr *)&v4, text, sizeof(text));
	ck_assert_str_eq(text, "10.0.0.1");
	address_filter_format((const struct sockaddr *)&v6, text, sizeof(text));
	ck_assert_str_eq(text, "::1");
}
