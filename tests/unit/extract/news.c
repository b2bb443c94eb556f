#include "tests/unit/extract/news.h"

#include <check.h>
#include <math.h>
#include <stdio.h>

#include "tests/unit/extract/fixture.h"

enum { PAGES = 4, MENU_TEXTS = 4, ARTICLE_TEXTS = 2 };

static const char *const articles[PAGES][ARTICLE_TEXTS] = {
	{"Harbour bridge closed after storm damage",
	 "Engineers inspected every cable yesterday morning"},
	{"Museum opens its renovated eastern wing",
	 "Visitors queued around several blocks despite rain"},
	{"Striker signs five year contract extension",
	 "Supporters celebrated until sunrise outside the stadium"},
	{"Scientists map deepest ocean trench",
	 "Robotic submarines collected samples for weeks"},
};

static struct page *article(unsigned number)
{
	char html[1024];

	snprintf(html, sizeof(html),
		 "<body><ul class=menu><li><a href=/>Home page</a>"
		 "<li><a href=/n>All news</a><li><a href=/c>Contact us</a></ul>"
		 "<div class=text><h1>%s</h1><p>%s</p></div>"
		 "<div class=foot>Copyright by the publisher</div>",
		 articles[number][0], articles[number][1]);
	return parse(html);
}

void assert_articles_are_told_from_menus(const char *method)
{
	static const bool is_content[MENU_TEXTS + ARTICLE_TEXTS] = {
		false, false, false, true, true, false};
	struct page *pages[PAGES];
	const struct verdict *verdicts;

	for (unsigned i = 0; i < PAGES; i++)
		pages[i] = article(i);
	verdicts = run_sampled((const struct page *const *)pages, PAGES, method,
			       NULL);
	ck_assert_uint_eq(pages[0]->text_count, MENU_TEXTS + ARTICLE_TEXTS);
	for (unsigned i = 0; i < MENU_TEXTS + ARTICLE_TEXTS; i++)
		ck_assert_msg(verdicts[i].is_content == is_content[i],
			      "%s: text %u has the score %g", method, i,
			      (double)verdicts[i].score);
	for (unsigned i = 0; i < PAGES; i++)
		page_destroy(pages[i]);
}

void assert_hidden_text_is_never_content(const char *method)
{
	struct page *pages[] = {
		parse("<title>First title</title><p hidden>Unseen words</p>"
		      "<select><option>Some choice</select><p>Seen words</p>"),
		parse("<title>Other names</title><p>Nothing alike</p>"),
		parse("<title>Third thing</title><p>Different again</p>"),
	};
	const struct verdict *verdicts =
		run_sampled((const struct page *const *)pages, 3, method, NULL);

	ck_assert_uint_eq(pages[0]->text_count, 4);
	ck_assert(!verdicts[0].is_content);
	ck_assert(!verdicts[1].is_content);
	ck_assert(!verdicts[2].is_content);
	ck_assert(verdicts[3].is_content);
	for (unsigned i = 0; i < 3; i++)
		page_destroy(pages[i]);
}

void assert_small_pages_are_judged(const char *method)
{
	struct page *pages[] = {parse("words"), parse("")};
	const struct page *empty_first[] = {pages[1], pages[0]};
	const struct verdict *verdicts =
		run_sampled((const struct page *const *)pages, 2, method, NULL);

	ck_assert(isfinite(verdicts[0].score));
	ck_assert(verdicts[0].is_content);
	run_sampled(empty_first, 2, method, NULL);
	verdicts =
		run_sampled((const struct page *const *)pages, 1, method, NULL);
	ck_assert(isfinite(verdicts[0].score));
	ck_assert(verdicts[0].is_content);
	page_destroy(pages[0]);
	page_destroy(pages[1]);
}
