#include "crawl/robots.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "crawl/url/url.h"
#include "crawl/url/url_pattern.h"
#include "page/charset.h"
#include "page/robots_tag.h"

enum robots_key {
	ROBOTS_OTHER,
	ROBOTS_LINE_AGENT,
	ROBOTS_ALLOW,
	ROBOTS_DISALLOW,
	ROBOTS_SITEMAP,
	ROBOTS_DELAY,
};

struct robots_line {
	enum robots_key key;
	struct slice value; /* trimmed, and without comment */
	struct slice text;  /* the whole line, trimmed, and without comment */
	unsigned number;    /* number of the line, from 1 */
};

/*
 * The lines that were not read yet. Plain data: from a copy, the same lines can
 * be read again.
 */
struct robots_lines {
	struct slice rest;
	unsigned number; /* number of the last line that was read */
};

/*
 * The parser accepts the same mistakes as the parsers of Google and
 * crawler-commons.
 */

static bool is_line_end(char byte)
{
	return byte == '\n' || byte == '\r';
}

/*
 * Skip a byte order mark at the beginning, even an incomplete one, as Google's
 * parser does.
 */
static struct slice skip_mark(struct slice text)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t size = 0;

	while (size < 3 && size < text.size &&
	       slice_byte(text, size) == mark[size])
		size++;
	return word_skip(text, size);
}

/*
 * Copy the file to the arena, as UTF-8 and without a byte order mark. Of a file
 * over MAX_ROBOTS_BYTES only the beginning is read; an incomplete line at its
 * end is dropped, because half a rule would be another rule.
 */
static struct robots_lines robots_lines_begin(struct arena *arena,
					      struct slice file)
{
	bool is_cut = file.size >= MAX_ROBOTS_BYTES;
	struct slice text;

