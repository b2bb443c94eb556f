#include "template/template_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "extract/core/numeric.h"
#include "page/page_kind.h"

enum {
	NAME_SEGMENTS = 8,       /* further segments of a URL are ignored */
	NAME_SEGMENT_BYTES = 32, /* longer literal segments are cut */
	NAME_WORDS_BYTES = 32,   /* of titles in a name */
	NAME_PATTERN_BYTES = 54, /* longer patterns are cut */
	NAME_PARAMETERS = 2,     /* of a query in a name */
	NAME_CHOICES = 3,        /* names in "a|b|c" */
	NAME_SHARE = 80,         /* percent of the pages that decide */
	NAME_CHOICE_SHARE = 10,  /* percent of the pages for each choice */
	NAME_MIN_PREFIX = 4,     /* bytes of a prefix that ends in a word */
	NAME_MANY = 5,           /* fewer pages are few pages */
	NAME_NARROW = 70,        /* percent of the pages for "home", "error" */
	NAME_HALF = 40,          /* percent of the values for "a|*" */
};

#define NAME_SEPARATOR " \xC2\xB7 " /* U+00B7 */

/* the four texts end with a NUL, which is not counted */
_Static_assert(sizeof("documentation") + NAME_PATTERN_BYTES + NAME_WORDS_BYTES +
			       2 * sizeof(NAME_SEPARATOR) +
			       sizeof(" (4294967295)") - 4 <=
		       TEMPLATE_NAME_BYTES,
	       "a name has room for its parts");

/* A URL, decoded and without characters that a name must not have. */
struct name_url {
	struct slice segments[NAME_SEGMENTS]; /* [count] */
	size_t count;
	struct slice query; /* text after '?' or '@', with that character */
	bool is_used;       /* it follows the pattern up to here */
};

/*
 * Return whether the character is a control character, or one that changes the
 * direction or the visibility of others.
 */
static bool name_is_control(uint32_t code)
{
	return code < ' ' || (code >= 0x7F && code < 0xA0) || code == 0xAD ||
	       (code >= 0x200B && code <= 0x200F) ||
	       (code >= 0x2028 && code <= 0x202E) ||
	       (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF ||
	       (code >= 0xFFF0 && code <= 0xFFFF) || code >= 0xE0000;
}

/*
 * Append `text` as valid UTF-8 without control characters. If `special` is not
 * NULL, replace white space and the characters in it by '_'.
 */
static void name_append_clean(struct buffer *out, struct slice text,
			      const char *special)
{
	size_t room = text.size + 2 * utf8_check(text).invalid;
	char *repaired = mem_alloc(room + 1, 1);
	const unsigned char *at = (const unsigned char *)repaired;
	const unsigned char *end;

	end = at + utf8_repair(text, repaired);
	while (at < end) {
		const unsigned char *begin = at;
		uint32_t code = utf8_next(&at, end);
		bool is_space = code == ' ' || code == '\t' || code == '\n' ||
				code == '\r' || code == 0xA0 || code == 0x3000;

		if (special != NULL &&
		    (is_space || code == 0xB7 ||
		     (code < 0x80 && strchr(special, (int)code) != NULL)))
			buffer_append_byte(out, '_');
		else if (is_space)
			buffer_append_byte(out, ' ');
		else if (!name_is_control(code))
			buffer_append(out, begin, (size_t)(at - begin));
	}
	free(repaired);
}

static bool name_is_index(struct slice segment)
{
	static const char *const names[] = {"index.html",  "index.htm",
					    "index.php",   "default.aspx",
					    "default.htm", "default.html"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (slice_equal(segment, slice_of(names[i])))
			return true;
	return false;
}

static void name_url_read(struct arena *arena, struct slice path,
			  struct name_url *out)
{
	/* what mirrors append to the names of files */
	static const char mirrored[] = ".html";
	char *decoded = arena_alloc(arena, path.size + 1, 1);
	struct slice raw = {decoded, url_path_decode(path, decoded, path.size)};
	struct buffer clean = {0};
	struct slice text;
	const char *at;
	size_t end;
	size_t i = 0;

	name_append_clean(&clean, raw, "*|<>\"'`\\(){}");
	text = arena_slice(arena, buffer_slice(&clean));
	buffer_free(&clean);
	*out = (struct name_url){.is_used = true};
	at = text.data;
	for (end = 0; end < text.size; end++)
		if (at[end] == '?' || at[end] == '@' || at[end] == '#')
			break;
	while (i < end && out->count < NAME_SEGMENTS) {
		size_t begin = i;

		while (i < end && at[i] != '/')
			i++;
		if (i > begin)
			out->segments[out->count++] =
				(struct slice){at + begin, i - begin};
		i++;
	}
	if (out->count > 0 && end == text.size &&
	    name_is_index(out->segments[out->count - 1]))
		out->count--;
	if (end < text.size)
		out->query = (struct slice){at + end, text.size - end};
	if (out->query.size > sizeof(mirrored) && at[end] == '@' &&
	    memcmp(at + text.size - strlen(mirrored), mirrored,
		   strlen(mirrored)) == 0)
		out->query.size -= strlen(mirrored);
}

static bool name_is_digits(struct slice text)
{
	for (size_t i = 0; i < text.size; i++)
		if (slice_byte(text, i) < '0' || slice_byte(text, i) > '9')
			return false;
	return text.size > 0;
}

static unsigned name_number(struct slice digits)
{
	unsigned number = 0;

	for (size_t i = 0; i < digits.size && i < 8; i++)
		number = number * 10 + (unsigned)(slice_byte(digits, i) - '0');
	return number;
}

static bool name_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (unsigned char)c >= 0x80;
}

/* Return whether the segment is a language, such as "de" or "zh-CN". */
static bool name_is_language(struct slice text)
{
	if (text.size != 2 && text.size != 5)
		return false;
	for (size_t i = 0; i < text.size; i++)
		if (i == 2 ? (slice_byte(text, i) != '-' &&
			      slice_byte(text, i) != '_')
			   : !name_is_letter(slice_byte(text, i)))
			return false;
	return text.size == 5 ||
	       (slice_byte(text, 0) >= 'a' && slice_byte(text, 1) >= 'a');
}

static int name_by_slice(const void *left, const void *right)
{
	const struct slice *a = left;
	const struct slice *b = right;
	size_t size = a->size < b->size ? a->size : b->size;
	int order = size == 0 ? 0 : memcmp(a->data, b->data, size);

	return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

/* A segment that several URLs have, and their number. */
struct name_choice {
	struct slice text;
	size_t count;
};

static int name_by_count(const void *left, const void *right)
{
	const struct name_choice *a = left;
	const struct name_choice *b = right;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return name_by_slice(&a->text, &b->text);
}

/*
 * Count equal texts, the most frequent first. `texts` is sorted. Return the
 * number of choices.
 */
static size_t name_count(struct slice *texts, size_t count,
			 struct name_choice *choices)
{
	size_t found = 0;

	if (count > 0)
		qsort(texts, count, sizeof(*texts), name_by_slice);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || !slice_equal(texts[i], texts[i - 1]))
			choices[found++] = (struct name_choice){texts[i], 0};
		choices[found - 1].count++;
	}
	if (found > 0)
		qsort(choices, found, sizeof(*choices), name_by_count);
	return found;
}

