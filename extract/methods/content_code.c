#include "extract/methods/content_code.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "extract/text/characters.h"
#include "extract/text/source_walk.h"
#include "extract/text/token_stream.h"
#include "page/page.h"
#include "page/scanner.h"

/*
 * The vector under construction: lengths of runs, even ones of code, odd ones
 * of content. A page has far fewer runs than characters, and code is truncated
 * before the floats are allocated.
 */
struct runs {
	struct arena *arena;
	uint32_t *lengths; /* [count] */
	size_t count;
	size_t capacity;
	uint32_t total; /* entries in all runs */
	uint32_t max_code_run;
	bool is_after_space; /* the last entry is white space */
};

static void push_run(struct runs *runs)
{
	if (runs->count == runs->capacity) {
		size_t capacity =
			runs->capacity == 0 ? 256 : runs->capacity * 2;
		uint32_t *lengths = ARENA_NEW(runs->arena, uint32_t, capacity);

		if (runs->count > 0)
			memcpy(lengths, runs->lengths,
			       runs->count * sizeof(*lengths));
		runs->lengths = lengths;
		runs->capacity = capacity;
	}
	runs->lengths[runs->count++] = 0;
}

static void add_entries(struct runs *runs, bool is_content, uint32_t entries)
{
	uint32_t *last;

	if (entries == 0)
		return;
	while (runs->count == 0 || ((runs->count - 1) % 2 == 1) != is_content)
		push_run(runs);
	last = &runs->lengths[runs->count - 1];
	if (!is_content && entries > runs->max_code_run - *last)
		entries = runs->max_code_run - *last;
	*last += entries;
	runs->total += entries;
}

/* Return true for all bytes except UTF-8 continuation bytes. */
static bool begins_character(unsigned char byte)
{
	return (byte & 0xc0) != 0x80;
}

static bool is_blank_source(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!character_is_space(bytes[i]))
			return false;
	return true;
}

/*
 * Count the characters of text; a run of white space and an entity each count
 * as one.
 */
static void content_code_add_text(struct runs *runs, bool is_content,
				  const unsigned char *bytes, size_t size)
{
	uint32_t entries = 0;
	bool is_after_space = runs->is_after_space;

	for (size_t i = 0; i < size;) {
		bool space = character_is_space(bytes[i]);

		if (!(space && is_after_space))
			entries++;
		is_after_space = space;
		i += character_size(bytes + i, size - i);
	}
	runs->is_after_space = is_after_space;
	add_entries(runs, is_content, entries);
}

/* Do the same for code; stop when the run has the maximum length. */
static void content_code_add_code(struct runs *runs, const unsigned char *bytes,
				  size_t size)
{
	uint32_t entries = 0;
	bool is_after_space = runs->is_after_space;

	for (size_t i = 0; i < size && entries < runs->max_code_run; i++) {
		bool space = character_is_space(bytes[i]);

		entries += begins_character(bytes[i]) &&
			   !(space && is_after_space);
		is_after_space = space;
	}
	runs->is_after_space = size > 0 && character_is_space(bytes[size - 1]);
	add_entries(runs, false, entries);
}

/*
 * Add text without a text node: blanks between tags, or text that the parser
 * drops.
 */
static void content_code_add_gap(struct runs *runs, const unsigned char *bytes,
				 size_t size)
{
	if (!is_blank_source(bytes, size))
		content_code_add_code(runs, bytes, size);
}

static bool is_anchor_tag(const struct token *token)
{
	return (token->kind == TOKEN_START || token->kind == TOKEN_END) &&
	       token->tag == TAG_a;
}

static float *content_code_expand(struct arena *arena, const struct runs *runs)
{
	float *ratio = ARENA_NEW(arena, float, runs->total);
	size_t at = 0;

	for (size_t i = 0; i < runs->count; i++) {
		if (i % 2 == 1)
			for (uint32_t k = 0; k < runs->lengths[i]; k++)
				ratio[at + k] = 1;
		at += runs->lengths[i];
	}
	return ratio;
}

