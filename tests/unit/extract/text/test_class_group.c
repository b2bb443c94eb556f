#include "extract/text/class_words.h"

#include "extract/text/passage.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

#define SET(group) (1U << GROUP_##group)

static uint32_t groups(const char *names)
{
	return class_groups_of(slice_of(names));
}

TEST(every_group_has_its_words)
{
	ck_assert_uint_eq(groups("breadcrumb"), SET(NAVIGATION));
	ck_assert_uint_eq(groups("masthead"), SET(HEADER));
	ck_assert_uint_eq(groups("legal"), SET(FOOTER));
	ck_assert_uint_eq(groups("rail"), SET(SIDEBAR));
	ck_assert_uint_eq(groups("disqus"), SET(COMMENT));
	ck_assert_uint_eq(groups("upsell"), SET(RELATED));
	ck_assert_uint_eq(groups("twitter"), SET(SOCIAL));
	ck_assert_uint_eq(groups("gdpr"), SET(POPUP));
	ck_assert_uint_eq(groups("adsbygoogle"), SET(ADVERTISEMENT));
	ck_assert_uint_eq(groups("wysiwyg"), SET(CONTENT));
	ck_assert_uint_eq(groups("articlecontent"), SET(ARTICLE_BODY));
	ck_assert_uint_eq(groups("variant"), SET(PRODUCT));
	ck_assert_uint_eq(groups("overview"), SET(DESCRIPTION));
	ck_assert_uint_eq(groups("testimonials"), SET(REVIEW));
	ck_assert_uint_eq(groups("grid"), SET(ITEM));
	ck_assert_uint_eq(groups("facet"), SET(FILTER));
	ck_assert_uint_eq(groups("username"), SET(METADATA));
	ck_assert_uint_eq(groups("question"), SET(FORUM));
	ck_assert_uint_eq(groups("documentation"), SET(DOCUMENTATION));
	ck_assert_uint_eq(groups("accordion"), SET(ACCORDION));
	ck_assert_uint_eq(groups("img"), SET(MEDIA));
	ck_assert_uint_eq(groups("btn"), SET(ACTION));
}

TEST(a_word_may_have_two_groups)
{
	ck_assert_uint_eq(groups("replies"), SET(COMMENT) | SET(FORUM));
}

TEST(words_end_at_non_letters)
{
	ck_assert_uint_eq(groups("nav-4711_ad\n cart"),
			  SET(NAVIGATION) | SET(ADVERTISEMENT) | SET(PRODUCT));
	ck_assert_uint_eq(groups("nav\xC3\xA9"), SET(NAVIGATION));
	ck_assert_uint_eq(groups("NAV"), SET(NAVIGATION));
}

TEST(a_part_of_a_word_is_none)
{
	ck_assert_uint_eq(groups("loading navy canvas"), 0);
	ck_assert_uint_eq(groups("recommendationsx"), 0); /* 16 letters */
	ck_assert_uint_eq(groups("navnavnavnavnavnavnavnavnavnavnavnav"), 0);
	ck_assert_uint_eq(groups("recommendations"), SET(RELATED)); /* 15 */
}

TEST(a_part_of_camel_case_is_one)
{
	ck_assert_uint_eq(groups("HTMLComment"), SET(COMMENT));
	ck_assert_uint_eq(groups("myHTMLAd"), SET(ADVERTISEMENT));
	ck_assert_uint_eq(groups("Nav"), SET(NAVIGATION));
	ck_assert_uint_eq(groups("footERxx"), SET(FOOTER)); /* foot E Rxx */
}

TEST(so_is_the_whole_of_two_or_three_parts)
{
	/* article Body, and articlebody */
	ck_assert_uint_eq(groups("articleBody"),
			  SET(CONTENT) | SET(ARTICLE_BODY));
	ck_assert_uint_eq(groups("tesTimonIal"), SET(REVIEW));
	ck_assert_uint_eq(groups("brEadCrUmb"), 0); /* of four */
}

TEST(without_words_there_is_no_group)
{
	ck_assert_uint_eq(class_groups_of((struct slice){NULL, 0}), 0);
	ck_assert_uint_eq(groups("a X - 12 \xD0\xBC\xD0\xB5\xD0\xBD\xD1\x8E"),
			  0);
	ck_assert_uint_eq(groups("xnav znav zzz"), 0);
}

TEST(elements_with_a_passage_have_groups)
{
	AUTO_PAGE *page =
		parse("<html class=nav><body class=page><div id=sidebar "
		      "class=ad><p>x</p><p class=btn></p></div></html>");
	struct passages passages = passages_make(page->arena, page);
	const uint32_t *of = class_groups_make(page->arena, &passages);

	/* html head body div p p */
	ck_assert_uint_eq(page->node_count, 6);
	ck_assert_uint_eq(of[0], 0);
	ck_assert_uint_eq(of[1], 0);
	ck_assert_uint_eq(of[2], SET(CONTENT));
	ck_assert_uint_eq(of[3], SET(SIDEBAR) | SET(ADVERTISEMENT));
	ck_assert_uint_eq(of[4], 0);
	ck_assert_uint_eq(of[5], 0);
}