static bool name_is_share(size_t part, size_t all, unsigned percent)
{
	return part * 100 >= all * percent;
}

/* A pattern that is being made. */
struct name_maker {
	struct name_url *urls; /* [count] */
	size_t count;
	size_t depth;
	struct slice *texts; /* [count], scratch: the segments at `depth` */
	struct name_choice *choices; /* [count], scratch */
	struct buffer *out;
	int dates; /* number of parts of a date before this segment */
};

/* Append a segment; cut it if it is long. */
static void name_append_segment(struct buffer *out, struct slice text)
{
	struct slice part = utf8_truncate(text, NAME_SEGMENT_BYTES);

	buffer_append_slice(out, part);
	if (part.size < text.size)
		buffer_append_byte(out, '*');
}

/*
 * Collect the segments at the current depth. URLs that end before are no
 * longer used. Return their number.
 */
static size_t name_collect(struct name_maker *maker)
{
	size_t found = 0;

	for (size_t i = 0; i < maker->count; i++) {
		struct name_url *url = &maker->urls[i];

		url->is_used = url->is_used && url->count > maker->depth;
		if (url->is_used)
			maker->texts[found++] = url->segments[maker->depth];
	}
	return found;
}

/* Use only the URLs whose segment is one of the choices from now on. */
static void name_keep(struct name_maker *maker, size_t choice_count)
{
	for (size_t i = 0; i < maker->count; i++) {
		struct name_url *url = &maker->urls[i];
		bool is_kept = false;

		for (size_t k = 0; url->is_used && k < choice_count; k++)
			is_kept |= slice_equal(url->segments[maker->depth],
					       maker->choices[k].text);
		url->is_used = is_kept;
	}
}

/* Return the length of the beginning that all texts share. */
static size_t name_prefix(const struct slice *texts, size_t count)
{
	size_t size = texts[0].size;

	for (size_t i = 1; i < count; i++) {
		size_t same = 0;

		while (same < size && same < texts[i].size &&
		       slice_byte(texts[0], same) == slice_byte(texts[i], same))
			same++;
		size = same;
	}
	return size;
}

/* Return the length of the end that all texts share. */
static size_t name_suffix(const struct slice *texts, size_t count)
{
	size_t size = texts[0].size;

	for (size_t i = 1; i < count; i++) {
		size_t same = 0;

		while (same < size && same < texts[i].size &&
		       slice_byte(texts[0], texts[0].size - 1 - same) ==
			       slice_byte(texts[i], texts[i].size - 1 - same))
			same++;
		size = same;
	}
	return size;
}

static bool name_is_boundary(char c)
{
	return strchr("-_.=+:,~/", c) != NULL;
}

/*
 * Return whether most texts have the first `head` and the last `tail` bytes of
 * `model`, and something between them.
 */
static bool name_most_have(const struct name_maker *maker, size_t count,
			   struct slice model, size_t head, size_t tail)
{
	const char *end = (const char *)model.data + model.size - tail;
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		struct slice text = maker->texts[i];

		found += text.size > head + tail &&
			 memcmp(text.data, model.data, head) == 0 &&
			 memcmp((const char *)text.data + text.size - tail, end,
				tail) == 0;
	}
	return name_is_share(found, count, NAME_SHARE);
}

