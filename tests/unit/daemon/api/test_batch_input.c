/* Ingested pages in parts of any size. */
#include "daemon/api/api_extract.h"

#include "daemon/api/auth.h"
#include "tests/unit/run.h"

enum { MAX_BYTES = 1000 };

/* A text that comes in parts. */
struct parts {
	const char *text;
	size_t size; /* of a part */
	size_t left; /* until it fails; SIZE_MAX: never */
};

static enum error read_part(void *context, char *out, size_t capacity,
			    size_t *size_out)
{
	struct parts *parts = context;
	size_t size = strnlen(parts->text, parts->size);

	if (parts->left == 0)
		return ERR_NETWORK;
	if (parts->left != SIZE_MAX)
		parts->left--;
	size = size < capacity ? size : capacity;
	memcpy(out, parts->text, size);
	parts->text += size;
	*size_out = size;
	return ERR_NONE;
}

enum { MAX_PAGES = 32 };

static struct parts parts;
static struct batch_page pages[MAX_PAGES]; /* [count], received */
static size_t count;
static size_t given; /* of them */
static bool is_read;
static struct batch_page page;
static enum error end;
static char reason[BATCH_REASON_BYTES];

static void teardown(void)
{
	while (given < count)
		batch_page_free(&pages[given++]);
	batch_page_free(&page);
	count = 0;
	given = 0;
}

static void begin(const char *text, size_t size)
{
	teardown();
	parts = (struct parts){text, size, SIZE_MAX};
	is_read = false;
}

static bool keep(void *context, struct batch_page *one)
{
	(void)context;
	ck_assert_uint_lt(count, MAX_PAGES);
	pages[count++] = *one;
	*one = (struct batch_page){0};
	return true;
}

static bool next(void)
{
	const struct batch_source source = {
		.read = read_part,
		.context = &parts,
		.limits = batch_limits_for(MAX_BYTES),
	};

	if (!is_read)
		end = batch_input_read(&source, NULL, keep, NULL, reason);
	is_read = true;
	batch_page_free(&page);
	if (given == count)
		return false;
	page = pages[given++];
	return true;
}

/* The next page is this one, as "position url charset body". */
static void expect(const char *wanted)
{
	char found[2048];

	ck_assert(next());
	snprintf(found, sizeof(found), "%d %s %s %s", (int)page.position,
		 page.url, page.charset,
		 page.error == ERR_NONE ? page.body.data
					: error_code(page.error));
	ck_assert_str_eq(found, wanted);
}

static void expect_end(void)
{
	ck_assert(!next());
	ASSERT_OK(end);
}

static const size_t sizes[] = {1, 7, 4096};

FIXTURE(.teardown = teardown);

TEST_LOOP(lines_of_json, 0, 3)
{
	begin("{\"url\":\"http://a/\",\"html\":\"<p>\xc3\xa4\"}\n"
	      "\n"
	      " {\"body\":\"PHA+\",\"charset\":\"latin1\",\"more\":[1]}\r\n"
	      "{\"html\":\"<p>c\"}",
	      sizes[_i]);
	expect("1 http://a/ utf-8 <p>\xc3\xa4");
	expect("3  latin1 <p>");
	expect("4  utf-8 <p>c");
	expect_end();
	expect_end();
}

TEST_LOOP(a_bad_line_is_an_error_and_the_next_is_read, 0, 3)
{
	begin("{\"html\":\"a\"}\n"
	      "{\"html\":\n"
	      "[]\n"
	      "{\"url\":\"u\"}\n"
	      "{\"url\":1,\"html\":\"a\"}\n"
	      "{\"html\":\"a\",\"body\":\"PHA+\"}\n"
	      "{\"body\":\"=\"}\n"
	      "{\"html\":\"b\"}\n",
	      sizes[_i]);
	expect("1  utf-8 a");
	expect("2   malformed");
	ck_assert_uint_gt(strlen(page.reason), 5);
	expect("3   malformed");
	expect("4 u  malformed");
	expect("5   malformed");
	expect("6   malformed");
	expect("7   malformed");
	expect("8  utf-8 b");
	expect_end();
}

