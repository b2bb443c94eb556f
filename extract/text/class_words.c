#include "extract/text/class_words.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "extract/core/numeric.h"
#include "extract/text/passage.h"
#include "page/page.h"

enum { ROW = 16 }; /* the longest word has 15 bytes */

/* Each entry has a word and its groups. The entries are sorted by word. */
/* clang-format off */
#define WORDS(X) \
	X(accordion, ACCORDION) X(action, ACTION) X(actions, ACTION) \
	X(ad, ADVERTISEMENT) X(addthis, SOCIAL) X(ads, ADVERTISEMENT) \
	X(adsbygoogle, ADVERTISEMENT) X(advert, ADVERTISEMENT) \
	X(advertisement, ADVERTISEMENT) X(alert, POPUP) X(also, RELATED) \
	X(answer, FORUM) X(answers, FORUM) X(api, DOCUMENTATION) \
	X(article, CONTENT) X(articlebody, ARTICLE_BODY) \
	X(articlecontent, ARTICLE_BODY) X(aside, SIDEBAR) X(author, METADATA) \
	X(avatar, METADATA) X(banner, HEADER) X(basket, PRODUCT) X(bbp, FORUM) \
	X(bio, METADATA) X(body, CONTENT) X(bottom, FOOTER) \
	X(breadcrumb, NAVIGATION) X(breadcrumbs, NAVIGATION) X(btn, ACTION) \
	X(button, ACTION) X(buy, PRODUCT) X(byline, METADATA) \
	X(caption, MEDIA) X(card, ITEM) X(cards, ITEM) X(carousel, MEDIA) \
	X(cart, PRODUCT) X(categories, METADATA) X(category, METADATA) \
	X(checkout, PRODUCT) X(code, DOCUMENTATION) X(col, ITEM) \
	X(collapse, ACCORDION) X(collapsible, ACCORDION) X(collection, ITEM) \
	X(colophon, FOOTER) X(comment, COMMENT) X(commentlist, COMMENT) \
	X(comments, COMMENT) X(complementary, SIDEBAR) X(consent, POPUP) \
	X(content, CONTENT) X(cookie, POPUP) X(cookies, POPUP) \
	X(copy, CONTENT) X(copyright, FOOTER) X(crumb, NAVIGATION) \
	X(crumbs, NAVIGATION) X(cta, ACTION) X(date, METADATA) \
	X(desc, DESCRIPTION) X(description, DESCRIPTION) \
	X(detail, DESCRIPTION) X(details, DESCRIPTION) X(dfp, ADVERTISEMENT) \
	X(dialog, POPUP) X(discussion, COMMENT) X(disqus, COMMENT) \
	X(doc, DOCUMENTATION) X(docs, DOCUMENTATION) \
	X(documentation, DOCUMENTATION) X(drawer, POPUP) \
	X(dropdown, NAVIGATION) X(entry, CONTENT) \
	X(entrycontent, ARTICLE_BODY) X(facebook, SOCIAL) X(facet, FILTER) \
	X(facets, FILTER) X(faq, ACCORDION) X(faqs, ACCORDION) \
	X(features, DESCRIPTION) X(feed, ITEM) X(feedback, REVIEW) \
	X(figure, MEDIA) X(filter, FILTER) X(filters, FILTER) X(flyout, POPUP) \
	X(follow, SOCIAL) X(foot, FOOTER) X(footer, FOOTER) X(form, FILTER) \
	X(gallery, MEDIA) X(gdpr, POPUP) X(grid, ITEM) X(head, HEADER) \
	X(header, HEADER) X(hero, HEADER) X(highlight, DOCUMENTATION) \
	X(icon, ACTION) X(icons, ACTION) X(image, MEDIA) X(img, MEDIA) \
	X(info, DESCRIPTION) X(information, DESCRIPTION) X(item, ITEM) \
	X(items, ITEM) X(legal, FOOTER) X(lightbox, POPUP) X(link, ACTION) \
	X(links, ACTION) X(list, ITEM) X(listing, ITEM) X(listings, ITEM) \
	X(login, POPUP) X(loop, ITEM) X(main, CONTENT) X(markdown, CONTENT) \
	X(masthead, HEADER) X(megamenu, NAVIGATION) X(menu, NAVIGATION) \
	X(menus, NAVIGATION) X(message, FORUM) X(messages, FORUM) \
	X(meta, METADATA) X(modal, POPUP) X(more, RELATED) X(nav, NAVIGATION) \
	X(navbar, NAVIGATION) X(navigation, NAVIGATION) X(newsletter, POPUP) \
	X(next, RELATED) X(notice, POPUP) X(optin, POPUP) \
	X(outbrain, ADVERTISEMENT) X(overlay, POPUP) X(overview, DESCRIPTION) \
	X(page, CONTENT) X(pager, NAVIGATION) X(pagination, NAVIGATION) \
	X(panel, ACCORDION) X(pdp, PRODUCT) X(phpbb, FORUM) \
	X(popular, RELATED) X(popup, POPUP) X(post, CONTENT) \
	X(postbody, ARTICLE_BODY) X(postcontent, ARTICLE_BODY) X(posts, FORUM) \
	X(prev, RELATED) X(previous, RELATED) X(price, PRODUCT) \
	X(prices, PRODUCT) X(product, PRODUCT) X(products, PRODUCT) \
	X(profile, METADATA) X(promo, RELATED) X(prose, CONTENT) \
	X(published, METADATA) X(question, FORUM) X(questions, FORUM) \
	X(rail, SIDEBAR) X(rating, REVIEW) X(ratings, REVIEW) \
	X(recently, RELATED) X(recirc, RELATED) X(recommend, RELATED) \
	X(recommendations, RELATED) X(recommended, RELATED) \
	X(reference, DOCUMENTATION) X(refine, FILTER) X(refinement, FILTER) \
	X(related, RELATED) X(replies, COMMENT | 1 << GROUP_FORUM) X(reply, COMMENT) \
	X(respond, COMMENT) X(result, ITEM) X(results, ITEM) X(review, REVIEW) \
	X(reviews, REVIEW) X(richtext, CONTENT) X(row, ITEM) X(rte, CONTENT) \
	X(search, FILTER) X(searchbox, FILTER) X(secondary, SIDEBAR) \
	X(share, SOCIAL) X(sharedaddy, SOCIAL) X(sharing, SOCIAL) \
	X(side, SIDEBAR) X(sidebar, SIDEBAR) X(signin, POPUP) X(signup, POPUP) \
	X(similar, RELATED) X(single, CONTENT) X(skip, NAVIGATION) \
	X(sku, PRODUCT) X(slick, MEDIA) X(slide, MEDIA) X(slider, MEDIA) \
	X(social, SOCIAL) X(sort, FILTER) X(sorting, FILTER) \
	X(spec, DESCRIPTION) X(specification, DESCRIPTION) \
	X(specifications, DESCRIPTION) X(specs, DESCRIPTION) \
	X(sponsor, ADVERTISEMENT) X(sponsored, ADVERTISEMENT) \
	X(sponsors, ADVERTISEMENT) X(stars, REVIEW) X(story, CONTENT) \
	X(storybody, ARTICLE_BODY) X(submenu, NAVIGATION) X(subscribe, POPUP) \
	X(subscription, POPUP) X(suggested, RELATED) X(summary, DESCRIPTION) \
	X(swatch, PRODUCT) X(swiper, MEDIA) X(tab, ACCORDION) \
	X(tabcontent, ACCORDION) X(taboola, ADVERTISEMENT) \
	X(tabpanel, ACCORDION) X(tabs, NAVIGATION) X(tag, METADATA) \
	X(tags, METADATA) X(taxonomy, METADATA) X(teaser, RELATED) \
	X(testimonial, REVIEW) X(testimonials, REVIEW) X(text, CONTENT) \
	X(thread, FORUM) X(tile, ITEM) X(tiles, ITEM) X(time, METADATA) \
	X(timestamp, METADATA) X(toast, POPUP) X(toc, NAVIGATION) \
	X(toggle, ACCORDION) X(toolbar, HEADER) X(tooltip, POPUP) \
	X(topbar, HEADER) X(topic, FORUM) X(trending, RELATED) \
	X(twitter, SOCIAL) X(upsell, RELATED) X(user, METADATA) \
	X(username, METADATA) X(variant, PRODUCT) X(video, MEDIA) \
	X(widget, SIDEBAR) X(widgets, SIDEBAR) X(wysiwyg, CONTENT)
