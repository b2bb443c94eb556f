#include "crawl/warc_write.h"

#include "base/decode.h"
#include "tests/unit/run.h"

static struct buffer packed;
static struct buffer plain;
static size_t members;

static void setup(void)
{
	packed = (struct buffer){0};
	plain = (struct buffer){0};
}

static void teardown(void)
{
	buffer_free(&packed);
	buffer_free(&plain);
}

/* Unpack all members to `plain`. */
static void unpack(void)
{
	struct decoder *decoder = decoder_create(CODING_GZIP);
	struct slice left = buffer_slice(&packed);

	members = 0;
	while (left.size > 0) {
		size_t size = 0;

		ASSERT_OK(decoder_run(decoder, &left,
				      buffer_reserve(&plain, 4096), 4096,
				      &size));
		plain.size += size;
		if (decoder_is_at_end(decoder)) {
			decoder_reset(decoder);
			members++;
		}
	}
	plain.data[plain.size] = '\0';
	decoder_destroy(decoder);
}

static const struct warc_exchange page = {
	.url = {"http://a/", 9},
	.time_ms = 1488773033000,
	.address = {"192.0.2.1", 9},
	.request = {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", 27},
	.headers = {"HTTP/2 200\r\ncontent-encoding: gzip\r\n"
		    "Content-Length: 3\r\nX: y\r\n\r\n",
		    63},
	.body = {"abc", 3},
	.identity = {0x0123456789ABCDEF, 0x0123456789ABCDEF},
};

static void check_has(const char *line)
{
	ck_assert_msg(strstr(plain.data, line) != NULL, "%s\n%s", line,
		      plain.data);
}

FIXTURE(.setup = setup, .teardown = teardown);

/* The digest of "abc" (RFC 3174, TEST1) in base32. */
TEST(a_page_and_its_request)
{
	warc_write_exchange(&page, &packed);
	unpack();
	ck_assert_uint_eq(members, 2);
	check_has("WARC/1.1\r\nWARC-Type: response\r\n"
		  "WARC-Record-ID: "
		  "<urn:uuid:01234567-89ab-4def-8123-456789abcdef>\r\n"
		  "WARC-Date: 2017-03-06T04:03:53Z\r\n"
		  "WARC-Target-URI: http://a/\r\n"
		  "WARC-IP-Address: 192.0.2.1\r\n"
		  "WARC-Payload-Digest: "
		  "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n"
		  "Content-Type: application/http; msgtype=response\r\n");
	/* 14 + 39 + 34 + 6 + 19 + 2 bytes of head, 3 of body */
	check_has("Content-Length: 117\r\n\r\n"
		  "HTTP/1.1 200\r\nX-Archive-Orig-content-encoding: gzip\r\n"
		  "X-Archive-Orig-Content-Length: 3\r\nX: y\r\n"
		  "Content-Length: 3\r\n\r\nabc\r\n\r\n"
		  "WARC/1.1\r\nWARC-Type: request\r\n");
	check_has("WARC-Concurrent-To: "
		  "<urn:uuid:01234567-89ab-4def-8123-456789abcdef>\r\n"
		  "Content-Type: application/http; msgtype=request\r\n");
	check_has("Content-Length: 27\r\n\r\n"
		  "GET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n\r\n");
}

/* The digest of "abc", as above. */
TEST(the_text_of_a_page)
{
	const struct warc_conversion text = {
		.url = {"http://a/", 9},
		.time_ms = 1488773033000,
		.media_type = "text/plain; charset=utf-8",
		.sequence = {"7\r\n.8", 5},
		.text = {"abc", 3},
		.identity = {0x0123456789ABCDEF, 0x0123456789ABCDEF},
		.is_plain = true,
	};

	warc_write_conversion(&text, &plain);
	ck_assert_str_eq(plain.data,
			 "WARC/1.1\r\nWARC-Type: conversion\r\n"
			 "WARC-Record-ID: "
			 "<urn:uuid:01234567-89ab-4def-8123-456789abcdef>\r\n"
			 "WARC-Date: 2017-03-06T04:03:53Z\r\n"
			 "WARC-Target-URI: http://a/\r\n"
			 "Templated-Sequence: 7.8\r\n"
			 "Content-Type: text/plain; charset=utf-8\r\n"
			 "WARC-Block-Digest: "
			 "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n"
			 "Content-Length: 3\r\n\r\nabc\r\n\r\n");
}

TEST(a_text_refers_to_the_answer_of_its_visit)
{
	struct warc_conversion text = {
		.url = {"http://a/", 9},
		.source_ms = 1488773033001,
		.media_type = "text/plain",
		.is_plain = true,
	};
	struct warc_info answer = {.is_plain = true};
	AUTO_BUFFER record = {0};
	const char *id;

	warc_visit_identity(text.url, text.source_ms, answer.identity);
	warc_write_info(&answer, &record);
	id = strstr(record.data, "<urn:uuid:");
	warc_write_conversion(&text, &plain);
	ck_assert_ptr_nonnull(strstr(plain.data, "\r\nWARC-Refers-To: <urn:"));
	ck_assert_int_eq(strncmp(strstr(plain.data, "Refers-To: ") + 11, id,
				 strcspn(id, "\r")),
			 0);
	/* another millisecond, another record */
	text.source_ms++;
	buffer_clear(&plain);
	warc_write_conversion(&text, &plain);
	ck_assert_int_ne(strncmp(strstr(plain.data, "Refers-To: ") + 11, id,
				 strcspn(id, "\r")),
			 0);
}

TEST(a_cut_page)
{
	struct warc_exchange cut = page;

	cut.is_cut = true;
	cut.cut_reason = "length";
	cut.request.size = 0;
	warc_write_exchange(&cut, &packed);
	unpack();
	ck_assert_uint_eq(members, 1);
	check_has("WARC-Truncated: length\r\n");
}

/* ISO 28500:2017, 6.7.2 and 6.7.3 */
TEST(revisits)
{
	struct warc_exchange revisit = page;

	revisit.is_revisit = true;
	revisit.revisit_ms = 1488326400000;
	revisit.request.size = 0;
	warc_write_exchange(&revisit, &packed);
	unpack();
	check_has("WARC-Type: revisit\r\n");
	check_has("WARC-Profile: http://netpreserve.org/warc/1.1/revisit/"
		  "identical-payload-digest\r\n"
		  "WARC-Refers-To-Target-URI: http://a/\r\n"
		  "WARC-Refers-To-Date: 2017-03-01T00:00:00Z\r\n"
		  "WARC-Payload-Digest: "
		  "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n");
	check_has("X: y\r\n\r\n\r\n\r\n");
	buffer_clear(&packed);
	buffer_clear(&plain);
	revisit.headers = slice_of("HTTP/1.1 304 Not Modified\r\n");
	warc_write_exchange(&revisit, &packed);
	unpack();
	check_has("revisit/server-not-modified\r\n");
	ck_assert_ptr_null(strstr(plain.data, "Payload"));
	check_has("\r\n\r\nHTTP/1.1 304 Not Modified\r\n\r\n\r\n\r\n");
}

TEST(what_is_said_of_the_file)
{
	const struct warc_info info = {
		.file = slice_of("a.warc.gz"),
		.software = slice_of("templated/1\r\nx: y"),
		.robots = "classic",
	};

	warc_write_info(&info, &packed);
	unpack();
	ck_assert_uint_eq(members, 1);
	check_has("WARC-Record-ID: "
		  "<urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"
		  "WARC-Date: 1970-01-01T00:00:00Z\r\n"
		  "WARC-Filename: a.warc.gz\r\n"
		  "Content-Type: application/warc-fields\r\n");
	check_has("\r\n\r\nsoftware: templated/1x: y\r\n"
		  "format: WARC File Format 1.1\r\n");
	check_has("robots: classic\r\n\r\n\r\n");
}

/* All of `packed` in one piece. */
static enum error give(void *context, char *out, size_t capacity,
		       size_t *size_out)
{
	bool *is_given = context;

	*size_out = *is_given ? 0 : packed.size;
	ck_assert_uint_ge(capacity, packed.size);
	memcpy(out, packed.data, *size_out);
	*is_given = true;
	return ERR_NONE;
}

/* The kinds of the records in `packed`, a letter each; pages are `page`. */
static void read_kinds(char *kinds)
{
	struct warc_record *record = calloc(1, sizeof(*record));
	bool is_given = false;
	struct warc_reader *reader = warc_reader_create(give, &is_given, 1000);
	enum error error;

	while (warc_next(reader, record, &error)) {
		*kinds++ = "Prvo"[record->kind];
		ck_assert(record->error == ERR_NONE && !record->is_cut);
		ck_assert(record->kind != WARC_RESPONSE ||
			  slice_equal(record->body, page.body));
		ck_assert(record->kind != WARC_RESPONSE ||
			  record->time_ms == page.time_ms);
	}
	*kinds = '\0';
	ASSERT_OK(error);
	warc_reader_destroy(reader);
	free(record);
}

TEST(our_reader_reads_it)
{
	const struct warc_info info = {.file = slice_of("a")};
	struct warc_exchange other = page;
	char kinds[16];

	other.is_revisit = true;
	warc_write_info(&info, &packed);
	warc_write_exchange(&page, &packed);
	warc_write_exchange(&other, &packed);
	read_kinds(kinds);
	ck_assert_str_eq(kinds, "oPovo");
}