/*
 * Return the length of the beginning of `model` that all texts have, up to a
 * boundary, or that most texts have, up to a boundary that is no hyphen: these
 * separate the words of a sentence.
 */
static size_t name_common_head(const struct name_maker *maker, size_t count,
			       struct slice model)
{
	size_t all = name_prefix(maker->texts, count);
	size_t head = model.size > NAME_SEGMENT_BYTES ? NAME_SEGMENT_BYTES
						      : model.size;

	/* a word that many texts begin with is no accident */
	if (all < NAME_MIN_PREFIX || count < NAME_MANY)
		while (all > 0 && !name_is_boundary(slice_byte(model, all - 1)))
			all--;
	while (head > all && (slice_byte(model, head - 1) == '-' ||
			      !name_is_boundary(slice_byte(model, head - 1)) ||
			      !name_most_have(maker, count, model, head, 0)))
		head--;
	return head > NAME_SEGMENT_BYTES ? 0 : head;
}

/* Return the longest end of `model` from a boundary on that most texts have. */
static size_t name_common_tail(const struct name_maker *maker, size_t count,
			       struct slice model, size_t head)
{
	size_t tail = model.size - head;

	if (tail > NAME_SEGMENT_BYTES)
		tail = NAME_SEGMENT_BYTES;
	while (tail > 0 &&
	       (!name_is_boundary(slice_byte(model, model.size - tail)) ||
		!name_most_have(maker, count, model, head, tail)))
		tail--;
	return tail;
}

/*
 * Append what different segments have in common, as in "page_*.html". The
 * texts are sorted, so most of them begin like the middle one if they begin in
 * the same way.
 */
static void name_append_affixes(struct name_maker *maker, size_t count)
{
	struct slice model = maker->texts[count / 2];
	size_t head = name_common_head(maker, count, model);
	size_t tail;
	size_t digits = 0;

	while (head > 0 && utf8_continues(slice_byte(model, head)))
		head--;
	tail = name_common_tail(maker, count, model, head);
	for (size_t i = 0; i < count; i++) {
		struct slice text = maker->texts[i];

		digits += text.size > head + tail &&
			  name_is_digits(
				  (struct slice){(const char *)text.data + head,
						 text.size - head - tail});
	}
	buffer_append(maker->out, model.data, head);
	buffer_append_byte(maker->out, name_is_share(digits, count, NAME_SHARE)
					       ? 'N'
					       : '*');
	buffer_append(maker->out, (const char *)model.data + model.size - tail,
		      tail);
}

/* Append N, or a part of a date. All segments but a few are numbers. */
static void name_append_number(struct name_maker *maker, size_t count)
{
	static const char *const parts[] = {"YYYY", "MM", "DD"};
	static const unsigned last[] = {2099, 12, 31};
	bool is_date = maker->dates < 3;

	for (size_t i = 0; i < count; i++) {
		struct slice text = maker->texts[i];
		unsigned number = name_number(text);

		is_date =
			is_date && (!name_is_digits(text) ||
				    (number <= last[maker->dates] &&
				     number >= (maker->dates == 0 ? 1900 : 1)));
	}
	buffer_append_text(maker->out, is_date ? parts[maker->dates] : "N");
	maker->dates = is_date ? maker->dates + 1 : 3;
}

/* Return how many of the first choices name the folders of most pages. */
static size_t name_choices(const struct name_maker *maker, size_t found,
			   size_t count)
{
	size_t sum = 0;
	size_t k = 0;

	while (k < found && k < NAME_CHOICES && maker->choices[k].count > 1 &&
	       name_is_share(maker->choices[k].count, count,
			     NAME_CHOICE_SHARE) &&
	       maker->choices[k].text.size <= NAME_SEGMENT_BYTES / 2 &&
	       !name_is_share(sum, count, NAME_SHARE))
		sum += maker->choices[k++].count;
	return name_is_share(sum, count, NAME_SHARE) ? k : 0;
}

/* Append the segment at the current depth. */
static void name_append_depth(struct name_maker *maker, size_t count)
{
	size_t found = name_count(maker->texts, count, maker->choices);
	size_t digits = 0;
	size_t chosen;

	for (size_t i = 0; i < count; i++)
		digits += name_is_digits(maker->texts[i]);
	buffer_append_byte(maker->out, '/');
	if (found > 1 && name_is_share(digits, count, NAME_SHARE)) {
		name_append_number(maker, count);
		return;
	}
	if (found == 1 && digits == count && maker->texts[0].size == 4 &&
	    maker->depth == 0)
		maker->dates = 1;
	else if (digits == 0)
		maker->dates = 0;
	if (name_is_share(maker->choices[0].count, count, NAME_SHARE)) {
		name_append_segment(maker->out, maker->choices[0].text);
		name_keep(maker, 1);
		return;
	}
	chosen = name_choices(maker, found, count);
	for (size_t k = 0; k < chosen; k++) {
		if (k > 0)
			buffer_append_byte(maker->out, '|');
		buffer_append_slice(maker->out, maker->choices[k].text);
	}
	if (chosen > 0)
		name_keep(maker, chosen);
	else
		name_append_affixes(maker, count);
}

