#include "cluster/signature.h"

#include "page/page.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

static struct signature sign_by(const char *html, struct signature_rule rule)
{
	struct signature signature;
	AUTO_PAGE *page;

	ASSERT_OK(page_parse(&page, slice_of(html), slice_of("UTF-8"),
			     &page_limits_default));
	signature = signature_compute(test_arena, page, rule);
	return signature;
}

static struct signature sign(const char *html, enum measure measure)
{
	return sign_by(html, (struct signature_rule){.measure = measure});
}

static struct signature sign_width(const char *html, enum measure measure,
				   unsigned width)
{
	return sign_by(html, (struct signature_rule){.measure = measure,
						     .width = width});
}

static struct signature sign_path(const char *html, const char *path)
{
	return sign_by(html, (struct signature_rule){.measure = MEASURE_CCS,
						     .path = slice_of(path)});
}

static size_t common(const char *a, const char *b, enum measure measure)
{
	return signature_common(sign(a, measure), sign(b, measure));
}

/* A set of the numbers below 64 whose bit is set. */
static struct signature set_of(uint64_t bits)
{
	uint64_t *shingles = ARENA_NEW(test_arena, uint64_t, 64);
	size_t count = 0;

	for (uint64_t i = 0; i < 64; i++) {
		if (bits >> i & 1)
			shingles[count++] = i;
	}
	return (struct signature){shingles, count};
}

/* {first, first + 1, ... } */
static struct signature range(uint64_t first, size_t count)
{
	uint64_t *shingles = ARENA_NEW(test_arena, uint64_t, count + 1);

	for (size_t i = 0; i < count; i++)
		shingles[i] = first + i;
	return (struct signature){shingles, count};
}

#define PAGE(body) "<html><head><title>t</title></head><body>" body "</body>"

TEST(cp_holds_paths_to_leaves_and_to_owners_of_text)
{
	/*
	 * html/head/title (leaf), html/body/p (leaf), html/body/ul/li (leaf):
	 * twice li is once. The body's own text adds html/body, the blanks
	 * around li do not add html/body/ul.
	 */
	ck_assert_uint_eq(sign(PAGE("<p>a</p><ul> <li>b</li> <li></li> </ul>"),
			       MEASURE_CP)
				  .count,
			  3);
	ck_assert_uint_eq(
		sign(PAGE("x<p>a</p><ul> <li>b</li></ul>"), MEASURE_CP).count,
		4);
	/* title and p are common; li, and the body's text, are not. */
	ck_assert_uint_eq(common(PAGE("x<p>a</p><ul><li>b</li></ul>"),
				 PAGE("<p>c</p><ul><li>d<br>e</li></ul>"),
				 MEASURE_CP),
			  3);
}

TEST(cp_does_not_see_attributes_texts_order_or_repetition)
{
	struct signature a =
		sign(PAGE("<p class=x>one</p><i>two</i>"), MEASURE_CP);
	struct signature b =
		sign(PAGE("<i>2</i><p>1</p><p>3</p><i>4</i>"), MEASURE_CP);

	ck_assert_uint_eq(a.count, 3);
	ck_assert_uint_eq(signature_common(a, b), 3);
	ck_assert_uint_eq(b.count, 3);
}

TEST(scripts_are_leaves_and_comments_are_nothing)
{
	const char *page = PAGE("<p>a</p><script>b</script>");

	/* title, p, script */
	ck_assert_uint_eq(sign(page, MEASURE_CP).count, 3);
	ck_assert_uint_eq(common(page,
				 PAGE("<!-- c --><p>a</p><script></script>"),
				 MEASURE_CP),
			  3);
}

TEST(unknown_elements_are_distinguished_by_name)
{
	const char *a = PAGE("<x-one>a</x-one>");

	ck_assert_uint_eq(common(a, PAGE("<X-One>a</X-One>"), MEASURE_CP), 2);
	ck_assert_uint_eq(common(a, PAGE("<x-two>a</x-two>"), MEASURE_CP), 1);
	/* <html> <head> <title> </title> </head> <body> ...: nine tags, five
	 * shingles, of which those with the sixth or seventh differ: only the
	 * first five tags are common. */
	ck_assert_uint_eq(common(a, PAGE("<X-One>a</X-ONE>"), MEASURE_CTSS), 5);
	ck_assert_uint_eq(common(a, PAGE("<x-two>a</x-two>"), MEASURE_CTSS), 2);
}

