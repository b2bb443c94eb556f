#include "crawl/warc/sha1.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/run.h"

static void check_hex(struct sha1 *sha1, const char *expected)
{
	unsigned char digest[SHA1_BYTES];
	char text[2 * SHA1_BYTES + 1];

	sha1_end(sha1, digest);
	for (size_t i = 0; i < SHA1_BYTES; i++)
		(void)snprintf(text + 2 * i, 3, "%02X", digest[i]);
	ck_assert_str_eq(text, expected);
}

/* RFC 3174, 7.3, TEST1 to TEST4: a text, and how often it is added */
START_TEST(vectors_of_the_rfc)
{
	static const struct {
		const char *text;
		size_t times;
		const char *digest;
	} rows[] = {
		{"abc", 1, "A9993E364706816ABA3E25717850C26C9CD0D89D"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
		 "84983E441C3BD26EBAAE4AA1F95129E5E54670F1"},
		{"a", 1000000, "34AA973CD4C4DAA4F61EEB2BDBAD27316534016F"},
		{"0123456701234567012345670123456701234567012345670123456701234"
		 "567",
		 10, "DEA356A2CDDD90C7A7ECEDC5EBB563934F460452"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sha1 sha1 = sha1_begin();

		for (size_t k = 0; k < rows[i].times; k++)
			sha1_add(&sha1, slice_of(rows[i].text));
		check_hex(&sha1, rows[i].digest);
	}
}
END_TEST

START_TEST(nothing_has_a_digest)
{
	struct sha1 sha1 = sha1_begin();

	sha1_add(&sha1, (struct slice){0});
	check_hex(&sha1, "DA39A3EE5E6B4B0D3255BFEF95601890AFD80709");
}
END_TEST

/* as it stands in every archive with an empty body */
START_TEST(base32)
{
	struct sha1 sha1 = sha1_begin();
	char text[SHA1_TEXT_BYTES];

	sha1_text(&sha1, text);
	ck_assert_str_eq(text, "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
}
END_TEST

/* the padding grows by a block behind 55 bytes */
START_TEST(pieces_do_not_matter)
{
	char bytes[200];

	memset(bytes, 'x', sizeof(bytes));
	for (size_t size = 0; size <= sizeof(bytes); size++) {
		struct sha1 whole = sha1_begin();
		struct sha1 parts = sha1_begin();
		char a[SHA1_TEXT_BYTES];
		char b[SHA1_TEXT_BYTES];

		sha1_add(&whole, (struct slice){bytes, size});
		sha1_add(&parts, (struct slice){bytes, size / 3});
		sha1_add(&parts,
			 (struct slice){bytes + size / 3, size - size / 3});
		sha1_text(&whole, a);
		sha1_text(&parts, b);
		ck_assert_str_eq(a, b);
	}
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("sha1");
	TCase *tcase = tcase_create("sha1");

	tcase_add_test(tcase, vectors_of_the_rfc);
	tcase_add_test(tcase, nothing_has_a_digest);
	tcase_add_test(tcase, base32);
	tcase_add_test(tcase, pieces_do_not_matter);
	suite_add_tcase(suite, tcase);
	return suite;
}
