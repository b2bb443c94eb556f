/* Every damage of a bundle is refused, or survived. */
#include "template/bundle.h"

#include "tests/unit/random.h"
#include "tests/unit/run.h"
#include "tests/unit/template/seal.h"
#include "tests/unit/template/small_site.h"

static struct buffer file;

static void setup(void)
{
	file = (struct buffer){0};
	small_bundle(&file);
}

static void teardown(void)
{
	buffer_free(&file);
}

static void use_fields(struct bundle *bundle)
{
	AUTO_BUFFER html = {0};
	struct page_fields fields;

	small_page(&html, 50);
	bundle_page_fields(bundle,
			   &(struct text_request){.body = buffer_slice(&html)},
			   &fields);
	page_fields_free(&fields);
}

/* Every call returns a result or an error. */
static void use(struct bundle *bundle)
{
	static const char *const methods[] = {NULL, "df", "sst"};
	struct extraction_result answer;

	if (bundle == NULL)
		return;
	for (unsigned i = 0; i < 3; i++) {
		small_ask(bundle, 2, "http://a.test/a/3", methods[i], &answer);
		extraction_result_free(&answer);
		small_ask(bundle, 50, NULL, methods[i], &answer);
		extraction_result_free(&answer);
	}
	use_fields(bundle);
	bundle_close(bundle);
}

FIXTURE(.setup = setup, .teardown = teardown, .timeout_s = 100);

TEST(it_is_refused_wherever_it_is_cut)
{
	char reason[BUNDLE_REASON_BYTES];

	for (size_t size = 0; size < file.size; size++) {
		AUTO_BUFFER copy = {0};

		buffer_append(&copy, file.data, size);
		reason[0] = '\0';
		ck_assert_ptr_null(small_open(&copy, reason));
		ck_assert_int_eq(strncmp(reason, "bundle: ", 8), 0);
		/* and with sums and sizes that are right */
		seal((unsigned char *)copy.data, copy.size);
		use(small_open(&copy, reason));
	}
}

static void flip(struct buffer *bytes, size_t at, size_t bit)
{
	unsigned char *byte = (unsigned char *)bytes->data + at;

	*byte ^= (unsigned char)(1U << bit);
}

TEST(it_is_refused_whatever_byte_is_damaged)
{
	char reason[BUNDLE_REASON_BYTES];

	for (size_t at = 0; at < file.size; at++) {
		flip(&file, at, at % 8);
		reason[0] = '\0';
		ck_assert_ptr_null(small_open(&file, reason));
		ck_assert_int_eq(strncmp(reason, "bundle: ", 8), 0);
		flip(&file, at, at % 8);
	}
}

/* A damage that no checksum tells: an error, or another bundle. */
TEST(whatever_byte_is_forged_it_is_survived)
{
	char reason[BUNDLE_REASON_BYTES];
	unsigned opened = 0;

	for (size_t at = 0; at < file.size; at++)
		for (unsigned bit = 0; bit < random_rounds(8); bit += 3) {
			AUTO_BUFFER copy = {0};
			struct bundle *bundle;

			buffer_append_slice(&copy, buffer_slice(&file));
			flip(&copy, at, (at + bit) % 8);
			seal((unsigned char *)copy.data, copy.size);
			bundle = small_open(&copy, reason);
			opened += bundle != NULL;
			use(bundle);
		}
	/* hashes may be any */
	ck_assert_uint_gt(opened, 0);
}

/* A bundle from small_begin(), with a section after it. */
static void check_refused(struct bundle_writer *writer, const char *wanted)
{
	char reason[BUNDLE_REASON_BYTES] = "";
	AUTO_BUFFER bytes = {0};

	ASSERT_OK(bundle_end(writer, &bytes));
	ck_assert_ptr_null(small_open(&bytes, reason));
	ck_assert_str_eq(reason, wanted);
}

