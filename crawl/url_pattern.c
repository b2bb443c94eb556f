#include "crawl/url_pattern.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "crawl/percent.h"
#include "store/hash.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
	MAX_SEGMENT_COUNT = 24, /* more are not looked at */
	MAX_PARAMETERS = 16,    /* the same */
	MAX_NAMES = 2,          /* folders that keep their names */
	MAX_NAME = 32,          /* bytes of one; longer is a sentence */
	MAX_HYPHENS = 2,        /* the same */
	MAX_ITEM = 64,          /* a name, when digits have become {n} */
	MAX_COUNTED = 4,        /* segments; more are as many */
	MIN_HEX = 8,            /* digits of a hexadecimal number */
	MIN_CHANGES = 3, /* from letters to digits and back, of identifiers */
	DAY_SIZE = 8,    /* of 20240514 */
	YEAR_SIZE = 4,   /* digits */
	COARSE_SEED = 1, /* so that no coarse hash is a fine one */
};

enum kind { KIND_NONE, KIND_NUMBER, KIND_DATE, KIND_ID, KIND_WORD };

static const char *const kind_texts[] = {"", "{n}", "{date}", "{id}", "{w}"};

/* Endings that say how a page is made; any other is a part of its name. */
static const char *const endings[] = {
	".asp", ".aspx", ".cfm", ".cgi",   ".do", ".htm",   ".html",
	".jsp", ".jspx", ".php", ".phtml", ".pl", ".shtml", ".xhtml",
};

/* How generators of documentation begin and end the names of their kinds of
 * pages (doxygen, javadoc). */
static const char *const beginnings[] = {"class",     "struct",    "union",
					 "namespace", "interface", "group__",
					 "dir_",      "md_"};
static const char *const suffixes[] = {"-members", "_source", "-summary",
				       "-tree",    "-frame",  "-use"};

/* What a page is seen as, when that is the last segment. */
static const char *const views[] = {"amp",   "embed", "feed",
				    "print", "rss",   "trackback"};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_separator(char c)
{
	return c == '-' || c == '_' || c == '.';
}

/* 20240514 */
static bool is_day(struct slice text)
{
	const char *c = text.data;

	return text.size == DAY_SIZE &&
	       (memcmp(c, "19", 2) == 0 || memcmp(c, "20", 2) == 0) &&
	       (c[4] == '0' || c[4] == '1') && c[6] <= '3';
}

/* Numbers and single separators, such as 2024-05, 14.5.2024 or 1.2.3. */
static enum kind kind_of_numbers(struct slice text)
{
	const char *c = text.data;
	size_t sizes[3] = {0};
	size_t count = 0;

	for (size_t i = 0; i < text.size; i++) {
		if (is_digit(c[i])) {
			sizes[count]++;
			continue;
		}
		if (!is_separator(c[i]) || sizes[count] == 0 ||
		    i + 1 == text.size)
			return KIND_NONE;
		if (++count == 3)
			return KIND_NUMBER;
	}
	if (count == 0)
		return is_day(text) ? KIND_DATE : KIND_NUMBER;
	if (sizes[1] > 2 && count == 2)
		return KIND_NUMBER;
	return (sizes[0] == YEAR_SIZE && sizes[count] <= 2) ||
			       (sizes[count] == YEAR_SIZE && sizes[0] <= 2)
		       ? KIND_DATE
		       : KIND_NUMBER;
}

/* A long hexadecimal number, also in groups as those of a UUID, or letters and
 * digits in turns. */
static bool is_identifier(struct slice text)
{
	const char *c = text.data;
	bool is_number = true;
	size_t digits = 0;
	size_t run = 0;
	size_t longest = 0;
	size_t changes = 0;

	for (size_t i = 0; i < text.size; i++) {
		digits += is_digit(c[i]);
		run = is_hex(c[i]) ? run + 1 : 0;
		longest = run > longest ? run : longest;
		is_number = is_number && (is_hex(c[i]) || c[i] == '-');
		changes += i > 0 && ((is_digit(c[i - 1]) && is_letter(c[i])) ||
				     (is_letter(c[i - 1]) && is_digit(c[i])));
	}
	return digits > 0 && text.size >= MIN_HEX &&
	       ((is_number && longest >= MIN_HEX) || changes >= MIN_CHANGES);
}

