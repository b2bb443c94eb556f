#include "crawl/warc_write.h"

#include <zstd.h>

#include "base/decode.h"
#include "tests/unit/run.h"

enum { MAX_BODY = 100000, MAX_RECORDS = 16 };

/* A file in memory, read in pieces; `failure` replaces its end. */
struct file {
	struct slice left;
	size_t piece;
	enum error failure;
};

static struct buffer archive;
static struct warc_record *records; /* [MAX_RECORDS] */
static size_t record_count;
static enum error end_error;
static char end_reason[160];
static char bodies[MAX_RECORDS][64]; /* their begin */

static void setup(void)
{
	archive = (struct buffer){0};
	records = calloc(MAX_RECORDS, sizeof(*records));
}

static void teardown(void)
{
	buffer_free(&archive);
	free(records);
}

static enum error give(void *context, char *out, size_t capacity,
		       size_t *size_out)
{
	struct file *file = context;
	size_t size = file->left.size < capacity ? file->left.size : capacity;

	if (size > file->piece)
		size = file->piece;
	*size_out = size;
	if (size == 0)
		return file->failure;
	memcpy(out, file->left.data, size);
	file->left.data = (const char *)file->left.data + size;
	file->left.size -= size;
	return ERR_NONE;
}

static void read_file(struct file file)
{
	struct warc_reader *reader = warc_reader_create(give, &file, MAX_BODY);
	struct warc_record *record = calloc(1, sizeof(*record));

	record_count = 0;
	while (warc_next(reader, record, &end_error)) {
		ck_assert_uint_lt(record_count, MAX_RECORDS);
		ck_assert(record->error == ERR_NONE ||
			  record->reason[0] != '\0');
		(void)snprintf(bodies[record_count], sizeof(bodies[0]), "%.*s",
			       (int)record->body.size,
			       (const char *)record->body.data);
		records[record_count++] = *record;
	}
	memcpy(end_reason, record->reason, sizeof(end_reason));
	warc_reader_destroy(reader);
	free(record);
}

static void read_all(void)
{
	read_file((struct file){.left = buffer_slice(&archive),
				.piece = SIZE_MAX});
}

/* A record of WARC whose Content-Length is off by `lie`. */
static void make_record(const char *type, const char *url, const char *block,
			int lie, struct buffer *out)
{
	buffer_printf(out,
		      "WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\n"
		      "WARC-Date: 2017-03-06T04:03:53Z\r\n"
		      "Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n"
		      "%s\r\n\r\n",
		      type, url, (int)strlen(block) + lie, block);
}

static void add_record(const char *type, const char *url, const char *block)
{
	make_record(type, url, block, 0, &archive);
}

#define ANSWER "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"

static void add_page(const char *url, const char *body, int lie)
{
	char block[256];

	(void)snprintf(block, sizeof(block), ANSWER "%s", body);
	make_record("response", url, block, lie, &archive);
}

/* The same as a gzip member. */
static void add_member(const char *url, const char *body)
{
	AUTO_BUFFER plain = {0};
	char block[256];

	(void)snprintf(block, sizeof(block), ANSWER "%s", body);
	make_record("response", url, block, 0, &plain);
	gzip_append(buffer_slice(&plain), &archive);
}

static bool is_page(size_t index, const char *url, const char *body)
{
	const struct warc_record *record = &records[index];

	return index < record_count && record->reason[0] == '\0' &&
	       record->kind == WARC_RESPONSE && strcmp(record->url, url) == 0 &&
	       strcmp(bodies[index], body) == 0;
}