/* clang-format on */

enum {
#define X(word, groups) WORD_##word,
	WORDS(X)
#undef X
		WORD_COUNT
};

/*
 * The words, padded with zeros, so that two words can be compared as two
 * numbers of eight bytes each.
 */
static const char words[WORD_COUNT][ROW] = {
#define X(word, groups) #word,
	WORDS(X)
#undef X
};

static const uint32_t word_groups[WORD_COUNT] = {
#define X(word, groups) 1 << GROUP_##groups,
	WORDS(X)
#undef X
};

/*
 * For each letter, the index of the first word that begins with it; for a
 * letter without words, the index for the next letter.
 */
static const uint8_t first_of_letter[27] = {
	WORD_accordion, WORD_banner,   WORD_caption, WORD_date,   WORD_entry,
	WORD_facebook,  WORD_gallery,  WORD_head,    WORD_icon,   WORD_legal,
	WORD_legal,     WORD_legal,    WORD_main,    WORD_nav,    WORD_optin,
	WORD_page,      WORD_question, WORD_rail,    WORD_search, WORD_tab,
	WORD_upsell,    WORD_variant,  WORD_widget,  WORD_COUNT,  WORD_COUNT,
	WORD_COUNT,     WORD_COUNT,
};

_Static_assert(WORD_COUNT <= UINT8_MAX, "first_of_letter holds bytes");

