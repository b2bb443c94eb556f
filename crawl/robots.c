#include "crawl/robots.h"

#include <strings.h>

#include "crawl/percent.h"
#include "crawl/url.h"
#include "store/arena.h"

enum {
	MAX_RULES = 10000, /* of the groups that concern us */
	MAX_PATTERN_BYTES = 3 * MAX_URL_BYTES,
	MAX_DELAY_MS = 60 * 60 * 1000,
};

struct rule {
	struct rule *next;
	struct slice pattern; /* canonical, '*' is a wildcard */
	bool is_allow;
	bool is_anchored; /* the pattern ended in '$' */
};

struct robots {
	struct rule *rules;
	size_t rule_count;
	uint32_t delay_ms;
	bool is_forbidden; /* everything */
};

/* Whom the lines below the last User-agent lines concern. */
struct parser {
	struct arena *arena;
	const char *agent;
	struct robots any;   /* the groups of "*" */
	struct robots named; /* the groups of our agent */
	bool has_named;      /* there is one, if only an empty one */
	bool is_any;         /* this group is for "*" */
	bool is_named;       /* this group is for our agent */
	bool is_in_rules;    /* the next User-agent begins a new group */
};

static char byte_at(struct slice text, size_t index)
{
	return ((const char *)text.data)[index];
}

static struct slice skip(struct slice text, size_t count)
{
	return (struct slice){(const char *)text.data + count,
			      text.size - count};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static struct slice trim(struct slice text)
{
	while (text.size > 0 && is_blank(byte_at(text, 0)))
		text = skip(text, 1);
	while (text.size > 0 && is_blank(byte_at(text, text.size - 1)))
		text.size--;
	return text;
}

/* Cut the first line off `text`. It ends in CR, LF or both, or at a NUL. */
static struct slice next_line(struct slice *text)
{
	struct slice line = *text;
	size_t size = 0;

	while (size < text->size && byte_at(*text, size) != '\n' &&
	       byte_at(*text, size) != '\r')
		size++;
	line.size = size;
	*text = skip(*text, size < text->size ? size + 1 : size);
	return line;
}

static size_t find(struct slice text, char c)
{
	const char *found =
		text.size == 0 ? NULL : memchr(text.data, c, text.size);

	return found == NULL ? text.size
			     : (size_t)(found - (const char *)text.data);
}

static size_t find_blank(struct slice text)
{
	size_t i = 0;

	while (i < text.size && !is_blank(byte_at(text, i)))
		i++;
	return i;
}

/*
 * Cut a line in key and value. Where the ':' was forgotten, a blank parts them
 * if there are just two words, as in Google's parser.
 */
static bool split_line(struct slice line, struct slice *key_out,
		       struct slice *value_out)
{
	size_t end;

	line.size = find(line, '#');
	line = trim(line);
	end = find(line, ':');
	if (end == line.size) {
		end = find_blank(line);
		if (end == line.size)
			return false;
		*value_out = trim(skip(line, end));
		if (find_blank(*value_out) < value_out->size)
			return false;
	} else {
		*value_out = trim(skip(line, end + 1));
	}
	line.size = end;
	*key_out = trim(line);
	return true;
}

static bool is_word(struct slice text, const char *word)
{
	return text.size == strlen(word) &&
	       (text.size == 0 || strncasecmp(text.data, word, text.size) == 0);
}

/* The product token in front of a version or comment (RFC 9309, 2.2.1). */
static struct slice product_of(struct slice agent)
{
	size_t size = 0;

	while (size < agent.size) {
		char c = byte_at(agent, size);
		char lower = (char)(c | 0x20);

		if (!(lower >= 'a' && lower <= 'z') && c != '-' && c != '_')
			break;
		size++;
	}
	agent.size = size;
	return agent;
}

static void take_agent(struct parser *parser, struct slice value)
{
	if (parser->is_in_rules) {
		parser->is_any = false;
		parser->is_named = false;
		parser->is_in_rules = false;
	}
	if (value.size > 0 && byte_at(value, 0) == '*' &&
	    (value.size == 1 || is_blank(byte_at(value, 1))))
		parser->is_any = true;
	if (is_word(product_of(value), parser->agent)) {
		parser->is_named = true;
		parser->has_named = true;
	}
}

/* A copy of the pattern in canonical form; no value when it is too long. */
static struct slice make_pattern(struct arena *arena, struct slice value)
{
	char text[MAX_PATTERN_BYTES];
	struct bounded out = {.data = text, .capacity = sizeof(text)};

	percent_normalize(value, "$", &out);
	if (out.is_cut)
		return (struct slice){0};
	return (struct slice){arena_copy(arena, text, out.size), out.size};
}

static void add_rule(struct arena *arena, struct robots *robots,
		     struct slice value, bool is_allow)
{
	struct rule *rule;
	struct slice pattern;
	bool is_anchored = byte_at(value, value.size - 1) == '$';

