#include "page/json_ld.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "page/entity.h"
#include "page/page.h"
#include "page/scanner.h"

/*
 * A position in valid UTF-8. `at` must be before `end` when a function reads
 * from it.
 */
struct json_cursor {
	const char *at;
	const char *end;
};

/*
 * Read four hexadecimal digits at `at`; return UINT32_MAX if they are invalid.
 */
static uint32_t read_unit(const char *at, const char *end)
{
	uint32_t unit = 0;

	if (end - at < 4)
		return UINT32_MAX;
	for (int i = 0; i < 4; i++) {
		if (hex_digit(at[i]) < 0)
			return UINT32_MAX;
		unit = unit << 4 | (uint32_t)hex_digit(at[i]);
	}
	return unit;
}

/*
 * Decode an escape and return its end. `at` is the position after its "\u". Two
 * escapes that are a surrogate pair are one character. A character is never
 * longer than its escape.
 */
static const char *decode_unit(const char *at, const char *end, char **out)
{
	uint32_t code = read_unit(at, end);
	uint32_t low = UINT32_MAX;

	if (code == UINT32_MAX) {
		*(*out)++ = 'u';
		return at;
	}
	at += 4;
	if (code >= 0xD800 && code < 0xDC00 && end - at >= 6 && at[0] == '\\' &&
	    at[1] == 'u')
		low = read_unit(at + 2, end);
	if (low >= 0xDC00 && low < 0xE000) {
		code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
		at += 6;
	}
	if (code == 0 || (code >= 0xD800 && code < 0xE000))
		code = UTF8_REPLACEMENT;
	*out += utf8_encode(code, *out);
	return at;
}

/* Copy `text` to `out` [text.size] with its escapes decoded. */
static size_t decode_escapes(struct slice text, char *out)
{
	const char *at = text.data;
	const char *end = at + text.size;
	char *begin = out;

	while (at < end) {
		if (*at != '\\' || at + 1 == end) {
			*out++ = *at++;
			continue;
		}
		if (at[1] == 'u') {
			at = decode_unit(at + 2, end, &out);
			continue;
		}
		if (at[1] == 'n')
			*out++ = '\n';
		else
			*out++ = (char)(strchr("rtfb", at[1]) != NULL ? ' '
								      : at[1]);
		at += 2;
	}
	return (size_t)(out - begin);
}

static struct slice json_decode_text(struct arena *arena, struct slice text)
{
	char *out;

	if (text.size == 0)
		return (struct slice){"", 0};
	if (memchr(text.data, '\\', text.size) != NULL) {
		out = arena_alloc(arena, text.size, 1);
		text = (struct slice){out, decode_escapes(text, out)};
	}
	if (memchr(text.data, '&', text.size) != NULL) {
		out = arena_alloc(arena, entity_room(text.size), 1);
		text = (struct slice){out, entity_decode(text, false, out)};
	}
	return text;
}