/*
 * Return whether a pattern has a word that tells something, other than the
 * names of files that any site has.
 */
static bool name_pattern_tells(struct slice pattern)
{
	static const char *const empty[] = {
		"index", "default", "node", "page", "html", "shtml",
		"xhtml", "htm",     "php",  "asp",  "aspx", "YYYY"};
	const char *text = pattern.data;

	for (size_t i = 0; i < pattern.size; i++) {
		size_t begin = i;
		bool tells;

		while (i < pattern.size && name_is_letter(text[i]))
			i++;
		tells = i - begin >= 3;
		for (size_t k = 0; k < sizeof(empty) / sizeof(empty[0]); k++)
			tells = tells &&
				!slice_equal(
					(struct slice){text + begin, i - begin},
					slice_of(empty[k])) &&
				(k > 0 || i - begin < strlen(empty[k]) ||
				 memcmp(text + begin, empty[k],
					strlen(empty[k])) != 0);
		if (tells)
			return true;
	}
	return false;
}

/* Read the next parameter of a query. Return false at its end. */
static bool name_next_parameter(struct slice *query, struct slice *name_out,
				struct slice *value_out)
{
	const char *text;
	size_t size = 0;
	size_t equal = 0;

	while (query->size > 0 && strchr("?@&#", slice_byte(*query, 0)) != NULL)
		slice_advance(query, 1);
	text = query->data;
	while (size < query->size && text[size] != '&' && text[size] != '#')
		size++;
	while (equal < size && text[equal] != '=')
		equal++;
	*name_out = (struct slice){text, equal};
	*value_out = equal < size ? (struct slice){text + equal + 1,
						   size - equal - 1}
				  : (struct slice){"", 0};
	slice_advance(query, size);
	return size > 0;
}

/* Collect the names of the parameters. Return the number of URLs with some. */
static size_t name_collect_names(struct name_maker *maker, size_t *count_out)
{
	size_t found = 0;
	size_t with = 0;

	for (size_t i = 0; i < maker->count; i++) {
		struct slice query = maker->urls[i].query;
		struct slice name;
		struct slice value;

		with += query.size > 0;
		for (int k = 0; k < NAME_SEGMENTS &&
				name_next_parameter(&query, &name, &value);
		     k++)
			maker->texts[found++] = name;
	}
	*count_out = name_count(maker->texts, found, maker->choices);
	return with;
}

/* Collect the values of a parameter. Return their number. */
static size_t name_collect_values(struct name_maker *maker,
				  struct slice parameter)
{
	size_t found = 0;

	for (size_t i = 0; i < maker->count; i++) {
		struct slice query = maker->urls[i].query;
		struct slice name;
		struct slice value;

		for (int k = 0; k < NAME_SEGMENTS &&
				name_next_parameter(&query, &name, &value);
		     k++)
			if (slice_equal(name, parameter)) {
				maker->texts[found++] = value;
				break;
			}
	}
	return found;
}

/* How much the value of a parameter tells about a template. */
enum name_value {
	VALUE_TELLS,  /* most URLs have the same word */
	VALUE_VARIES, /* the values have words in common, or are a few words */
	VALUE_EMPTY,  /* a language, a number, or anything */
	VALUE_SORTS,
};

/*
 * Append the value of a parameter: what most URLs have, one of a few values, or
 * what all values have in common.
 */
static enum name_value name_append_value(struct name_maker *maker,
					 struct slice parameter)
{
	static const char *const languages[] = {"language", "lang", "locale",
						"hl"};
	struct buffer *out = maker->out;
	size_t count = name_collect_values(maker, parameter);
	size_t found = name_count(maker->texts, count, maker->choices);
	bool is_same =
		name_is_share(maker->choices[0].count, count, NAME_SHARE);
	size_t chosen = is_same ? 1 : name_choices(maker, found, count);
	size_t begin;

	buffer_append_slice(out, parameter);
	buffer_append_byte(out, '=');
	begin = out->size;
	for (size_t k = 0; k < chosen; k++) {
		if (k > 0)
			buffer_append_byte(out, '|');
		name_append_segment(out, maker->choices[k].text);
	}
	if (chosen == 0)
		name_append_affixes(maker, count);
	if (chosen == 0 && out->size == begin + 1 &&
	    name_is_share(maker->choices[0].count, count, NAME_HALF) &&
	    name_pattern_tells(maker->choices[0].text)) {
		out->size = begin;
		name_append_segment(out, maker->choices[0].text);
		buffer_append_text(out, "|*");
	}
	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++)
		if (slice_equal(parameter, slice_of(languages[i])))
			return VALUE_EMPTY;
	if (!name_pattern_tells(
		    (struct slice){out->data + begin, out->size - begin}))
		return VALUE_EMPTY;
	return is_same ? VALUE_TELLS : VALUE_VARIES;
}

/*
 * Append the parameters that most pages have, those whose values tell most; if
 * none tells anything, only one.
 */