	if (robots->rule_count >= MAX_RULES)
		return;
	if (is_anchored)
		value.size--;
	pattern = make_pattern(arena, value);
	if (pattern.data == NULL)
		return;
	rule = ARENA_NEW(arena, struct rule, 1);
	rule->pattern = pattern;
	rule->is_allow = is_allow;
	rule->is_anchored = is_anchored;
	rule->next = robots->rules;
	robots->rules = rule;
	robots->rule_count++;
}

/* An empty value, and one that can begin no path, says nothing. */
static void take_rule(struct parser *parser, struct slice value, bool is_allow)
{
	parser->is_in_rules = true;
	if (value.size == 0 ||
	    (byte_at(value, 0) != '/' && byte_at(value, 0) != '*'))
		return;
	if (parser->is_any)
		add_rule(parser->arena, &parser->any, value, is_allow);
	if (parser->is_named)
		add_rule(parser->arena, &parser->named, value, is_allow);
}

/* Seconds with a fraction, in milliseconds; what is no number is 0. */
static uint32_t parse_delay(struct slice value)
{
	uint64_t delay = 0;
	uint64_t unit = 1000; /* of the last digit read */
	bool is_fraction = false;

	for (size_t i = 0; i < value.size && delay < MAX_DELAY_MS; i++) {
		char c = byte_at(value, i);

		if (c == '.' && !is_fraction) {
			is_fraction = true;
			continue;
		}
		if (c < '0' || c > '9')
			break;
		if (is_fraction)
			unit /= 10;
		else
			delay *= 10;
		delay += (uint64_t)(c - '0') * unit;
	}
	return (uint32_t)(delay < MAX_DELAY_MS ? delay : MAX_DELAY_MS);
}

static void raise_delay(struct robots *robots, uint32_t delay_ms)
{
	if (robots->delay_ms < delay_ms)
		robots->delay_ms = delay_ms;
}

/* A de-facto standard; it ends the User-agent lines of its group. */
static void take_delay(struct parser *parser, struct slice value)
{
	parser->is_in_rules = true;
	if (parser->is_any)
		raise_delay(&parser->any, parse_delay(value));
	if (parser->is_named)
		raise_delay(&parser->named, parse_delay(value));
}

static void take_line(struct parser *parser, struct slice line)
{
	struct slice key;
	struct slice value;

	if (!split_line(line, &key, &value))
		return;
	if (is_word(key, "user-agent"))
		take_agent(parser, value);
	else if (is_word(key, "disallow"))
		take_rule(parser, value, false);
	else if (is_word(key, "allow"))
		take_rule(parser, value, true);
	else if (is_word(key, "crawl-delay"))
		take_delay(parser, value);
}

const struct robots *robots_parse(struct arena *arena, struct slice file,
				  const char *agent)
{
	static const char mark[] = "\xef\xbb\xbf"; /* UTF-8 byte order mark */
	struct parser parser = {.arena = arena, .agent = agent};
	struct robots *robots = ARENA_NEW(arena, struct robots, 1);

	if (file.size > MAX_ROBOTS_BYTES)
		file.size = MAX_ROBOTS_BYTES;
	if (file.size >= 3 && memcmp(file.data, mark, 3) == 0)
		file = skip(file, 3);
	while (file.size > 0)
		take_line(&parser, next_line(&file));
	*robots = parser.has_named ? parser.named : parser.any;
	return robots;
}

const struct robots *robots_from_status(struct arena *arena, unsigned status)
{
	struct robots *robots = ARENA_NEW(arena, struct robots, 1);

	robots->is_forbidden = status == 0 || status >= 500;
	return robots;
}

/*
 * Each piece between wildcards is taken where it is found first, so no byte of
 * the path is looked at twice: O(path + pattern), because memmem() is linear.
 */
static bool matches(const struct rule *rule, struct slice path)
{
	struct slice pattern = rule->pattern;
	size_t size = find(pattern, '*');

	if (size > path.size ||
	    (size > 0 && memcmp(pattern.data, path.data, size) != 0))
		return false;
	path = skip(path, size);
	while (size < pattern.size) {
		const char *found;

		pattern = skip(pattern, size + 1);
		size = find(pattern, '*');
		if (size == pattern.size && rule->is_anchored)
			return size <= path.size &&
			       (size == 0 ||
				memcmp(skip(path, path.size - size).data,
				       pattern.data, size) == 0);
		found = size == 0 ? path.data
				  : memmem(path.data, path.size, pattern.data,
					   size);
		if (found == NULL)
			return false;
		path = skip(path,
			    (size_t)(found - (const char *)path.data) + size);
	}
	return !rule->is_anchored || path.size == 0;
}

/* Octets of the rule: the most specific rule is the longest. */
static size_t length_of(const struct rule *rule)
{
	return rule->pattern.size + (rule->is_anchored ? 1 : 0);
}

static bool decide(const struct robots *robots, struct slice path)
{
	const struct rule *best = NULL;

	for (const struct rule *rule = robots->rules; rule != NULL;
	     rule = rule->next) {
		bool is_better =
			best == NULL || length_of(rule) > length_of(best) ||
			(length_of(rule) == length_of(best) && rule->is_allow);

		if (is_better && matches(rule, path))
			best = rule;
	}
	return best == NULL || best->is_allow;
}

bool robots_allows(const struct robots *robots, struct slice path)
{
	char text[MAX_PATTERN_BYTES];
	struct bounded out = {.data = text, .capacity = sizeof(text)};

	if (slice_equal(path, slice_of("/robots.txt")))
		return true;
	if (robots->is_forbidden)
		return false;
	if (path.size == 0)
		path = slice_of("/");
	/* a literal '*' or '$' is matched by its escape (RFC 9309, 2.2.3) */
	percent_normalize(path, "*$", &out);
	if (out.is_cut)
		return false;
	return decide(robots, bounded_slice(&out));
}

uint32_t robots_delay_ms(const struct robots *robots)
{
	return robots->delay_ms;
}
