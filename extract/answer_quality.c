#include "extract/answer_quality.h"

#include <stdbool.h>

#include "extract/core/extractor.h"
#include "extract/core/visible.h"
#include "extract/text/word.h"
#include "page/page.h"
#include "page/page_class.h"

enum {
	MAX_SHELL_WORDS =
		100, /* maximum number of words that a page shell shows */
	MAX_SHELL_CHOICE = 30, /* maximum number of words of a shell that a
				  method may choose */
};

/* Numbers of words. */
struct choice_words {
	uint64_t all;
	uint64_t links;
};

static struct choice_words count_choice(const struct page *page,
					const struct verdict *verdicts)
{
	struct choice_words count = {0};

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t words = verdicts[i].is_content
					 ? word_count(page_text(page, i))
					 : 0;

		count.all += words;
		if ((page->texts[i].flags & TEXT_IS_LINK) != 0)
			count.links += words;
	}
	return count;
}

/* Count the words that a reader sees when scripts run. */
static uint64_t count_visible(const struct page *page)
{
	const bool *is_visible = visible_texts(page->arena, page);
	uint64_t count = 0;

	for (uint32_t i = 0; i < page->text_count; i++)
		if (is_visible[i] &&
		    (page->texts[i].flags & TEXT_IS_NOSCRIPT) == 0)
			count += word_count(page_text(page, i));
	return count;
}

static bool is_blocked_status(unsigned http_status)
{
	switch (http_status) {
	case 401:
	case 403:
	case 407:
	case 429:
	case 503:
		return true;
	default:
		return false;
	}
}

/* Return true if frameworks render into elements with this id. */
static bool is_mount_name(struct slice id)
{
	static const char *const names[] = {
		"root",    "app",         "main",      "__next",
		"__nuxt",  "__layout",    "___gatsby", "react-root",
		"mount",   "app-root",    "app-mount", "main-outlet",
		"content", "application", "root-app",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (slice_equal(id, slice_of(names[i])))
			return true;
	return false;
}

/*
 * Return true if the element is empty and its id or its tag (a custom element)
 * shows that a script will fill it.
 */
static bool is_mount(const struct page *page, uint32_t node)
{
	const struct node *element = &page->nodes[node];

	return element->first_text == element->end_text &&
	       (page_is_custom_element(page, node) ||
		is_mount_name(page_attribute(page, node, "id")));
}

static bool is_script(const struct page *page, uint32_t node)
{
	switch (page->nodes[node].tag) {
	case TAG_script:
		return true;
	case TAG_link:
		return slice_equal(page_attribute(page, node, "as"),
				   slice_of("script")) ||
		       slice_equal(page_attribute(page, node, "rel"),
				   slice_of("modulepreload"));
	default:
		return is_mount(page, node) &&
		       page_is_custom_element(page, node);
	}
}

/*
 * Return true if the page is a shell that scripts must fill: it has scripts,
 * little text, and an empty element for the content (or no text at all). A
 * short page without such an element is not a shell.
 */
static bool is_shell(const struct page *page, uint64_t chosen)
{
	bool has_script = false;
	bool has_mount = false;
	uint64_t visible;

	if (chosen > MAX_SHELL_CHOICE)
		return false;
	visible = count_visible(page);
	if (visible > MAX_SHELL_WORDS)
		return false;
	for (uint32_t i = 0; i < page->node_count; i++) {
		has_script |= is_script(page, i);
		has_mount |= is_mount(page, i);
	}
	return has_script && (has_mount || visible == 0);
}

static const char *const names[QUALITY_COUNT] = {
	[QUALITY_NOT_HTML] = "not-html", [QUALITY_BLOCKED] = "blocked",
	[QUALITY_JS_ONLY] = "js-only",   [QUALITY_EMPTY] = "empty",
	[QUALITY_UNSURE] = "unsure",     [QUALITY_TRUNCATED] = "truncated",
	[QUALITY_LISTING] = "listing",   [QUALITY_OK] = "ok",
};

const char *text_quality_name(enum text_quality quality)
{
	return names[quality];
}

enum text_quality text_quality_of(const struct page *page,
				  const struct verdict *verdicts,
				  bool is_unsure, unsigned http_status)
{
	struct choice_words chosen = count_choice(page, verdicts);
	enum page_class page_class = page_class_of(page, 0, false);

	if (page_class == CLASS_NOT_HTML)
		return QUALITY_NOT_HTML;
	if (is_blocked_status(http_status) || page_class == CLASS_CHALLENGE ||
	    page_class == CLASS_CONSENT)
		return QUALITY_BLOCKED;
	if (is_shell(page, chosen.all))
		return QUALITY_JS_ONLY;
	if (chosen.all == 0)
		return QUALITY_EMPTY;
	if (is_unsure)
		return QUALITY_UNSURE;
	if (page_class == CLASS_TRUNCATED)
		return QUALITY_TRUNCATED;
	if (2 * chosen.links > chosen.all)
		return QUALITY_LISTING;
	return QUALITY_OK;
}
