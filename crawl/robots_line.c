#include "crawl/robots_line.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "crawl/robots.h"
#include "page/charset.h"
#include "page/robots_word.h"

static bool is_line_end(char byte)
{
	return byte == '\n' || byte == '\r';
}

static bool robots_file_is_utf16(struct slice file)
{
	return file.size >= 2 && (memcmp(file.data, "\xff\xfe", 2) == 0 ||
				  memcmp(file.data, "\xfe\xff", 2) == 0);
}

/* Skip a byte order mark, complete or in part, as Google's parser does. */
static struct slice skip_mark(struct slice text)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t size = 0;

	while (size < 3 && size < text.size &&
	       slice_byte(text, size) == mark[size])
		size++;
	return word_skip(text, size);
}

struct robots_lines robots_lines_begin(struct arena *arena, struct slice file)
{
	bool is_cut = file.size >= MAX_ROBOTS_BYTES;
	struct slice text;

	if (is_cut)
		file.size = MAX_ROBOTS_BYTES;
	if (robots_file_is_utf16(file)) {
		text = charset_decode(arena, file, (struct slice){0}).text;
	} else {
		file = skip_mark(file);
		text.data = arena_copy(arena, file.data, file.size);
		text.size = file.size;
	}
	while (is_cut && text.size > 0 &&
	       !is_line_end(slice_byte(text, text.size - 1)))
		text.size--;
	return (struct robots_lines){.rest = text};
}

/* Remove the first line from `text` and return it. */
static struct slice robots_cut_line(struct slice *text)
{
	struct slice line = *text;
	size_t taken;

	line.size = 0;
	while (line.size < text->size &&
	       !is_line_end(slice_byte(*text, line.size)))
		line.size++;
	taken = line.size;
	if (taken < text->size)
		taken++;
	if (taken < text->size && slice_byte(*text, taken - 1) == '\r' &&
	    slice_byte(*text, taken) == '\n')
		taken++;
	*text = word_skip(*text, taken);
	line.size = word_find(line, '\0');
	line.size = word_find(line, '#');
	return word_trim(line);
}

/*
 * Return the end of the key: the colon or, if it is missing, a blank between
 * two words: "Disallow /a", "Sitemap http://h/s.xml". Return the size of the
 * line if it has no key.
 */
static size_t find_separator(struct slice line)
{
	size_t colon = word_find(line, ':');
	size_t blank = word_find_blank(line);
	struct slice rest = word_trim(word_skip(line, blank));
	bool is_url = word_begins_with(rest, "http://") ||
		      word_begins_with(rest, "https://");

	if (colon < line.size && !(is_url && blank < colon))
		return colon;
	return word_find_blank(rest) < rest.size ? line.size : blank;
}

/*
 * Prefixes of keys, as in Google's parser; with its misspellings and the ones
 * of crawler-commons.
 */
static const struct {
	const char *name;
	enum robots_key key;
} keys[] = {
	{"disallow", ROBOTS_DISALLOW},     {"allow", ROBOTS_ALLOW},
	{"user-agent", ROBOTS_LINE_AGENT}, {"sitemap", ROBOTS_SITEMAP},
	{"crawl-delay", ROBOTS_DELAY},     {"useragent", ROBOTS_LINE_AGENT},
	{"user agent", ROBOTS_LINE_AGENT}, {"user_agent", ROBOTS_LINE_AGENT},
	{"useg-agent", ROBOTS_LINE_AGENT}, {"ser-agent", ROBOTS_LINE_AGENT},
	{"disalow", ROBOTS_DISALLOW},      {"dissallow", ROBOTS_DISALLOW},
	{"dissalow", ROBOTS_DISALLOW},     {"diasllow", ROBOTS_DISALLOW},
	{"disallaw", ROBOTS_DISALLOW},     {"desallow", ROBOTS_DISALLOW},
	{"dssalow", ROBOTS_DISALLOW},      {"dsallow", ROBOTS_DISALLOW},
	{"site-map", ROBOTS_SITEMAP},      {"site map", ROBOTS_SITEMAP},
	{"crawl delay", ROBOTS_DELAY},     {"crawldelay", ROBOTS_DELAY},
};

static enum robots_key robots_find_key(struct slice name)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (word_begins_with(name, keys[i].name))
			return keys[i].key;
	return ROBOTS_OTHER;
}

/* Return whether the line is only "https://h/sitemap.xml". */
static bool is_bare_sitemap(struct slice line)
{
	return (word_begins_with(line, "http://") ||
		word_begins_with(line, "https://")) &&
	       word_find_blank(line) == line.size &&
	       memmem(line.data, line.size, "sitemap", 7) != NULL;
}

bool robots_lines_next(struct robots_lines *lines, struct robots_line *line_out)
{
	while (lines->rest.size > 0) {
		struct slice text = robots_cut_line(&lines->rest);
		size_t end = find_separator(text);
		struct slice name = word_trim((struct slice){text.data, end});

		lines->number++;
		if (end == text.size)
			continue;
		*line_out = (struct robots_line){
			.key = robots_find_key(name),
			.value = word_trim(word_skip(text, end + 1)),
			.text = text,
			.number = lines->number,
		};
		if (is_bare_sitemap(text)) {
			line_out->key = ROBOTS_SITEMAP;
			line_out->value = text;
		}
		return true;
	}
	return false;
}
