#include "extract/render/shortcode.h"

#include <string.h>

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/utf8.h"
#include "extract/text/character_class.h"

enum {
	MIN_NAME = 2,
	MAX_NAME = 64,
	MAX_SHORTCODE =
		LIMIT(4096, 256), /* maximum bytes, including attributes */
};

struct shortcode {
	struct slice name;
	size_t end; /* end of the shortcode in the text */
	bool is_closing;
	bool has_attributes;
};

static bool is_shortcode_blank(char byte)
{
	return byte != '\0' && strchr(" \t\n\r\f", byte) != NULL;
}

static size_t skip_blanks(struct slice text, size_t at)
{
	while (is_shortcode_blank(slice_byte(text, at)))
		at++;
	return at;
}

static size_t skip_name(struct slice text, size_t at)
{
	while (is_alphanumeric(slice_byte(text, at)) ||
	       slice_byte(text, at) == '_' || slice_byte(text, at) == '-')
		at++;
	return at;
}

/*
 * Return the size of the quotation mark at `at`. WordPress writes the marks of
 * a shortcode that it does not know as typographic ones: U+2018 to U+201F, and
 * the primes.
 */
static size_t quote_size(struct slice text, size_t at)
{
	char byte = slice_byte(text, at);
	unsigned char last = (unsigned char)slice_byte(text, at + 2);

	if (byte == '"' || byte == '\'')
		return 1;
	if (byte != '\xE2' || slice_byte(text, at + 1) != '\x80')
		return 0;
	return (last >= 0x98 && last <= 0x9F) || last == 0xB2 || last == 0xB3
		       ? 3
		       : 0;
}

/* Return the end of the value at `at`; 0 if there is none. */
static size_t shortcode_skip_value(struct slice text, size_t at)
{
	size_t quote = quote_size(text, at);
	char mark = slice_byte(text, at);
	size_t stop = at + MAX_SHORTCODE;

	if (quote == 0) {
		if (!is_digit(mark))
			return 0;
		while (is_alphanumeric(slice_byte(text, at)) ||
		       strchr(".%_-", slice_byte(text, at)) != NULL) {
			if (at == text.size)
				break;
			at++;
		}
		return at;
	}
	for (at += quote; at < text.size && at < stop; at++) {
		size_t size = quote_size(text, at);

		if (size == quote &&
		    (size == 3 || slice_byte(text, at) == mark))
			return at + size;
	}
	return 0;
}

/* Return the end of the attribute at `at`; 0 if there is none. */
static size_t skip_attribute(struct slice text, size_t at)
{
	size_t end = skip_name(text, at);

	if (end == at || slice_byte(text, end) != '=')
		return 0;
	return shortcode_skip_value(text, end + 1);
}

/* Read the part after the name: attributes, and the end. */
static bool shortcode_read_rest(struct slice text, size_t at,
				struct shortcode *code)
{
	const size_t stop = at + MAX_SHORTCODE;

	while (at < stop) {
		size_t next = skip_blanks(text, at);

		if (slice_byte(text, next) == '/' && !code->is_closing)
			next++;
		if (slice_byte(text, next) == ']') {
			code->end = next + 1;
			return slice_byte(text, next + 1) != ']';
		}
		if (next == at || code->is_closing)
			return false;
		at = skip_attribute(text, next);
		if (at == 0)
			return false;
		code->has_attributes = true;
	}
	return false;
}

/*
 * Return true if a shortcode begins at the "[" at `at`; [[name]] is an escaped
 * one, meant for readers.
 */
static bool read_shortcode(struct slice text, size_t at,
			   struct shortcode *code_out)
{
	struct shortcode code = {0};
	size_t begin = at + 1;
	size_t end;

	if (at > 0 && slice_byte(text, at - 1) == '[')
		return false;
	if (slice_byte(text, begin) == '/') {
		code.is_closing = true;
		begin++;
	}
	end = skip_name(text, begin);
	if (!is_letter(slice_byte(text, begin)) || end - begin < MIN_NAME ||
	    end - begin > MAX_NAME)
		return false;
	code.name =
		(struct slice){(const char *)text.data + begin, end - begin};
	if (!shortcode_read_rest(text, end, &code))
		return false;
	*code_out = code;
	return true;
}