static void name_append_query(struct name_maker *maker)
{
	struct buffer *out = maker->out;
	struct name_choice names[NAME_SEGMENTS];
	size_t found;
	size_t shown = 0;
	size_t with = name_collect_names(maker, &found);
	char mark = '?';

	if (with == 0 || !name_is_share(with, maker->count, NAME_SHARE))
		return;
	for (size_t i = 0; i < maker->count; i++)
		if (maker->urls[i].query.size > 0)
			mark = slice_byte(maker->urls[i].query, 0);
	if (found > NAME_SEGMENTS)
		found = NAME_SEGMENTS;
	memcpy(names, maker->choices, found * sizeof(names[0]));
	for (int sort = 0; sort < VALUE_SORTS && shown == 0; sort++)
		for (size_t k = 0; k < found && shown < NAME_PARAMETERS; k++) {
			size_t begin = out->size;

			if (!name_is_share(names[k].count, maker->count,
					   NAME_SHARE))
				break;
			buffer_append_byte(out, mark);
			if (name_append_value(maker, names[k].text) ==
			    (enum name_value)sort) {
				shown++;
				mark = '&';
			} else {
				out->size = begin;
			}
			if (shown > 0 && sort == VALUE_EMPTY)
				break;
		}
}

/* Remove the language from the URLs unless nearly all have the same one. */
static void name_drop_language(struct name_maker *maker)
{
	size_t count = name_collect(maker);
	size_t found = name_count(maker->texts, count, maker->choices);
	bool is_common = found > 0 && name_is_share(maker->choices[0].count,
						    maker->count, NAME_SHARE);

	for (size_t i = 0; i < maker->count; i++) {
		struct name_url *url = &maker->urls[i];

		url->is_used = true;
		if (is_common || url->count == 0 ||
		    !name_is_language(url->segments[0]))
			continue;
		url->count--;
		memmove(url->segments, url->segments + 1,
			url->count * sizeof(url->segments[0]));
	}
}

/* Append the pattern of the URLs of the cluster to `out`. */
static void name_append_pattern(struct arena *arena,
				const struct named_cluster *cluster,
				struct buffer *out)
{
	size_t count = cluster->sample_count;
	struct name_maker maker = {
		.urls = ARENA_NEW(arena, struct name_url, count),
		.count = count,
		.texts = ARENA_NEW(arena, struct slice, count * NAME_SEGMENTS),
		.choices = ARENA_NEW(arena, struct name_choice,
				     count * NAME_SEGMENTS),
		.out = out,
	};
	size_t used = count;

	for (size_t i = 0; i < count; i++)
		name_url_read(arena, cluster->pages[i].path, &maker.urls[i]);
	name_drop_language(&maker);
	for (; maker.depth < NAME_SEGMENTS; maker.depth++) {
		size_t deeper = name_collect(&maker);

		if (deeper == 0 || 2 * deeper <= used)
			break;
		name_append_depth(&maker, deeper);
		used = 0;
		for (size_t i = 0; i < count; i++)
			used += maker.urls[i].is_used;
	}
	if (maker.depth == 0)
		buffer_append_byte(out, '/');
	name_append_query(&maker);
}

/*
 * Return whether nearly all pages of a template must be of this kind. One page
 * of such a kind often shares its template with other pages.
 */
static bool name_kind_is_narrow(unsigned kind)
{
	return kind == KIND_HOME || kind == KIND_ERROR || kind == KIND_SEARCH ||
	       kind == KIND_LOGIN || kind == KIND_CART || kind == KIND_FORM;
}

/*
 * The kind that most pages with a known kind have, and more than a third of all
 * pages, or more than half of a few pages.
 */
static unsigned name_kind(const struct named_cluster *cluster,
			  size_t *count_out)
{
	size_t counts[PAGE_KIND_COUNT] = {0};
	size_t all = cluster->sample_count;
	unsigned best = KIND_UNKNOWN;
	size_t known;

	for (size_t i = 0; i < all; i++) {
		unsigned kind = cluster->pages[i].kind;

		if (kind == KIND_UNKNOWN)
			kind = page_kind_of_path(cluster->pages[i].path);
		if (kind < PAGE_KIND_COUNT)
			counts[kind]++;
	}
	known = all - counts[KIND_UNKNOWN];
	counts[KIND_UNKNOWN] = 0;
	for (unsigned k = 1; k < PAGE_KIND_COUNT; k++)
		if (counts[k] > counts[best] &&
		    (all < NAME_MANY ? 2 : 3) * counts[k] > all &&
		    2 * counts[k] > known &&
		    (!name_kind_is_narrow(k) ||
		     name_is_share(counts[k], all, NAME_NARROW)))
			best = k;
	*count_out = counts[best];
	return best;
}

static bool name_is_word(char c)
{
	return name_is_letter(c) || (c >= '0' && c <= '9');
}

/* Remove what is no letter and no digit at both ends. */
static struct slice name_trim(struct slice text)
{
	while (text.size > 0 && !name_is_word(slice_byte(text, 0)))
		slice_advance(&text, 1);
	while (text.size > 0 &&
	       !name_is_word(slice_byte(text, text.size - 1)) &&
	       (slice_byte(text, text.size - 1) != ')' ||
		memchr(text.data, '(', text.size) == NULL))
		text.size--;
	return text;
}

/* Return the first or last words that all titles have in common. */
static struct slice name_common_words(const struct slice *titles, size_t count)
{
	struct slice first = titles[0];
	size_t head = name_prefix(titles, count);
	size_t tail = name_suffix(titles, count);
	bool is_same = true;

