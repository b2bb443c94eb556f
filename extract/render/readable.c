#include "extract/render/readable.h"

#include <string.h>

#include "base/ascii.h"
#include "extract/render/inline_chain.h"
#include "page/entity.h"
#include "page/page.h"
#include "page/scanner.h"

enum {
	MIN_REFERENCE = 4,  /* "&#9;" */
	MAX_REFERENCE = 10, /* "&#1114111;" */
	MAX_CODE_DEPTH = 4, /* of a text inside code */
};

struct readable readable_begin(const struct page *page)
{
	return (struct readable){
		.page = page,
		.shortcodes = {.text = {page->text, page->text_bytes}},
	};
}

void readable_end(struct readable *readable)
{
	buffer_free(&readable->text);
	buffer_free(&readable->spare);
}

static bool has_byte(struct slice text, char byte)
{
	return text.size > 0 && memchr(text.data, byte, text.size) != NULL;
}

/*
 * Return the size of the reference at the start of `text`, including "&" and
 * ";", or 0.
 */
static size_t character_reference_size(struct slice text)
{
	size_t size = 1;

	while (size < MAX_REFERENCE &&
	       (is_alphanumeric(slice_byte(text, size)) ||
		slice_byte(text, size) == '#'))
		size++;
	return slice_byte(text, size) == ';' && size + 1 >= MIN_REFERENCE
		       ? size + 1
		       : 0;
}

/*
 * Return true for usual names that are not among HTML 4's names of ISO-8859-1.
 */
static bool is_usual(struct slice name)
{
	static const char *const names[] = {
		"apos",   "ndash",  "mdash",  "lsquo",  "rsquo",
		"sbquo",  "ldquo",  "rdquo",  "bdquo",  "bull",
		"hellip", "lsaquo", "rsaquo", "euro",   "trade",
		"oelig",  "OElig",  "scaron", "Scaron",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (slice_equal(name, slice_of(names[i])))
			return true;
	return false;
}

/*
 * Decode a reference to `out` [entity_room(size)]; return the length, 0 = do
 * not decode it. The names of ISO-8859-1 are the ones that need no ";".
 */
static size_t decode_reference(struct slice reference, char *out)
{
	const char *bytes = reference.data;
	const struct slice bare = {bytes, reference.size - 1};
	size_t size;

	if (bytes[1] != '#' &&
	    !is_usual((struct slice){bytes + 1, reference.size - 2})) {
		size = entity_decode(bare, true, out);
		if (size == bare.size)
			return 0;
	}
	size = entity_decode(reference, false, out);
	return size == reference.size || *out == '<' || *out == '>' ? 0 : size;
}

static bool is_bracket(char byte)
{
	return byte != '\0' && strchr("\"'`()[]", byte) != NULL;
}

static bool is_enclosed(struct slice text, size_t at, size_t size)
{
	return at > 0 && is_bracket(slice_byte(text, at - 1)) &&
	       is_bracket(slice_byte(text, at + size));
}

static void append_decoded(struct slice text, struct buffer *out)
{
	const char *bytes = text.data;
	size_t at = 0;

	while (at < text.size) {
		struct slice rest = {bytes + at, text.size - at};
		size_t size =
			bytes[at] == '&' ? character_reference_size(rest) : 0;
		char decoded[2 * MAX_REFERENCE];
		size_t length = 0;

		if (size > 0 && !is_enclosed(text, at, size))
			length = decode_reference(
				(struct slice){rest.data, size}, decoded);
		if (length == 0)
			buffer_append_byte(out, bytes[at++]);
		else
			at += size;
		buffer_append(out, decoded, length);
	}
}

static bool is_text_in_code(const struct page *page, uint32_t node)
{
	for (unsigned i = 0; i < MAX_CODE_DEPTH && node != NO_NODE; i++) {
		uint16_t tag = page->nodes[node].tag;

		if (inline_kind(tag) == INLINE_CODE || tag == TAG_pre ||
		    tag == TAG_textarea)
			return true;
		node = page->nodes[node].parent;
	}
	return false;
}

static bool has_reference(struct slice text)
{
	const char *at = text.data;
	const char *end = at + text.size;

	while ((at = memchr(at, '&', (size_t)(end - at))) != NULL) {
		if (character_reference_size(
			    (struct slice){at, (size_t)(end - at)}) > 0)
			return true;
		at++;
	}
	return false;
}

static bool is_on_markup(struct readable *readable)
{
	const struct page *page = readable->page;

	for (uint32_t i = 0; i < page->text_count && !readable->is_judged; i++)
		if (has_reference(page_text(page, i)) &&
		    is_text_in_code(page, page->texts[i].node))
			readable->is_on_markup = readable->is_judged = true;
	readable->is_judged = true;
	return readable->is_on_markup;
}

/*
 * Return true if the text is inside noscript and contains a spelled-out HTML
 * tag.
 */
static bool has_spelled_out_tag(const struct page *page, uint32_t index)
{
	struct scanner scanner = {.source = page_text(page, index)};
	uint32_t node = page->texts[index].node;
	struct token token;

	if (node == NO_NODE || page->nodes[node].tag != TAG_noscript)
		return false;
	while (scanner_next(&scanner, &token))
		if ((token.kind == TOKEN_START || token.kind == TOKEN_END) &&
		    token.tag < TAG_COUNT)
			return true;
	return false;
}

/*
 * Replace each tag by a space. Most such texts consist of one link or nothing.
 */
static void append_without_tags(struct slice text, struct buffer *out)
{
	struct scanner scanner = {.source = text};
	struct token token;

	while (scanner_next(&scanner, &token)) {
		if (token.kind == TOKEN_TEXT)
			buffer_append(out,
				      (const char *)text.data +
					      token.source.begin,
				      token.source.end - token.source.begin);
		else if (token.kind != TOKEN_RAW)
			buffer_append_byte(out, ' ');
	}
}

/* Swap in readable->spare, which holds the new text, and return it. */
static struct slice swap_spare(struct readable *readable)
{
	struct buffer old = readable->text;

	readable->text = readable->spare;
	readable->spare = old;
	buffer_clear(&readable->spare);
	buffer_append_text(&readable->text, "");
	return buffer_slice(&readable->text);
}

struct slice readable_text(struct readable *readable, uint32_t index)
{
	struct slice text = page_text(readable->page, index);

	buffer_clear(&readable->spare);
	if (has_byte(text, '<') && has_spelled_out_tag(readable->page, index)) {
		append_without_tags(text, &readable->spare);
		text = swap_spare(readable);
	}
	if (has_byte(text, '&') && has_reference(text) &&
	    !is_on_markup(readable)) {
		append_decoded(text, &readable->spare);
		text = swap_spare(readable);
	}
	if (has_byte(text, '[') &&
	    shortcodes_drop(&readable->shortcodes, text, &readable->spare))
		text = swap_spare(readable);
	return text;
}