TEST(cps_holds_runs_of_four_and_whole_shorter_paths)
{
	/*
	 * html/head/title is shorter than 4 and whole. html/body/div/p/b gives
	 * html/body/div/p and body/div/p/b: 3 in all.
	 */
	const char *page = PAGE("<div><p><b>a</b></p></div>");

	ck_assert_uint_eq(sign(page, MEASURE_CPS).count, 3);
	/* html/body/p and html/body, which owns text, are short and whole. */
	ck_assert_uint_eq(sign(PAGE("x<p>a</p>"), MEASURE_CPS).count, 3);
	/* html/body/div owns text here: one more. */
	ck_assert_uint_eq(
		sign(PAGE("<div>x<p><b>a</b></p></div>"), MEASURE_CPS).count,
		4);
	/*
	 * One level more at the bottom: html/head/title, html/body/div/p and
	 * body/div/p/b stay, div/p/b/i is new.
	 */
	ck_assert_uint_eq(
		sign(PAGE("<div><p><b><i>a</i></b></p></div>"), MEASURE_CPS)
			.count,
		4);
	ck_assert_uint_eq(common(page,
				 PAGE("<div><p><b><i>a</i></b></p></div>"),
				 MEASURE_CPS),
			  3);
}

TEST(ctss_holds_runs_of_five_tags_of_the_source)
{
	/* p b /b /p p b /b /p: 4 distinct runs of 5, the first is the last */
	ck_assert_uint_eq(
		sign("<p><b>x</b></p><p><b>y</b></p><p>", MEASURE_CTSS).count,
		4);
	/* p b /b /p: the whole is one shingle */
	ck_assert_uint_eq(sign("<p><b>x</b></p>", MEASURE_CTSS).count, 1);
	ck_assert_uint_eq(common("<p><b>x</b></p>", "<P class=y><B></b>z</P>",
				 MEASURE_CTSS),
			  1);
	/* An end tag is not a start tag, and no tag is added or mended. */
	ck_assert_uint_eq(
		common("<p><b>x</b></p>", "<p><b>x<b></p>", MEASURE_CTSS), 0);
	ck_assert_uint_eq(common("<p>x</p>", "<p>x", MEASURE_CTSS), 0);
	/* What the end of the source cuts is no tag. */
	ck_assert_uint_eq(
		common("<p><b>x</b></p>", "<p><b>x</b></p><i", MEASURE_CTSS),
		1);
	ck_assert_uint_eq(sign("no tags", MEASURE_CTSS).count, 0);
}

TEST(cpc_steps_carry_their_classes)
{
	const char *page = PAGE("<div class='b a'><p>x</p></div>");

	/* title; p below the div of these classes */
	ck_assert_uint_eq(sign(page, MEASURE_CPC).count, 2);
	ck_assert_uint_eq(common(page,
				 PAGE("<div class='a\nb a'><p>x</p></div>"),
				 MEASURE_CPC),
			  2);
	ck_assert_uint_eq(
		common(page, PAGE("<div class=a><p>x</p></div>"), MEASURE_CPC),
		1);
	ck_assert_uint_eq(
		common(page, PAGE("<div><p>x</p></div>"), MEASURE_CPC), 1);
	/* Without any class it is CP. */
	ck_assert_uint_eq(
		signature_common(
			sign(PAGE("<div class=''><p>x</p></div>"), MEASURE_CPC),
			sign(page, MEASURE_CP)),
		2);
}

