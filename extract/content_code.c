#include "extract/content_code.h"

#include <assert.h>
#include <string.h>

#include "page/page.h"
#include "page/scanner.h"
#include "store/arena.h"

/*
 * The vector as it grows: lengths of runs, even ones of code, odd ones of
 * content. A page has far fewer runs than characters, and its code is cut
 * before a float is spent on it.
 */
struct runs {
	struct arena *arena;
	uint32_t *lengths; /* [count] */
	size_t count;
	size_t capacity;
	uint32_t total; /* entries in all runs */
	uint32_t max_code_run;
	bool is_after_space; /* the last entry was white space */
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

static bool is_space(unsigned char byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r' && byte != '\v');
}

/* Every byte begins a character but the continuation bytes of UTF-8. */
static bool begins_character(unsigned char byte)
{
	return (byte & 0xc0) != 0x80;
}

static bool is_blank(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!is_space(bytes[i]))
			return false;
	return true;
}

/*
 * The bytes behind the '&' at `bytes` when an entity begins there ("amp;"),
 * else 0. An entity without its semicolon is read as it is written.
 */
static size_t entity_tail(const unsigned char *bytes, size_t size)
{
	enum { LONGEST_NAME = 32 };
	size_t i = 1;

	if (i < size && bytes[i] == '#')
		i++;
	while (i < size && i <= LONGEST_NAME &&
	       ((bytes[i] >= '0' && bytes[i] <= '9') ||
		(bytes[i] >= 'A' && bytes[i] <= 'Z') ||
		(bytes[i] >= 'a' && bytes[i] <= 'z')))
		i++;
	return i > 1 && i < size && bytes[i] == ';' ? i : 0;
}

/* Count the characters of text; a run of white space and an entity are one. */
static void add_text(struct runs *runs, bool is_content,
		     const unsigned char *bytes, size_t size)
{
	uint32_t entries = 0;
	bool is_after_space = runs->is_after_space;

	for (size_t i = 0; i < size; i++) {
		bool space = is_space(bytes[i]);

		if (begins_character(bytes[i]) && !(space && is_after_space))
			entries++;
		is_after_space = space;
		if (bytes[i] == '&')
			i += entity_tail(bytes + i, size - i);
	}
	runs->is_after_space = is_after_space;
	add_entries(runs, is_content, entries);
}

/* As add_text(), for code, where it may stop at the longest run. */
static void add_code(struct runs *runs, const unsigned char *bytes, size_t size)
{
	uint32_t entries = 0;
	bool is_after_space = runs->is_after_space;

	for (size_t i = 0; i < size && entries < runs->max_code_run; i++) {
		bool space = is_space(bytes[i]);

		entries += begins_character(bytes[i]) &&
			   !(space && is_after_space);
		is_after_space = space;
	}
	runs->is_after_space = size > 0 && is_space(bytes[size - 1]);
	add_entries(runs, false, entries);
}

/* Where the scan stands among the text nodes. */
struct cursor {
	const struct page *page;
	const bool *is_visible;
	struct entries *texts;
	uint32_t next; /* the first text node that is not behind us */
};

/* The part of text node `index` that `span` holds. */
static void add_text_node(struct runs *runs, struct cursor *cursor,
			  uint32_t index, struct span span)
{
	const unsigned char *source = cursor->page->source.data;
	struct entries *entries = &cursor->texts[index];

	if (entries->end == 0)
		entries->begin = runs->total;
	add_text(runs, cursor->is_visible[index], source + span.begin,
		 span.end - span.begin);
	entries->end = runs->total;
}

/* Text that is no text node: blanks between tags, or what the parser drops. */
static void add_gap(struct runs *runs, const struct page *page,
		    struct span span)
{
	const unsigned char *gap =
		(const unsigned char *)page->source.data + span.begin;

	if (!is_blank(gap, span.end - span.begin))
		add_code(runs, gap, span.end - span.begin);
}

/* A text token: text nodes, and gaps between them. */
static void add_text_token(struct runs *runs, struct cursor *cursor,
			   struct span token)
{
	const struct page *page = cursor->page;
	uint32_t at = token.begin;

	while (at < token.end) {
		const struct text *text = &page->texts[cursor->next];
		struct span part = {at, token.end};

		if (cursor->next == page->text_count ||
		    text->source.begin >= token.end) {
			add_gap(runs, page, part);
			return;
		}
		if (text->source.end <= at) {
			cursor->next++;
			continue;
		}
		if (text->source.begin > at) {
			part.end = text->source.begin;
			add_gap(runs, page, part);
		} else {
			if (text->source.end < token.end)
				part.end = text->source.end;
			add_text_node(runs, cursor, cursor->next, part);
		}
		at = part.end;
	}
}

static bool is_anchor(const struct token *token)
{
	return (token->kind == TOKEN_START || token->kind == TOKEN_END) &&
	       token->tag == TAG_a;
}

static float *expand(struct arena *arena, const struct runs *runs)
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

struct content_code
content_code_vector(struct arena *arena, const struct page *page,
		    const bool *is_visible,
		    const struct content_code_options *options)
{
	const unsigned char *source = page->source.data;
	struct runs runs = {.arena = arena,
			    .max_code_run = options->max_code_run};
	struct cursor cursor = {
		.page = page,
		.is_visible = is_visible,
		.texts = ARENA_NEW(arena, struct entries, page->text_count),
	};
	struct scanner scanner = {.source = page->source};
	struct token token;

	assert(options->max_code_run >= 1);
	while (scanner_next(&scanner, &token)) {
		if (token.kind == TOKEN_TEXT)
			add_text_token(&runs, &cursor, token.source);
		else if (!options->ignores_anchors || !is_anchor(&token))
			add_code(&runs, source + token.source.begin,
				 token.source.end - token.source.begin);
	}
	return (struct content_code){expand(arena, &runs), runs.total,
				     cursor.texts};
}

uint32_t blur_reach(const struct blur *blur)
{
	return 3 * blur->radius * blur->passes;
}

/*
 * out[i] = the mean of in[i - radius .. i + radius], as far as they exist.
 * Sums are doubles: an error of 1e-16 an entry stays far below a float's. In
 * the middle, where nearly all entries are, the window is whole.
 */
static void running_mean(const float *in, float *out, size_t count,
			 size_t radius)
{
	const double share = 1 / (double)(2 * radius + 1);
	double sum = 0;
	size_t begin = 0;
	size_t end = 0;

	for (size_t i = 0; i < count; i++) {
		if (begin + radius < i)
			sum -= (double)in[begin++];
		while (end < count && end <= i + radius)
			sum += (double)in[end++];
		out[i] = (float)(sum / (double)(end - begin));
		for (; end < count && i >= radius; end++) {
			sum += (double)in[end] - (double)in[begin++];
			out[++i] = (float)(sum * share);
		}
	}
}

void content_code_blur(struct arena *arena, struct content_code *code,
		       const struct blur *blur)
{
	float *scratch = ARENA_NEW(arena, float, code->count);

	assert(blur->radius >= 1);
	for (uint32_t i = 0; i < 3 * blur->passes; i++) {
		float *blurred = scratch;

		running_mean(code->ratio, blurred, code->count, blur->radius);
		scratch = code->ratio;
		code->ratio = blurred;
	}
}

float content_code_highest(const struct content_code *code,
			   struct entries entries)
{
	float highest = 0;

	for (uint32_t i = entries.begin; i < entries.end; i++)
		if (code->ratio[i] > highest)
			highest = code->ratio[i];
	return highest;
}
