#include "page/scanner.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "page/entity.h"

bool text_is(struct slice text, const char *word)
{
	const char *bytes = text.data;

	if (strlen(word) != text.size)
		return false;
	for (size_t i = 0; i < text.size; i++)
		if (lower(bytes[i]) != word[i])
			return false;
	return true;
}

bool text_has_word(struct slice text, const char *word)
{
	const char *at = text.data;
	const char *end = at == NULL ? NULL : at + text.size;
	const size_t size = strlen(word);

	while (at < end) {
		const char *begin = at;

		while (at < end && !is_space(*at) && *at != ',')
			at++;
		if ((size_t)(at - begin) == size &&
		    text_is((struct slice){begin, size}, word))
			return true;
		if (at < end)
			at++;
	}
	return false;
}

struct slice text_trim(struct slice text)
{
	const char *bytes = text.data;
	size_t begin = 0;
	size_t end = text.size;

	while (begin < end && is_space(bytes[begin]))
		begin++;
	while (end > begin && is_space(bytes[end - 1]))
		end--;
	return (struct slice){text.size == 0 ? bytes : bytes + begin,
			      end - begin};
}

/* What a byte means inside a tag, as bits. */
enum {
	IS_SPACE = 1,
	ENDS_NAME = 2,  /* ends the name of an attribute */
	ENDS_VALUE = 4, /* ends a value without quotes */
	IS_UPPER = 8,
};

#define UPPER(a, b, c, d) \
	[a] = IS_UPPER, [b] = IS_UPPER, [c] = IS_UPPER, [d] = IS_UPPER

static const uint8_t kinds[256] = {
	[' '] = IS_SPACE | ENDS_NAME | ENDS_VALUE,
	['\t'] = IS_SPACE | ENDS_NAME | ENDS_VALUE,
	['\n'] = IS_SPACE | ENDS_NAME | ENDS_VALUE,
	['\f'] = IS_SPACE | ENDS_NAME | ENDS_VALUE,
	['\r'] = IS_SPACE | ENDS_NAME | ENDS_VALUE,
	['='] = ENDS_NAME,
	['>'] = ENDS_NAME | ENDS_VALUE,
	['/'] = ENDS_NAME,
	UPPER('A', 'B', 'C', 'D'),
	UPPER('E', 'F', 'G', 'H'),
	UPPER('I', 'J', 'K', 'L'),
	UPPER('M', 'N', 'O', 'P'),
	UPPER('Q', 'R', 'S', 'T'),
	UPPER('U', 'V', 'W', 'X'),
	['Y'] = IS_UPPER,
	['Z'] = IS_UPPER,
};

static inline bool attribute_byte_is(char byte, unsigned kind)
{
	return (kinds[(unsigned char)byte] & kind) != 0;
}

static const char *attribute_skip_space(const char *at, const char *end)
{
	while (at < end && attribute_byte_is(*at, IS_SPACE))
		at++;
	return at;
}

static bool attribute_mark_cut(struct attribute_cursor *cursor)
{
	cursor->at = cursor->end;
	cursor->is_cut = true;
	return false;
}

/* Read the value of an attribute; `at` is the position after the "=". */
static bool attribute_read_value(struct attribute_cursor *cursor,
				 const char *at)
{
	const char *end = cursor->end;
	const char *begin = attribute_skip_space(at, end);

	if (begin == end)
		return attribute_mark_cut(cursor);
	if (*begin == '"' || *begin == '\'') {
		at = memchr(begin + 1, *begin, (size_t)(end - begin) - 1);
		if (at == NULL)
			return attribute_mark_cut(cursor);
		begin++;
		cursor->at = at + 1;
	} else {
		for (at = begin;
		     at < end && !attribute_byte_is(*at, ENDS_VALUE); at++)
			;
		cursor->at = at;
	}
	cursor->value = (struct slice){begin, (size_t)(at - begin)};
	return true;
}

bool attribute_next(struct attribute_cursor *cursor)
{
	const char *end = cursor->end;
	const char *at = cursor->at;
	const char *begin;
	unsigned seen;

	while (at < end && (attribute_byte_is(*at, IS_SPACE) || *at == '/'))
		at++;
	cursor->is_empty = at > cursor->at && at[-1] == '/';
	cursor->at = at;
	if (at == end)
		return attribute_mark_cut(cursor);
	if (*at == '>')
		return false;

	begin = at++; /* a "=" at this position is part of the name */
	seen = kinds[(unsigned char)*begin];
	while (at < end && !attribute_byte_is(*at, ENDS_NAME))
		seen |= kinds[(unsigned char)*at++];
	cursor->is_upper = (seen & IS_UPPER) != 0;
	cursor->name = (struct slice){begin, (size_t)(at - begin)};
	cursor->value = (struct slice){"", 0};
	at = attribute_skip_space(at, end);
	cursor->at = at;
	if (at == end)
		return attribute_mark_cut(cursor);
	return *at != '=' || attribute_read_value(cursor, at + 1);
}

