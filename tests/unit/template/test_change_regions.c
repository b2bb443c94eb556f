/* What is a change of a template, and of which of its regions. */
#include "template/change_detector.h"

#include "base/arena.h"
#include "cluster/signature.h"
#include "page/page.h"
#include "store/record.h"
#include "template/page_outline.h"
#include "template/version.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

enum { PAGES = 8, CLUSTER = 1 };

#define HEAD                                                        \
	"<header class=top><a class=logo>L</a><nav class=menu><ul>" \
	"<li class=item>a</ul></nav></header>"
#define BLOCK                                                           \
	"<div class=pdp><h1 class=pdp-title>t</h1><p class=pdp-price>1" \
	"</p><div class=pdp-stock><span class=pdp-state>s</span></div></div>"
#define OTHER                                                           \
	"<div class=deck><h2 class=deck-name>t</h2><p class=deck-sum>1" \
	"</p><div class=deck-box><b class=deck-note>s</b></div></div>"
#define PROSE                                          \
	"<div class=text><h3 class=sub>h</h3><p>a<ul " \
	"class=facts><li>b</ul></div>"
#define DATA "<dl class=data><dt>d<dd>e<dd class=x>f</dl><h4>g</h4><h5>i</h5>"
#define TEXT PROSE "<table class=specs><tr><td>c</table>" DATA
#define FOOT                                               \
	"<footer class=foot><ul class=links><li>x</ul><p " \
	"class=copy>c</p></footer>"
#define PAGE_OF(head, main, foot) \
	"<html><body>" head "<main class=main>" main "</main>" foot

static struct detection found;

static void append_outline(const struct page *page, struct buffer *outline)
{
	const struct path_table paths = path_table_make(page->arena, page);

	outline_append(page, paths.steps[PATH_INNER_CLASSES], outline);
}

/* Pages [from, to) have `html` now; the others `other`. */
static void detect(const char *before, const char *html, uint32_t to,
		   const char *other)
{
	struct observed_page sample[PAGES] = {{0}};
	const char *pages[] = {before, html, other};
	struct buffer outlines[3] = {{0}};

	for (size_t i = 0; i < 3; i++) {
		AUTO_PAGE *page = parse(pages[i]);

		append_outline(page, &outlines[i]);
	}
	for (uint32_t i = 0; i < PAGES; i++) {
		sample[i] = (struct observed_page){
			.page = 1 + i,
			.observation = OBSERVED_PAGE,
			.cluster = CLUSTER,
		};
		sample[i].before.outline = buffer_slice(&outlines[0]);
		sample[i].after.outline =
			buffer_slice(&outlines[i < to ? 1 : 2]);
	}
	detect_change(test_arena, CLUSTER, sample, PAGES, &change_rules_default,
		      &found);
	for (size_t i = 0; i < 3; i++)
		buffer_free(&outlines[i]);
}

struct change_case {
	const char *name;
	const char *before;
	const char *after;
	bool is_change;
	const char *where; /* of the first region; NULL = there is none */
	const char *was;
	const char *now;
};

#define BASE PAGE_OF(HEAD, BLOCK TEXT, FOOT)
#define MAIN "html>body>main.main"

static const struct change_case change_cases[] = {
	{"nothing", BASE, BASE, false, NULL, NULL, NULL},
	{"the block", BASE, PAGE_OF(HEAD, OTHER TEXT, FOOT), true, MAIN,
	 "div.pdp", "div.deck"},
	{"the block, in another element", BASE,
	 PAGE_OF(HEAD, "<div class=outer>" OTHER "</div>" TEXT, FOOT), true,
	 MAIN, "div.pdp", "div.outer"},
	{"a column of a grid",
	 PAGE_OF(HEAD,
		 "<div class=col-8>" TEXT "</div><div class=col-4>" BLOCK
		 "</div>",
		 FOOT),
	 PAGE_OF(HEAD,
		 "<div class=col-8>" TEXT "</div><div class=deep>" OTHER
		 "</div>",
		 FOOT),
	 true, MAIN, "div.pdp", "div.deep"},
	{"the footer", BASE,
	 PAGE_OF(HEAD, BLOCK TEXT,
		 "<footer class=end><ol class=sites><li>x</ol><p class=by>c"),
	 true, "html>body", "footer.foot", "footer.end"},
	{"classes of html and body", BASE,
	 "<html class=dark><body class='a b'>" HEAD
	 "<main class=main>" BLOCK TEXT "</main>" FOOT,
	 false, NULL, NULL, NULL},
	{"classes of body, and the block",
	 "<body class='a x'>" HEAD "<main class=main>" BLOCK TEXT
	 "</main>" FOOT,
	 "<body class='b'>" HEAD "<main class=main>" OTHER TEXT "</main>" FOOT,
	 true, MAIN, "div.pdp", "div.deck"},
	{"a banner", BASE,
	 PAGE_OF("<div class=bar><b class=bar-text>x</b><i class=bar-x>y</i>"
		 "<p class=bar-more>z</div>" HEAD,
		 BLOCK TEXT, FOOT),
	 false, NULL, NULL, NULL},
	{"no table", BASE, PAGE_OF(HEAD, BLOCK PROSE DATA, FOOT), false, NULL,
	 NULL, NULL},
	{"the block is gone, and others came at another place", BASE,
	 PAGE_OF(HEAD,
		 TEXT "<div class=box><b class=box-a>x</b><i class=box-b>y</i>"
		      "<p class=box-c>z</div>",
		 FOOT),
	 false, NULL, NULL, NULL},
	{"elements in another order", BASE, PAGE_OF(HEAD, TEXT BLOCK, FOOT),
	 false, NULL, NULL, NULL},
	{"one name", BASE,
	 PAGE_OF(HEAD,
		 "<div class=pdp><h1 class=name>t</h1><p class=pdp-price>1</p>"
		 "<div class=pdp-stock><span class=pdp-state>s</span></div>"
		 "</div>" TEXT,
		 FOOT),
	 false, NULL, NULL, NULL},
	{"an element around everything", BASE,
	 "<html><body><div class=shell>" HEAD "<main class=main>" BLOCK TEXT
	 "</main>" FOOT,
	 false, NULL, NULL, NULL},
	{"the name of an element around most others", BASE,
	 "<html><body>" HEAD "<main class=content>" BLOCK TEXT "</main>" FOOT,
	 false, NULL, NULL, NULL},
	{"all is gone", BASE, "<html><body><div id=root>x", true, NULL, NULL,
	 NULL},
};