static size_t json_cursor_remaining(const struct json_cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static bool json_is_at(const struct json_cursor *cursor, const char *word)
{
	size_t size = strlen(word);

	return json_cursor_remaining(cursor) >= size &&
	       memcmp(cursor->at, word, size) == 0;
}

/*
 * Return whether the quote before `at` ends its string. It does if the
 * following bytes can follow a string; otherwise it is a quote inside the
 * string that the page did not escape.
 */
static bool json_quote_is_closing(const char *at, const char *end)
{
	while (at < end && is_space(*at))
		at++;
	return at == end || strchr(",:}]\"<&/", *at) != NULL;
}

/*
 * Read a string up to its closing quote or the end of the text. The cursor is
 * after the opening quote `mark`, and moves to the position after the closing
 * quote. A quote is part of the string if the bytes after it cannot follow a
 * string. Escapes and HTML character references are decoded: a surrogate pair
 * is one character, and an invalid escape becomes U+FFFD. Return a slice of the
 * text if nothing had to be decoded, otherwise a copy in `arena`. Linear.
 */
static struct slice json_read_string(struct arena *arena,
				     struct json_cursor *cursor,
				     const char *mark)
{
	size_t size = strlen(mark);
	const char *begin = cursor->at;
	const char *at = begin;
	const char *end;

	while (at < cursor->end) {
		if (*at == '\\') {
			at += at + 1 < cursor->end ? 2 : 1;
			continue;
		}
		if (*at == *mark && (size_t)(cursor->end - at) >= size &&
		    memcmp(at, mark, size) == 0 &&
		    json_quote_is_closing(at + size, cursor->end))
			break;
		at++;
	}
	end = at;
	cursor->at = at < cursor->end ? at + size : at;
	return json_decode_text(arena,
				(struct slice){begin, (size_t)(end - begin)});
}

/*
 * Read a number, true, false, null or another word. It has at least one byte.
 */
static struct slice json_read_word(struct json_cursor *cursor)
{
	const char *begin = cursor->at;

	do {
		cursor->at++;
	} while (cursor->at < cursor->end && !is_space(*cursor->at) &&
		 strchr(",:{}[]\"", *cursor->at) == NULL);
	return (struct slice){begin, (size_t)(cursor->at - begin)};
}

/*
 * Return the length of the text at the cursor that must be skipped: a comment,
 * or the mark of a CDATA section or an HTML comment. Return 0 for other text.
 */
static size_t json_comment_size(const struct json_cursor *cursor)
{
	static const char *const marks[] = {"<![CDATA[", "<!--", "-->", "]]>",
					    "//"};
	const char *close;

	if (strchr("<-]/", *cursor->at) == NULL)
		return 0;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (json_is_at(cursor, marks[i]))
			return strlen(marks[i]);
	if (!json_is_at(cursor, "/*"))
		return 0;
	close = memmem(cursor->at + 2, json_cursor_remaining(cursor) - 2, "*/",
		       2);
	return close == NULL ? json_cursor_remaining(cursor)
			     : (size_t)(close - cursor->at) + 2;
}

/* An object or array that is not closed yet. */
struct json_ld_level {
	bool is_array;
	uint32_t object;  /* the object that its values belong to; NO_OBJECT at
			     the top */
	uint32_t last;    /* last field of this object, or NO_FIELD */
	struct slice key; /* key of the next value */
};

struct json_ld_reader {
	struct arena *arena;
	struct json_cursor cursor;
	size_t bytes; /* number of bytes read so far in all scripts */
	struct json_ld_object *objects;
	uint32_t object_count;
	size_t object_capacity;
	struct json_ld_field *fields;
	uint32_t field_count;
	size_t field_capacity;
	/* the first one is the top, outside of all objects */
	struct json_ld_level levels[JSON_LD_DEPTH + 1];
	uint32_t depth;    /* index of the innermost level */
	uint32_t too_deep; /* number of open brackets that are deeper than
			      JSON_LD_DEPTH */
};

static bool json_ld_is_full(const struct json_ld_reader *reader)
{
	return reader->object_count >= JSON_LD_VALUES ||
	       reader->field_count >= JSON_LD_VALUES;
}

static struct json_ld_level *json_ld_level_of(struct json_ld_reader *reader)
{
	return &reader->levels[reader->depth];
}

/*
 * Add a value as a field of the innermost object. Do nothing at the top, where
 * there is no object.
 */
static void json_ld_add_field(struct json_ld_reader *reader,
			      struct json_ld_field field)
{
	struct json_ld_level *level = json_ld_level_of(reader);

	if (level->object == NO_OBJECT || level->key.size == 0 ||
	    json_ld_is_full(reader))
		return;
	field.key = level->key;
	field.next = NO_FIELD;
	reader->fields =
		mem_grow(reader->fields, reader->field_count,
			 &reader->field_capacity, sizeof(*reader->fields));
	if (level->last == NO_FIELD)
		reader->objects[level->object].first = reader->field_count;
	else
		reader->fields[level->last].next = reader->field_count;
	level->last = reader->field_count;
	reader->fields[reader->field_count++] = field;
}

static void end_value(struct json_ld_level *level)
{
	if (!level->is_array)
		level->key = (struct slice){"", 0};
}

static void json_ld_add_text(struct json_ld_reader *reader, uint32_t kind,
			     struct slice text)
{
	if (reader->too_deep > 0)
		return;
	json_ld_add_field(reader, (struct json_ld_field){
					  .object = NO_OBJECT,
					  .kind = kind,
					  .text = text,
				  });
	end_value(json_ld_level_of(reader));
}

/* Read a string; it is a key if a colon follows it. */
static void json_ld_read_string(struct json_ld_reader *reader, const char *mark)
{
	struct json_ld_level *level = json_ld_level_of(reader);
	struct slice text;

	reader->cursor.at += strlen(mark);
	text = json_read_string(reader->arena, &reader->cursor, mark);
	while (reader->cursor.at < reader->cursor.end &&
	       is_space(*reader->cursor.at))
		reader->cursor.at++;
	if (reader->cursor.at < reader->cursor.end &&
	    *reader->cursor.at == ':' && !level->is_array &&
	    reader->too_deep == 0) {
		level->key = text;
		reader->cursor.at++;
		return;
	}
	json_ld_add_text(reader, JSON_LD_STRING, text);
}

static uint32_t add_object(struct json_ld_reader *reader)
{
	const struct json_ld_level *level = json_ld_level_of(reader);
	uint32_t index = reader->object_count;

	if (json_ld_is_full(reader))
		return NO_OBJECT;
	reader->objects =
		mem_grow(reader->objects, index, &reader->object_capacity,
			 sizeof(*reader->objects));
	reader->objects[index] = (struct json_ld_object){
		.parent = level->object,
		.first = NO_FIELD,
		.key = level->key,
	};
	reader->object_count++;
	json_ld_add_field(reader, (struct json_ld_field){
					  .object = index,
					  .kind = JSON_LD_OBJECT,
					  .text = {"", 0},
				  });
	return index;
}

static void json_ld_open_level(struct json_ld_reader *reader, bool is_array)
{
	struct json_ld_level inner = *json_ld_level_of(reader);

	reader->cursor.at++;
	if (reader->too_deep > 0 || reader->depth == JSON_LD_DEPTH) {
		reader->too_deep++;
		return;
	}
	inner.is_array = true;
	if (!is_array) {
		inner = (struct json_ld_level){
			.object = add_object(reader),
			.last = NO_FIELD,
			.key = {"", 0},
		};
		end_value(json_ld_level_of(reader));
	}
	reader->levels[++reader->depth] = inner;
}

/*
 * Close the innermost open array (`is_array`) or object, and everything in it
 * that is open. Do nothing if none exists.
 */
static void json_ld_close_level(struct json_ld_reader *reader, bool is_array)
{
	uint32_t depth = reader->depth;
	uint32_t last = NO_FIELD;

	reader->cursor.at++;
	if (reader->too_deep > 0) {
		reader->too_deep--;
		return;
	}
	while (depth > 0 && reader->levels[depth].is_array != is_array)
		depth--;
	if (depth == 0)
		return;
	while (reader->depth >= depth) {
		const struct json_ld_level *level = json_ld_level_of(reader);

		last = level->is_array ? level->last : NO_FIELD;
		reader->depth--;
		if (last != NO_FIELD)
			json_ld_level_of(reader)->last = last;
		end_value(json_ld_level_of(reader));
	}
}

/* Read one token. */
static void json_ld_read_token(struct json_ld_reader *reader)
{
	size_t comment = json_comment_size(&reader->cursor);

	if (comment > 0) {
		reader->cursor.at += comment;
		return;
	}
	switch (*reader->cursor.at) {
	case '{':
		json_ld_open_level(reader, false);
		break;
	case '}':
		json_ld_close_level(reader, false);
		break;
	case '[':
		json_ld_open_level(reader, true);
		break;
	case ']':
		json_ld_close_level(reader, true);
		break;
	case '"':
		json_ld_read_string(reader, "\"");
		break;
	case ' ':
	case '\t':
	case '\n':
	case '\f':
	case '\r':
	case ',':
	case ':':
	case ';':
		reader->cursor.at++;
		break;
	default:
		if (json_is_at(&reader->cursor, "&quot;"))
			json_ld_read_string(reader, "&quot;");
		else
			json_ld_add_text(reader, JSON_LD_WORD,
					 json_read_word(&reader->cursor));
	}
}

/*
 * Read one script, but only as many bytes as JSON_LD_BYTES still allows. Each
 * script begins at the top, even if the previous one has unclosed brackets.
 */
static void json_ld_read_script(struct json_ld_reader *reader,
				struct slice text)
{
	if (text.size > JSON_LD_BYTES - reader->bytes)
		text.size = JSON_LD_BYTES - reader->bytes;
	if (text.size == 0)
		return;
	reader->cursor.at = text.data;
	reader->cursor.end = reader->cursor.at + text.size;
	reader->bytes += text.size;
	reader->depth = 0;
	reader->too_deep = 0;
	reader->levels[0] = (struct json_ld_level){
		.object = NO_OBJECT,
		.last = NO_FIELD,
		.key = {"", 0},
	};
	while (reader->cursor.at < reader->cursor.end &&
	       !json_ld_is_full(reader))
		json_ld_read_token(reader);
}

static struct json_ld json_ld_finish(struct json_ld_reader *reader)
{
	struct json_ld ld = {
		.object_count = reader->object_count,
		.field_count = reader->field_count,
	};

	if (ld.object_count > 0)
		ld.objects = (const void *)arena_copy(
			reader->arena, reader->objects,
			ld.object_count * sizeof(*reader->objects));
	if (ld.field_count > 0)
		ld.fields = (const void *)arena_copy(
			reader->arena, reader->fields,
			ld.field_count * sizeof(*reader->fields));
	free(reader->objects);
	free(reader->fields);
	return ld;
}

struct json_ld json_ld_read(struct arena *arena, struct slice text)
{
	struct json_ld_reader reader = {.arena = arena};

	json_ld_read_script(&reader, text);
	return json_ld_finish(&reader);
}

static bool is_json_ld(const struct page *page, uint32_t node)
{
	static const char media_type[] = "application/ld+json";
	struct slice type = text_trim(page_attribute(page, node, "type"));

	if (type.size < sizeof(media_type) - 1)
		return false;
	type.size = sizeof(media_type) -
		    1; /* the media type without its parameters */
	return text_is(type, media_type);
}

struct json_ld json_ld_of_page(struct arena *arena, const struct page *page)
{
	struct json_ld_reader reader = {.arena = arena};

	for (uint32_t i = 0; i < page->node_count; i++)
		if (page->nodes[i].tag == TAG_script && is_json_ld(page, i))
			json_ld_read_script(&reader, page_script(page, i));
	return json_ld_finish(&reader);
}

static const struct json_ld_field *
json_ld_find_from(const struct json_ld *ld, uint32_t index, struct slice key)
{
	while (index != NO_FIELD && !slice_equal(ld->fields[index].key, key))
		index = ld->fields[index].next;
	return index == NO_FIELD ? NULL : &ld->fields[index];
}

const struct json_ld_field *json_ld_find(const struct json_ld *ld,
					 uint32_t object, const char *key)
{
	return json_ld_find_from(ld, ld->objects[object].first, slice_of(key));
}

const struct json_ld_field *json_ld_next(const struct json_ld *ld,
					 const struct json_ld_field *field)
{
	return json_ld_find_from(ld, field->next, field->key);
}

struct slice json_ld_text(const struct json_ld *ld, uint32_t object,
			  const char *key)
{
	const struct json_ld_field *field = json_ld_find(ld, object, key);

	if (field == NULL || field->kind != JSON_LD_STRING)
		return (struct slice){"", 0};
	return field->text;
}

/*
 * Return the last part of a type: "Article" for "http://schema.org/Article" and
 * "schema:Article".
 */
static struct slice last_part(struct slice type)
{
	const char *begin = type.data;
	const char *at = begin + type.size;

	while (at > begin && at[-1] != '/' && at[-1] != ':' && at[-1] != '#')
		at--;
	return (struct slice){at, (size_t)(begin + type.size - at)};
}

struct slice json_ld_type(const struct json_ld *ld, uint32_t object)
{
	return last_part(json_ld_text(ld, object, "@type"));
}

bool json_ld_is(const struct json_ld *ld, uint32_t object, const char *type)
{
	const struct json_ld_field *field = json_ld_find(ld, object, "@type");

	for (; field != NULL; field = json_ld_next(ld, field))
		if (slice_equal(last_part(field->text), slice_of(type)))
			return true;
	return false;
}
