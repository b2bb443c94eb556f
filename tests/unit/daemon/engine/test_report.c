#include "daemon/engine/threshold_report.h"

#include "base/memory.h"
#include "daemon/runtime/terminal.h"
#include "daemon/web/threshold_svg.h"
#include "daemon/web/thresholds.h"
#include "tests/unit/auto_json.h"
#include "tests/unit/run.h"

#define LEAF(count, ...)                                    \
	{                                                   \
		(const uint32_t[]){__VA_ARGS__}, 4, (count) \
	}

/*
 * Two families of 4 and 3 pages, each 250 apart inside, 1000 from each other,
 * and a page that is 1000 from all: 8 pages, 3 of them sizable. Pairs: 1 + 1 +
 * 1 at 0, 4 + 2 at 250, the other 19 of 28 at 1000.
 */
static const struct dendrogram_leaf leaves[] = {
	LEAF(2, 0, 1, 2, 3), LEAF(2, 0, 1, 2, 4), LEAF(2, 5, 6, 7, 8),
	LEAF(1, 5, 6, 7, 9), LEAF(1, 20, 21, 22, 23)};
static const char *const names[] = {"post/1.html", "post/2.html", "tag/a.html",
				    "tag/b.html", "index.html"};
static const struct dendrogram_options no_watch = {0};
static const struct report_pages pages = {.leaves = leaves, .leaf_count = 5};

static struct report make_report(unsigned threshold)
{
	struct report report;

	ASSERT_OK(report_begin(MEASURE_CPC, &pages, &no_watch, &report));
	report.threshold = threshold;
	report.shingle_ids = 14;
	report.examples = names;
	return report;
}

static const char *text_of(const struct report *report, size_t width)
{
	static struct buffer text;

	buffer_clear(&text);
	report_text(report, width, &text);
	return text.data;
}

static const char *svg_of(const struct report *report)
{
	static struct buffer text;

	buffer_clear(&text);
	report_svg(report, &text);
	return text.data;
}

static void check_holds(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in:\n%s", part,
		      text);
}

TEST(thresholds_are_listed_in_ascending_order)
{
	struct report report = make_report(250);
	struct report_threshold cuts[REPORT_THRESHOLDS];

	/* two families from 250 up to the limit, 475: 362 */
	ck_assert_uint_eq(report_thresholds(&report, cuts), 4);
	ck_assert_str_eq(cuts[0].name, "template");
	ck_assert_uint_eq(cuts[0].threshold, 250);
	ck_assert_str_eq(cuts[1].name, "plateau");
	ck_assert_uint_eq(cuts[1].threshold, 362);
	ck_assert_str_eq(cuts[2].name, "suggestion");
	ck_assert_uint_eq(cuts[2].threshold, 362);
	ck_assert_str_eq(cuts[3].name, "site");
	ck_assert_uint_eq(cuts[3].threshold, 700);
	report.threshold = 0;
	ck_assert_uint_eq(report_thresholds(&report, cuts), 5);
	ck_assert_str_eq(cuts[0].name, "in use");
	ck_assert_str_eq(cuts[4].name, "site");
	report_free(&report);
}

TEST(the_text_tells_all)
{
	struct report report = make_report(100);
	const char *text = text_of(&report, 80);

	check_holds(text, "8 pages, 5 distinct signatures of 14 shingles, "
			  "measure cpc\n"
			  "A cluster is sizable with 3 pages.\n");
	check_holds(text, "Suggested threshold: 0.362\n"
			  "2 sizable clusters from 0.250 to 0.475, the longest "
			  "plateau up to 0.475.\n");
	check_holds(text, "No clusters join between 0.250 and 1.000.\n");
	check_holds(text, "0.00-0.02        10.71 #");
	check_holds(text, "0.02-0.24 U       0.00\n");
	check_holds(text, "0.24-0.26 T      21.43 #");
	check_holds(text, "0.26-0.98 P*S     0.00\n");
	check_holds(text, "0.98-1.00        67.86 #");
	check_holds(text, " 1.000       8  + post/1.html\n"
			  " 0.250       4  | - post/1.html\n"
			  " 0.250       3  | - tag/a.html\n");
	check_holds(text, "\nsuggestion      0.362         3        2 ");
	ck_assert_ptr_null(strstr(text, "Agreement"));
	report_free(&report);
}

