#include "crawl/admission.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "crawl/http_message.h"
#include "crawl/url/url_pattern.h"

enum { MAX_ENDING = 8 };

/*
 * Endings of files that are not pages: images, archives, programs, scripts,
 * style sheets, fonts, media, office documents, feeds and data. Sorted for
 * bsearch().
 */
static const char *const endings[] = {
	"7z",   "aac",  "apk",   "atom",   "avi",  "avif", "bin",  "bmp",
	"bz2",  "cab",  "css",   "csv",    "deb",  "dmg",  "doc",  "docm",
	"docx", "eot",  "epub",  "exe",    "flac", "flv",  "gif",  "gz",
	"heic", "ico",  "ics",   "img",    "iso",  "jar",  "jpe",  "jpeg",
	"jpg",  "js",   "json",  "jsonld", "m3u8", "m4a",  "m4v",  "map",
	"mid",  "mjs",  "mkv",   "mobi",   "mov",  "mp3",  "mp4",  "mpeg",
	"mpg",  "msi",  "odp",   "ods",    "odt",  "oga",  "ogg",  "ogv",
	"opus", "otf",  "pdf",   "pkg",    "png",  "pps",  "ppsx", "ppt",
	"pptx", "ps",   "psd",   "rar",    "rdf",  "rpm",  "rss",  "rtf",
	"svg",  "svgz", "tar",   "tbz2",   "tgz",  "tif",  "tiff", "ttf",
	"vcf",  "wasm", "wav",   "weba",   "webm", "webp", "whl",  "wma",
	"wmv",  "woff", "woff2", "xls",    "xlsm", "xlsx", "xsd",  "xsl",
	"xz",   "zip",  "zst"};

struct admission_row {
	const char *word;
	const char *meaning;
};

static struct admission_row row_of(unsigned admission)
{
	switch ((enum admission)admission) {
#define X(name, value, text, sense) \
	case name:                  \
		return (struct admission_row){text, sense};
		ADMISSION_LIST(X)
#undef X
	}
	return (struct admission_row){"unknown", "written by a later version"};
}

const char *admission_word(unsigned admission)
{
	return row_of(admission).word;
}

const char *admission_meaning(unsigned admission)
{
	return row_of(admission).meaning;
}

bool admission_is_in(unsigned admission)
{
	return admission > ADMIT_NONE && admission < REFUSE_HOST;
}

/* Return the path of the URL without its query. */
static struct slice admission_path_of(const struct url *url)
{
	const char *path = url->text + url->path;

	return (struct slice){path, strcspn(path, "?")};
}

static int compare_endings(const void *left, const void *right)
{
	return strcasecmp(left, *(const char *const *)right);
}

static bool admission_ending_is_page(const struct url *url)
{
	struct slice path = admission_path_of(url);
	const char *text = path.data;
	char ending[MAX_ENDING] = "";
	size_t dot = path.size;

	while (dot > 0 && text[dot - 1] != '.' && text[dot - 1] != '/')
		dot--;
	if (dot == 0 || text[dot - 1] != '.' || path.size - dot >= MAX_ENDING)
		return true;
	memcpy(ending, text + dot, path.size - dot);
	return ending[0] == '\0' ||
	       bsearch(ending, endings, sizeof(endings) / sizeof(endings[0]),
		       sizeof(endings[0]), compare_endings) == NULL;
}

/*
 * Write the non-empty segments of the path to `segments`. Return their number;
 * MAX_SEGMENTS + 1 if there are more than MAX_SEGMENTS.
 */
static size_t admission_split_path(const struct url *url,
				   struct slice segments[MAX_SEGMENTS])
{
	struct slice path = admission_path_of(url);
	const char *text = path.data;
	size_t count = 0;

	for (size_t i = 0; i < path.size;) {
		size_t begin = i;

		while (i < path.size && text[i] != '/')
			i++;
		if (i > begin && count == MAX_SEGMENTS)
			return MAX_SEGMENTS + 1;
		if (i > begin)
			segments[count++] =
				(struct slice){text + begin, i - begin};
		i++;
	}
	return count;
}

/* Return whether one of the segments occurs at least MAX_REPEATS times. */
static bool admission_path_repeats(const struct slice *segments, size_t count)
{
	assert(count <= MAX_SEGMENTS);
	for (size_t i = 0; i < count; i++) {
		size_t same = 0;

		for (size_t k = 0; k <= i; k++)
			same += slice_equal(segments[i], segments[k]);
		if (same >= MAX_REPEATS)
			return true;
	}
	return false;
}

/*
 * Return whether the URL is a feed or an API of a common CMS, such as
 * WordPress.
 */