	for (size_t i = 1; i < count; i++)
		is_same &= slice_equal(titles[i], first);
	if (is_same)
		return name_trim(first);
	while (head > 0 && slice_byte(first, head - 1) != ' ')
		head--;
	while (tail > 0 && slice_byte(first, first.size - tail) != ' ')
		tail--;
	if (head >= tail)
		return name_trim((struct slice){first.data, head});
	return name_trim((struct slice){
		(const char *)first.data + first.size - tail, tail});
}

/* Return whether the text has four letters, also of other scripts. */
static bool name_has_letters(struct slice text)
{
	size_t letters = 0;

	for (size_t i = 0; i < text.size; i++)
		letters += name_is_letter(slice_byte(text, i));
	return letters >= 4;
}

/* Append the words that the titles of the cluster have in common. */
static void name_append_words(struct arena *arena,
			      const struct title_frame *frame,
			      const struct named_cluster *cluster,
			      struct buffer *out)
{
	struct slice *titles =
		ARENA_NEW(arena, struct slice, cluster->title_count + 1);
	struct buffer clean = {0};
	struct slice words;

	for (size_t i = 0; i < cluster->title_count; i++)
		titles[i] = title_frame_cut(frame, cluster->titles[i]);
	if (cluster->title_count == 0)
		return;
	words = name_common_words(titles, cluster->title_count);
	if (!name_has_letters(words) ||
	    slice_equal(words, name_trim(frame->tail)) ||
	    slice_equal(words, name_trim(frame->head)))
		return;
	name_append_clean(&clean, words, NULL);
	words = utf8_truncate(buffer_slice(&clean), NAME_WORDS_BYTES);
	if (words.size < clean.size)
		while (words.size > NAME_WORDS_BYTES / 2 &&
		       slice_byte(words, words.size - 1) != ' ')
			words.size--;
	words = name_trim(words);
	if (words.size > 0) {
		buffer_append_text(out, NAME_SEPARATOR);
		buffer_append_slice(out, words);
	}
	buffer_free(&clean);
}

/* A cluster whose name is being made. */
struct name_draft {
	struct named_cluster *cluster;
	struct slice least; /* the smallest path of its sample */
	bool is_fixed;
	bool is_equal; /* another cluster has the same name */
};

/* The larger cluster first; of equal ones that with the smaller path. */
static int name_by_size(const void *left, const void *right)
{
	const struct name_draft *a = left;
	const struct name_draft *b = right;

	if (a->is_fixed != b->is_fixed)
		return a->is_fixed ? -1 : 1;
	if (a->cluster->page_count != b->cluster->page_count)
		return a->cluster->page_count > b->cluster->page_count ? -1 : 1;
	return name_by_slice(&a->least, &b->least);
}

static void name_draft_begin(struct arena *arena, struct name_draft *draft)
{
	struct named_cluster *cluster = draft->cluster;
	struct buffer text = {0};
	size_t unused;

	for (size_t i = 0; i < cluster->sample_count; i++)
		if (i == 0 ||
		    name_by_slice(&cluster->pages[i].path, &draft->least) < 0)
			draft->least = cluster->pages[i].path;
	draft->is_fixed = cluster->name.size > 0;
	if (draft->is_fixed || cluster->sample_count == 0)
		return;
	cluster->kind = name_kind(cluster, &unused);
	name_append_pattern(arena, cluster, &text);
	if (text.size > NAME_PATTERN_BYTES) {
		text.size = utf8_truncate(buffer_slice(&text),
					  NAME_PATTERN_BYTES - 1)
				    .size;
		while (text.size > 1 && text.data[text.size - 1] == '*')
			text.size--;
		buffer_append_byte(&text, '*');
	}
	cluster->pattern = arena_slice(arena, buffer_slice(&text));
	buffer_clear(&text);
	buffer_append_text(&text, page_kind_name(cluster->kind));
	buffer_append_text(&text, NAME_SEPARATOR);
	buffer_append_slice(&text, cluster->pattern);
	cluster->name = arena_slice(arena, buffer_slice(&text));
	buffer_free(&text);
}

/* Note which drafts have the same name as another one. */
static void name_mark_equal(struct name_draft *drafts, size_t count)
{
	struct slice *names = mem_alloc(count + 1, sizeof(*names));

	for (size_t i = 0; i < count; i++)
		names[i] = drafts[i].cluster->name;
	qsort(names, count, sizeof(*names), name_by_slice);
	for (size_t i = 0; i < count; i++) {
		struct slice *found =
			bsearch(&drafts[i].cluster->name, names, count,
				sizeof(*names), name_by_slice);

		drafts[i].is_equal =
			(found > names && slice_equal(found[-1], *found)) ||
			(found + 1 < names + count &&
			 slice_equal(found[1], *found));
	}
	free(names);
}

/* Add the words of the titles if the pattern says too little. */
static void name_draft_add_words(struct arena *arena,
				 const struct title_frame *frame,
				 struct name_draft *draft)
{
	struct named_cluster *cluster = draft->cluster;
	struct buffer text = {0};

	if (draft->is_fixed ||
	    (!draft->is_equal && name_pattern_tells(cluster->pattern)))
		return;
	buffer_append_slice(&text, cluster->name);
	name_append_words(arena, frame, cluster, &text);
	cluster->name = arena_slice(arena, buffer_slice(&text));
	buffer_free(&text);
}