static void check_widths(const char *text, size_t width)
{
	while (*text != '\0') {
		size_t length = strcspn(text, "\n");

		ck_assert_uint_le(terminal_width((struct slice){text, length}),
				  width);
		text += length + 1;
	}
}

TEST(lines_are_no_wider_than_they_may)
{
	static char long_name[300];
	const char *const examples[] = {long_name, long_name, "a\nb\tc\033[1m",
					long_name, "\xff\xfe"};
	struct report report = make_report(100);

	memset(long_name, 'x', sizeof(long_name) - 1);
	report.examples = examples;
	check_widths(text_of(&report, 500), REPORT_MAX_WIDTH);
	check_widths(text_of(&report, 75), 75);
	check_widths(text_of(&report, 1), REPORT_MIN_WIDTH);
	check_holds(text_of(&report, 80), "- a b c\xEF\xBF\xBD[1m\n");
	report_free(&report);
}

TEST(names_keep_their_end)
{
	AUTO_BUFFER out = {0};

	report_name("12345678", 8, &out);
	ck_assert_str_eq(out.data, "12345678");
	buffer_clear(&out);
	report_name("123456789", 8, &out);
	ck_assert_str_eq(out.data, "...56789");
	buffer_clear(&out);
	/* the wide character takes two columns: 3 + 2 + 3, or 3 + 3 */
	report_name("ab\xE4\xBD\xA0zyx9", 7, &out);
	ck_assert_str_eq(out.data, "...zyx9");
	buffer_clear(&out);
	report_name("", 8, &out);
	ck_assert_uint_eq(out.size, 0);
}

/*
 * Pages of leaves 0 0 1 2 2 4 with labels 1 1 1 2 2 and none. At 250 and above
 * these are exactly the families; at 0 leaf 1 is single: of the 10 pairs 8
 * agree.
 */
TEST(scores_are_those_of_the_labelled_pages)
{
	const uint32_t leaf_of[] = {0, 0, 1, 2, 2, 4};
	const uint32_t truth[] = {1, 1, 1, 2, 2, 0};
	struct report report = make_report(0);

	report_score(&report, leaf_of, truth, 6);
	ck_assert_uint_eq(report.labelled, 5);
	ck_assert_uint_eq(report.score_count, 6);
	ck_assert_str_eq(report.scores[0].name, "in use");
	ck_assert_double_eq_tol(report.scores[0].agreement.rand, 0.8, 1e-12);
	ck_assert_uint_eq(report.scores[0].clusters, 5);
	ck_assert_str_eq(report.scores[4].name, "site");
	ck_assert_double_eq(report.scores[4].agreement.adjusted_rand, 1);
	ck_assert_str_eq(report.scores[5].name, "best (oracle)");
	ck_assert_uint_eq(report.scores[5].threshold, 250);
	ck_assert_uint_eq(report.scores[5].clusters, 3);
	ck_assert_double_eq(report.scores[5].agreement.adjusted_rand, 1);
	check_holds(text_of(&report, 80),
		    "Agreement with the labels of 5 pages\n");
	check_holds(text_of(&report, 80),
		    "\nbest (oracle)      0.250         3  1.000     1.000  "
		    "1.000\n");
	report_free(&report);
}

TEST(a_site_without_pages_has_a_report)
{
	struct report report;

	ASSERT_OK(report_begin(MEASURE_CP, &(struct report_pages){0}, &no_watch,
			       &report));
	report.threshold = 200;
	check_holds(text_of(&report, 80), "0 pages, 0 distinct");
	check_holds(text_of(&report, 80), "0.00-1.00 T*S");
	check_holds(svg_of(&report), "</svg>");
	report_free(&report);
}

