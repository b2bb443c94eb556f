#include "crawl/pattern.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "crawl/percent.h"
#include "page/robots_word.h"

/*
 * Length of the longest pattern that can match: a star between any two bytes of
 * the longest path.
 */
enum { MAX_PATTERN_BYTES = 2 * 3 * MAX_URL_BYTES + 1 };

/*
 * RFC 9309, 2.2.2, has an example of a query whose reserved characters are
 * encoded before the comparison. Few sites write their rules or links like
 * that, so a rule matches if either form matches.
 */
#define QUERY_DELIMITERS ":/?[]@"

static void encode_query(struct slice text, const char *special,
			 const char *query_special, struct bounded *out)
{
	size_t mark = word_find(text, '?');
	size_t head = mark == text.size ? mark : mark + 1;

	percent_normalize((struct slice){text.data, head}, special, out);
	percent_normalize(word_skip(text, head), query_special, out);
}

/* Return `text` with one star for each run of stars. */
static struct slice squeeze_stars(struct arena *arena, struct slice text)
{
	const char *bytes = text.data;
	char *out;
	size_t size = 0;

	if (memmem(bytes, text.size, "**", 2) == NULL)
		return text;
	out = arena_alloc(arena, text.size, 1);
	for (size_t i = 0; i < text.size; i++)
		if (bytes[i] != '*' || size == 0 || out[size - 1] != '*')
			out[size++] = bytes[i];
	return (struct slice){out, size};
}

/* Return `text` in the arena; `original` if it is equal. */
static struct slice pattern_store_text(struct arena *arena,
				       const struct bounded *text,
				       struct slice original)
{
	if (slice_equal(bounded_slice(text), original))
		return original;
	return (struct slice){arena_copy(arena, text->data, text->size),
			      text->size};
}

static bool ends_in(struct slice text, char byte)
{
	return text.size > 0 &&
	       ((const char *)text.data)[text.size - 1] == byte;
}

bool pattern_make(struct arena *arena, struct slice value,
		  struct pattern *pattern_out)
{
	char memory[2][MAX_PATTERN_BYTES];
	struct bounded text = {.data = memory[0],
			       .capacity = sizeof(memory[0])};
	struct bounded encoded = {.data = memory[1],
				  .capacity = sizeof(memory[1])};
	struct pattern pattern = {.is_anchored = ends_in(value, '$')};
	size_t squeezed;

	if (pattern.is_anchored)
		value.size--;
	squeezed = value.size;
	value = squeeze_stars(arena, value);
	squeezed -= value.size;
	percent_normalize(value, "$", &text);
	if (text.is_cut)
		return false;
	pattern.length = (uint32_t)(text.size + squeezed + pattern.is_anchored);
	if (ends_in(value, '*')) { /* a star at the end matches any rest */
		value.size--;
		text.size--;
		pattern.is_anchored = false;
	}
	pattern.text = pattern_store_text(arena, &text, value);
	if (word_find(value, '?') < value.size) {
		encode_query(value, "$", "$" QUERY_DELIMITERS, &encoded);
		if (!encoded.is_cut)
			pattern.encoded = pattern_store_text(arena, &encoded,
							     pattern.text);
	}
	*pattern_out = pattern;
	return true;
}

void pattern_path_set(struct pattern_path *path, struct slice raw)
{
	struct bounded text = {.data = path->memory[0],
			       .capacity = sizeof(path->memory[0])};
	struct bounded encoded = {.data = path->memory[1],
				  .capacity = sizeof(path->memory[1])};

	assert(raw.size <= MAX_URL_BYTES);

	percent_normalize(raw, "*$", &text);
	encode_query(raw, "*$", "*$" QUERY_DELIMITERS, &encoded);
	path->text = bounded_slice(&text);
	path->encoded = bounded_slice(&encoded);
}

/* Return the part before the first wildcard. */
static struct slice first_piece(struct slice text)
{
	text.size = word_find(text, '*');
	return text;
}

static bool pattern_text_begins_with(struct slice text, struct slice piece)
{
	assert(text.data != NULL || text.size == 0);
	return piece.size <= text.size &&
	       (piece.size == 0 ||
		memcmp(text.data, piece.data, piece.size) == 0);
}

static bool pattern_text_ends_with(struct slice text, struct slice piece)
{
	return piece.size <= text.size &&
	       pattern_text_begins_with(word_skip(text, text.size - piece.size),
					piece);
}

/*
 * Skip the text up to and including the first occurrence of `piece`, or return
 * false.
 */
static bool skip_piece(struct slice *text, struct slice piece)
{
	const char *found;

	if (piece.size == 0)
		return true;
	found = memmem(text->data, text->size, piece.data, piece.size);
	if (found == NULL)
		return false;
	*text = word_skip(*text, (size_t)(found - (const char *)text->data) +
					 piece.size);
	return true;
}

/*
 * Match each piece between wildcards at its first occurrence, so that no byte
 * of the path is read twice: memmem() is linear.
 */
static bool pattern_match_pieces(struct slice text, bool is_anchored,
				 struct slice path, size_t *steps)
{
	struct slice piece = first_piece(text);

	if (!pattern_text_begins_with(path, piece))
		return false;
	path = word_skip(path, piece.size);
	if (piece.size < text.size)
		*steps += path.size + text.size;
	while (piece.size < text.size) {
		text = word_skip(text, piece.size + 1);
		piece = first_piece(text);
		if (piece.size == text.size && is_anchored)
			return pattern_text_ends_with(path, piece);
		if (!skip_piece(&path, piece))
			return false;
	}
	return !is_anchored || path.size == 0;
}

bool pattern_matches(const struct pattern *pattern,
		     const struct pattern_path *path, size_t *steps)
{
	/*
	 * an escape is longer than its character, so equal sizes mean equal
	 * texts
	 */
	bool is_same = pattern->encoded.size == pattern->text.size &&
		       path->encoded.size == path->text.size;

	if (pattern_match_pieces(pattern->text, pattern->is_anchored,
				 path->text, steps))
		return true;
	return pattern->encoded.data != NULL && !is_same &&
	       pattern_match_pieces(pattern->encoded, pattern->is_anchored,
				    path->encoded, steps);
}
