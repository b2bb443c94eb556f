#include "crawl/url/url_pattern.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "page/robots_tag.h"

/*
 * Length of the longest pattern that can match a path: the longest path, with a
 * star between any two bytes.
 */
enum { MAX_PATTERN_BYTES = 2 * 3 * MAX_URL_BYTES + 1 };

/*
 * Copy `text` with the reserved characters of its query encoded. RFC 9309,
 * 2.2.2, has an example that encodes these before the comparison. Few sites
 * write their rules or links like that, so a rule matches if one of both forms
 * matches.
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

/* Return `text` with each run of stars replaced by one star. */
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

/*
 * Copy `text` to the arena and return it. If it is equal to `original`, return
 * `original` instead.
 */
static struct slice pattern_store_text(struct arena *arena,
				       const struct bounded *text,
				       struct slice original)
{
	if (slice_equal(bounded_slice(text), original))
		return original;
	return (struct slice){arena_copy(arena, text->data, text->size),
			      text->size};
}

bool pattern_make(struct arena *arena, struct slice value,
		  struct pattern *pattern_out)
{
	char memory[2][MAX_PATTERN_BYTES];
	struct bounded text = {.data = memory[0],
			       .capacity = sizeof(memory[0])};
	struct bounded encoded = {.data = memory[1],
				  .capacity = sizeof(memory[1])};
	struct pattern pattern = {
		.is_anchored = slice_byte(value, value.size - 1) == '$'};
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
	if (slice_byte(value, value.size - 1) ==
	    '*') { /* a star at the end has no effect, because a rule also
		      matches longer paths */
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

/* Return the part of the text before the first star. */
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

/*
 * Skip the first occurrence of `piece` in *text, and everything before it.
 * Return false if none exists.
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
 * Return whether a pattern matches `path`. Each piece between two stars is
 * matched at its first occurrence after the previous piece. So no byte of the
 * path is read twice, and memmem() is linear.
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
			return piece.size <= path.size &&
			       pattern_text_begins_with(
				       word_skip(path, path.size - piece.size),
				       piece);
		if (!skip_piece(&path, piece))
			return false;
	}
	return !is_anchored || path.size == 0;
}

bool pattern_matches(const struct pattern *pattern,
		     const struct pattern_path *path, size_t *steps)
{
	/*
	 * encoding makes a text longer, so an equal size means that nothing was
	 * encoded
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

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
	MAX_SEGMENT_COUNT = 24, /* further folders are ignored */
	MAX_PARAMETERS = 16,    /* further parameters are ignored */
	MAX_NAMES = 2,          /* number of folders whose names are kept */
	MAX_ITEM = 64,   /* maximum length of a name, after replacing its digits
			    by {n} */
	MAX_COUNTED = 4, /* maximum number of segments that is distinguished */
	COARSE_SEED = 1, /* seed of coarse patterns, so that their hashes differ
			    from fine ones */
};

/*
 * Endings that show how a page was generated. Any other ending is a part of the
 * name.
 */
static const char *const endings[] = {
	".asp", ".aspx", ".cfm", ".cgi",   ".do", ".htm",   ".html",
	".jsp", ".jspx", ".php", ".phtml", ".pl", ".shtml", ".xhtml",
};

/*
 * Beginnings of file names with which documentation generators (doxygen,
 * javadoc) mark the kinds of their pages; below, ends of names.
 */
static const char *const beginnings[] = {"class",     "struct",    "union",
					 "namespace", "interface", "group__",
					 "dir_",      "md_"};
static const char *const suffixes[] = {"-members", "_source", "-summary",
				       "-tree",    "-frame",  "-use"};

/*
 * A last segment with one of these names is another view of the page whose URL
 * is before it.
 */
static const char *const views[] = {"amp",   "embed", "feed",
				    "print", "rss",   "trackback"};

static void put_kind(struct bounded *out, enum url_kind kind)
{
	bounded_put_slice(out, slice_of(url_kind_text(kind)));
}

/* Write a name with its numbers replaced. */
static void url_pattern_put_name(struct bounded *out, struct slice name)
{
	const char *c = name.data;

	for (size_t i = 0; i < name.size; i++) {
		if (!is_digit(c[i]))
			bounded_put(out, c[i]);
		else if (i == 0 || !is_digit(c[i - 1]))
			bounded_put_slice(out, slice_of("{n}"));
	}
}

/* The parts of a URL's path, and its query. */
struct url_parts {
	struct slice folders[MAX_SEGMENT_COUNT]; /* [folder_count] */
	size_t folder_count;
	size_t segment_count; /* number of segments, including the leaf */
	bool is_open;         /* the path ends in '/' */
	struct slice leaf; /* the segment that identifies the page: the last one
			      that is not a view */
	struct slice view; /* the segment after the leaf, if it is a view:
			      "index", "feed", "page"; otherwise empty */
	/* the number after the view "page"; otherwise empty */
	struct slice number;
	/* ending of the last segment, such as ".html"; or "" */
	const char *ending;
	const char *query; /* text after the '?'; NULL if none exists */
};

static bool url_segment_ends_with(struct slice text, const char *ending)
{
	size_t size = strlen(ending);

	return text.size > size &&
	       strncasecmp((const char *)text.data + text.size - size, ending,
			   size) == 0;
}

/*
 * Remove the ending from the segment and return it; return "" if it has none.
 */
static const char *cut_ending(struct slice *segment)
{
	if (segment->size == 0 ||
	    memchr(segment->data, '.', segment->size) == NULL)
		return "";
	for (size_t i = 0; i < COUNT(endings); i++) {
		if (!url_segment_ends_with(*segment, endings[i]))
			continue;
		segment->size -= strlen(endings[i]);
		return endings[i];
	}
	return "";
}

static bool is_one_of(struct slice text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal(text, slice_of(words[i])))
			return true;
	return false;
}