/* A name, by its hash, and the number of the clusters that have it. */
struct name_entry {
	uint64_t key;
	uint32_t count;
};

/*
 * Number the clusters whose names are still equal: " (2)", " (3)". Names that
 * stay come first.
 */
static void name_number_equal(struct arena *arena, struct name_draft *drafts,
			      size_t count)
{
	struct hash_table used =
		hash_table_make(arena, sizeof(struct name_entry));

	for (size_t i = 0; i < count; i++) {
		struct slice base = drafts[i].cluster->name;
		struct name_entry *entry =
			hash_table_add(&used, hash64(base.data, base.size, 0));
		uint32_t number = ++entry->count;

		while (number > 1 && base.size > 0 && !drafts[i].is_fixed) {
			char text[TEMPLATE_NAME_BYTES + 16];
			int size = snprintf(text, sizeof(text), "%.*s (%u)",
					    (int)base.size,
					    (const char *)base.data, number);
			struct name_entry *other = hash_table_add(
				&used, hash64(text, (size_t)size, 0));

			if (other->count++ > 0) {
				number++;
				continue;
			}
			drafts[i].cluster->name =
				arena_slice(arena, slice_of(text));
			break;
		}
	}
}

void template_names_derive(struct arena *arena, struct named_cluster *clusters,
			   size_t count)
{
	struct name_draft *drafts =
		ARENA_NEW(arena, struct name_draft, count + 1);
	struct framed_title *titles;
	struct title_frame frame;
	size_t title_count = 0;

	for (size_t i = 0; i < count; i++)
		title_count += clusters[i].title_count;
	titles = ARENA_NEW(arena, struct framed_title, title_count + 1);
	title_count = 0;
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < clusters[i].title_count; k++)
			titles[title_count++] =
				(struct framed_title){clusters[i].titles[k], i};
		drafts[i].cluster = &clusters[i];
		name_draft_begin(arena, &drafts[i]);
	}
	if (count == 0)
		return;
	frame = title_frame_find(titles, title_count);
	qsort(drafts, count, sizeof(*drafts), name_by_size);
	name_mark_equal(drafts, count);
	for (size_t i = 0; i < count; i++)
		name_draft_add_words(arena, &frame, &drafts[i]);
	name_mark_equal(drafts, count);
	name_number_equal(arena, drafts, count);
}

/*
 * Return whether a text matches a segment of a pattern whose wildcard, '*' for
 * any text or 'N' for digits, is at `at`.
 */
static bool name_wildcard_fits(struct slice pattern, size_t at,
			       struct slice text)
{
	const char *p = pattern.data;
	const char *t = text.data;
	size_t tail = pattern.size - at - 1;

	return text.size >= pattern.size - 1 && memcmp(t, p, at) == 0 &&
	       memcmp(t + text.size - tail, p + at + 1, tail) == 0 &&
	       (p[at] == '*' ||
		name_is_digits((struct slice){t + at, text.size - at - tail}));
}

/*
 * Return whether a text matches a segment of a pattern. An 'N' may also be a
 * letter, so try each.
 */
static bool name_segment_fits(struct slice pattern, struct slice text)
{
	if (slice_equal(pattern, text))
		return true;
	for (size_t i = 0; i < pattern.size; i++) {
		char c = slice_byte(pattern, i);

		if ((c == '*' || c == 'N') &&
		    name_wildcard_fits(pattern, i, text))
			return true;
	}
	return false;
}

/* Return whether a text matches a segment of a pattern, which may be "a|b". */
static bool name_choice_fits(struct slice pattern, struct slice text)
{
	static const char *const dates[] = {"YYYY", "MM", "DD"};

	for (size_t i = 0; i < sizeof(dates) / sizeof(dates[0]); i++)
		if (slice_equal(pattern, slice_of(dates[i])))
			return name_is_digits(text);
	while (pattern.size > 0) {
		struct slice one = pattern;
		const char *bar = memchr(pattern.data, '|', pattern.size);

		if (bar != NULL)
			one.size = (size_t)(bar - (const char *)pattern.data);
		if (name_segment_fits(one, text))
			return true;
		slice_advance(&pattern, one.size + (bar != NULL));
	}
	return false;
}

static bool name_url_fits(const struct name_url *pattern,
			  const struct name_url *url, size_t skipped)
{
	size_t i;

	if (url->count < skipped + pattern->count)
		return false;
	for (i = 0; i < pattern->count; i++)
		if (!name_choice_fits(pattern->segments[i],
				      url->segments[i + skipped]))
			return false;
	return url->count == skipped + pattern->count ||
	       (i > 0 && slice_byte(pattern->segments[i - 1],
				    pattern->segments[i - 1].size - 1) == '*');
}

/* Split a pattern into its segments. */
static void name_pattern_read(struct slice pattern, struct name_url *out)
{
	const char *text = pattern.data;

	*out = (struct name_url){0};
	for (size_t i = 0; i < pattern.size && out->count < NAME_SEGMENTS;) {
		size_t begin = i;

		while (i < pattern.size && text[i] != '/' && text[i] != '?' &&
		       text[i] != '@')
			i++;
		if (i > begin)
			out->segments[out->count++] =
				(struct slice){text + begin, i - begin};
		if (i < pattern.size && text[i] != '/')
			return;
		i++;
	}
}