/* Skip what the mark-up may hold besides tags. */
static const char *check_text(const char *text)
{
	while (*text != '<' && *text != '\0') {
		ck_assert(*text != '>');
		ck_assert((unsigned char)*text >= ' ' || *text == '\n');
		if (*text == '&')
			ck_assert(strncmp(text, "&amp;", 5) == 0 ||
				  strncmp(text, "&lt;", 4) == 0 ||
				  strncmp(text, "&gt;", 4) == 0);
		text++;
	}
	return text;
}

/* Attributes up to the end of a tag: name="value". */
static const char *check_attributes(const char *text)
{
	while (*text == ' ') {
		text += 1 + strcspn(text + 1, "=<>\" ");
		ck_assert(strncmp(text, "=\"", 2) == 0);
		text += 2 + strcspn(text + 2, "<>\"&");
		ck_assert(*text == '"');
		text++;
	}
	return text;
}

/* Every element ends where it must; good enough for what report_svg.c writes.
 */
static void check_well_formed(const char *text)
{
	const char *open[8];
	size_t sizes[8];
	size_t depth = 0;

	ck_assert(strncmp(text, "<?xml ", 6) == 0);
	text = strstr(text, "?>") + 2;
	for (text = check_text(text); *text != '\0'; text = check_text(text)) {
		bool is_end = text[1] == '/';
		const char *name = text + 1 + is_end;
		size_t size = strcspn(name, " />");

		ck_assert(size > 0);
		text = check_attributes(name + size);
		if (is_end) {
			ck_assert(depth-- > 0 && sizes[depth] == size);
			ck_assert(memcmp(open[depth], name, size) == 0);
		} else if (*text == '/') {
			text++;
		} else {
			ck_assert(depth < 8);
			open[depth] = name;
			sizes[depth++] = size;
		}
		ck_assert(*text++ == '>');
	}
	ck_assert_uint_eq(depth, 0);
}

TEST(the_drawing_is_well_formed_whatever_the_names)
{
	static const char *const hostile[] = {
		"</text><script>alert(1)</script>", "a&b\"c'd",
		"]]>\x01\x1B\xFF\xC0\xAF\xEF\xBF\xBE\xEF\xBF\xBF.html",
		"\xED\xA0\x80", "&lt;"};
	struct report report = make_report(100);
	const char *svg;

	report.examples = hostile;
	svg = svg_of(&report);
	check_well_formed(svg);
	check_holds(svg, "&lt;/text&gt;&lt;script&gt;alert(1)");
	check_holds(svg, "]]&gt;");
	ck_assert_ptr_null(strstr(svg, "\xEF\xBF\xBE"));
	ck_assert_ptr_null(strstr(svg, "\xEF\xBF\xBF"));
	ck_assert_ptr_null(strstr(svg, "<script"));
	report_free(&report);
}

TEST(the_drawing_has_the_cuts_and_the_clusters)
{
	struct report report = make_report(100);
	const char *svg = svg_of(&report);

	check_well_formed(svg);
	check_holds(svg, ">8 pages, 5 distinct signatures (cpc)<");
	check_holds(svg, ">template 0.250<");
	check_holds(svg, ">site 0.700<");
	check_holds(svg, ">suggestion 0.362<");
	check_holds(svg, ">in use 0.100<");
	check_holds(svg, ">post/1.html <");
	check_holds(svg, ">tag/a.html <");
	ck_assert_ptr_null(strstr(svg, "index.html"));
	report_free(&report);
}

/* 200 signatures of 3 pages that share nothing: as many clusters as there can
 * be. */