static struct content_code content_code(struct arena *arena,
					const struct runs *runs,
					const struct code_entry_range *texts)
{
	return (struct content_code){content_code_expand(arena, runs),
				     runs->total, texts};
}

struct content_code
content_code_vector(struct arena *arena, const struct page *page,
		    const bool *is_visible,
		    const struct content_code_options *options)
{
	struct code_entry_range *texts =
		ARENA_NEW(arena, struct code_entry_range, page->text_count);
	struct runs runs = {.arena = arena,
			    .max_code_run = options->max_code_run};
	struct source_walk walk = source_walk_begin(page);
	struct token token;
	uint32_t text;

	assert(options->max_code_run >= 1);
	while (source_walk_next(&walk, &token, &text)) {
		const unsigned char *bytes =
			(const unsigned char *)page->source.data +
			token.source.begin;
		size_t size = token.source.end - token.source.begin;

		if (text != NO_TEXT) {
			texts[text].begin = runs.total;
			content_code_add_text(&runs, is_visible[text], bytes,
					      size);
			texts[text].end = runs.total;
		} else if (token.kind == TOKEN_TEXT) {
			content_code_add_gap(&runs, bytes, size);
		} else if (!options->ignores_anchors ||
			   !is_anchor_tag(&token)) {
			content_code_add_code(&runs, bytes, size);
		}
	}
	return content_code(arena, &runs, texts);
}

/* Return the entries of a text whose `words` begin at entry `at`. */
static struct code_entry_range entries_of_words(uint32_t at, uint32_t words,
						uint32_t count)
{
	struct code_entry_range entries = {at, at + words};

	if (words > 0)
		return entries;
	entries.begin = at > 0 ? at - 1 : 0;
	entries.end = at < count ? at + 1 : count;
	return entries;
}

static void content_code_add_tokens(struct runs *runs,
				    const struct token_stream *stream,
				    struct token_range within,
				    bool ignores_anchors)
{
	for (uint32_t i = within.begin; i < within.end; i++) {
		const struct stream_token *token = &stream->tokens[i];

		if (token->text != NO_TEXT)
			add_entries(runs, true, 1);
		else if (!ignores_anchors || token->tag != TAG_a)
			add_entries(runs, false, 1);
	}
}

struct content_code
content_code_tokens(struct arena *arena, const struct page *page,
		    const bool *is_visible,
		    const struct content_code_options *options)
{
	struct token_stream stream = token_stream_make(arena, page, is_visible);
	struct code_entry_range *texts =
		ARENA_NEW(arena, struct code_entry_range, page->text_count);
	struct runs runs = {.arena = arena,
			    .max_code_run = options->max_code_run};
	struct token_range gap = {0, 0};

	assert(options->max_code_run >= 1);
	for (uint32_t rank = 0; rank < page->text_count; rank++) {
		uint32_t i = page_text_in_source(page, rank);

		gap.end = stream.texts[i].begin;
		content_code_add_tokens(&runs, &stream, gap,
					options->ignores_anchors);
		texts[i].begin = runs.total;
		gap.begin = gap.end;
	}
	gap.end = stream.count;
	content_code_add_tokens(&runs, &stream, gap, options->ignores_anchors);
	for (uint32_t i = 0; i < page->text_count; i++)
		texts[i] = entries_of_words(texts[i].begin,
					    stream.texts[i].end -
						    stream.texts[i].begin,
					    runs.total);
	return content_code(arena, &runs, texts);
}

float content_code_highest(const struct content_code *code,
			   struct code_entry_range entries)
{
	float highest = 0;

	for (uint32_t i = entries.begin; i < entries.end; i++)
		if (code->ratio[i] > highest)
			highest = code->ratio[i];
	return highest;
}