static enum kind kind_of(struct slice text)
{
	enum kind kind;

	if (text.size == 0)
		return KIND_NONE;
	kind = kind_of_numbers(text);
	if (kind != KIND_NONE)
		return kind;
	if (memchr(text.data, '%', text.size) != NULL)
		return KIND_WORD;
	return is_identifier(text) ? KIND_ID : KIND_WORD;
}

/* Is it the name of something, and no sentence? */
static bool is_name(struct slice text)
{
	const char *c = text.data;
	size_t hyphens = 0;

	for (size_t i = 0; i < text.size; i++) {
		hyphens += c[i] == '-' || c[i] == '_';
		if (c[i] == '%' || c[i] == '{')
			return false;
	}
	return text.size <= MAX_NAME && hyphens <= MAX_HYPHENS &&
	       kind_of(text) == KIND_WORD;
}

static void put_kind(struct bounded *out, struct slice text)
{
	bounded_put_slice(out, slice_of(kind_texts[kind_of(text)]));
}

/* A name stays, but for its numbers; anything else becomes what it is. */
static void put_name(struct bounded *out, struct slice text)
{
	const char *c = text.data;

	if (!is_name(text)) {
		put_kind(out, text);
		return;
	}
	for (size_t i = 0; i < text.size; i++) {
		if (!is_digit(c[i]))
			bounded_put(out, c[i]);
		else if (i == 0 || !is_digit(c[i - 1]))
			bounded_put_slice(out, slice_of("{n}"));
	}
}

/* The path and what is behind it, taken apart. */
struct parts {
	struct slice folders[MAX_SEGMENT_COUNT]; /* [folder_count] */
	size_t folder_count;
	size_t segment_count; /* with the leaf */
	bool is_open;         /* the path ends in '/' */
	struct slice leaf;    /* what the page is about */
	struct slice view;    /* behind it: "index", "feed", "page", or empty */
	struct slice number;  /* of the page behind "page", or empty */
	const char *ending;   /* of the last segment: ".html", or "" */
	const char *query;    /* behind the '?', or NULL */
};

static bool ends_with(struct slice text, const char *ending)
{
	size_t size = strlen(ending);

	return text.size > size &&
	       strncasecmp((const char *)text.data + text.size - size, ending,
			   size) == 0;
}