/*
 * Return the eight bytes at `row`, half of a row, as a number. Numbers have the
 * same order as the words.
 */
static uint64_t half_of(const char *row)
{
	uint64_t half;

	memcpy(&half, row, sizeof(half));
	return be64toh(half);
}

/*
 * Return the groups of a word, or 0 if it is not in the table. `word` consists
 * of letters only.
 */
static uint32_t groups_of_word(const char *word, size_t length)
{
	char row[ROW] = {0};
	uint64_t begin;
	uint64_t rest;
	size_t first;
	size_t count;
	size_t at;

	if (length < 2 || length >= ROW)
		return 0;
	for (size_t i = 0; i < length; i++)
		row[i] = (char)(word[i] | 0x20);
	first = first_of_letter[row[0] - 'a'];
	count = first_of_letter[row[0] - 'a' + 1] - first;
	begin = half_of(row);
	rest = half_of(row + ROW / 2);
	LOWER_BOUND(at, count,
		    half_of(words[first + at]) < begin ||
			    (half_of(words[first + at]) == begin &&
			     half_of(words[first + at] + ROW / 2) < rest));
	return at < count && memcmp(words[first + at], row, ROW) == 0
		       ? word_groups[first + at]
		       : 0;
}

/*
 * Return the length of the first part of a word in camelCase: of "article" in
 * articleBody, of "HTML" in HTMLParser, of "Parser" in Parser.
 */
static size_t camel_part_length(const char *word, size_t length)
{
	size_t at = 0;

	while (at < length && is_upper(word[at]))
		at++;
	if (at == length)
		return length;
	if (at > 1)
		return at - 1;
	while (at < length && !is_upper(word[at]))
		at++;
	return at;
}

/* Return the groups of a run of letters and of its parts in camelCase. */
static uint32_t groups_of_letters(const char *letters, size_t length)
{
	uint32_t groups = 0;
	size_t parts = 0;
	size_t at = 0;

	while (at < length) {
		size_t size = camel_part_length(letters + at, length - at);

		groups |= groups_of_word(letters + at, size);
		at += size;
		parts++;
	}
	if (parts == 2 || parts == 3)
		groups |= groups_of_word(letters, length);
	return groups;
}

uint32_t class_groups_of(struct slice names)
{
	const char *text = names.data;
	uint32_t groups = 0;
	size_t at = 0;

	while (at < names.size) {
		size_t begin = at;
		int small = 0x20; /* the bit that all small letters have */

		while (at < names.size && is_letter(text[at]))
			small &= text[at++];
		if (at == begin)
			at++;
		else if (small != 0)
			groups |= groups_of_word(text + begin, at - begin);
		else
			groups |= groups_of_letters(text + begin, at - begin);
	}
	return groups;
}

/* The groups of an attribute value. The key is the hash of the value. */
struct attribute_groups {
	uint64_t key;
	uint32_t groups;
	bool is_known;
};

static uint32_t look_up_groups(struct hash_table *table, struct slice names)
{
	struct attribute_groups *known;

	if (names.size == 0)
		return 0;
	known = hash_table_add(table, hash64(names.data, names.size, 0));
	if (!known->is_known) {
		known->groups = class_groups_of(names);
		known->is_known = true;
	}
	return known->groups;
}

const uint32_t *class_groups_make(struct arena *arena,
				  const struct passages *passages)
{
	const struct page *page = passages->page;
	uint32_t *groups = ARENA_NEW(arena, uint32_t, page->node_count);
	struct arena *scratch = arena_create();
	struct hash_table table =
		hash_table_make(scratch, sizeof(struct attribute_groups));

	for (uint32_t i = 0; i < page->node_count; i++) {
		struct passage_range inside = passages_inside(passages, i);

		if (inside.begin == inside.end ||
		    page->nodes[i].parent == NO_NODE)
			continue;
		groups[i] =
			look_up_groups(&table,
				       page_attribute(page, i, "class")) |
			look_up_groups(&table, page_attribute(page, i, "id"));
	}
	arena_destroy(scratch);
	return groups;
}