static void check_page(size_t index, const char *url, const char *body)
{
	ck_assert_msg(is_page(index, url, body), "record %zu of %zu: %s %s %s",
		      index, record_count, records[index].url,
		      records[index].reason, bodies[index]);
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(records_of_all_kinds)
{
	add_record("warcinfo", "", "software: x\r\n");
	add_page("http://a/", "one", 0);
	add_record("request", "http://a/", "GET / HTTP/1.1\r\n\r\n");
	add_record("RESOURCE", "https://a/b", "two");
	add_record("revisit", "http://a/c",
		   "HTTP/1.1 304 Not Modified\r\n\r\n");
	add_record("response", "dns:a", "three");
	add_record("response", "<http://a/d>",
		   "HTTP/1.1 301 \r\nLocation: /e\r\n\r\n");
	read_all();
	ASSERT_OK(end_error);
	ck_assert_uint_eq(record_count, 7);
	ck_assert_int_eq(records[0].kind, WARC_OTHER);
	ck_assert_str_eq(records[0].type, "warcinfo");
	check_page(1, "http://a/", "one");
	ck_assert_uint_eq(records[1].http_status, 200);
	ck_assert_uint_eq(records[1].time_ms, 1488773033000);
	ck_assert_str_eq(records[1].content_type, "text/html");
	ck_assert_int_eq(records[2].kind, WARC_OTHER);
	ck_assert_int_eq(records[3].kind, WARC_RESOURCE);
	ck_assert_str_eq(records[3].type, "resource");
	ck_assert_str_eq(records[3].content_type, "text/plain");
	ck_assert_uint_eq(records[3].http_status, 200);
	ck_assert_str_eq(bodies[3], "two");
	ck_assert_int_eq(records[4].kind, WARC_REVISIT);
	ck_assert_uint_eq(records[4].http_status, 304);
	ck_assert_int_eq(records[5].kind, WARC_OTHER);
	ck_assert_str_eq(records[6].url, "http://a/d");
	ck_assert_str_eq(records[6].redirect, "/e");
}

static void add_plain_or_packed(bool is_packed)
{
	if (is_packed)
		add_member("http://a/", "one");
	else
		add_page("http://a/", "one", 0);
}

/* `archive` is the same record three times. */
static void check_three(size_t piece)
{
	read_file(
		(struct file){.left = buffer_slice(&archive), .piece = piece});
	ck_assert_uint_eq(record_count, 3);
	for (size_t i = 0; i < 3; i++) {
		check_page(i, "http://a/", "one");
		ck_assert_uint_eq(records[i].offset, archive.size / 3 * i);
	}
	ASSERT_OK(end_error);
}

/* however the bytes come, plain or packed */
TEST(pieces_do_not_matter)
{
	for (int is_packed = 0; is_packed < 2; is_packed++) {
		buffer_clear(&archive);
		for (int i = 0; i < 3; i++)
			add_plain_or_packed(is_packed != 0);
		for (size_t piece = 1; piece < 200; piece += 7)
			check_three(piece);
		check_three(SIZE_MAX);
	}
}

TEST(all_records_in_one_member)
{
	AUTO_BUFFER packed = {0};

	for (int i = 0; i < 3; i++)
		add_page("http://a/", "one", 0);
	gzip_append(buffer_slice(&archive), &packed);
	read_file((struct file){.left = buffer_slice(&packed),
				.piece = SIZE_MAX});
	ck_assert_uint_eq(record_count, 3);
	check_page(2, "http://a/", "one");
	ck_assert_uint_eq(records[2].offset, 0);
}

/* members of 64 bytes, as of a block compressor: records cross them */
TEST(members_that_are_no_records)
{
	AUTO_BUFFER packed = {0};

	for (int i = 0; i < 3; i++)
		add_page("http://a/", "one", 0);
	for (size_t at = 0; at < archive.size; at += 64) {
		size_t left = archive.size - at;

		gzip_append((struct slice){archive.data + at,
					   left < 64 ? left : 64},
			    &packed);
	}
	read_file((struct file){.left = buffer_slice(&packed),
				.piece = SIZE_MAX});
	ck_assert_uint_eq(record_count, 3);
	for (size_t i = 0; i < 3; i++)
		check_page(i, "http://a/", "one");
	ASSERT_OK(end_error);
}

/* the second record claims 100 bytes more, or 2 fewer */
TEST(lengths_that_lie)
{
	static const int lies[] = {100, 4000, -2, -1};

	for (size_t i = 0; i < COUNT_OF(lies); i++) {
		buffer_clear(&archive);
		add_page("http://a/", "one", 0);
		add_page("http://b/", "two", lies[i]);
		add_page("http://c/", "three", 0);
		add_page("http://d/", "four", 0);
		read_all();
		ck_assert_uint_eq(record_count, 4);
		check_page(0, "http://a/", "one");
		ck_assert(!records[0].is_cut);
		ck_assert(records[1].is_cut);
		check_page(2, "http://c/", "three");
		check_page(3, "http://d/", "four");
		ck_assert(!records[3].is_cut);
		ASSERT_OK(end_error);
	}
}

/* a page may contain the text of a record: its length shows that it is
 * content */
TEST(a_record_in_a_page_is_text)
{
	add_page("http://a/",
		 "\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n"
		 "Content-Length: 0\r\n\r\n",
		 0);
	add_page("http://b/", "two", 0);
	read_all();
	ck_assert_uint_eq(record_count, 2);
	check_page(1, "http://b/", "two");
}

TEST(heads_that_are_wrong)
{
	buffer_append_text(&archive, "WARC/1.0\r\nWARC-Type: response\r\n\r\n"
				     "block\r\n\r\n");
	add_page("http://a/", "one", 0);
	buffer_append_text(&archive, "rubbish\nmore\n");
	add_page("http://b/", "two", 0);
	add_record("response", "http://c/", "<html>");
	buffer_append_text(&archive, "WARC/1.0\r\nWARC-Type: resp");
	read_all();
	ck_assert_uint_eq(record_count, 5);
	ck_assert_int_eq(records[0].error, ERR_MALFORMED);
	check_page(1, "http://a/", "one");
	ck_assert(records[1].is_cut);
	check_page(2, "http://b/", "two");
	ck_assert_int_eq(records[3].error, ERR_MALFORMED);
	ck_assert_int_eq(records[4].error, ERR_MALFORMED);
	ck_assert_int_eq(end_error, ERR_CORRUPT);
}

/* the next record cuts each; no search for all ends */
TEST(heads_that_have_no_end)
{
	for (int i = 0; i < 3; i++)
		buffer_append_text(&archive, "WARC/1.0\r\nWARC-Type: x\r\n");
	add_page("http://a/", "one", 0);
	buffer_append_text(&archive, "WARC/1.0\r\n");
	for (int i = 0; i < 10000; i++)
		buffer_append_text(&archive, "A: bcdefgh\r\n");
	buffer_append_text(&archive, "\r\n");
	add_page("http://b/", "two", 0);
	read_all();
	ck_assert_uint_eq(record_count, 6);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_int_eq(records[i].error, ERR_MALFORMED);
		ck_assert_uint_eq(records[i].offset, 24 * i);
	}
	check_page(3, "http://a/", "one");
	ck_assert_int_eq(records[4].error, ERR_MALFORMED);
	check_page(5, "http://b/", "two");
	ASSERT_OK(end_error);
}

