#include "crawl/pattern.h"

#include <string.h>

#include "crawl/url.h"
#include "store/arena.h"

enum { MAX_PATTERN_BYTES = 3 * MAX_URL_BYTES };

static struct slice skip(struct slice text, size_t count)
{
	return (struct slice){(const char *)text.data + count,
			      text.size - count};
}

bool pattern_make(struct arena *arena, struct slice value,
		  struct pattern *pattern_out)
{
	char text[MAX_PATTERN_BYTES];
	struct bounded out = {.data = text, .capacity = sizeof(text)};
	bool is_anchored = ((const char *)value.data)[value.size - 1] == '$';

	if (is_anchored)
		value.size--;
	percent_normalize(value, "$", &out);
	if (out.is_cut)
		return false;
	*pattern_out = (struct pattern){
		.text = {arena_copy(arena, text, out.size), out.size},
		.is_anchored = is_anchored,
	};
	return true;
}

size_t pattern_length(const struct pattern *pattern)
{
	return pattern->text.size + (pattern->is_anchored ? 1 : 0);
}

void pattern_normalize_path(struct slice path, struct bounded *out)
{
	percent_normalize(path, "*$", out);
}

/* What stands in front of the first wildcard. */
static struct slice first_piece(struct slice text)
{
	const char *star =
		text.size == 0 ? NULL : memchr(text.data, '*', text.size);

	if (star != NULL)
		text.size = (size_t)(star - (const char *)text.data);
	return text;
}

static bool begins_with(struct slice text, struct slice piece)
{
	return piece.size <= text.size &&
	       (piece.size == 0 ||
		memcmp(text.data, piece.data, piece.size) == 0);
}

static bool ends_with(struct slice text, struct slice piece)
{
	return piece.size <= text.size &&
	       begins_with(skip(text, text.size - piece.size), piece);
}

/* Skip to behind the first occurrence of `piece`; false when there is none. */
static bool skip_piece(struct slice *text, struct slice piece)
{
	const char *found;

	if (piece.size == 0)
		return true;
	found = memmem(text->data, text->size, piece.data, piece.size);
	if (found == NULL)
		return false;
	*text = skip(*text,
		     (size_t)(found - (const char *)text->data) + piece.size);
	return true;
}

/*
 * Each piece between wildcards is taken where it is found first, so no byte of
 * the path is looked at twice: O(path + pattern), because memmem() is linear.
 */
bool pattern_matches(const struct pattern *pattern, struct slice path)
{
	struct slice rest = pattern->text;
	struct slice piece = first_piece(rest);

	if (!begins_with(path, piece))
		return false;
	path = skip(path, piece.size);
	while (piece.size < rest.size) {
		rest = skip(rest, piece.size + 1);
		piece = first_piece(rest);
		if (piece.size == rest.size && pattern->is_anchored)
			return ends_with(path, piece);
		if (!skip_piece(&path, piece))
			return false;
	}
	return !pattern->is_anchored || path.size == 0;
}
