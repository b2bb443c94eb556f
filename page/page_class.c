#include "page/page_class.h"

#include <strings.h>

#include "base/limit.h"
#include "page/attribute.h"
#include "page/error_title.h"
#include "page/page.h"
#include "page/signs.h"

/* Limits on the bytes of visible text, without white space. */
enum {
	MAX_SERVICE_TEXT = 1500, /* a challenge with known markup */
	MAX_SERVICE_BYTES = LIMIT(256 << 10, 2048), /* its source */
	MAX_WIDGET_TEXT = 500, /* a page with a captcha and little else */
	MAX_GATE_TEXT = 4000, /* a consent gate: Google's lists its languages */
	MAX_GATE_LINKS =
		10, /* links of a consent gate: to terms and partners */
	MAX_ERROR_TEXT = 600,
	MAX_SERVER_TEXT = 2500, /* an error page with known markup */
	MAX_STUB_TEXT = 300,
	MAX_STUB_LINKS = 5,
};

static const char *const names[PAGE_CLASS_COUNT] = {
#define X(name, value, text) [name] = (text),
	PAGE_CLASS_LIST(X)
#undef X
};

const char *page_class_name(unsigned page_class)
{
	return page_class < PAGE_CLASS_COUNT ? names[page_class] : "unknown";
}

static struct slice source_of(const struct page *page, uint32_t node)
{
	struct span span = page->nodes[node].source;

	return (struct slice){(const char *)page->source.data + span.begin,
			      span.end - span.begin};
}

/*
 * Return whether the source contains the tag of the element; the parser implied
 * it otherwise.
 */
static bool is_written(const struct page *page, uint32_t node)
{
	struct slice name = page_tag_name(page, page->nodes[node].tag);
	struct slice source = source_of(page, node);
	const char *bytes = source.data;

	return source.size > name.size + 1 && bytes[0] == '<' &&
	       strncasecmp(bytes + 1, name.data, name.size) == 0 &&
	       (is_space(bytes[name.size + 1]) || bytes[name.size + 1] == '/' ||
		bytes[name.size + 1] == '>');
}

bool page_is_custom_element(const struct page *page, uint32_t node)
{
	uint16_t tag = page->nodes[node].tag;
	struct slice name = page_tag_name(page, tag);

	return tag >= TAG_COUNT && memchr(name.data, '-', name.size) != NULL;
}

static bool is_json(struct slice source)
{
	const char *bytes = source.data;
	char last = bytes[source.size - 1];

	return (bytes[0] == '{' && last == '}') ||
	       (bytes[0] == '[' && last == ']');
}

/*
 * Return whether the first tag can begin HTML. The root of XML may have the
 * name of an HTML element.
 */
static bool is_html_root(const struct page *page, uint32_t node,
			 struct slice source)
{
	uint16_t tag = page->nodes[node].tag;

	if (source.size > 5 && memcmp(source.data, "<?xml", 5) == 0)
		return tag == TAG_html;
	return (tag < TAG_COUNT && tag != TAG_svg) ||
	       page_is_custom_element(page, node);
}

/*
 * Return whether the first tag is HTML and not RSS, a sitemap or other XML;
 * false if there is no tag.
 */
static bool is_html(const struct page *page)
{
	struct slice source = text_trim(page->source);
	uint32_t i = 0;

	if (source.size > 1 && is_json(source))
		return false;
	while (i < page->node_count && !is_written(page, i))
		i++;
	if (i == page->node_count)
		return page->text_count == 0;
	return is_html_root(page, i, source);
}

static bool is_raw(uint16_t tag)
{
	return tag < TAG_COUNT && (tag_flags(tag) & TAG_IS_RAW) != 0;
}

/*
 * Return whether a script or style has no end tag, so that it extends to the
 * end of the source.
 */
static bool is_raw_open(const struct page *page)
{
	uint32_t last = NO_NODE; /* the last one in the source */
	struct slice source;

	for (uint32_t i = 0; i < page->node_count; i++)
		if (is_raw(page->nodes[i].tag) &&
		    (last == NO_NODE || page->nodes[i].source.begin >
						page->nodes[last].source.begin))
			last = i;
	if (last == NO_NODE || page->nodes[last].source.end < page->source.size)
		return false;
	source = source_of(page, last);
	return memmem(source.data, source.size, "</", 2) == NULL;
}

/* Return whether `text` begins with a tag other than </body> and </html>. */
static bool page_text_begins_tag(struct slice text)
{
	const char *bytes = text.data;

	if (text.size < 2 || text_is(text, "</html") || text_is(text, "</body"))
		return false;
	return bytes[1] == '/' || bytes[1] == '!' || is_letter(bytes[1]);
}

/*
 * Return whether the source ends inside a tag, a comment, a script or a style.
 */
static bool ends_inside(const struct page *page)
{
	struct slice source = page->source;
	const char *last = memrchr(source.data, '<', source.size);
	size_t left;

	if (last == NULL)
		return false;
	left = (size_t)((const char *)source.data + source.size - last);
	return (memchr(last, '>', left) == NULL &&
		page_text_begins_tag(text_trim((struct slice){last, left}))) ||
	       is_raw_open(page);
}

/* Counts of the content that a reader sees on the page. */
struct page_view_counts {
	size_t text;    /* visible bytes, without white space */
	uint32_t texts; /* text nodes, except in the head */
	uint32_t links;
	uint32_t media;  /* images, frames, drawings, ... */
	uint32_t fields; /* form fields that a reader writes into */
	bool has_captcha;
	bool has_consent_form;
	unsigned signs;       /* SIGN_* */
	struct slice heading; /* text of the first h1, or empty */
};

