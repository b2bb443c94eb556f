/* RFC 4231: test cases 1 to 4, 6 and 7; the 5th is of a truncated code. */
#include "daemon/notify/notifier.h"

#include "tests/unit/run.h"

enum { MAX_BYTES = 160 };

static const struct {
	long key_byte; /* repeated; -1: `key` itself */
	size_t key_size;
	const char *key;
	long text_byte;
	size_t text_size;
	const char *text;
	const char *code;
} cases[] = {
	{0x0b, 20, NULL, -1, 8, "Hi There",
	 "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
	{-1, 4, "Jefe", -1, 28, "what do ya want for nothing?",
	 "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
	{0xaa, 20, NULL, 0xdd, 50, NULL,
	 "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
	{-1, 25,
	 "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11"
	 "\x12\x13\x14\x15\x16\x17\x18\x19",
	 0xcd, 50, NULL,
	 "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
	{0xaa, 131, NULL, -1, 54,
	 "Test Using Larger Than Block-Size Key - Hash Key First",
	 "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
	{0xaa, 131, NULL, -1, 152,
	 "This is a test using a larger than block-size key and a larger than "
	 "block-size data. The key needs to be hashed before being used by the "
	 "HMAC algorithm.",
	 "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
};

static struct slice bytes_of(long byte, size_t size, const char *text,
			     char room[MAX_BYTES])
{
	ck_assert_uint_le(size, MAX_BYTES);
	if (byte >= 0)
		memset(room, (int)byte, size);
	else
		memcpy(room, text, size);
	return (struct slice){room, size};
}

TEST_ROWS(the_codes_are_those_of_the_rfc, cases)
{
	char key[MAX_BYTES];
	char text[MAX_BYTES];
	char code[HMAC_HEX_BYTES + 1];

	hmac_sha256_hex(bytes_of(cases[_i].key_byte, cases[_i].key_size,
				 cases[_i].key, key),
			bytes_of(cases[_i].text_byte, cases[_i].text_size,
				 cases[_i].text, text),
			code);
	ck_assert_str_eq(code, cases[_i].code);
}

TEST(an_empty_text_has_a_code)
{
	char code[HMAC_HEX_BYTES + 1];

	/* as openssl dgst -sha256 -hmac k gives it */
	hmac_sha256_hex(slice_of("k"), slice_of(""), code);
	ck_assert_str_eq(code, "8bb990c40a7d61cb97597a942125025be50ac8beb74436e"
			       "3735b98893a7f6620");
}