static void split_path(struct slice path, struct url_parts *parts)
{
	const char *text = path.data;

	for (size_t i = 0; i < path.size; i++) {
		size_t begin = i;

		while (i < path.size && text[i] != '/')
			i++;
		if (i == begin || parts->folder_count == MAX_SEGMENT_COUNT)
			continue;
		parts->folders[parts->folder_count++] =
			(struct slice){text + begin, i - begin};
	}
	parts->is_open = path.size > 0 && text[path.size - 1] == '/';
}

/*
 * Remove the last folder and return it; return an empty slice if none exists.
 */
static struct slice url_parts_pop_folder(struct url_parts *parts)
{
	return parts->folder_count == 0 ? (struct slice){0}
					: parts->folders[--parts->folder_count];
}

/*
 * Find the view: "/news/a/index.html", "/news/a/feed/" and "/news/a/page/2/"
 * are views of the page "a".
 */
static void find_view(struct url_parts *parts)
{
	static const char *const indices[] = {"default", "index"};
	bool is_file = parts->ending[0] != '\0';

	if (is_file ? is_one_of(parts->leaf, indices, COUNT(indices))
		    : is_one_of(parts->leaf, views, COUNT(views))) {
		parts->view = parts->leaf;
		parts->leaf = url_parts_pop_folder(parts);
	} else if (parts->folder_count > 0 &&
		   slice_equal(parts->folders[parts->folder_count - 1],
			       slice_of("page")) &&
		   url_kind_of(parts->leaf) == URL_NUMBER) {
		parts->number = parts->leaf;
		parts->view = url_parts_pop_folder(parts);
		parts->leaf = url_parts_pop_folder(parts);
	}
}

static void url_parts_split(const struct url *url, struct url_parts *parts)
{
	const char *path = url->text + url->path;
	size_t size = strcspn(path, "?");

	*parts = (struct url_parts){.ending = ""};
	if (path[size] == '?')
		parts->query = path + size + 1;
	split_path((struct slice){path, size}, parts);
	parts->leaf = url_parts_pop_folder(parts);
	if (!parts->is_open)
		parts->ending = cut_ending(&parts->leaf);
	find_view(parts);
	parts->segment_count =
		parts->folder_count + (parts->leaf.size > 0 ? 1 : 0);
}

/* A parameter in a pattern: its name, "=", and the kind of its value. */
struct url_parameter {
	char text[MAX_ITEM];
};

static int by_text(const void *left, const void *right)
{
	return strcmp(((const struct url_parameter *)left)->text,
		      ((const struct url_parameter *)right)->text);
}

static void make_item(struct slice parameter, struct url_parameter *item)
{
	struct bounded out = {.data = item->text, .capacity = MAX_ITEM - 1};
	const char *text = parameter.data;
	const char *equal = memchr(text, '=', parameter.size);
	size_t size = equal == NULL ? parameter.size : (size_t)(equal - text);
	struct slice name = {text, size};
	struct slice value = {NULL, 0};
	enum url_kind kind = url_kind_of(name);

	if (equal != NULL)
		value = (struct slice){equal + 1, parameter.size - size - 1};
	if (kind == URL_WORD && url_is_name(name))
		url_pattern_put_name(&out, name);
	else
		put_kind(&out, kind);
	bounded_put(&out, '=');
	put_kind(&out, url_kind_of(value));
	item->text[out.size] = '\0';
}