/* The longest line has 2 * 1000 + 65536 bytes. */
TEST_LOOP(a_line_that_is_too_long_is_passed_over, 1, 3)
{
	AUTO_BUFFER text = {0};

	for (unsigned more = 0; more < 2; more++) {
		buffer_append_text(&text, "{\"html\":\"");
		memset(buffer_reserve(&text, 67526), 'x', 67525 + more);
		text.size += 67525 + more;
		buffer_append_text(&text, "\"}\n");
	}
	buffer_append_text(&text, "{\"html\":\"b\"}");
	begin(text.data, sizes[_i]);
	ck_assert(next());
	ASSERT_OK(page.error);
	ck_assert_uint_eq(page.body.size, 67525);
	expect("2   too_large");
	expect("3  utf-8 b");
	expect_end();
}

/* 67537 bytes, one more than a line may have; nothing of it remains at the end
 * of the input. */
TEST_LOOP(a_line_that_is_too_long_may_be_the_last, 0, 3)
{
	AUTO_BUFFER text = {0};

	memset(buffer_reserve(&text, 67537), '{', 67537);
	text.size += 67537;
	buffer_append_text(&text, "");
	begin(text.data, sizes[_i]);
	expect("1   too_large");
	ck_assert_str_eq(page.reason, "the line is too long");
	expect_end();
}

#define RECORD(type, head, length, body)                                    \
	"WARC/1.0\r\nWARC-Type: " type "\r\nWARC-Target-URI: http://a/\r\n" \
	"Content-Type: application/http\r\nContent-Length: " length         \
	"\r\n\r\nHTTP/1.1 " head "\r\n\r\n" body "\r\n\r\n"

#define HTML "200\r\nContent-Type: text/html"

/* 41 bytes of head, and the body. */
TEST_LOOP(an_archive, 0, 3)
{
	begin(RECORD("request", HTML, "45", "<p>0") RECORD("response", HTML,
							   "47", "<p>one")
		      RECORD("response", "404\r\nContent-Type: text/html", "45",
			     "<p>2") RECORD("response",
					    "200\r\nContent-Type: text/plai",
					    "46", "<p>3")
			      RECORD("response", HTML "; charset=x", "56",
				     "<p>4"),
	      sizes[_i]);
	expect("2 http://a/  <p>one");
	expect("5 http://a/ x <p>4");
	expect_end();
}

TEST(a_client_that_leaves_is_no_end)
{
	begin("{\"html\":\"a\"}\n{\"html\":\"b\"}\n", 13);
	parts.left = 1;
	expect("1  utf-8 a");
	ck_assert(!next());
	ck_assert_int_eq(end, ERR_NETWORK);
}

TEST(nothing)
{
	begin("", 1);
	expect_end();
	begin("\n\n \n", 1);
	expect_end();
	/* not lines and not an archive */
	begin("<html>", 100);
	while (next())
		ck_assert_int_ne(page.error, ERR_NONE);
}

/* RFC 4648, 10, and what is wrong. */
static const struct {
	const char *text;
	const char *bytes; /* NULL: not base64 */
} codes[] = {
	{"", ""},
	{"Zg==", "f"},
	{"Zm8=", "fo"},
	{"Zm9v", "foo"},
	{"Zm9vYg==", "foob"},
	{"Zm9vYmFy", "foobar"},
	{"Z", NULL},
	{"Zg=", NULL},
	{"Zh==", NULL},
	{"Zm9v\r\nYmFy\n", "foobar"},
	{"Zm9vYg", NULL},
	{"====", NULL},
	{"Zm-_", NULL},
};

TEST_ROWS(base64, codes)
{
	AUTO_BUFFER bytes = {0};
	bool is_right = base64_read(slice_of(codes[_i].text), &bytes);

	ck_assert_msg(is_right == (codes[_i].bytes != NULL), "%s",
		      codes[_i].text);
	if (is_right)
		ck_assert_str_eq(bytes.data, codes[_i].bytes);
}