enum { FEW = 8 };

void attribute_list_begin(struct attribute_list *list, struct arena *arena,
			  uint32_t max_per_tag, size_t max_count)
{
	uint32_t slots = 16;

	if (max_per_tag > UINT16_MAX)
		max_per_tag = UINT16_MAX;
	while (slots < 2 * max_per_tag)
		slots *= 2;
	assert((slots & (slots - 1)) == 0 && slots >= 2 * max_per_tag);
	*list = (struct attribute_list){
		.arena = arena,
		.max_per_tag = max_per_tag,
		.max_count = max_count,
		.slots = mem_alloc(slots, sizeof(uint32_t)),
		.slot_mask = slots - 1,
	};
}

void attribute_list_end(struct attribute_list *list)
{
	free(list->slots);
	list->slots = NULL;
}

static struct slice attribute_fold_name(struct arena *arena, struct slice name)
{
	const char *bytes = name.data;
	char *folded = arena_room(arena, name.size);

	for (size_t i = 0; i < name.size; i++)
		folded[i] = lower(bytes[i]);
	return (struct slice){folded, name.size};
}

static struct slice attribute_decode_value(const struct attribute_list *list,
					   struct slice value)
{
	char *decoded;

	if (value.size == 0 || (memchr(value.data, '&', value.size) == NULL &&
				(!list->has_returns ||
				 memchr(value.data, '\r', value.size) == NULL)))
		return value;
	decoded = arena_room(list->arena, entity_room(value.size));
	return (struct slice){decoded, entity_decode(value, true, decoded)};
}

/*
 * Use a slot of the hash table for the name of the attribute `index`. Return
 * false if an attribute of the same tag (from `first` on) already has the name.
 * Slots with an index before `first` belong to earlier tags and count as free.
 */
static bool claim_slot(struct attribute_list *list, uint32_t first,
		       uint32_t index, struct slice name)
{
	uint32_t slot =
		(uint32_t)hash64(name.data, name.size, 0) & list->slot_mask;

	assert(first <= index && list->slots != NULL);
	while (list->slots[slot] > first) {
		if (slice_equal(list->items[list->slots[slot] - 1].name, name))
			return false;
		slot = (slot + 1) & list->slot_mask;
	}
	assert(slot <= list->slot_mask);
	list->slots[slot] = index + 1;
	return true;
}

/*
 * Return whether one of the `count` attributes from `first` on has this name.
 */
static bool attribute_list_has_name(const struct attribute_list *list,
				    uint32_t first, uint32_t count,
				    struct slice name)
{
	for (uint32_t i = first; i < first + count; i++)
		if (slice_equal(list->items[i].name, name))
			return true;
	return false;
}

/*
 * Return whether an attribute with this name may be added to the tag, because
 * it has none yet. If the tag has few attributes, compare their names;
 * otherwise use the hash table.
 */
static bool attribute_list_claim_name(struct attribute_list *list,
				      uint32_t first, struct slice name)
{
	const uint32_t count = list->count - first;

	if (count < FEW)
		return !attribute_list_has_name(list, first, count, name);
	for (uint32_t i = first; count == FEW && i < list->count; i++)
		claim_slot(list, first, i, list->items[i].name);
	return claim_slot(list, first, list->count, name);
}

/*
 * Return whether an inline style contains the declaration `rule`. `rule` is
 * written without white space and in lower case; the style may contain any
 * white space and case.
 */
static bool style_has(struct slice style, const char *rule)
{
	const char *at = style.data;
	const char *end = at + style.size;
	const char *want = rule; /* next byte of `rule`; NULL: the current
				    declaration does not match */

	for (; at < end; at++) {
		if (is_space(*at))
			continue;
		if (want != NULL && *want != '\0' && lower(*at) == *want) {
			want++;
		} else if (want != NULL && *want == '\0' &&
			   (*at == ';' || *at == '!')) {
			return true;
		} else {
			want = NULL;
		}
		if (*at == ';')
			want = rule;
	}
	return want != NULL && *want == '\0';
}

