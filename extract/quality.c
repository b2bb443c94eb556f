#include "extract/quality.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "extract/extractor.h"
#include "extract/visible.h"
#include "extract/word.h"
#include "page/page.h"

enum {
	MAX_SHELL_WORDS = 100, /* that a page without its content shows */
	MAX_SHELL_CHOICE = 30, /* words of them that a method may choose */
};

/* Words. */
struct choice_words {
	uint64_t all;
	uint64_t links;
};

struct page_words {
	uint64_t all;
	uint64_t visible; /* noscript apart */
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

static struct page_words count_page(const struct page *page)
{
	const bool *is_visible = visible_texts(page->arena, page);
	struct page_words count = {0};

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t words = word_count(page_text(page, i));

		count.all += words;
		if (is_visible[i] &&
		    (page->texts[i].flags & TEXT_IS_NOSCRIPT) == 0)
			count.visible += words;
	}
	return count;
}

static bool holds(struct slice text, const char *part)
{
	return memmem(text.data, text.size, part, strlen(part)) != NULL;
}

static struct slice source_of(const struct page *page, uint32_t node)
{
	struct span span = page->nodes[node].source;

	return (struct slice){(const char *)page->source.data + span.begin,
			      span.end - span.begin};
}

/* Does the source write the tag of the element, or is it only implied? */
static bool is_written(const struct page *page, uint32_t node)
{
	struct slice name = page_tag_name(page, page->nodes[node].tag);
	struct slice source = source_of(page, node);
	const char *bytes = source.data;

	return source.size > name.size && bytes[0] == '<' &&
	       strncasecmp(bytes + 1, name.data, name.size) == 0;
}

/* An element of the page's own. */
static bool is_custom(const struct page *page, uint32_t node)
{
	uint16_t tag = page->nodes[node].tag;
	struct slice name = page_tag_name(page, tag);

	return tag >= TAG_COUNT && memchr(name.data, '-', name.size) != NULL;
}

/* The first tag tells: of HTML, or of RSS, a site map, ... or there is none. */
static bool is_html(const struct page *page)
{
	uint32_t i = 0;

	while (i < page->node_count && !is_written(page, i))
		i++;
	if (i == page->node_count)
		return page->text_count == 0;
	return page->nodes[i].tag < TAG_COUNT || is_custom(page, i);
}

static bool is_refusal(unsigned http_status)
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

/*
 * What the pages of services that test visitors hold, and no other page with so
 * few words: Cloudflare, DataDome, Imperva, AWS WAF, PerimeterX, SiteGround,
 * Akamai, ShieldSquare, DDoS-Guard.
 */
static bool is_challenge(const struct page *page)
{
	static const char *const signs[] = {
		"_cf_chl_opt",
		"/cdn-cgi/challenge-platform/h/",
		"captcha-delivery.com",
		"_Incapsula_Resource?CWUDNSAI",
		"gokuProps",
		"px-captcha",
		"/.well-known/sgcaptcha",
		"/_sec/cp_challenge",
		"validate.perfdrive.com",
		"/.well-known/ddos-guard",
	};

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (holds(page->source, signs[i]))
			return true;
	return false;
}

/* Where frameworks put what they render. */
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

/* An empty place for a script to fill: by its name, or an element of the
   page's own. */
static bool is_mount(const struct page *page, uint32_t node)
{
	const struct node *element = &page->nodes[node];

	return element->first_text == element->end_text &&
	       (is_custom(page, node) ||
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
		return is_mount(page, node) && is_custom(page, node);
	}
}

/*
 * Scripts, and nothing but what shows until they have run: an empty place for
 * the rest must be there, unless there is no text at all. A short page is no
 * shell.
 */
static bool is_shell(const struct page *page, uint64_t chosen, uint64_t visible)
{
	bool has_script = false;
	bool has_mount = false;

	if (chosen > MAX_SHELL_CHOICE || visible > MAX_SHELL_WORDS)
		return false;
	for (uint32_t i = 0; i < page->node_count; i++) {
		has_script |= is_script(page, i);
		has_mount |= is_mount(page, i);
	}
	return has_script && (has_mount || visible == 0);
}

static bool is_raw(uint16_t tag)
{
	return tag < TAG_COUNT && (tag_flags(tag) & TAG_IS_RAW) != 0;
}

/* A script or style that nothing closes goes on to the end of the source. */
static bool is_raw_open(const struct page *page)
{
	uint32_t i = page->node_count;

	while (i > 0 && !is_raw(page->nodes[i - 1].tag))
		i--;
	return i > 0 && page->nodes[i - 1].source.end == page->source.size &&
	       !holds(source_of(page, i - 1), "</");
}

static bool begins_tag(char byte)
{
	return byte == '/' || byte == '!' || (byte >= 'a' && byte <= 'z') ||
	       (byte >= 'A' && byte <= 'Z');
}

/* Does the source end inside a tag, a comment, a script or a style? */
static bool is_cut(const struct page *page)
{
	struct slice source = page->source;
	const char *last = memrchr(source.data, '<', source.size);
	size_t left;

	if (last == NULL)
		return false;
	left = (size_t)((const char *)source.data + source.size - last);
	return (left > 1 && begins_tag(last[1]) &&
		memchr(last, '>', left) == NULL) ||
	       is_raw_open(page);
}

static const char *const names[QUALITY_COUNT] = {
	[QUALITY_NOT_HTML] = "not-html",
	[QUALITY_BLOCKED] = "blocked",
	[QUALITY_JS_ONLY] = "js-only",
	[QUALITY_EMPTY] = "empty",
	[QUALITY_TRUNCATED] = "truncated",
	[QUALITY_LISTING] = "listing",
	[QUALITY_OK] = "ok",
};

const char *quality_name(enum quality quality)
{
	return names[quality];
}

enum quality quality_of(const struct page *page, const struct verdict *verdicts,
			unsigned http_status)
{
	struct choice_words chosen = count_choice(page, verdicts);

	if (!is_html(page))
		return QUALITY_NOT_HTML;
	if (is_refusal(http_status))
		return QUALITY_BLOCKED;
	if (chosen.all <= MAX_SHELL_WORDS) {
		struct page_words words = count_page(page);

		if (words.all <= MAX_SHELL_WORDS && is_challenge(page))
			return QUALITY_BLOCKED;
		if (is_shell(page, chosen.all, words.visible))
			return QUALITY_JS_ONLY;
	}
	if (chosen.all == 0)
		return QUALITY_EMPTY;
	if (page->is_truncated || is_cut(page))
		return QUALITY_TRUNCATED;
	if (2 * chosen.links > chosen.all)
		return QUALITY_LISTING;
	return QUALITY_OK;
}
