#include "page/entity.h"

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "page/scanner.h"

enum {
	/* length of the longest name, not counting ";" */
	ENTITY_NAME_BYTES = 31,
	/* length of the longest name that needs no ";" */
	ENTITY_BARE_BYTES = 6,
};

/*
 * A named character reference (section 13.5 of the HTML standard). Zeros pad
 * the name, so that names can be compared by their first eight bytes.
 */
struct entity_name {
	char name[ENTITY_NAME_BYTES + 1];
	char value[7]; /* one or two characters in UTF-8 */
	bool is_bare;  /* the name is valid without ";" */
};

/*
 * page/entity_names.py generates two tables. entity_names contains the names
 * without ";", in ascending order. entity_begins [byte - 'A'], for the bytes
 * 'A' to 'z' and one more, is the index of the first name that begins with this
 * byte or a higher one.
 */
#include "page/entity_names.h"

/* Return eight bytes as a number; numbers have the same order as the names. */
static uint64_t entity_word(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return be64toh(word);
}

/* Return whether `name`, of which `word` is the first part, is before `row`. */
static bool entity_is_before(const char *name, const char *row, uint64_t word)
{
	const uint64_t first = entity_word(name);

	return first < word ||
	       (first == word && memcmp(name, row, ENTITY_NAME_BYTES) < 0);
}

/* Return the reference with this name; NULL if none exists. */
static const struct entity_name *entity_lookup_name(const char *name,
						    size_t length)
{
	const struct entity_name *names = entity_names;
	char row[ENTITY_NAME_BYTES + 1] = {0};
	uint64_t word;
	size_t count;
	size_t at;

	if (length == 0 || length > ENTITY_NAME_BYTES || !is_letter(*name))
		return NULL;
	names += entity_begins[*name - 'A'];
	count = (size_t)(entity_begins[*name - 'A' + 1] -
			 entity_begins[*name - 'A']);
	memcpy(row, name, length);
	word = entity_word(row);
	LOWER_BOUND(at, count, entity_is_before(names[at].name, row, word));
	return at < count && memcmp(names[at].name, row, sizeof(row)) == 0
		       ? &names[at]
		       : NULL;
}

static uint32_t character_of(uint32_t code)
{
	if (code >= 0x80 && code < 0xA0)
		return utf8_from_windows_1252((unsigned char)code);
	if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
		return UTF8_REPLACEMENT;
	return code;
}

/*
 * A character reference. `length` is its length in the source, with "&"; 0 if
 * there is no reference. `size` is the number of bytes of its characters.
 */
struct entity_reference {
	size_t length;
	size_t size;
};

/* Decode a numeric reference to `out`; `at` is the position after "&#". */
static struct entity_reference entity_read_number(const char *at,
						  const char *end, char *out)
{
	const char *begin = at - 2;
	const bool is_hex = at < end && lower(*at) == 'x';
	const int base = is_hex ? 16 : 10;
	const char *digits = is_hex ? at + 1 : at;
	uint32_t code = 0;

	for (at = digits; at < end; at++) {
		int digit = hex_digit(*at);

		if (digit < 0 || digit >= base)
			break;
		if (code <= 0x10FFFF)
			code = code * (uint32_t)base + (uint32_t)digit;
	}
	if (at == digits)
		return (struct entity_reference){0, 0};
	if (at < end && *at == ';')
		at++;
	return (struct entity_reference){
		.length = (size_t)(at - begin),
		.size = utf8_encode(character_of(code), out),
	};
}

/*
 * Find the longest name at the beginning of `length` letters and digits.
 * `is_ended` means that a ";" follows them. Then only all of them together can
 * be a name, because no name with ";" begins with another name.
 */
static const struct entity_name *entity_find_name(const char *at, size_t length,
						  bool is_ended)
{
	const struct entity_name *entity =
		is_ended ? entity_lookup_name(at, length) : NULL;

	if (length > ENTITY_BARE_BYTES)
		length = ENTITY_BARE_BYTES;
	for (size_t part = length; part >= 2 && entity == NULL; part--) {
		entity = entity_lookup_name(at, part);
		if (entity != NULL && !entity->is_bare)
			entity = NULL;
	}
	return entity;
}

/*
 * Decode a reference that is most common in attributes; `at` is the position of
 * its "&". These names end in ";", so they are references in attributes, too.
 */
static struct entity_reference entity_read_common(const char *at,
						  const char *end, char *out)
{
	struct entity_reference reference = {.size = 1};

	if (end - at < 6)
		return (struct entity_reference){0, 0};
	if (memcmp(at, "&quot;", 6) == 0) {
		*out = '"';
		reference.length = 6;
	} else if (memcmp(at, "&amp;", 5) == 0) {
		*out = '&';
		reference.length = 5;
	}
	return reference;
}

/* Decode a named reference to `out`; `at` is the position after "&". */
static struct entity_reference entity_read_name(const char *at, const char *end,
						bool is_attribute, char *out)
{
	const struct entity_name *entity;
	size_t length = 0;
	size_t used;
	size_t size;
	bool is_ended;

	while (length <= ENTITY_NAME_BYTES && at + length < end &&
	       (is_letter(at[length]) || is_digit(at[length])))
		length++;
	is_ended = at + length < end && at[length] == ';';
	entity = entity_find_name(at, length, is_ended);
	if (entity == NULL)
		return (struct entity_reference){0, 0};
	used = strlen(entity->name);
	is_ended = is_ended && used == length;
	/*
	 * In text, "&notit" is the reference "&not" followed by "it"; in an
	 * attribute it is no reference.
	 */
	if (is_attribute && !is_ended &&
	    (used < length || (at + used < end && at[used] == '=')))
		return (struct entity_reference){0, 0};
	size = strlen(entity->value);
	memcpy(out, entity->value, size);
	return (struct entity_reference){1 + used + is_ended, size};
}

size_t line_ends(struct slice text, char *out)
{
	const char *at = text.data;
	const char *end = at + text.size;
	size_t size = 0;

	while (at < end) {
		const char *mark = memchr(at, '\r', (size_t)(end - at));
		size_t plain = (size_t)((mark == NULL ? end : mark) - at);

		memcpy(out + size, at, plain);
		size += plain;
		at += plain;
		if (mark == NULL)
			break;
		out[size++] = '\n';
		at += end - at >= 2 && at[1] == '\n' ? 2 : 1;
	}
	return size;
}

size_t entity_decode(struct slice text, bool is_attribute, char *out)
{
	const char *at = text.data;
	const char *end = at + text.size;
	size_t size = 0;

	while (at < end) {
		const char *mark = memchr(at, '&', (size_t)(end - at));
		size_t plain = (size_t)((mark == NULL ? end : mark) - at);
		struct entity_reference reference;

		size += line_ends((struct slice){at, plain}, out + size);
		at += plain;
		if (mark == NULL)
			break;
		reference = entity_read_common(at, end, out + size);
		if (reference.length == 0 && end - at >= 2 && at[1] == '#')
			reference = entity_read_number(at + 2, end, out + size);
		else if (reference.length == 0)
			reference = entity_read_name(at + 1, end, is_attribute,
						     out + size);
		if (reference.length == 0) {
			out[size++] = *at++;
			continue;
		}
		size += reference.size;
		at += reference.length;
	}
	return size;
}