static bool admission_url_is_data(const struct url *url,
				  const struct slice *segments, size_t count)
{
	static const char *const names[] = {"wp-json", "xmlrpc.php"};
	static const char *const parameters[] = {
		"rest_route=", "feed=rss",     "feed=rss2",   "feed=atom",
		"feed=rdf",    "feed=json",    "format=json", "format=rss",
		"format=atom", "format=oembed"};
	const char *at = strchr(url->text + url->path, '?');

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (slice_equal(segments[i], slice_of(names[k])))
				return true;
	while (at != NULL) {
		struct slice part = {at + 1, strcspn(at + 1, "&")};

		for (size_t k = 0;
		     k < sizeof(parameters) / sizeof(parameters[0]); k++) {
			struct slice known = slice_of(parameters[k]);

			if (part.size >= known.size &&
			    memcmp(part.data, known.data, known.size) == 0 &&
			    (k == 0 || part.size == known.size))
				return true;
		}
		at = strchr(at + 1, '&');
	}
	return false;
}

static size_t count_keys(const struct url *url)
{
	const char *query = strchr(url->text + url->path, '?');
	size_t count = 0;

	if (query == NULL)
		return 0;
	for (const char *c = query; *c != '\0'; c++)
		count += (*c == '?' && c == query) || *c == '&';
	return count;
}

enum admission admission_of_url(const struct site_row *site,
				const struct url *url, unsigned depth)
{
	struct slice segments[MAX_SEGMENTS];
	size_t count;

	if (!slice_equal(site->host, slice_of(url->host)))
		return REFUSE_HOST;
	if (!admission_ending_is_page(url))
		return REFUSE_ENDING;
	if (depth > site->options.max_depth)
		return REFUSE_DEPTH;
	count = admission_split_path(url, segments);
	if (count > MAX_SEGMENTS)
		return REFUSE_SEGMENTS;
	if (admission_path_repeats(segments, count))
		return REFUSE_REPEAT;
	if (admission_url_is_data(url, segments, count))
		return REFUSE_DATA;
	return count_keys(url) > MAX_KEYS ? REFUSE_KEYS : ADMIT_LINK;
}

bool admission_is_saturated(const struct site_row *site,
			    const struct pattern_row *fine,
			    const struct pattern_row *coarse)
{
	if (site->options.saturation == 0 ||
	    (site->options.flags & (SITE_IS_SAMPLE | SITE_IS_OFFLINE)) != 0)
		return false;
	return fine->quiet >= site->options.saturation ||
	       coarse->quiet / COARSE_FACTOR >= site->options.saturation;
}

enum admission admission_of_state(const struct site_row *site,
				  const struct pattern_row *fine,
				  const struct pattern_row *coarse,
				  uint32_t max_pattern)
{
	assert(max_pattern > 0);
	if (admission_is_saturated(site, fine, coarse))
		return SKIP_SATURATED;
	if (fine->tried >= max_pattern ||
	    coarse->tried / COARSE_FACTOR >= max_pattern)
		return SKIP_PATTERN;
	if (site->tried_count >= site->options.max_pages)
		return SKIP_PAGES;
	if (site->options.max_bytes != 0 &&
	    site->spent_bytes >= site->options.max_bytes)
		return SKIP_BYTES;
	if (site->options.max_time_ms != 0 &&
	    site->spent_ms >= site->options.max_time_ms)
		return SKIP_TIME;
	return ADMIT_LINK;
}

bool admission_pattern_is_valid(struct slice text)
{
	const char *bytes = text.data;

	if (text.size == 0 || text.size > MAX_URL_BYTES ||
	    (bytes[0] != '/' && bytes[0] != '*'))
		return false;
	for (size_t i = 0; i < text.size; i++)
		if ((unsigned char)bytes[i] <= ' ' || bytes[i] == 0x7f)
			return false;
	return true;
}

/*
 * Return one more than the length of the longest of the patterns that matches
 * the path; 0 if none does.
 */
static size_t admission_longest_match(struct arena *arena, struct slice lines,
				      const struct pattern_path *path)
{
	size_t longest = 0;
	size_t steps = 0;

	while (lines.size > 0) {
		struct slice line = line_take(&lines);
		struct pattern pattern;

		if (line.size > 0 && pattern_make(arena, line, &pattern) &&
		    pattern.length + 1U > longest &&
		    pattern_matches(&pattern, path, &steps))
			longest = pattern.length + 1U;
	}
	return longest;
}

bool admission_is_excluded(const struct site_row *site, struct slice url)
{
	const struct site_options *options = &site->options;
	struct slice path = url;
	struct pattern_path *compared;
	struct arena *arena;
	size_t included;
	size_t excluded;

	if (options->include.size + options->exclude.size == 0)
		return false;
	slice_advance(&path, url_origin(url).size);
	if (path.size > MAX_URL_BYTES)
		return true;
	arena = arena_create();
	compared = ARENA_NEW(arena, struct pattern_path, 1);
	pattern_path_set(compared, path.size == 0 ? slice_of("/") : path);
	included = admission_longest_match(arena, options->include, compared);
	excluded = admission_longest_match(arena, options->exclude, compared);
	arena_destroy(arena);
	if (included == 0 && excluded == 0)
		return options->include.size > 0;
	return excluded > included;
}