TEST(the_width_of_a_shingle_can_be_chosen)
{
	/* paths: html/head/title, html/body/div/p/b */
	const char *page = PAGE("<div><p><b>a</b></p></div>");

	/* html head title body div p b */
	ck_assert_uint_eq(sign_width(page, MEASURE_CPS, 1).count, 7);
	/* html/head head/title html/body body/div div/p p/b */
	ck_assert_uint_eq(sign_width(page, MEASURE_CPS, 2).count, 6);
	/* html/body/div body/div/p div/p/b html/head/title */
	ck_assert_uint_eq(sign_width(page, MEASURE_CPS, 3).count, 4);
	/* html/body/div/p/b, and html/head/title, which is shorter */
	ck_assert_uint_eq(sign_width(page, MEASURE_CPS, 5).count, 2);
	ck_assert_uint_eq(
		sign_width(page, MEASURE_CPS, SIGNATURE_MAX_WIDTH).count, 2);
	ck_assert_uint_eq(sign_width("<p><b>x</b></p>", MEASURE_CTSS, 1).count,
			  4);
	/* p b /b, b /b /p */
	ck_assert_uint_eq(sign_width("<p><b>x</b></p>", MEASURE_CTSS, 3).count,
			  2);
	ck_assert_uint_eq(
		sign_width("<p><b>x</b></p>", MEASURE_CTSS, SIGNATURE_MAX_WIDTH)
			.count,
		1);
}

TEST(the_width_of_a_measure_is_that_of_its_definition)
{
	static const unsigned widths[MEASURE_COUNT] = {[MEASURE_CPS] = 4,
						       [MEASURE_CTSS] = 5,
						       [MEASURE_CCS] = 2,
						       [MEASURE_CAS] = 2};
	const char *page =
		PAGE("<div><p><b class=c><i>a</i></b></p></div><p>b<p>c");

	for (unsigned i = 0; i < MEASURE_COUNT; i++) {
		struct signature own = sign(page, (enum measure)i);
		struct signature same =
			sign_width(page, (enum measure)i, widths[i]);

		ck_assert_uint_eq(own.count, same.count);
		ck_assert_uint_eq(signature_common(own, same), own.count);
	}
	/* cp and cpc have none */
	ck_assert_uint_eq(signature_common(sign(page, MEASURE_CPC),
					   sign_width(page, MEASURE_CPC, 2)),
			  sign(page, MEASURE_CPC).count);
}

TEST(ccs_holds_runs_of_two_steps_with_their_classes)
{
	/* html/head head/title html/body body/div.a.b div.a.b/p */
	const char *page = PAGE("<div class='b a'><p>x</p></div>");

	ck_assert_uint_eq(sign(page, MEASURE_CCS).count, 5);
	ck_assert_uint_eq(
		common(page, PAGE("<div class='a b'><p>y</p><p>z</p></div>"),
		       MEASURE_CCS),
		5);
	ck_assert_uint_eq(
		common(page, PAGE("<div class=a><p>x</p></div>"), MEASURE_CCS),
		3);
	/* One class near the root changes only its neighbours: html/head
	 * head/title html/body div/p p/b of seven stay. */
	ck_assert_uint_eq(
		common(PAGE("<div class=a><div><p><b>x</b></p></div></div>"),
		       PAGE("<div class=b><div><p><b>x</b></p></div></div>"),
		       MEASURE_CCS),
		5);
	/* Of html/body, which owns the text, nothing is too short. */
	ck_assert_uint_eq(sign_width(PAGE("x<p>a</p>"), MEASURE_CCS, 3).count,
			  3);
	ck_assert_uint_eq(sign_width(PAGE("<p>a</p>"), MEASURE_CCS, 3).count,
			  2);
}

TEST(ccs_weighs_each_class_of_html_and_body)
{
	/* html/head head/title html/body body/p */
	const char *plain = "<html><head><title>t</title></head><body><p>a";
	const char *home = "<html class=js><head><title>t</title></head>"
			   "<body class='home page-2'><p>a";
	const char *post = "<html class=js><head><title>t</title></head>"
			   "<body class='page-7 post'><p>a";
	const char *swapped = "<html class=home><head><title>t</title></head>"
			      "<body class='js page-1'><p>a";

	ck_assert_uint_eq(sign(plain, MEASURE_CCS).count, 4);
	/* js, home, page-0 */
	ck_assert_uint_eq(sign(home, MEASURE_CCS).count, 4 + 3);
	ck_assert_uint_eq(common(home, plain, MEASURE_CCS), 4);
	/* js, page-0 */
	ck_assert_uint_eq(common(home, post, MEASURE_CCS), 4 + 2);
	/* page-0: the shingles of html differ from those of body */
	ck_assert_uint_eq(common(home, swapped, MEASURE_CCS), 4 + 1);
}

