#include <math.h>

#include "extract/core/document_walk.h"
#include "extract/core/trace.h"
#include "extract/extractors.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/random.h"
#include "tests/unit/run.h"

/*
 * Tests of every method of the table; _i is its row. Properties of a single
 * method are in its own test.
 */

enum { PAGES = 3, PARAGRAPHS = 3, TEXTS = 18 };

/*
 * Three articles of one site. The texts of a page: a title and two hidden ones,
 * a menu of five links and a choice, an article of three texts in the first
 * paragraph and one in each of the others, a foot of three links and a line.
 */
#define HIDDEN  "111000001000000000"
#define ARTICLE "000000000111110000"

/*
 * What `auto` never shows: it is trained on pages whose scripts show what CSS
 * hides at first, and judges hidden text, too.
 */
#define UNREAD "100000001000000000"

/* The texts kept by methods that cannot tell the article from everything else;
 * ? is either. */
static const struct {
	const char *method;
	const char *content;
} exceptions[] = {
	/* the hidden texts read like the article */
	{"auto", "0??000000111110000"},
	/* all that is visible */
	{"plain", "000111110111111111"},
	/* a word between two tags is no slope */
	{"adsc", "000000000110110000"},
	/* a line without links, in a separate block, is text */
	{"lqf-25", "000000000111110001"},
	{"lqf-50", "000000000111110001"},
	{"lqf-75", "000000000111110001"},
	{"crunch", "000000000111110001"},
	{"lp", "000000000111110001"},
	/* the blocks that hold nothing but text, and the one with most words */
	{"kfe", "000000000000110001"},
	{"fe", "000000000000100000"},
	/* the foot is in the same column */
	{"vips", "00000000011111????"},
	{"vce", "00000000011111????"},
};

static const char *const stories[PAGES][PARAGRAPHS] = {
	{"The company looks after two of the net's 13 servers that tell "
	 "computers where to find each other. It also controls those that "
	 "contain the master list of domain name suffixes, and has engineered "
	 "around <a href=/dns>flaws</a> in it for many years.",
	 "If there is a silver lining in all of this, its officer said, it is "
	 "that users will become more aware and more conscious of who they do "
	 "business with, and of what may go wrong on the way there.",
	 "Nobody thinks that everything will fall over next week, or in the "
	 "week after that one; but what was once a plaything of students now "
	 "carries money, and those who want it have patience."},
	{"A museum in the harbour opened its renovated eastern wing to the "
	 "public yesterday morning. Visitors queued around several blocks "
	 "despite rain, some of whom had <b>travelled</b> all night to stand "
	 "before paintings which no one had seen since the war.",
	 "Curators spent eleven winters on cleaning, and found beneath a "
	 "landscape the portrait of a merchant. Whoever painted over him did "
	 "so with great care, they believe, perhaps to hide him.",
	 "Admission stays free until spring. After that children pay nothing "
	 "and their parents five crowns, which the city calls a bargain and "
	 "the opposition calls an insult."},
	{"Robotic submarines mapped the deepest ocean trench for weeks, and "
	 "came home with samples of mud that scientists expect to keep them "
	 "busy until they retire. Life was there, <i>pale</i> and slow, under "
	 "a pressure that would flatten any lorry.",
	 "Each dive took nine hours down and eight hours up, with little to "
	 "look at between. Pilots on deck slept in shifts beside their "
	 "screens, because cables snag when least expected.",
	 "Next year a second vessel shall follow a ridge to its southern end, "
	 "where instruments once heard something large. Whales, say most; a "
	 "landslide, say others, who bet beer on it."},
};

static struct page *page_of(unsigned number)
{
	const char *const *story = stories[number];
	char html[4096];