static void put_query(struct bounded *out, const char *query)
{
	struct url_parameter items[MAX_PARAMETERS];
	size_t count = 0;

	while (*query != '\0' && count < MAX_PARAMETERS) {
		size_t size = strcspn(query, "&");

		if (size > 0)
			make_item((struct slice){query, size}, &items[count++]);
		query += size;
		query += *query == '&';
	}
	qsort(items, count, sizeof(items[0]), by_text);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && strcmp(items[i].text, items[i - 1].text) == 0)
			continue;
		bounded_put(out, i == 0 ? '?' : '&');
		bounded_put_slice(out, slice_of(items[i].text));
	}
}

/*
 * Write the first MAX_NAMES folders with their names, but only up to a folder
 * that is no name. For the other folders write their kinds; several consecutive
 * words are one.
 */
static void put_folders(struct bounded *out, const struct url_parts *parts)
{
	bool is_named = true;
	bool was_word = false;

	for (size_t i = 0; i < parts->folder_count; i++) {
		struct slice folder = parts->folders[i];
		enum url_kind kind = url_kind_of(folder);

		is_named = is_named && i < MAX_NAMES && kind == URL_WORD &&
			   url_is_name(folder);
		if (!is_named && was_word && kind == URL_WORD)
			continue;
		bounded_put(out, '/');
		if (is_named)
			url_pattern_put_name(out, folder);
		else
			put_kind(out, kind);
		was_word = !is_named && kind == URL_WORD;
	}
}

static const char *find_affix(struct slice text, const char *const *affixes,
			      size_t count, bool is_suffix)
{
	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(affixes[i]);

		if (is_suffix ? url_segment_ends_with(text, affixes[i])
			      : (text.size > size &&
				 memcmp(text.data, affixes[i], size) == 0))
			return affixes[i];
	}
	return "";
}

/*
 * Write the leaf, the segment that identifies the page. It may be the name of a
 * file that a documentation generator has created.
 */
static void put_leaf(struct bounded *out, const struct url_parts *parts)
{
	struct slice leaf = parts->leaf;
	enum url_kind kind = url_kind_of(leaf);

	if (parts->ending[0] == '\0' || parts->view.size > 0 ||
	    kind != URL_WORD) {
		put_kind(out, kind);
		return;
	}
	bounded_put_slice(out, slice_of(find_affix(leaf, beginnings,
						   COUNT(beginnings), false)));
	put_kind(out, kind);
	bounded_put_slice(out, slice_of(find_affix(leaf, suffixes,
						   COUNT(suffixes), true)));
}

static void put_fine(struct bounded *out, const struct url_parts *parts)
{
	put_folders(out, parts);
	bounded_put(out, '/');
	put_leaf(out, parts);
	if (parts->view.size > 0 && parts->leaf.size > 0)
		bounded_put(out, '/');
	bounded_put_slice(out, parts->view);
	if (parts->number.size > 0)
		bounded_put(out, '/');
	put_kind(out, url_kind_of(parts->number));
	bounded_put_slice(out, slice_of(parts->ending));
	if (parts->is_open && parts->leaf.size + parts->view.size > 0)
		bounded_put(out, '/');
	if (parts->query != NULL)
		put_query(out, parts->query);
}

/* Write the wide pattern, such as "/+3.html?". */
static void put_wide(struct bounded *out, const struct url_parts *parts)
{
	size_t count = parts->segment_count < MAX_COUNTED ? parts->segment_count
							  : MAX_COUNTED;

	bounded_put_slice(out, slice_of("/+"));
	bounded_put(out, (char)('0' + count));
	bounded_put_slice(out, slice_of(parts->ending));
	if (parts->query != NULL)
		bounded_put(out, '?');
}

static void put_coarse(struct bounded *out, const struct url_parts *parts)
{
	struct slice first = parts->folders[0];

	if (parts->folder_count > 0 && url_kind_of(first) == URL_WORD &&
	    url_is_name(first)) {
		bounded_put(out, '/');
		url_pattern_put_name(out, first);
	}
	put_wide(out, parts);
}

static uint64_t url_pattern_hash_text(struct bounded *out, uint64_t seed)
{
	out->data[out->size] = '\0';
	return hash64(out->data, out->size, seed);
}

void url_pattern_of(const struct url *url, struct url_pattern *out)
{
	enum { CAPACITY = MAX_PATTERN_TEXT - 1 };
	struct bounded fine = {.data = out->fine_text, .capacity = CAPACITY};
	struct bounded coarse = {.data = out->coarse_text,
				 .capacity = CAPACITY};
	struct bounded wide = {.data = out->wide_text, .capacity = CAPACITY};
	struct url_parts parts;

	url_parts_split(url, &parts);
	put_fine(&fine, &parts);
	put_coarse(&coarse, &parts);
	put_wide(&wide, &parts);
	out->fine = url_pattern_hash_text(&fine, 0);
	out->coarse = url_pattern_hash_text(&coarse, COARSE_SEED);
	out->wide = url_pattern_hash_text(&wide, COARSE_SEED);
}