/* Take the ending off the segment. */
static const char *cut_ending(struct slice *segment)
{
	for (size_t i = 0; i < COUNT(endings); i++) {
		if (!ends_with(*segment, endings[i]))
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

static void split_path(struct slice path, struct parts *parts)
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

/* The last folder, which is none any more. */
static struct slice pop(struct parts *parts)
{
	return parts->folder_count == 0 ? (struct slice){0}
					: parts->folders[--parts->folder_count];
}

/* "/news/a/index.html", "/news/a/feed/" and "/news/a/page/2/" are about a. */
static void find_view(struct parts *parts)
{
	static const char *const indices[] = {"default", "index"};
	static const char *const pages[] = {"page"};
	bool is_file = parts->ending[0] != '\0';

	if (is_file ? is_one_of(parts->leaf, indices, COUNT(indices))
		    : is_one_of(parts->leaf, views, COUNT(views))) {
		parts->view = parts->leaf;
		parts->leaf = pop(parts);
	} else if (parts->folder_count > 0 &&
		   is_one_of(parts->folders[parts->folder_count - 1], pages,
			     1) &&
		   kind_of(parts->leaf) == KIND_NUMBER) {
		parts->number = parts->leaf;
		parts->view = pop(parts);
		parts->leaf = pop(parts);
	}
}

static void take_apart(const struct url *url, struct parts *parts)
{
	const char *path = url->text + url->path;
	size_t size = strcspn(path, "?");

	*parts = (struct parts){.ending = ""};
	if (path[size] == '?')
		parts->query = path + size + 1;
	split_path((struct slice){path, size}, parts);
	parts->leaf = pop(parts);
	if (!parts->is_open)
		parts->ending = cut_ending(&parts->leaf);
	find_view(parts);
	parts->segment_count =
		parts->folder_count + (parts->leaf.size > 0 ? 1 : 0);
}

/* "name=" and the kind of its value. */
struct item {
	char text[MAX_ITEM];
};

static int by_text(const void *left, const void *right)
{
	return strcmp(((const struct item *)left)->text,
		      ((const struct item *)right)->text);
}

static void make_item(struct slice parameter, struct item *item)
{
	struct bounded out = {.data = item->text, .capacity = MAX_ITEM - 1};
	const char *text = parameter.data;
	const char *equal = memchr(text, '=', parameter.size);
	size_t size = equal == NULL ? parameter.size : (size_t)(equal - text);

	put_name(&out, (struct slice){text, size});
	bounded_put(&out, '=');
	if (equal != NULL)
		put_kind(&out,
			 (struct slice){equal + 1, parameter.size - size - 1});
	item->text[out.size] = '\0';
}

static void put_query(struct bounded *out, const char *query)
{
	struct item items[MAX_PARAMETERS];
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

/* The names of the first folders, up to the first that has none; of the
 * others, words in a row are one. */
static void put_folders(struct bounded *out, const struct parts *parts)
{
	bool is_named = true;
	bool was_word = false;

	for (size_t i = 0; i < parts->folder_count; i++) {
		struct slice folder = parts->folders[i];
		enum kind kind = kind_of(folder);

		is_named = is_named && i < MAX_NAMES && is_name(folder);
		if (!is_named && was_word && kind == KIND_WORD)
			continue;
		bounded_put(out, '/');
		if (is_named)
			put_name(out, folder);
		else
			put_kind(out, folder);
		was_word = !is_named && kind == KIND_WORD;
	}
}

static const char *find_affix(struct slice text, const char *const *affixes,
			      size_t count, bool is_suffix)
{
	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(affixes[i]);

		if (is_suffix ? ends_with(text, affixes[i])
			      : (text.size > size &&
				 memcmp(text.data, affixes[i], size) == 0))
			return affixes[i];
	}
	return "";
}

/* The name of a file, which a generator may have made. */
static void put_leaf(struct bounded *out, const struct parts *parts)
{
	struct slice leaf = parts->leaf;

	if (parts->ending[0] == '\0' || parts->view.size > 0 ||
	    kind_of(leaf) != KIND_WORD) {
		put_kind(out, leaf);
		return;
	}
	bounded_put_slice(out, slice_of(find_affix(leaf, beginnings,
						   COUNT(beginnings), false)));
	put_kind(out, leaf);
	bounded_put_slice(out, slice_of(find_affix(leaf, suffixes,
						   COUNT(suffixes), true)));
}

static void put_fine(struct bounded *out, const struct parts *parts)
{
	put_folders(out, parts);
	bounded_put(out, '/');
	put_leaf(out, parts);
	if (parts->view.size > 0 && parts->leaf.size > 0)
		bounded_put(out, '/');
	bounded_put_slice(out, parts->view);
	if (parts->number.size > 0)
		bounded_put(out, '/');
	put_kind(out, parts->number);
	bounded_put_slice(out, slice_of(parts->ending));
	if (parts->is_open && parts->leaf.size + parts->view.size > 0)
		bounded_put(out, '/');
	if (parts->query != NULL)
		put_query(out, parts->query);
}

/* "/+3.html?"; so deep that no path is endless. */
static void put_wide(struct bounded *out, const struct parts *parts)
{
	char count[16];

	snprintf(count, sizeof(count), "/+%zu",
		 parts->segment_count < MAX_COUNTED ? parts->segment_count
						    : MAX_COUNTED);
	bounded_put_slice(out, slice_of(count));
	bounded_put_slice(out, slice_of(parts->ending));
	if (parts->query != NULL)
		bounded_put(out, '?');
}

static void put_coarse(struct bounded *out, const struct parts *parts)
{
	if (parts->folder_count > 0 && is_name(parts->folders[0])) {
		bounded_put(out, '/');
		put_name(out, parts->folders[0]);
	}
	put_wide(out, parts);
}

static uint64_t seal(struct bounded *out, uint64_t seed)
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
	struct parts parts;

	take_apart(url, &parts);
	put_fine(&fine, &parts);
	put_coarse(&coarse, &parts);
	put_wide(&wide, &parts);
	out->fine = seal(&fine, 0);
	out->coarse = seal(&coarse, COARSE_SEED);
	out->wide = seal(&wide, COARSE_SEED);
}