TEST(a_long_url_is_refused)
{
	AUTO_TEXT *url = calloc(MAX_URL_BYTES + 2, 1);

	memset(url, 'a', MAX_URL_BYTES + 1);
	memcpy(url, "http://", 7);
	add_record("response", url, ANSWER);
	url[MAX_URL_BYTES] = '\0';
	add_record("response", url, ANSWER);
	read_all();
	ck_assert_uint_eq(record_count, 2);
	ck_assert_int_eq(records[0].error, ERR_TOO_LARGE);
	ASSERT_OK(records[1].error);
}

TEST(a_damaged_member_costs_its_record)
{
	size_t begin;
	size_t end;

	add_member("http://a/", "one");
	begin = archive.size;
	add_member("http://b/", "two");
	end = archive.size;
	add_member("http://c/", "three");
	/*
	 * Change each byte, one after another, except the last before the
	 * checksum and size, most bits of which mean nothing. Of the 10 bytes
	 * of the header only the magic, the method and the flags matter.
	 */
	for (size_t i = begin; i < end; i++) {
		if (i == end - 9)
			continue;
		archive.data[i] ^= 0x55;
		read_all();
		ck_assert_uint_ge(record_count, 2);
		check_page(0, "http://a/", "one");
		check_page(record_count - 1, "http://c/", "three");
		ck_assert_msg(i - begin >= 4 && i - begin < 10
				      ? records[1].error == ERR_NONE
				      : records[1].error != ERR_NONE,
			      "byte %zu of %zu", i - begin, end - begin);
		archive.data[i] ^= 0x55;
	}
}

static void check_cut(size_t size)
{
	read_file(
		(struct file){.left = {archive.data, size}, .piece = SIZE_MAX});
	ck_assert_msg(end_error == ERR_CORRUPT && end_reason[0] != '\0',
		      "%zu of %zu", size, archive.size);
	check_page(0, "http://a/", "one");
	ck_assert(!records[0].is_cut);
}

/* the blank lines after a plain record may be missing */
TEST(a_file_that_was_cut)
{
	for (int is_packed = 0; is_packed < 2; is_packed++) {
		size_t end;

		buffer_clear(&archive);
		add_plain_or_packed(is_packed != 0);
		add_plain_or_packed(is_packed != 0);
		end = archive.size - (is_packed != 0 ? 0 : 4);
		for (size_t i = archive.size / 2 + 1; i < end; i++)
			check_cut(i);
	}
}

TEST(no_archive)
{
	read_all();
	ck_assert_uint_eq(record_count, 0);
	ASSERT_OK(end_error);
	buffer_append_text(&archive, "<html>\n<body>\nhttp: no\n");
	read_all();
	ck_assert_uint_eq(record_count, 1);
	ck_assert_int_eq(records[0].error, ERR_MALFORMED);
	ck_assert_int_eq(end_error, ERR_MALFORMED);
	read_file((struct file){.piece = 1, .failure = ERR_IO});
	ck_assert_int_eq(end_error, ERR_IO);
}

TEST(an_error_of_the_source_ends_it)
{
	add_page("http://a/", "one", 0);
	read_file((struct file){.left = buffer_slice(&archive),
				.piece = 10,
				.failure = ERR_NETWORK});
	check_page(0, "http://a/", "one");
	ck_assert_uint_eq(record_count, 1);
	ck_assert_int_eq(end_error, ERR_NETWORK);
}