/* Return true if the name cannot be ordinary text. */
static bool is_own_name(struct slice name)
{
	static const char *const core[] = {"audio",   "caption",  "embed",
					   "gallery", "playlist", "video"};

	if (memchr(name.data, '_', name.size) != NULL)
		return true;
	for (size_t i = 0; i < sizeof(core) / sizeof(core[0]); i++)
		if (slice_equal(name, slice_of(core[i])))
			return true;
	return false;
}

static bool has_closing(struct slice text, struct slice name)
{
	struct buffer closing = {0};
	bool is_found;

	buffer_append_text(&closing, "[/");
	buffer_append_slice(&closing, name);
	buffer_append_byte(&closing, ']');
	is_found = text.size > 0 && memmem(text.data, text.size, closing.data,
					   closing.size) != NULL;
	buffer_free(&closing);
	return is_found;
}

/* Return the entry of the name; NULL if the page has too many names. */
static struct shortcode_name *shortcode_find_name(struct shortcodes *shortcodes,
						  struct slice name)
{
	uint64_t hash = hash64(name.data, name.size, 0);
	struct shortcode_name *found = shortcodes->names;
	const struct shortcode_name *end = found + shortcodes->count;

	while (found < end && found->hash != hash)
		found++;
	if (found < end)
		return found;
	if (shortcodes->count == MAX_SHORTCODE_NAMES)
		return NULL;
	*found = (struct shortcode_name){
		.hash = hash,
		.is_closed = has_closing(shortcodes->text, name),
	};
	shortcodes->count++;
	return found;
}

static struct slice shortcode_trim_end(struct slice text)
{
	while (is_shortcode_blank(slice_byte(text, text.size - 1)))
		text.size--;
	return text;
}

/* Return true if `text`, trimmed, ends with a sentence, or is empty. */
static bool ends_sentence(struct slice text)
{
	const unsigned char *begin = text.data;
	const unsigned char *at = begin + text.size;
	enum character_class class;

	if (text.size == 0)
		return true;
	do
		at--;
	while (at > begin && (*at & 0xC0) == 0x80);
	class = *at < 0x80
			? (enum character_class)character_class_of_byte[*at]
			: character_class_of(utf8_next(&at, begin + text.size));
	return class >= CHARACTER_STOP && class <= CHARACTER_QUOTE;
}

/* `before`: the kept text before it, trimmed. */
static bool shortcode_is_dropped(struct shortcodes *shortcodes,
				 const struct shortcode *code,
				 struct slice before)
{
	struct shortcode_name *name =
		shortcode_find_name(shortcodes, code->name);
	bool is_own = is_own_name(code->name);

	if (name == NULL)
		return false;
	if (code->is_closing)
		return is_own || name->is_opened;
	if (!ends_sentence(before) ||
	    (!code->has_attributes && !(is_own && name->is_closed)))
		return false;
	name->is_opened = true;
	return true;
}

/*
 * Return the end of an address that fills the space up to [/name]; `at` if
 * there is none.
 */
static size_t skip_address(struct slice text, size_t at)
{
	const char *bytes = text.data;
	size_t end = at;

	if (text.size - at < 4 || memcmp(bytes + at, "http", 4) != 0)
		return at;
	while (end < text.size && !is_shortcode_blank(bytes[end]) &&
	       bytes[end] != '[')
		end++;
	return slice_byte(text, end) == '[' && slice_byte(text, end + 1) == '/'
		       ? end
		       : at;
}

bool shortcodes_drop(struct shortcodes *shortcodes, struct slice text,
		     struct buffer *out)
{
	const char *bytes = text.data;
	const size_t old = out->size;
	size_t solid = old; /* end of the last non-blank byte in `out` */
	size_t kept =
		0; /* the text before this position is written or left out */

	for (size_t at = 0; at < text.size; at++) {
		struct slice before = {bytes + kept, at - kept};
		struct shortcode code;

		if (bytes[at] != '[' || !read_shortcode(text, at, &code))
			continue;
		before = shortcode_trim_end(before);
		if (!shortcode_is_dropped(
			    shortcodes, &code,
			    before.size > 0 || solid == old
				    ? before
				    : (struct slice){out->data + old,
						     solid - old}))
			continue;
		if (before.size > 0)
			solid = out->size + before.size;
		buffer_append(out, bytes + kept, at - kept);
		kept = code.is_closing ? code.end
				       : skip_address(text, code.end);
		at = kept - 1;
	}
	if (kept == 0)
		return false;
	buffer_append(out, bytes + kept, text.size - kept);
	return true;
}