static size_t count_bytes(struct slice text)
{
	const char *bytes = text.data;
	size_t count = 0;

	for (size_t i = 0; i < text.size; i++)
		count += is_space(bytes[i]) ? 0 : 1;
	return count;
}

/* Count the text. Stop when there is enough for a real page. */
static void page_count_texts(const struct page *page,
			     struct page_view_counts *look)
{
	const unsigned unseen =
		TEXT_IS_HIDDEN | TEXT_IS_TEMPLATE | TEXT_IS_NOSCRIPT;

	for (uint32_t i = 0;
	     i < page->text_count && look->text <= MAX_GATE_TEXT; i++) {
		unsigned flags = page->texts[i].flags;

		if ((flags & TEXT_IS_TITLE) != 0)
			continue;
		look->texts++;
		if ((flags & unseen) == 0)
			look->text += count_bytes(page_text(page, i));
	}
}

static bool is_typed_into(struct slice type)
{
	return type.size == 0 || text_is(type, "text") ||
	       text_is(type, "email") || text_is(type, "password") ||
	       text_is(type, "search") || text_is(type, "tel");
}

static bool is_captcha(struct slice classes)
{
	return classes.size >= strlen("h-captcha") &&
	       (text_has_word(classes, "g-recaptcha") ||
		text_has_word(classes, "h-captcha") ||
		text_has_word(classes, "cf-turnstile"));
}

/*
 * Return whether the form sends a consent. Pages with a consent banner have
 * such a form, too, but also content.
 */
static bool sends_consent(const struct page *page, uint32_t form)
{
	struct slice action = page_attribute(page, form, "action");

	return action.size > 0 &&
	       memmem(action.data, action.size, "consent", 7) != NULL;
}

static void page_count_node(const struct page *page, uint32_t index,
			    struct page_view_counts *look)
{
	const struct node *node = &page->nodes[index];

	switch (node->tag) {
	case TAG_a:
		look->links += page_attribute(page, index, "href").size > 0;
		break;
	case TAG_input:
		look->fields +=
			is_typed_into(page_attribute(page, index, "type"));
		break;
	case TAG_textarea:
		/* without hidden fields, where a captcha stores its response */
		look->fields += (node->flags & TEXT_IS_HIDDEN) == 0;
		break;
	case TAG_form:
		look->has_consent_form |= sends_consent(page, index);
		break;
	case TAG_div:
		look->has_captcha |=
			is_captcha(page_attribute(page, index, "class"));
		break;
	case TAG_h1:
		if (look->heading.data == NULL &&
		    node->first_text < node->end_text)
			look->heading = page_text(page, node->first_text);
		break;
	default:
		break;
	}
}

/*
 * Count the nodes, only on pages with little text; with more text only the
 * markup decides.
 */
static void page_count_nodes(const struct page *page,
			     struct page_view_counts *look)
{
	for (uint32_t i = 0;
	     i < page->node_count && look->text <= MAX_SERVICE_TEXT; i++)
		page_count_node(page, i, look);
	look->heading = text_trim(look->heading);
	if (page->source.size <= MAX_SERVICE_BYTES)
		look->signs = page_markers_find(page->source);
}

static bool is_challenge(const struct page_view_counts *look)
{
	if (look->has_captcha && look->text <= MAX_WIDGET_TEXT &&
	    look->fields == 0 && look->links <= MAX_STUB_LINKS)
		return true;
	return look->text <= MAX_SERVICE_TEXT &&
	       (look->signs & MARKER_CHALLENGE) != 0;
}

static bool is_consent(const struct page_view_counts *look)
{
	if (look->text <= MAX_SERVICE_TEXT && look->links <= MAX_GATE_LINKS &&
	    look->fields == 0 && look->has_consent_form)
		return true;
	return (look->signs & MARKER_CONSENT) != 0;
}

/*
 * Return whether the page redirects immediately to another URL, by meta refresh
 * or script.
 */
static bool link_is_redirect(const struct page *page, const struct link *link)
{
	return (link->flags & LINK_IS_REFRESH) != 0 &&
	       *(const char *)link->href.data != '#' &&
	       (page->nodes[link->node].flags & TEXT_IS_NOSCRIPT) == 0;
}

static bool is_stub(const struct page *page,
		    const struct page_view_counts *look)
{
	if (look->text > MAX_STUB_TEXT || look->links > MAX_STUB_LINKS)
		return false;
	for (uint32_t i = 0; i < page->link_count; i++)
		if (link_is_redirect(page, &page->links[i]))
			return true;
	return false;
}

static bool page_is_error(const struct page *page,
			  const struct page_view_counts *look)
{
	if (look->text <= MAX_ERROR_TEXT &&
	    (error_title_is_error(page->title) ||
	     error_title_is_error(look->heading)))
		return true;
	return look->text <= MAX_SERVER_TEXT &&
	       (look->signs & MARKER_ERROR) != 0;
}

enum page_class page_class_of(const struct page *page, unsigned http_status,
			      bool is_cut)
{
	struct page_view_counts look = {.text = 0};

	if (http_status >= 400)
		return CLASS_ERROR;
	if (page->is_truncated || is_cut)
		return CLASS_TRUNCATED;
	if (!is_html(page))
		return CLASS_NOT_HTML;
	if (ends_inside(page))
		return CLASS_TRUNCATED;
	page_count_texts(page, &look);
	if (look.text > MAX_GATE_TEXT) /* no other class has more text */
		return CLASS_PAGE;
	page_count_nodes(page, &look);
	if (is_challenge(&look))
		return CLASS_CHALLENGE;
	if (is_consent(&look))
		return CLASS_CONSENT;
	if (is_stub(page, &look))
		return CLASS_STUB;
	if (page_is_error(page, &look))
		return CLASS_ERROR;
	return look.texts == 0 ? CLASS_EMPTY : CLASS_PAGE;
}