static unsigned attribute_flags_of(const struct attribute *attribute)
{
	switch (attribute->name.size) {
	case 4:
		return text_is(attribute->name, "href") ? TEXT_IS_LINK : 0;
	case 5:
		if (text_is(attribute->name, "style") &&
		    (style_has(attribute->value, "display:none") ||
		     style_has(attribute->value, "visibility:hidden")))
			return TEXT_IS_HIDDEN;
		return 0;
	case 6:
		return text_is(attribute->name, "hidden") ? TEXT_IS_HIDDEN : 0;
	case 11:
		return text_is(attribute->name, "aria-hidden") &&
				       text_is(attribute->value, "true")
			       ? TEXT_IS_HIDDEN
			       : 0;
	default:
		return 0;
	}
}

static void attribute_list_append(struct attribute_list *list,
				  struct attribute attribute)
{
	list->items = mem_grow(list->items, list->count, &list->capacity,
			       sizeof(attribute));
	assert(list->count < list->max_count);
	list->items[list->count++] = attribute;
}

unsigned attribute_list_read(struct attribute_list *list,
			     struct attribute_cursor *cursor)
{
	const uint32_t first = list->count;
	unsigned flags = 0;

	while (attribute_next(cursor)) {
		struct attribute attribute;

		if (list->count - first == list->max_per_tag ||
		    list->count == list->max_count) {
			list->is_truncated = true;
			continue;
		}
		attribute.name =
			cursor->is_upper
				? attribute_fold_name(list->arena, cursor->name)
				: cursor->name;
		if (!attribute_list_claim_name(list, first, attribute.name))
			continue;
		attribute.value = attribute_decode_value(list, cursor->value);
		flags |= attribute_flags_of(&attribute);
		assert(list->count - first < list->max_per_tag);
		attribute_list_append(list, attribute);
	}
	return flags;
}

void attribute_list_merge(struct attribute_list *list,
			  struct attribute_range *into,
			  struct attribute_range from)
{
	const struct attribute_range old = *into;

	assert(from.first + from.count == list->count);
	for (uint32_t i = from.first; i < from.first + from.count; i++) {
		const struct attribute attribute = list->items[i];

		if (attribute_list_has_name(list, old.first, old.count,
					    attribute.name) ||
		    into->count == list->max_per_tag ||
		    list->count + old.count >= list->max_count)
			continue;
		if (into->first == old.first) {
			/* move the old attributes to the end of the list */
			into->first = list->count;
			for (uint32_t k = 0; k < old.count; k++)
				attribute_list_append(
					list, list->items[old.first + k]);
		}
		attribute_list_append(list, attribute);
		into->count++;
	}
}

uint64_t attribute_list_hash(const struct attribute_list *list,
			     struct attribute_range range)
{
	uint64_t sum = range.count;

	for (uint32_t i = range.first; i < range.first + range.count; i++) {
		const struct attribute *attribute = &list->items[i];

		sum += hash64(
			attribute->value.data, attribute->value.size,
			hash64(attribute->name.data, attribute->name.size, 0));
	}
	return sum;
}

/*
 * Return the end of the comment, doctype or instruction at `at`. If the source
 * ends first, return `end` and set *is_open.
 */
const char *lex_comment_end(const char *at, const char *end, bool *is_open)
{
	bool is_comment = end - at >= 4 && memcmp(at, "<!--", 4) == 0;
	const char *close = at + 2;

	assert(end - at >= 2);
	for (;; close++) {
		close = memchr(close, '>', (size_t)(end - close));
		if (close == NULL) {
			*is_open = true;
			return end;
		}
		if (!is_comment)
			return close + 1;
		/*
		 * "<!-->" and "<!--->" are complete comments, but "<!--!>" is
		 * not
		 */
		if (close - at >= 4 && memcmp(close - 2, "--", 2) == 0)
			return close + 1;
		if (close - at >= 7 && memcmp(close - 3, "--!", 3) == 0)
			return close + 1;
	}
}

/* Return whether the end tag "</word" begins at `at`. */
static bool is_end_tag(const char *at, const char *end, struct slice word)
{
	const size_t length = word.size;

	return (size_t)(end - at) >= length + 3 && at[1] == '/' &&
	       text_is((struct slice){at + 2, length}, word.data) &&
	       (is_space(at[length + 2]) || at[length + 2] == '/' ||
		at[length + 2] == '>');
}

static bool is_script_tag(const char *at, const char *end)
{
	return end - at >= 8 && text_is((struct slice){at + 1, 6}, "script") &&
	       (is_space(at[7]) || at[7] == '/' || at[7] == '>');
}

