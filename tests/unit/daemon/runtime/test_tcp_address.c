#include "daemon/runtime/tcp_address.h"

#include <arpa/inet.h>

#include "tests/unit/run.h"

static struct tcp_address address;

TEST(an_address_of_four_numbers_is_read)
{
	ck_assert(tcp_address_read("127.0.0.1:8481", &address));
	ck_assert_int_eq(address.socket.any.sa_family, AF_INET);
	ck_assert_uint_eq(address.size, sizeof(struct sockaddr_in));
	ck_assert_uint_eq(ntohs(address.socket.v4.sin_port), 8481);
	ck_assert_uint_eq(ntohl(address.socket.v4.sin_addr.s_addr),
			  INADDR_LOOPBACK);
}

TEST(an_address_in_brackets_is_read)
{
	ck_assert(tcp_address_read("[::1]:65535", &address));
	ck_assert_int_eq(address.socket.any.sa_family, AF_INET6);
	ck_assert_uint_eq(address.size, sizeof(struct sockaddr_in6));
	ck_assert_uint_eq(ntohs(address.socket.v6.sin6_port), 65535);
	ck_assert(IN6_IS_ADDR_LOOPBACK(&address.socket.v6.sin6_addr));
}

TEST(only_the_hosts_own_addresses_are_of_loopback)
{
	static const struct {
		const char *text;
		bool is_loopback;
	} rows[] = {
		{"127.0.0.1:1", true},
		{"127.255.0.9:1", true},
		{"128.0.0.1:1", false},
		{"0.0.0.0:1", false},
		{"126.255.255.255:1", false},
		{"[::1]:1", true},
		{"[::]:1", false},
		{"[::2]:1", false},
		{"[::ffff:127.0.0.1]:1", false},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		ck_assert_msg(tcp_address_read(rows[i].text, &address), "%s",
			      rows[i].text);
		ck_assert_msg(address.is_loopback == rows[i].is_loopback, "%s",
			      rows[i].text);
	}
}

TEST(all_else_is_none)
{
	static const char *const texts[] = {
		"",
		":",
		":80",
		"127.0.0.1",
		"127.0.0.1:",
		"1.2.3:80",
		"127.0.0.1:0",
		"127.0.0.1:65536",
		"[::1]",
		"[::1]80",
		"::1:80",
		"127.0.0.1:+80",
		"[]:80",
		"[::1:80",
		"127.0.0.1: 80",
		"127.0.0.1:080000",
		"a.test:80",
		"[fe80::1%lo]:80",
		"[127.0.0.1]:80",
		"*:80",
		"[1111:1111:1111:1111:1111:1111:1111:1111:1111:1111:1]:80",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		ck_assert_msg(!tcp_address_read(texts[i], &address), "%s",
			      texts[i]);
}