	if (is_cut)
		file.size = MAX_ROBOTS_BYTES;
	if (file.size >= 2 && (memcmp(file.data, "\xff\xfe", 2) == 0 ||
			       memcmp(file.data, "\xfe\xff", 2) == 0)) {
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
 * Return the length of the key of a line. It ends at the colon; if there is no
 * colon, at a blank between two words: "Disallow /a", "Sitemap http://h/s.xml".
 * Return the size of the line if it has no key.
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
 * The beginnings of keys that Google's parser accepts, and misspellings that it
 * or crawler-commons accepts.
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

/*
 * Return whether the line is only the URL of a sitemap:
 * "https://h/sitemap.xml".
 */
static bool is_bare_sitemap(struct slice line)
{
	return (word_begins_with(line, "http://") ||
		word_begins_with(line, "https://")) &&
	       word_find_blank(line) == line.size &&
	       memmem(line.data, line.size, "sitemap", 7) != NULL;
}

/*
 * Read the next line that has a key and a value, which may be empty. Return
 * false at the end. The slices belong to the arena. A line ends at CR, LF or
 * both, or before a NUL.
 */
static bool robots_lines_next(struct robots_lines *lines,
			      struct robots_line *line_out)
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

struct robots_rule {
	struct pattern pattern;
	struct slice text; /* the line in the file */
	unsigned line;     /* its number, from 1 */
	bool is_allow;
};

/*
 * The rules for one agent. If the file has several groups for this agent, they
 * are joined (RFC 9309, 2.2.1).
 */
struct robots_group {
	/* sorted so that the first rule that matches decides */
	const struct robots_rule *rules;
	size_t rule_count;
	uint32_t delay_ms;
	bool is_clamped; /* a Crawl-delay was over the limit, or no number */
};

enum { MAX_DELAY_MS = 60 * 60 * 1000 };

struct parser {
	struct arena *arena;
	const char *agent; /* name of the agent; NULL means "*" */
	struct robots_group *group;
	struct buffer rules; /* array of struct robots_rule */
	bool has_group; /* the file has a group for the agent, possibly without
			   rules */
	/*
	 * are_rules_ours: the current group is for the agent. A group ends at a
	 * User-agent line that comes after a rule; other lines must not end it
	 * (RFC 9309, 2.2.4). Crawl-delay is not in the RFC: are_delays_ours
	 * applies only to the User-agent lines directly above it.
	 */
	bool are_rules_ours;
	bool are_delays_ours;
	bool is_in_rules;
	bool is_in_delays;
};

static void robots_group_read_agent(struct parser *parser, struct slice value)
{
	const struct slice first = {value.data, word_find_blank(value)};
	bool is_ours;

	/*
	 * "*" followed by a word counts as "*", as in Google's parser. A name
	 * with digits, which is no product token, must match completely.
	 */
	if (parser->agent == NULL)
		is_ours = word_is(first, "*");
	else
		is_ours = word_is(word_product(value), parser->agent) ||
			  word_is(first, parser->agent);
	if (parser->is_in_rules)
		parser->are_rules_ours = false;
	if (parser->is_in_rules || parser->is_in_delays)
		parser->are_delays_ours = false;
	parser->is_in_rules = false;
	parser->is_in_delays = false;
	parser->are_rules_ours |= is_ours;
	parser->are_delays_ours |= is_ours;
	parser->has_group |= is_ours;
}

/* Add a rule. Ignore the line if its value is empty or cannot begin a path. */
static void robots_group_add_rule(struct parser *parser,
				  const struct robots_line *line)
{
	struct robots_rule rule = {
		.text = line->text,
		.line = line->number,
		.is_allow = line->key == ROBOTS_ALLOW,
	};

	parser->is_in_rules = true;
	if (!parser->are_rules_ours || line->value.size == 0 ||
	    (slice_byte(line->value, 0) != '/' &&
	     slice_byte(line->value, 0) != '*'))
		return;
	if (pattern_make(parser->arena, line->value, &rule.pattern))
		buffer_append(&parser->rules, &rule, sizeof(rule));
}

/*
 * Convert a number of seconds, which may have a fraction, to milliseconds.
 * Return false if the value is no number.
 */
static bool parse_delay(struct slice value, uint64_t *delay_ms_out)
{
	uint64_t delay = 0;
	uint64_t unit = 1000; /* milliseconds of the last digit */
	bool is_fraction = false;
	bool has_digit = false;

	for (size_t i = 0; i < value.size && delay <= MAX_DELAY_MS; i++) {
		char c = slice_byte(value, i);

		if (c == '.' && !is_fraction) {
			is_fraction = true;
			continue;
		}
		if (c < '0' || c > '9')
			break;
		has_digit = true;
		if (is_fraction)
			unit /= 10;
		else
			delay *= 10;
		delay += (uint64_t)(c - '0') * unit;
	}
	*delay_ms_out = delay;
	return has_digit;
}

static void robots_group_read_delay(struct parser *parser, struct slice value)
{
	struct robots_group *group = parser->group;
	uint64_t delay_ms;

	parser->is_in_delays = true;
	if (!parser->are_delays_ours || value.size == 0)
		return;
	group->is_clamped |= !parse_delay(value, &delay_ms);
	group->is_clamped |= delay_ms > MAX_DELAY_MS;
	if (delay_ms > MAX_DELAY_MS)
		delay_ms = MAX_DELAY_MS;
	if (group->delay_ms < delay_ms)
		group->delay_ms = (uint32_t)delay_ms;
}

static void robots_group_read_line(struct parser *parser,
				   const struct robots_line *line)
{
	switch (line->key) {
	case ROBOTS_LINE_AGENT:
		robots_group_read_agent(parser, line->value);
		break;
	case ROBOTS_ALLOW:
	case ROBOTS_DISALLOW:
		robots_group_add_rule(parser, line);
		break;
	case ROBOTS_DELAY:
		robots_group_read_delay(parser, line->value);
		break;
	case ROBOTS_SITEMAP:
	case ROBOTS_OTHER:
		break;
	}
}

/*
 * Compare two rules for sorting: the longest first; of equally long ones allow
 * before disallow; then by their order in the file.
 */
static int compare_rules(const void *a, const void *b)
{
	const struct robots_rule *left = a;
	const struct robots_rule *right = b;

	if (left->pattern.length != right->pattern.length)
		return left->pattern.length > right->pattern.length ? -1 : 1;
	if (left->is_allow != right->is_allow)
		return left->is_allow ? -1 : 1;
	return (left->line > right->line) - (left->line < right->line);
}

/*
 * Read the rules for `agent`; if it is NULL, those for "*". Return false if no
 * group is for this agent. The result belongs to the arena. O(n log n).
 */
static bool robots_group_read(struct arena *arena, struct robots_lines lines,
			      const char *agent, struct robots_group *group_out)
{
	struct robots_group group = {0};
	struct parser parser = {
		.arena = arena, .agent = agent, .group = &group};
	struct robots_line line;
	struct robots_rule *rules;

	while (robots_lines_next(&lines, &line))
		robots_group_read_line(&parser, &line);
	group.rule_count = parser.rules.size / sizeof(*rules);
	if (group.rule_count > 0) {
		rules = ARENA_NEW(arena, struct robots_rule, group.rule_count);
		memcpy(rules, parser.rules.data, parser.rules.size);
		qsort(rules, group.rule_count, sizeof(*rules), compare_rules);
		group.rules = rules;
	}
	buffer_free(&parser.rules);
	*group_out = group;
	return parser.has_group;
}

enum {
	MAX_STEPS = LIMIT(4 << 20, 2048), /* number of bytes that the wildcards
					     may search for one path */
	STATUS_TOO_MANY = 429,
};

struct robots {
	struct robots_group group;
	const struct slice *sitemaps;
	size_t sitemap_count;
	bool is_named; /* a group names our agent, so the rules for "*" do not
			  apply */
	bool is_forbidden; /* everything is forbidden */
};

static void read_sitemaps(struct arena *arena, struct robots_lines lines,
			  struct robots *robots)
{
	struct slice *sitemaps =
		ARENA_NEW(arena, struct slice, MAX_ROBOTS_SITEMAPS);
	struct robots_line line;

	robots->sitemaps = sitemaps;
	while (robots->sitemap_count < MAX_ROBOTS_SITEMAPS &&
	       robots_lines_next(&lines, &line)) {
		size_t i = 0;

		if (line.key != ROBOTS_SITEMAP || line.value.size == 0 ||
		    line.value.size > MAX_URL_BYTES)
			continue;
		while (i < robots->sitemap_count &&
		       !slice_equal(sitemaps[i], line.value))
			i++;
		if (i == robots->sitemap_count)
			sitemaps[robots->sitemap_count++] = line.value;
	}
}

const struct robots *robots_parse(struct arena *arena, struct slice file,
				  const char *agent)
{
	struct robots *robots = ARENA_NEW(arena, struct robots, 1);
	struct robots_lines lines = robots_lines_begin(arena, file);

	robots->is_named =
		robots_group_read(arena, lines, agent, &robots->group);
	if (!robots->is_named)
		robots_group_read(arena, lines, NULL, &robots->group);
	read_sitemaps(arena, lines, robots);
	return robots;
}

const struct robots *robots_from_status(struct arena *arena, unsigned status)
{
	struct robots *robots = ARENA_NEW(arena, struct robots, 1);

	robots->is_forbidden =
		status == 0 || status >= 500 || status == STATUS_TOO_MANY;
	return robots;
}

bool robots_is_forbidden(const struct robots *robots)
{
	return robots->is_forbidden;
}

struct robots_verdict {
	const struct robots_rule *rule; /* NULL: no rule matches */
	bool is_allowed;
};

/*
 * Find the rule that decides about a path: the first one that matches, because
 * the rules are sorted (RFC 9309, 2.2.2).
 */
static struct robots_verdict robots_decide_path(const struct robots *robots,
						struct slice raw)
{
	struct pattern_path path;
	size_t steps = 0;

	if (slice_equal(raw, slice_of("/robots.txt")))
		return (struct robots_verdict){NULL, true};
	if (robots->is_forbidden || raw.size > MAX_URL_BYTES)
		return (struct robots_verdict){NULL, false};
	pattern_path_set(&path, raw.size == 0 ? slice_of("/") : raw);
	for (size_t i = 0; i < robots->group.rule_count; i++) {
		const struct robots_rule *rule = &robots->group.rules[i];

		if (pattern_matches(&rule->pattern, &path, &steps))
			return (struct robots_verdict){rule, rule->is_allow};
		if (steps > MAX_STEPS)
			return (struct robots_verdict){NULL, false};
	}
	return (struct robots_verdict){NULL, true};
}

bool robots_allows(const struct robots *robots, struct slice path)
{
	return robots_decide_path(robots, path).is_allowed;
}

/*
 * Copy `text` to reason->rule. If it is too long, truncate it between two
 * characters.
 */
static void write_rule(struct slice text, struct robots_reason *reason)
{
	char whole[3 * sizeof(reason->rule)];
	size_t size;

	if (text.size > sizeof(reason->rule))
		text.size = sizeof(reason->rule);
	size = utf8_repair(text, whole);
	size = utf8_truncate((struct slice){whole, size},
			     sizeof(reason->rule) - 1)
		       .size;
	memcpy(reason->rule, whole, size);
	assert(size < sizeof(reason->rule));
	reason->rule[size] = '\0';
	for (char *at = reason->rule; *at != '\0'; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = ' ';
}

struct robots_reason robots_explain(const struct robots *robots,
				    struct slice path)
{
	struct robots_verdict verdict = robots_decide_path(robots, path);
	struct robots_reason reason = {
		.is_allowed = verdict.is_allowed,
		.is_named = robots->is_named,
	};

	if (verdict.rule != NULL) {
		reason.line = verdict.rule->line;
		write_rule(verdict.rule->text, &reason);
	}
	return reason;
}

uint32_t robots_delay_ms(const struct robots *robots)
{
	return robots->group.delay_ms;
}

bool robots_is_delay_clamped(const struct robots *robots)
{
	return robots->group.is_clamped;
}

size_t robots_sitemap_count(const struct robots *robots)
{
	return robots->sitemap_count;
}

struct slice robots_sitemap(const struct robots *robots, size_t index)
{
	assert(index < robots->sitemap_count);
	return robots->sitemaps[index];
}