	snprintf(html, sizeof(html),
		 "<html><head><title>Article %u of the paper</title>\n"
		 "<style>#top { float: left; width: 200px }\n"
		 "#main, #foot { margin-left: 220px; width: 700px }</style>\n"
		 "</head>\n"
		 "<body>\n<p hidden>Hidden text number %u is as long as any "
		 "paragraph that a reader sees, and has its stops, too.</p>\n"
		 "<div style=\"display:none\">Text number %u without a box is "
		 "as long as any other, and nobody reads it, either.</div>\n"
		 "<div id=\"top\">\n<ul class=\"menu\">\n"
		 "<li class=\"item\"><a href=\"/a\">Home</a></li>\n"
		 "<li class=\"item\"><a href=\"/b\">News</a></li>\n"
		 "<li class=\"item\"><a href=\"/c\">Sport</a></li>\n"
		 "<li class=\"item\"><a href=\"/d\">Weather</a></li>\n"
		 "<li class=\"item\"><a href=\"/e\">About</a></li>\n"
		 "</ul>\n<form><select><option>A choice of things to search "
		 "for, number %u</select></form>\n</div>\n"
		 "<div id=\"main\">\n<p>%s</p>\n<p>%s</p>\n<p>%s</p>\n</div>\n"
		 "<div id=\"foot\">\n<ul class=\"links\">\n"
		 "<li><a href=\"/f\">Imprint</a></li>\n"
		 "<li><a href=\"/g\">Contact</a></li>\n"
		 "<li><a href=\"/h\">Jobs</a></li>\n</ul>\n"
		 "<div>All rights reserved.</div>\n</div></body></html>\n",
		 number, number, number, number, story[0], story[1], story[2]);
	return parse(html);
}

static struct page *pages[PAGES];
static const struct page *const *const site = (const struct page *const *)pages;

static void setup(void)
{
	for (unsigned i = 0; i < PAGES; i++)
		pages[i] = page_of(i);
}

static void teardown(void)
{
	for (unsigned i = 0; i < PAGES; i++)
		page_destroy(pages[i]);
}

static const char *name_of(int row)
{
	return extractors[row]->name;
}

