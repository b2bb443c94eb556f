#include "crawl/http_message.h"

#include "base/decode.h"
#include "page/robots_tag.h"
#include "tests/unit/run.h"

static struct http_message message;
static struct http_body body;

static void setup(void)
{
	body = (struct http_body){0};
}

static void teardown(void)
{
	http_body_free(&body);
}

static bool parse(const char *text)
{
	return http_message_parse(slice_of(text), &message);
}

static void check(struct slice got, const char *expected)
{
	ck_assert_msg(slice_equal(got, slice_of(expected)), "\"%.*s\"",
		      (int)got.size, (const char *)got.data);
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_head_and_a_body)
{
	ck_assert(parse("HTTP/1.1 200 OK\r\nContent-Type: text/html; "
			"charset=utf-8\r\nContent-Length: 4\r\n"
			"X-Robots-Tag: nofollow\r\n\r\nbody"));
	ck_assert_uint_eq(message.status, 200);
	check(message.content_type, "text/html; charset=utf-8");
	check(message.body, "body");
	ck_assert_uint_eq(message.content_length, 4);
	ck_assert_uint_eq(message.robots_tag, ROBOTS_TAG_NOFOLLOW);
	ck_assert(!message.is_chunked);
	ck_assert_ptr_null(message.location.data);
}

TEST(status_lines)
{
	static const struct {
		const char *line;
		uint16_t status; /* 0: none */
	} rows[] = {
		{"HTTP/1.0 302 ", 302},  {"HTTP/1.1 200", 200},
		{"HTTP/2 404 Not", 404}, {"http/1.1  500 x", 500},
		{"HTTP/1.1 200OK", 200}, {"HTTP/1.1", 0},
		{"HTTP/1.1 20", 0},      {"HTTP/1.1 abc", 0},
		{"HTTP/1.1 099 x", 0},   {"HTTPX/1.1 200 OK", 0},
		{"ICY 200 OK", 0},       {"", 0},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		bool is_answer = parse(rows[i].line);

		ck_assert_msg(is_answer == (rows[i].status != 0), "%s",
			      rows[i].line);
		ck_assert_msg(!is_answer || message.status == rows[i].status,
			      "%s", rows[i].line);
	}
}

TEST(lenient_lines)
{
	ck_assert(parse("HTTP/1.1 301 Moved\nno field\n: empty\n"
			"LOCATION:  /a b \nlocation: /c\r\r\n\nbody"));
	check(message.location, "/c");
	check(message.body, "body");
	ck_assert(parse("HTTP/1.1 200 OK\r\nContent-Type: text/html"));
	check(message.content_type, "text/html");
	ck_assert_uint_eq(message.body.size, 0);
}

TEST(interim_answers_are_skipped)
{
	ck_assert(parse("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\n"
			"Location: /x\r\n\r\nHTTP/1.1 200 OK\r\n\r\nbody"));
	ck_assert_uint_eq(message.status, 200);
	ck_assert_ptr_null(message.location.data);
	check(message.body, "body");
	ck_assert(parse("HTTP/1.1 100 Continue\r\n\r\n"));
	ck_assert_uint_eq(message.status, 100);
}

static enum error decode(const char *fields, struct slice bytes, size_t max)
{
	AUTO_BUFFER text = {0};
	enum error error;

	buffer_printf(&text, "HTTP/1.1 200 OK\r\n%s\r\n", fields);
	ck_assert(http_message_parse(buffer_slice(&text), &message));
	message.body = bytes;
	error = http_body_decode(&message, max, &body);
	/* the rest of the message is useless */
	return error;
}

static void check_body(const char *fields, const char *text,
		       const char *expected, bool is_cut)
{
	ASSERT_OK(decode(fields, slice_of(text), 1000));
	check(body.bytes, expected);
	ck_assert_msg(body.is_cut == is_cut, "%s", text);
}

#define CHUNKED "Transfer-Encoding: chunked\r\n"

TEST(chunks_are_joined)
{
	check_body(CHUNKED, "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", "abcde",
		   false);
	check_body(CHUNKED, "3 \nabc\n0\n", "abc", false);
	check_body(CHUNKED, "000A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n",
		   "0123456789", false);
	check_body(CHUNKED, "0\r\n\r\n", "", false);
	check_body("Transfer-Encoding: gzip, Chunked\r\n", "1\r\na\r\n0\r\n",
		   "a", false);
}