TEST_ROWS(a_region_that_is_replaced_is_a_change, change_cases)
{
	const struct change_case *c = &change_cases[_i];
	const struct change_region *region;

	detect(c->before, c->after, PAGES, c->after);
	ck_assert_msg((found.kind == DECISION_CHANGED) == c->is_change, "%s",
		      c->name);
	ck_assert_msg((found.region_count > 0) == (c->where != NULL), "%s",
		      c->name);
	ck_assert(!found.is_rebuilt && !found.is_root_class);
	if (c->where == NULL)
		return;
	region = &found.regions[0];
	ck_assert(slice_equal(region->where, slice_of(c->where)));
	ck_assert(slice_equal(region->was, slice_of(c->was)));
	ck_assert(slice_equal(region->now, slice_of(c->now)));
	ck_assert_uint_eq(region->pages, (1U << PAGES) - 1);
	ck_assert_uint_eq(found.agreed, PAGES);
}

TEST(a_region_names_its_elements)
{
	static const char *const pairs[][2] = {
		{"h1.pdp-title", "h2.deck-name"},
		{"p.pdp-price", "p.deck-sum"},
		{"span.pdp-state", "b.deck-note"},
	};
	const char *other = PAGE_OF(HEAD, OTHER TEXT, FOOT);

	detect(BASE, other, PAGES, other);
	ck_assert_uint_eq(found.region_count, 1);
	ck_assert_uint_eq(found.regions[0].element_count, COUNT_OF(pairs));
	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		ck_assert(slice_equal(found.regions[0].elements[i].was,
				      slice_of(pairs[i][0])));
		ck_assert(slice_equal(found.regions[0].elements[i].now,
				      slice_of(pairs[i][1])));
	}
}

TEST(a_region_must_be_replaced_on_most_pages)
{
	detect(BASE, PAGE_OF(HEAD, OTHER TEXT, FOOT), 7, BASE);
	ck_assert_int_eq(found.kind, DECISION_CHANGED);
	ck_assert_uint_eq(found.agreed, 7);
	detect(BASE, PAGE_OF(HEAD, OTHER TEXT, FOOT), 6, BASE);
	ck_assert_int_eq(found.kind, DECISION_SAME);
}

/* The version of a template of PAGES equal pages. */
static const struct version *version_of(const char *html)
{
	AUTO_PAGE *page = parse(html);
	const struct page *pages[] = {page};
	const struct slice urls[] = {slice_of("http://a.example/")};
	struct record records[PAGES] = {{0}};
	struct buffer *outline = ARENA_NEW(test_arena, struct buffer, 1);

	append_outline(page, outline);
	arena_adopt(test_arena, outline->data, outline->capacity);
	for (uint32_t i = 0; i < PAGES; i++)
		records[i].outline = buffer_slice(outline);
	return version_make(test_arena, &(struct version_input){
						.page_count = PAGES,
						.records = records,
						.record_count = PAGES,
						.pages = pages,
						.urls = urls,
						.sample_count = 1,
					});
}