/*
 * Return the end of a script. Between "<!--" and "-->", a script may contain
 * the source of another script (13.2.5.15 to 13.2.5.31). In this case the first
 * "</script>" ends the inner one.
 */
static const char *script_end(const char *at, const char *end)
{
	const struct slice word = slice_of("script");
	const char *escaped = NULL; /* position after the last "<!--"; NULL:
				       outside of such a comment */
	bool is_double = false;

	for (; at < end; at++) {
		if (escaped == NULL) {
			at = memchr(at, '<', (size_t)(end - at));
			if (at == NULL)
				return end;
		}
		if (*at == '>') {
			if (at - escaped >= 2 && at[-1] == '-' && at[-2] == '-')
				escaped = NULL;
			is_double = is_double && escaped != NULL;
		} else if (*at != '<') {
			continue;
		} else if (is_end_tag(at, end, word)) {
			if (!is_double)
				return at;
			is_double = false;
		} else if (escaped != NULL) {
			is_double = is_double || is_script_tag(at, end);
		} else if (end - at >= 4 && memcmp(at, "<!--", 4) == 0) {
			escaped = at + 2;
			at += 3;
		}
	}
	return end;
}

const char *lex_raw_end(const char *at, const char *end, uint16_t tag)
{
	const struct slice word = tag_name(tag);

	if (tag == TAG_script)
		return script_end(at, end);
	if (tag == TAG_plaintext)
		return end;
	for (; (at = memchr(at, '<', (size_t)(end - at))) != NULL; at++)
		if (is_end_tag(at, end, word))
			return at;
	return end;
}

static void scan_tag(const char *source, const char *at, const char *end,
		     struct token *token)
{
	const char *name = at + (token->kind == TOKEN_END ? 2 : 1);
	struct attribute_cursor cursor = {.at = name, .end = end};

	assert(at < end && *at == '<');
	cursor.at = lex_name_end(name, end);
	token->name = (struct span){(uint32_t)(name - source),
				    (uint32_t)(cursor.at - source)};
	token->tag = tag_from_source(name, (size_t)(cursor.at - name));
	while (attribute_next(&cursor))
		token->attribute_count++;
	token->is_empty = cursor.is_empty;
	token->is_open = cursor.is_cut;
	token->source.end =
		(uint32_t)(cursor.at - source) + (cursor.is_cut ? 0 : 1);
	if (token->kind == TOKEN_END)
		token->attribute_count = 0;
}

static bool scan_raw(struct scanner *scanner, struct token *token)
{
	const char *source = scanner->source.data;
	const char *end = source + scanner->source.size;
	const uint16_t tag = scanner->raw;
	const char *close = lex_raw_end(source + scanner->position, end, tag);

	assert(scanner->position <= scanner->source.size);
	scanner->raw = 0;
	if (close == source + scanner->position)
		return false;
	token->kind =
		(tag_flags(tag) & TAG_IS_RAW) != 0 ? TOKEN_RAW : TOKEN_TEXT;
	token->is_open = close == end;
	token->source.end = (uint32_t)(close - source);
	return true;
}

static void scan_markup(struct scanner *scanner, struct token *token)
{
	const char *source = scanner->source.data;
	const char *end = source + scanner->source.size;
	const char *at = source + scanner->position;

	assert(at < end);
	token->kind = *at == '<' ? (uint8_t)lex_kind(at, end) : TOKEN_TEXT;
	if (token->kind == TOKEN_TEXT) {
		token->source.end = (uint32_t)(lex_text_end(at, end) - source);
	} else if (token->kind == TOKEN_COMMENT) {
		token->source.end =
			(uint32_t)(lex_comment_end(at, end, &token->is_open) -
				   source);
	} else {
		scan_tag(source, at, end, token);
		if (token->kind == TOKEN_START && !token->is_open &&
		    lex_is_raw(token->tag))
			scanner->raw = token->tag;
	}
}

bool scanner_next(struct scanner *scanner, struct token *token_out)
{
	if (scanner->position >= scanner->source.size)
		return false;
	*token_out = (struct token){
		.tag = TAG_COUNT,
		.source = {scanner->position, scanner->position},
	};
	if (scanner->raw == 0 || !scan_raw(scanner, token_out))
		scan_markup(scanner, token_out);
	assert(token_out->source.end > scanner->position);
	assert(token_out->source.end <= scanner->source.size);
	scanner->position = token_out->source.end;
	return true;
}