/* html/head, html/body and body/div, body/div.a, body/div.b ... of n letters:
 * of 11 shingles a sixth is 1, of 12 it is 2, of very many it is 64. */
TEST(ccs_weighs_by_the_number_of_shingles)
{
	static const struct {
		unsigned classes;
		unsigned weight;
	} cases[] = {{8, 1}, {9, 2}, {1000, SIGNATURE_MAX_WEIGHT}};

	for (size_t i = 0; i < 3; i++) {
		char html[32768] = "<body class=x><div>";
		size_t size = strlen(html);

		for (unsigned c = 0; c < cases[i].classes; c++)
			size += (size_t)snprintf(
				html + size, sizeof(html) - size,
				"</div><div class=%c%c%c>", 'a' + c % 26,
				'a' + c / 26 % 26, 'a' + c / 676);
		ck_assert_uint_eq(sign(html, MEASURE_CCS).count,
				  3 + cases[i].classes + cases[i].weight);
	}
}

TEST(ccs_bounds_the_classes_that_weigh)
{
	char html[1024] = "<html><body class='";
	size_t size = strlen(html);

	for (int i = 0; i <= SIGNATURE_MAX_CLASSES; i++)
		size += (size_t)snprintf(html + size, sizeof(html) - size,
					 "%c%c ", 'a' + i / 26, 'a' + i % 26);
	snprintf(html + size, sizeof(html) - size, "'><p>a");
	/* html/head html/body body/p */
	ck_assert_uint_eq(sign(html, MEASURE_CCS).count,
			  3 + SIGNATURE_MAX_CLASSES);
}

TEST(ccs_weighs_the_shape_of_the_url)
{
	const char *page = PAGE("<p>a</p>");
	struct signature post = sign_path(page, "/2014/08/apache/");

	ck_assert_uint_eq(post.count, 4 + 1);
	ck_assert_uint_eq(
		signature_common(post,
				 sign_path(page, "/2013/1/ant/index.html")),
		post.count);
	ck_assert_uint_eq(signature_common(post, sign_path(page, "/a/b/c/")),
			  4);
	ck_assert_uint_eq(signature_common(post, sign_path(page, "")), 4);
	/* Other measures ignore it. */
	ck_assert_uint_eq(sign_by(page,
				  (struct signature_rule){
					  .measure = MEASURE_CPC,
					  .path = slice_of("/2014/"),
				  })
				  .count,
			  2);
}

TEST(an_empty_page_has_an_empty_signature)
{
	ck_assert_uint_eq(sign_path("", "/2014/").count, 0);
	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		ck_assert_uint_eq(sign("", (enum measure)i).count, 0);
}

TEST(a_text_outside_of_any_element_does_not_count)
{
	const struct text text = {.node = NO_NODE, .length = 1};
	const struct page page = {.texts = &text, .text_count = 1};

	for (unsigned i = 0; i < MEASURE_COUNT; i++)
		ck_assert_uint_eq(
			signature_compute(test_arena, &page,
					  (struct signature_rule){
						  .measure = (enum measure)i,
						  .path = slice_of("/a/"),
					  })
				.count,
			0);
}

TEST(a_deep_and_wide_page_is_signed_in_order)
{
	static char html[64 * 1024];
	size_t size = 0;

	for (int i = 0; i < 6000; i++)
		size += (size_t)snprintf(html + size, sizeof(html) - size,
					 i < 400 ? "<div>" : "<x%d>", i % 700);
	for (unsigned i = 0; i < MEASURE_COUNT; i++) {
		struct signature signature = sign(html, (enum measure)i);

		ck_assert_uint_gt(signature.count, 0);
		for (size_t j = 1; j < signature.count; j++)
			ck_assert_uint_lt(signature.shingles[j - 1],
					  signature.shingles[j]);
	}
}