TEST_ROWS(versions_have_the_same_design_if_nothing_changed, change_cases)
{
	const struct change_case *c = &change_cases[_i];
	const struct version *before = version_of(c->before);
	const struct version *after = version_of(c->after);
	AUTO_PAGE *page = parse(c->after);
	AUTO_BUFFER outline = {0};
	struct record record = {0};

	ck_assert(!version_has_page(test_arena, before, &record));
	append_outline(page, &outline);
	record.outline = buffer_slice(&outline);
	ck_assert_msg(version_is_same_design(test_arena, before, before), "%s",
		      c->name);
	/* a version does not know the order of siblings */
	if (strstr(c->name, "another place") != NULL)
		return;
	ck_assert_msg(version_is_same_design(test_arena, before, after) !=
			      c->is_change,
		      "%s", c->name);
	ck_assert_msg(version_has_page(test_arena, before, &record) !=
			      c->is_change,
		      "%s", c->name);
}

#define STYLED(a, b, c, d, e)                                            \
	"<html><body><div class=" a "><h1 class=" b ">t</h1><p class=" c \
	">p</p><div class=" d "><b class=" e ">x</b></div></div>"

TEST(new_generated_names_are_no_change)
{
	static const struct {
		const char *before;
		const char *after;
		bool is_rebuilt;
	} rows[] = {
		/* six letters each */
		{STYLED("kqzvwx", "bxkvwq", "zzqvkx", "vqwxzk", "wqkxvz"),
		 STYLED("xkqvzw", "qvbxkw", "kxzzqv", "zkvqwx", "vzwqkx"),
		 true},
		/* names that a person wrote */
		{STYLED("header", "titles", "prices", "stocks", "states"),
		 STYLED("frames", "topics", "amount", "boards", "badges"),
		 false},
		/* generated names in place of such names */
		{STYLED("header", "titles", "prices", "stocks", "states"),
		 STYLED("xkqvzw", "qvbxkw", "kxzzqv", "zkvqwx", "vzwqkx"),
		 false},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		detect(rows[i].before, rows[i].after, PAGES, rows[i].after);
		ck_assert_msg(found.is_rebuilt == rows[i].is_rebuilt, "%zu", i);
		ck_assert_int_eq(found.kind, rows[i].is_rebuilt
						     ? DECISION_SAME
						     : DECISION_CHANGED);
	}
}

/* Half of the pages have another header at each visit. */
TEST(a_part_that_alternates_does_not_hide_a_change)
{
	const char *variant = "<html><body><div class=alt><b class=alt-a>x</b>"
			      "<i class=alt-b>y</i><p class=alt-c>z</div>";
	AUTO_BUFFER first = {0};
	AUTO_BUFFER second = {0};

	buffer_printf(&first, "%s<main class=main>%s", variant,
		      OTHER TEXT FOOT);
	buffer_append_byte(&first, '\0');
	buffer_printf(&second, "<html><body>%s<main class=main>%s", HEAD,
		      OTHER TEXT FOOT);
	buffer_append_byte(&second, '\0');
	detect(BASE, first.data, 4, second.data);
	ck_assert_int_eq(found.kind, DECISION_CHANGED);
	ck_assert_uint_eq(found.region_count, 1);
	ck_assert(slice_equal(found.regions[0].was, slice_of("div.pdp")));
}

/* Append an outline of random elements, with few names and with many. */
static void append_at_random(struct buffer *out)
{
	static const char *const labels[] = {
		"html",         "div a",      "p",
		"div kqzvwx",   "b x-3fa9c",  "i col-4",
		"i col-8 menu", "li x-77b1d", "section Post_root__x7Ab3"};
	uint32_t count = 1 + (uint32_t)(random_bits() % 40);
	uint64_t depth = 0;

	for (uint32_t i = 0; i < count; i++) {
		const char *label =
			labels[i == 0 ? 0 : random_bits() % COUNT_OF(labels)];

		depth = i == 0 ? 0 : 1 + random_bits() % depth;
		buffer_append_varint(out, depth++);
		buffer_append_byte(out, (char)(random_bits() % 2));
		buffer_append_varint(out, strlen(label));
		buffer_append_text(out, label);
	}
}

TEST(any_outlines_are_compared)
{
	random_begin(20261128);
	for (int round = 0; round < 500; round++) {
		struct observed_page sample[PAGES] = {{0}};
		struct buffer outlines[2 * PAGES] = {{0}};

		for (uint32_t i = 0; i < PAGES; i++) {
			append_at_random(&outlines[i]);
			append_at_random(&outlines[PAGES + i]);
			sample[i] = (struct observed_page){
				.page = 1 + i,
				.observation = (enum observation)(
					random_bits() % 8 == 0 ? 0 : 1),
				.cluster = CLUSTER,
			};
			sample[i].before.outline = buffer_slice(&outlines[i]);
			sample[i].after.outline = buffer_slice(
				&outlines[random_bits() % 4 == 0 ? i : PAGES]);
		}
		detect_change(test_arena, CLUSTER, sample, PAGES,
			      &change_rules_default, &found);
		for (uint32_t i = 0; i < found.region_count; i++)
			ck_assert(found.regions[i].lost >= 3 &&
				  found.regions[i].gained >= 3 &&
				  found.regions[i].pages != 0 &&
				  found.regions[i].where.size > 0);
		for (uint32_t i = 0; i < 2 * PAGES; i++)
			buffer_free(&outlines[i]);
	}
}