TEST(the_drawing_is_bounded)
{
	static uint32_t shingle_ids[200];
	static struct dendrogram_leaf many[200];
	static const char *examples[200];
	static char long_name[4096];
	struct report report;
	const char *svg;

	memset(long_name, '<', sizeof(long_name) - 1);
	for (uint32_t i = 0; i < 200; i++) {
		shingle_ids[i] = i;
		many[i] = (struct dendrogram_leaf){&shingle_ids[i], 1, 3};
		examples[i] = long_name;
	}
	ASSERT_OK(report_begin(
		MEASURE_CP,
		&(struct report_pages){.leaves = many, .leaf_count = 200},
		&no_watch, &report));
	report.threshold = 200;
	report.examples = examples;
	svg = svg_of(&report);
	check_well_formed(svg);
	ck_assert_uint_lt(strlen(svg), 200000);
	ck_assert_uint_lt(strlen(text_of(&report, 80)), 10000);
	report_free(&report);
}

static double at(const json_t *array, size_t index)
{
	return json_real_value(json_array_get(array, index));
}

/*
 * Of 12 pages of leaves 0 0 0 0 1 1 2 2 2 3 3 4, eleven have a witness and the
 * last one has none. The witness knows the families, the labels know leaf 1
 * from them. So from 250 on, index 45, the witness agrees and the labels do
 * not; below, where no two leaves are together, neither does.
 */
TEST(json_reports_agreement_by_threshold)
{
	const uint32_t leaf_of[] = {0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4};
	const uint32_t links[] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 0};
	const uint32_t truth[] = {1, 1, 1, 1, 3, 3, 2, 2, 2, 2, 2, 0};
	const struct report_pages linked = {.leaves = leaves,
					    .leaf_count = 5,
					    .witness = {leaf_of, links, 12}};
	struct report report;
	AUTO_JSON *json;
	json_t *witness;
	json_t *curve;

	ASSERT_OK(report_begin(MEASURE_CCS, &linked, &no_watch, &report));
	report.examples = names;
	report_score(&report, leaf_of, truth, 12);
	json = report_json(&report);
	witness = json_object_get(json, "witness");
	ck_assert_double_eq_tol(
		json_real_value(json_object_get(witness, "ratio")), 11.0 / 12,
		1e-12);
	witness = json_object_get(witness, "agreement");
	curve = json_object_get(json, "scores_curve");
	ck_assert_uint_eq(json_array_size(witness), LINK_LABEL_STEPS);
	ck_assert_uint_eq(json_array_size(curve), LINK_LABEL_STEPS);
	ck_assert_double_lt(at(witness, 44), 1);
	ck_assert_double_eq(at(witness, 45), 1);
	ck_assert_double_lt(at(curve, 45), 1);
	report_free(&report);
}

TEST(json_has_the_same)
{
	const uint32_t leaf_of[] = {0, 1, 2, 3};
	const uint32_t truth[] = {1, 1, 2, 2};
	struct report report = make_report(100);
	AUTO_JSON *json;
	json_t *node;

	report_score(&report, leaf_of, truth, 4);
	json = report_json(&report);
	ck_assert_ptr_nonnull(json);
	ck_assert_int_eq(json_integer_value(json_object_get(json, "pages")), 8);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "thresholds")),
			  5);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "scores")), 6);
	/* four labels are too few */
	ck_assert_double_eq(at(json_object_get(json, "scores_curve"), 115), 0);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "curve")), 101);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "tree")), 3);
	node = json_array_get(json_object_get(json, "tree"), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(node, "parent")),
			 0);
	ck_assert_int_eq(json_integer_value(json_object_get(node, "pages")), 4);
	ck_assert_str_eq(json_string_value(json_object_get(node, "example")),
			 "post/1.html");
	node = json_object_get(json, "suggestion");
	ck_assert_double_eq(json_real_value(json_object_get(node, "threshold")),
			    0.362);
	ck_assert_uint_eq(json_array_size(json_object_get(node, "plateau")), 2);
	node = json_object_get(json_object_get(json, "histogram"), "pairs");
	ck_assert_int_eq(json_integer_value(json_array_get(node, 0)), 3);
	ck_assert_int_eq(json_integer_value(json_array_get(node, 49)), 19);
	report_free(&report);
}