TEST(distance_is_relative_to_the_larger_set)
{
	/* {0..2} and {1..5}: 2 common, the larger has 5 */
	ck_assert_double_eq_tol(signature_distance(range(0, 3), range(1, 5)),
				0.6, 1e-12);
	ck_assert_double_eq(signature_distance(range(0, 0), range(0, 0)), 0);
	ck_assert_double_eq(signature_distance(range(0, 0), range(0, 1)), 1);
	ck_assert_uint_eq(signature_common(range(0, 3), range(3, 3)), 0);
}

TEST(links_at_the_threshold_and_not_above)
{
	/*
	 * 3 of 10 common: the distance is 0.7. In doubles 0.3 * 10 is 3.0, but
	 * (1 - 0.7) * 10 is 3.0000000000000004: no link, were it not integer.
	 */
	ck_assert(signature_linked(range(0, 10), range(7, 10), 700));
	ck_assert(!signature_linked(range(0, 10), range(7, 10), 699));
	/* 1 of 3: 0.6667 is over 666 and within 667. */
	ck_assert(!signature_linked(range(0, 3), range(2, 3), 666));
	ck_assert(signature_linked(range(0, 3), range(2, 3), 667));
	/* 1 of 1000 */
	ck_assert(signature_linked(range(0, 1000), range(999, 1000), 999));
	ck_assert(!signature_linked(range(0, 1000), range(999, 1000), 998));
	/* 1 of 1001 needs 2 at 999. */
	ck_assert(!signature_linked(range(0, 1001), range(1000, 1001), 999));
	ck_assert(signature_linked(range(0, 1001), range(999, 1001), 999));
}

TEST(threshold_zero_links_equal_sets_alone)
{
	ck_assert(signature_linked(range(0, 100), range(0, 100), 0));
	ck_assert(!signature_linked(range(0, 100), range(0, 101), 0));
	ck_assert(!signature_linked(range(0, 100), range(1, 100), 0));
}

TEST(an_empty_set_links_with_an_empty_set_alone)
{
	ck_assert(signature_linked(range(0, 0), range(0, 0), 0));
	ck_assert(!signature_linked(range(0, 0), range(0, 1), 999));
	ck_assert(!signature_linked(range(0, 1), range(0, 0), 999));
	ck_assert(signature_linked(range(0, 1), range(0, 0), 1000));
	ck_assert(signature_linked(range(0, 1), range(1, 1), 1001));
}

static bool common_is_symmetric(struct signature a, struct signature b,
				size_t common)
{
	return signature_common(a, b) == common &&
	       signature_common(b, a) == common &&
	       signature_distance(a, b) == signature_distance(b, a) &&
	       signature_distance(a, a) == 0;
}

/* (larger - common) / larger <= threshold / 1000, without division */
static bool links_within(struct signature a, struct signature b, size_t common,
			 unsigned threshold)
{
	size_t larger = a.count > b.count ? a.count : b.count;
	bool is_near = (larger - common) * 1000 <= larger * threshold;

	return signature_linked(a, b, threshold) == is_near &&
	       signature_linked(b, a, threshold) == is_near;
}

/* A quarter of the bits. */
static uint64_t sparse_bits(void)
{
	uint64_t bits = random_bits();

	return bits & random_bits();
}

TEST(random_sets_keep_the_laws)
{
	random_begin(20240917);
	for (int i = 0; i < 20000; i++) {
		uint64_t x = sparse_bits();
		uint64_t y = x ^ sparse_bits();
		size_t common = (size_t)__builtin_popcountll(x & y);

		ck_assert(common_is_symmetric(set_of(x), set_of(y), common));
		ck_assert(links_within(set_of(x), set_of(y), common,
				       random_below(1001)));
		arena_destroy(test_arena);
		test_arena = arena_create();
	}
}