TEST(what_sections_refer_to_must_be_there)
{
	const uint32_t far[] = {1000};
	const uint64_t twice[] = {5, 5};
	struct bundle_writer writer;

	small_begin(&writer, slice_of(NULL));
	bundle_put_sample(&writer, 9, slice_of(""), slice_of("x"));
	check_refused(&writer, "bundle: section samples of 9: there is no such "
			       "cluster");
	small_begin(&writer, slice_of(NULL));
	bundle_put_version(&writer, 1, 1, slice_of("[]"));
	check_refused(&writer, "bundle: section version of 1: it is damaged");
	small_begin(&writer, slice_of(NULL));
	bundle_put_page(&writer, &(struct known_page){.key = 1}, NULL, 0);
	check_refused(&writer,
		      "bundle: section pages: it is not in ascending order");
	small_begin(&writer, slice_of(NULL));
	bundle_put_page(&writer, &(struct known_page){.key = UINT64_MAX}, far,
			1);
	check_refused(&writer, "bundle: section pages: it is damaged");
	writer = (struct bundle_writer){.max_bytes = 1000};
	bundle_put_hashes(&writer, SECTION_SHINGLES, twice, 2);
	check_refused(&writer,
		      "bundle: section shingles: it is not in ascending order");
	writer = (struct bundle_writer){.max_bytes = 1000};
	bundle_put_hashes(&writer, SECTION_SHINGLES, twice, 1);
	check_refused(&writer, "bundle: the section site is missing");
}

/* A bundle with two sets of fields of template `cluster`. */
static void check_fields(uint32_t cluster, struct slice first,
			 struct slice second, const char *wanted)
{
	struct bundle_writer writer;

	small_begin(&writer, slice_of(NULL));
	bundle_put_fields(&writer, cluster, first);
	bundle_put_fields(&writer, cluster, second);
	check_refused(&writer, wanted);
}

TEST(damaged_fields_are_refused)
{
	static const char damaged[] =
		"bundle: section fields of 1: it is damaged";
	const char no_field[] = {1, 0, 0, 0, 0, 0, 0};
	const struct slice empty = {no_field, sizeof(no_field)};
	AUTO_BUFFER set = {0};
	struct bundle_writer writer;
	struct slice whole;

	small_fields(&set);
	whole = buffer_slice(&set);
	check_fields(9, whole, empty,
		     "bundle: section fields of 9: there is no such cluster");
	check_fields(1, empty, slice_of(""), damaged);
	check_fields(1, empty, (struct slice){set.data, set.size - 1}, damaged);
	/* two fields with one name */
	check_fields(1, whole, whole, damaged);
	small_begin(&writer, slice_of(NULL));
	for (unsigned i = 0; i <= MAX_FIELD_SETS; i++)
		bundle_put_fields(&writer, 1, empty);
	check_refused(&writer, damaged);
}

static void check_site(const char *json, const char *wanted)
{
	AUTO_ARENA *arena = arena_create();
	struct bundle_site site;
	char reason[BUNDLE_REASON_BYTES];

	ck_assert_int_eq(bundle_site_read(arena, slice_of(json), &site, reason),
			 ERR_CORRUPT);
	ck_assert_str_eq(reason, wanted);
}

TEST(a_site_that_cannot_be_is_refused)
{
	check_site("", "site: not a JSON object");
	check_site("[1]", "site: not a JSON object");
	check_site("{}", "host: not a text, or too long");
	check_site("{\"host\":\"a.test\",\"base\":\"http://a.test/\","
		   "\"measure\":\"cpx\"}",
		   "measure: there is no such measure");
	check_site("{\"host\":\"a.test\",\"base\":\"http://a.test/\","
		   "\"measure\":\"cpc\",\"width\":99}",
		   "width: not a number within its range");
}

TEST(a_bundle_requests_at_most_the_allowed_size)
{
	struct bundle_limits limits = bundle_limits_default;
	struct bundle *bundle;
	struct buffer copy = {0};
	char reason[BUNDLE_REASON_BYTES];

	limits.max_page_bytes = page_limits_default.max_bytes - 1;
	buffer_append_slice(&copy, buffer_slice(&file));
	ck_assert_int_eq(bundle_open(&bundle, &copy, &limits, reason),
			 ERR_TOO_LARGE);
	ck_assert_str_eq(reason, "bundle: its pages may be larger than this "
				 "program allows");
}

TEST(a_writer_stops_at_its_limit)
{
	struct bundle_writer writer;
	struct buffer bytes = {0};

	small_begin(&writer, slice_of(NULL));
	writer.max_bytes = 100;
	ck_assert(bundle_is_full(&writer));
	ck_assert_int_eq(bundle_end(&writer, &bytes), ERR_TOO_LARGE);
	ck_assert_uint_eq(bytes.size, 0);
}