static const char *content_of(const char *method)
{
	for (size_t i = 0; i < COUNT_OF(exceptions); i++)
		if (strcmp(exceptions[i].method, method) == 0)
			return exceptions[i].content;
	return ARTICLE;
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST_LOOP(an_article_is_separated_from_menu_and_foot, 0, method_count())
{
	const char *content = content_of(name_of(_i));
	const struct verdict *verdicts =
		run_sampled(site, PAGES, name_of(_i), NULL);

	ck_assert_uint_eq(pages[0]->text_count, TEXTS);
	for (uint32_t i = 0; i < TEXTS; i++)
		ck_assert_msg(content[i] == '?' ||
				      content[i] ==
					      '0' + verdicts[i].is_content,
			      "%s: text %u has the score %g", name_of(_i), i,
			      (double)verdicts[i].score);
}

static bool judges_hidden(const char *method)
{
	return strcmp(method, "auto") == 0;
}

/* Whether `method` may show text `index`, which is invisible at first. */
static bool may_appear(const struct page *page, uint32_t index,
		       const char *method)
{
	return judges_hidden(method) &&
	       (page->texts[index].flags & TEXT_IS_HIDDEN) != 0;
}

/* Every verdict on the first page is written, and invisible text is dropped. */
static void assert_sound(const struct page *const *sampled, uint32_t count,
			 const char *method, const char *assignment)
{
	const struct page *page = sampled[0];
	const bool *is_visible = visible_texts(page->arena, page);
	const struct verdict *verdicts =
		run_sampled(sampled, count, method, assignment);

	for (uint32_t i = 0; i < page->text_count; i++) {
		ck_assert_msg(isfinite(verdicts[i].score),
			      "%s %s: text %u has no score", method, assignment,
			      i);
		ck_assert_msg(is_visible[i] || !verdicts[i].is_content ||
				      may_appear(page, i, method),
			      "%s %s: text %u is hidden", method, assignment,
			      i);
	}
}

/* A single page, and as one of two. */
static void assert_sound_page(const char *html, const char *method,
			      const char *assignment)
{
	AUTO_PAGE *page = parse(html);
	const struct page *sampled[] = {page, pages[0]};

	assert_sound(sampled, 1, method, assignment);
	assert_sound(sampled, 2, method, assignment);
}

static void assert_sound_pages(const char *method, const char *assignment)
{
	static const char *const odd[] = {
		"",
		"text alone",
		"<br><hr>",
		"<p>-</p>",
		"<p hidden>a</p>",
		"<a href=x>n</a><p hidden>h</p>",
		"<title>a</title><select><option>b</select>",
	};

	assert_sound(site, PAGES, method, assignment);
	for (size_t i = 0; i < COUNT_OF(odd); i++)
		assert_sound_page(odd[i], method, assignment);
}

/*
 * By a method that compares pages, when there is nothing to compare with; but
 * df counts the page itself.
 */
TEST_LOOP(a_text_without_others_is_kept, 0, method_count())
{
	AUTO_PAGE *own = parse("words");
	AUTO_PAGE *empty = parse("");
	const struct page *sampled[] = {own, empty};
	bool compares = needs_template(extractors[_i]) &&
			strcmp(name_of(_i), "df") != 0;

	for (uint32_t i = 1; compares && i <= 2; i++)
		ck_assert_msg(
			run_sampled(sampled, i, name_of(_i), NULL)->is_content,
			"%s, of %u pages", name_of(_i), i);
}

TEST_LOOP(odd_pages_are_judged, 0, method_count())
{
	assert_sound_pages(name_of(_i), "");
}

/* Random pages, each as one of two. */
static void assert_sound_at_random(uint64_t first_seed, uint64_t count,
				   const char *method, const char *assignment)
{
	for (uint64_t i = 0; i < count; i++) {
		AUTO_TEXT *html = random_html(first_seed + i);
		AUTO_PAGE *page = parse(html);
		const struct page *sampled[] = {page, pages[i % PAGES]};

		assert_sound(sampled, 2, method, assignment);
	}
}

TEST_LOOP(random_pages_are_judged, 0, method_count())
{
	assert_sound_at_random(1, random_rounds(200), name_of(_i), "");
}

/* "radius=1,passes=16": the maximum of a parameter whose bit is set, otherwise
 * its minimum. */
static char *corner_of(const struct extractor *extractor, unsigned bits)
{
	struct buffer out = {0};
	char value[64];

	for (size_t i = 0; i < extractor->parameter_count; i++) {
		const struct parameter *parameter = &extractor->parameters[i];

		snprintf(value, sizeof(value), "%s=%.17g", parameter->name,
			 (bits >> i & 1) != 0 ? parameter->maximum
					      : parameter->minimum);
		buffer_append_text(&out, i == 0 ? "" : ",");
		buffer_append_text(&out, value);
	}
	buffer_append_text(&out, "");
	return out.data;
}

/* Whatever the parameters. */
TEST_LOOP(hidden_text_is_never_content, 0, method_count())
{
	const struct extractor *extractor = extractors[_i];
	const char *hidden = judges_hidden(extractor->name) ? UNREAD : HIDDEN;

	for (unsigned i = 0; i < 1U << extractor->parameter_count; i++) {
		AUTO_TEXT *corner = corner_of(extractor, i);
		const struct verdict *verdicts =
			run_sampled(site, PAGES, extractor->name, corner);

		for (uint32_t k = 0; k < TEXTS; k++)
			ck_assert_msg(
				hidden[k] == '0' || !verdicts[k].is_content,
				"%s %s: text %u", extractor->name, corner, k);
	}
}

TEST_LOOP(extreme_parameters_are_survived, 0, method_count())
{
	const struct extractor *extractor = extractors[_i];

	for (unsigned i = 0; i < 1U << extractor->parameter_count; i++) {
		AUTO_TEXT *corner = corner_of(extractor, i);

		assert_sound_pages(extractor->name, corner);
		assert_sound_at_random(1000 * i + 1, random_rounds(20),
				       extractor->name, corner);
	}
}

static void assert_traced(const struct page *const *sampled, uint32_t count,
			  const char *method)
{
	const struct page *page = sampled[0];
	struct trace *trace = trace_create(page->arena, page->text_count);
	const struct verdict *alone = run_sampled(sampled, count, method, NULL);
	const struct verdict *traced =
		run_traced(sampled, count, method, NULL, trace);

	for (uint32_t i = 0; i < page->text_count; i++) {
		ck_assert_msg(alone[i].score == traced[i].score &&
				      alone[i].is_content ==
					      traced[i].is_content,
			      "%s: text %u differs", method, i);
		ck_assert_msg(trace->reasons[i] != NULL,
			      "%s: text %u has no reason", method, i);
	}
}

TEST_LOOP(a_trace_gives_reasons_and_changes_nothing, 0, method_count())
{
	assert_traced(site, PAGES, name_of(_i));
	for (uint64_t seed = 1; seed <= 50; seed++) {
		AUTO_TEXT *html = random_html(seed);
		AUTO_PAGE *page = parse(html);
		const struct page *sampled[] = {page, pages[0]};

		assert_traced(sampled, 2, name_of(_i));
	}
}