/* one body of the limit, one over it, and one over what is held at all */
TEST(large_bodies_are_cut)
{
	static const size_t sizes[] = {MAX_BODY, MAX_BODY + 1, 4000000};
	AUTO_TEXT *block = malloc(4000000 + sizeof(ANSWER));

	for (size_t i = 0; i < 3; i++) {
		size_t size = sizeof(ANSWER) - 1 + sizes[i];

		memcpy(block, ANSWER, sizeof(ANSWER) - 1);
		memset(block + sizeof(ANSWER) - 1, 'x', sizes[i]);
		block[size] = '\0';
		make_record("response", "http://a/", block, 0, &archive);
	}
	add_page("http://b/", "end", 0);
	read_all();
	ck_assert_uint_eq(record_count, 4);
	ck_assert(!records[0].is_cut);
	ck_assert(records[1].is_cut);
	ck_assert(records[2].is_cut);
	ck_assert_uint_eq(records[2].body.size, MAX_BODY);
	check_page(3, "http://b/", "end");
	ASSERT_OK(end_error);
}

#define ARC_HEAD                                                  \
	"filedesc://a.arc 0.0.0.0 20140216050221 text/plain 75\n" \
	"1 0 LiveWeb Capture\n"                                   \
	"URL IP-address Archive-date Content-type Archive-length\n\n"
#define ARC_LINE "http://a/ 1.2.3.4 20140216050221 text/html "

/* the block of the first is 20 + 56 = 76 bytes with its last line end */
TEST(records_of_arc)
{
	buffer_append_text(&archive, ARC_HEAD ARC_LINE
			   "44\n" ANSWER "\n\n" ARC_LINE
			   "-1\nrubbish\n\n" ARC_LINE "500\n" ANSWER
			   "short\n\n" ARC_LINE "47\n" ANSWER "abc\n");
	read_all();
	ck_assert_uint_eq(record_count, 5);
	ck_assert_int_eq(records[0].kind, WARC_OTHER);
	ck_assert_str_eq(records[0].type, "arc");
	check_page(1, "http://a/", "");
	ck_assert_uint_eq(records[1].time_ms, 1392526941000);
	ck_assert_int_eq(records[2].error, ERR_MALFORMED);
	check_page(3, "http://a/", "short\n\n");
	ck_assert(records[3].is_cut);
	check_page(4, "http://a/", "abc");
	ASSERT_OK(end_error);
}

static void add_frame(struct slice plain, struct slice dictionary)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	size_t room = ZSTD_compressBound(plain.size);
	char *end = buffer_reserve(&archive, room);

	archive.size += ZSTD_compress_usingDict(context, end, room, plain.data,
						plain.size, dictionary.data,
						dictionary.size, 3);
	ZSTD_freeCCtx(context);
}

static void add_le32(uint32_t number)
{
	for (unsigned i = 0; i < 4; i++)
		buffer_append_byte(&archive, (char)(number >> (8 * i)));
}

static void check_zstd(struct slice dictionary)
{
	AUTO_BUFFER plain = {0};

	for (int i = 0; i < 3; i++) {
		buffer_clear(&plain);
		make_record("response", "http://a/", ANSWER "one", 0, &plain);
		add_frame(buffer_slice(&plain), dictionary);
	}
	read_all();
	ck_assert_uint_eq(record_count, 3);
	for (size_t i = 0; i < 3; i++)
		check_page(i, "http://a/", "one");
	ck_assert_uint_gt(records[1].offset, 0);
	ASSERT_OK(end_error);
}

TEST(frames_of_zstd)
{
	check_zstd((struct slice){0});
}

static const char dictionary_text[] =
	"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/\r\n"
	"WARC-Date: 2017-03-06T04:03:53Z\r\nContent-Type: text/plain\r\n";

/* the frame that holds the dictionary, plain or packed itself */
TEST(frames_with_a_dictionary)
{
	struct slice dictionary = slice_of(dictionary_text);

	add_le32(0x184D2A5D);
	add_le32((uint32_t)dictionary.size);
	buffer_append_slice(&archive, dictionary);
	check_zstd(dictionary);
	buffer_clear(&archive);
	add_frame(dictionary, (struct slice){0});
	{
		AUTO_BUFFER packed = archive;

		archive = (struct buffer){0};
		add_le32(0x184D2A5D);
		add_le32((uint32_t)packed.size);
		buffer_append_slice(&archive, buffer_slice(&packed));
	}
	check_zstd(dictionary);
	/* a dictionary that ends too early */
	archive.size = 20;
	read_all();
	ck_assert_int_ne(records[0].error, ERR_NONE);
}