TEST(measures_have_names_and_thresholds)
{
	enum measure measure = MEASURE_COUNT;

	for (unsigned i = 0; i < MEASURE_COUNT; i++) {
		ck_assert(measure_from_name(measure_name(i), &measure));
		ck_assert_uint_eq(measure, i);
		ck_assert_uint_lt(measure_template_threshold(measure),
				  measure_site_threshold(measure));
	}
	ck_assert_ptr_null(measure_name(MEASURE_COUNT));
	ck_assert(!measure_from_name("cpx", &measure));
	ck_assert_uint_eq(measure_site_threshold(MEASURE_CTSS), 850);
	ck_assert_uint_eq(measure_template_threshold(MEASURE_CPC), 250);
}

/* Each attribute is one shingle more; texts and numbers in attributes add
 * none. */
TEST(cas_knows_what_elements_are_for)
{
	static const char *const roles[] = {
		"<p role=note>",       "<p itemprop=author>", "<p itemtype=a>",
		"<a rel=next>",        "<p property=schema>", "<input name=q>",
		"<input type=search>",
	};
	char html[64];

	for (size_t i = 0; i < COUNT_OF(roles); i++) {
		snprintf(html, sizeof(html), "<body>%s", roles[i]);
		ck_assert_uint_eq(sign(html, MEASURE_CAS).count,
				  sign(html, MEASURE_CCS).count + 1);
	}
	ck_assert_uint_eq(
		common("<body><p role=a1>", "<body><p role=a27>", MEASURE_CAS),
		sign("<body><p role=a1>", MEASURE_CAS).count);
	ck_assert_uint_eq(
		common("<body><p role=a>", "<body><p role=b>", MEASURE_CAS),
		sign("<body><p>", MEASURE_CAS).count);
	ck_assert_uint_eq(
		common("<body><p role=a>", "<body><p name=a>", MEASURE_CAS),
		sign("<body><p>", MEASURE_CAS).count);
	ck_assert_uint_eq(common("<body><p name=a><b>", "<body><p><b name=a>",
				 MEASURE_CAS),
			  sign("<body><p><b>", MEASURE_CAS).count);
}

TEST(cas_does_not_see_other_attributes)
{
	static const char long_role[] =
		"<body><p role=0123456789012345678901234567890123456789"
		"0123456789012345678901234>";
	static const char *const pages[] = {
		"<body><p id=a>",
		"<body><p role>",
		"<body><p role=''>",
		"<body><p title=a>",
		"<body><a name=a>",
		"<body><a type=a>",
		"<body><param name=a>",
		long_role,
		"<meta property=a content=b><body><p>",
		"<meta property=og:title content=b><body><p>",
	};

	for (size_t i = 0; i < COUNT_OF(pages); i++) {
		bool has_one = strstr(pages[i], "property") != NULL;

		ck_assert_uint_eq(sign(pages[i], MEASURE_CAS).count,
				  sign(pages[i], MEASURE_CCS).count + has_one);
	}
}

TEST(cas_knows_the_kind_of_the_page)
{
	const char *article = "<meta property=og:type content=article>";
	const char *site = "<meta content=website property=og:type>";

	ck_assert_uint_eq(sign(article, MEASURE_CAS).count,
			  sign(article, MEASURE_CCS).count + 2);
	ck_assert_uint_eq(common(article, site, MEASURE_CAS),
			  sign(article, MEASURE_CAS).count - 1);
}

/* Stored numbers, and the cuts of both. */
TEST_LOOP(class_shingles_are_the_last_measures, 0, 2)
{
	enum measure measure = (enum measure)(4 + _i);

	ck_assert_str_eq(measure_name(measure), _i == 0 ? "ccs" : "cas");
	ck_assert_uint_eq(measure_site_threshold(measure), 700);
	ck_assert_uint_eq(measure_template_threshold(measure), 200);
}

TEST(every_measure_but_cas_has_a_place_of_its_own)
{
	ck_assert_uint_eq(signature_slot(MEASURE_CAS), MEASURE_CCS);
	for (unsigned m = 0; m < MEASURE_CAS; m++)
		ck_assert_uint_eq(signature_slot(m), m);
}