TEST(wrong_chunks)
{
	/* not chunked at all, despite the header */
	check_body(CHUNKED, "<html>", "<html>", false);
	check_body(CHUNKED, "", "", false);
	check_body(CHUNKED, "abcdefghi", "abcdefghi", false);
	check_body(CHUNKED, "11111111111111111\r\na", "11111111111111111\r\na",
		   false);
	/* cut in, behind, or between chunks */
	check_body(CHUNKED, "5\r\nabc", "abc", true);
	check_body(CHUNKED, "3\r\nabc", "abc", true);
	check_body(CHUNKED, "3\r\nabc\r\n", "abc", true);
	/* a size that is too small: what follows is no end of line */
	check_body(CHUNKED, "2\r\nabc\r\n0\r\n", "ab", true);
	/* a second size that is malformed */
	check_body(CHUNKED, "3\r\nabc\r\nxyz\r\n", "abc", true);
}

TEST(a_body_shorter_than_its_length_is_cut)
{
	check_body("Content-Length: 4\r\n", "abcd", "abcd", false);
	check_body("Content-Length: 5\r\n", "abcd", "abcd", true);
	check_body("Content-Length: 3\r\n", "abcd", "abcd", false);
	check_body("Content-Length: x\r\n", "abcd", "abcd", false);
	/* the length was the compressed body's */
	check_body("Content-Encoding: gzip\r\nContent-Length: 5\r\n", "abcd",
		   "abcd", false);
}

#define GZIP "Content-Encoding: gzip\r\n"

TEST(codings_are_undone)
{
	AUTO_BUFFER packed = {0};
	AUTO_BUFFER twice = {0};

	gzip_append(slice_of("hello"), &packed);
	ASSERT_OK(decode(GZIP, buffer_slice(&packed), 1000));
	check(body.bytes, "hello");
	ck_assert(!body.is_cut);
	ASSERT_OK(decode("Content-Encoding: identity, X-GZIP\r\n",
			 buffer_slice(&packed), 1000));
	check(body.bytes, "hello");
	/* several members */
	gzip_append(slice_of(" world"), &packed);
	ASSERT_OK(decode(GZIP, buffer_slice(&packed), 1000));
	check(body.bytes, "hello world");
	/* twice */
	gzip_append(buffer_slice(&packed), &twice);
	ASSERT_OK(decode(GZIP GZIP, buffer_slice(&twice), 1000));
	check(body.bytes, "hello world");
	/* the limit */
	ASSERT_OK(decode(GZIP, buffer_slice(&packed), 11));
	ck_assert(!body.is_cut);
	ASSERT_OK(decode(GZIP, buffer_slice(&packed), 10));
	check(body.bytes, "hello worl");
	ck_assert(body.is_cut);
}

TEST(what_claims_to_be_packed_and_is_not)
{
	char text[200];

	check_body(GZIP, "<html>", "<html>", false);
	check_body("Content-Encoding: deflate\r\n", "<html>", "<html>", false);
	check_body("Content-Encoding: zstd\r\n", "<html>", "<html>", false);
	check_body(GZIP, "", "", false);
	for (size_t i = 0; i < sizeof(text) - 7; i++) {
		(void)snprintf(text, sizeof(text), "\n <p>%zu %x</p>", i,
			       (unsigned)(i * 2654435761U));
		check_body("Content-Encoding: br\r\n", text, text, false);
	}
}

/* cut, it gives what came; its last 8 bytes are a checksum and a size */
TEST(damaged_codings)
{
	AUTO_BUFFER packed = {0};
	char text[3000];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i * i % 23);
	gzip_append((struct slice){text, sizeof(text)}, &packed);
	packed.size -= 9;
	ASSERT_OK(decode(GZIP, buffer_slice(&packed), 10000));
	ck_assert(body.is_cut);
	ck_assert_uint_gt(body.bytes.size, 2000);
	packed.size += 9;
	packed.data[packed.size - 8] ^= 1;
	ck_assert_int_eq(decode(GZIP, buffer_slice(&packed), 10000),
			 ERR_CORRUPT);
	ck_assert_str_ne(body.reason, "");
}

TEST(unknown_codings)
{
	ck_assert_int_eq(
		decode("Content-Encoding: compress\r\n", slice_of("x"), 10),
		ERR_MALFORMED);
	ck_assert_str_eq(body.reason,
			 "Content-Encoding: compress cannot be decoded");
	ck_assert_int_eq(decode("Content-Encoding: gzip, br, gzip\r\n",
				slice_of("x"), 10),
			 ERR_MALFORMED);
	check_body("Content-Encoding: none\r\n", "hello", "hello", false);
	check_body("Content-Encoding: text/html, 8bit\r\n", "hello", "hello",
		   false);
}

/* 4 MB of zeros compress a thousandfold; it ends soon after the first zeros */
TEST(a_bomb_is_refused)
{
	static const char zeros[4 << 20];
	AUTO_BUFFER packed = {0};

	gzip_append((struct slice){zeros, sizeof(zeros)}, &packed);
	ck_assert_int_eq(decode(GZIP, buffer_slice(&packed), 64 << 20),
			 ERR_TOO_LARGE);
	ck_assert_uint_lt(body.decoded.capacity, 3 << 20);
}