bool template_name_fits(const struct named_cluster *cluster)
{
	struct arena *arena = arena_create();
	struct name_url pattern;
	size_t fitting = 0;
	size_t same;
	unsigned kind = name_kind(cluster, &same);

	name_pattern_read(cluster->pattern, &pattern);
	for (size_t i = 0; i < cluster->sample_count; i++) {
		struct name_url url;

		name_url_read(arena, cluster->pages[i].path, &url);
		fitting +=
			name_url_fits(&pattern, &url, 0) ||
			(url.count > 0 && name_is_language(url.segments[0]) &&
			 name_url_fits(&pattern, &url, 1));
	}
	arena_destroy(arena);
	return 2 * fitting >= cluster->sample_count &&
	       (kind == cluster->kind || kind == KIND_UNKNOWN ||
		2 * same <= cluster->sample_count);
}

struct slice template_name_clean(struct arena *arena, struct slice text)
{
	struct buffer clean = {0};
	struct buffer out = {0};
	struct slice result = {"", 0};
	bool was_space = true;

	name_append_clean(&clean, text, NULL);
	for (size_t i = 0; i < clean.size; i++) {
		bool is_space = clean.data[i] == ' ';

		if (!is_space || !was_space)
			buffer_append_byte(&out, clean.data[i]);
		was_space = is_space;
	}
	if (out.size > 0 && was_space)
		out.size--;
	if (out.size > 0 && out.size <= TEMPLATE_NAME_BYTES)
		result = arena_slice(arena, buffer_slice(&out));
	buffer_free(&clean);
	buffer_free(&out);
	return result;
}

/* Texts that separate the parts of a title. */
static const char *const title_separators[] = {
	" - ",        " | ",  " \xE2\x80\x93 ", " \xE2\x80\x94 ",
	" \xC2\xB7 ", " :: ", " \xC2\xBB ",     ": ",
	", ",         " / ",
};

/* Return the length of the separator at the beginning of the text, or 0. */
static size_t title_separator(struct slice text)
{
	for (size_t i = 0;
	     i < sizeof(title_separators) / sizeof(title_separators[0]); i++) {
		size_t size = strlen(title_separators[i]);

		if (text.size >= size &&
		    memcmp(text.data, title_separators[i], size) == 0)
			return size;
	}
	return 0;
}

enum { TITLE_PARTS = 6 /* separators of a title that are tried */ };

static int title_by_text(const void *left, const void *right)
{
	const struct framed_title *a = left;
	const struct framed_title *b = right;

	return name_by_slice(&a->text, &b->text);
}

/* Collect the beginnings or ends of the title up to each separator. */
static size_t title_split(const struct framed_title *title, bool is_tail,
			  struct framed_title *parts)
{
	const char *text = title->text.data;
	size_t size = title->text.size;
	size_t found = 0;

	for (size_t k = 0; k < size && found < TITLE_PARTS; k++) {
		size_t at = is_tail ? size - 1 - k : k;
		struct slice rest = {text + at, size - at};
		size_t separator = title_separator(rest);

		if (separator == 0)
			continue;
		if (!is_tail)
			rest = (struct slice){text, at + separator};
		parts[found++] = (struct framed_title){rest, title->group};
	}
	return found;
}

/*
 * Return the longest part that more than a quarter of the titles have at their
 * beginning or end, in several groups.
 */
static struct slice title_part(const struct framed_title *titles, size_t count,
			       bool is_tail)
{
	struct framed_title *parts =
		mem_alloc((count + 1) * TITLE_PARTS, sizeof(*parts));
	struct slice best = {"", 0};
	size_t found = 0;
	size_t first = 0;
	bool is_shared = false;

	for (size_t i = 0; i < count; i++)
		found += title_split(&titles[i], is_tail, &parts[found]);
	if (found > 0)
		qsort(parts, found, sizeof(*parts), title_by_text);
	for (size_t i = 0; i < found; i++) {
		if (!slice_equal(parts[i].text, parts[first].text)) {
			first = i;
			is_shared = false;
		}
		is_shared |= parts[i].group != parts[first].group;
		if (is_shared && 4 * (i - first + 1) > count &&
		    parts[i].text.size > best.size)
			best = parts[i].text;
	}
	free(parts);
	return best;
}

struct title_frame title_frame_find(const struct framed_title *titles,
				    size_t count)
{
	return (struct title_frame){
		.head = title_part(titles, count, false),
		.tail = title_part(titles, count, true),
	};
}

struct slice title_frame_cut(const struct title_frame *frame,
			     struct slice title)
{
	struct slice cut = title;

	if (frame->tail.size > 0 && cut.size > frame->tail.size &&
	    memcmp((const char *)cut.data + cut.size - frame->tail.size,
		   frame->tail.data, frame->tail.size) == 0)
		cut.size -= frame->tail.size;
	if (frame->head.size > 0 && cut.size > frame->head.size &&
	    memcmp(cut.data, frame->head.data, frame->head.size) == 0)
		slice_advance(&cut, frame->head.size);
	return cut;
}
