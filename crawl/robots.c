#include "crawl/robots.h"

#include <string.h>
#include <strings.h>

#include "crawl/pattern.h"
#include "crawl/percent.h"
#include "crawl/url.h"
#include "store/arena.h"

enum {
	MAX_RULES = 10000,                  /* of the groups that concern us */
	MAX_PATH_BYTES = 3 * MAX_URL_BYTES, /* all of it escaped */
	MAX_DELAY_MS = 60 * 60 * 1000,
};

struct rule {
	struct rule *next;
	struct pattern pattern;
	bool is_allow;
};

struct robots {
	struct rule *rules;
	size_t rule_count;
	uint32_t delay_ms;
	bool is_forbidden; /* everything */
};

/* Whom a line concerns. */
struct scope {
	bool is_any;   /* "*" */
	bool is_named; /* our agent */
};

struct parser {
	struct arena *arena;
	const char *agent;
	struct robots any;   /* the groups of "*" */
	struct robots named; /* the groups of our agent */
	bool has_named;      /* there is one, if only an empty one */
	/*
	 * A group ends at the User-agent behind a rule; other lines must not
	 * end it (RFC 9309, 2.2.4). A Crawl-delay, which is none of the RFC's,
	 * still is only for those who are named right above it.
	 */
	struct scope rules;
	struct scope delays;
	bool is_in_rules;
	bool is_in_delays;
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

/* Cut the first line off `text`. It ends in CR, LF or both. */
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
	bool is_any = value.size > 0 && byte_at(value, 0) == '*' &&
		      (value.size == 1 || is_blank(byte_at(value, 1)));
	bool is_named = is_word(product_of(value), parser->agent);

	if (parser->is_in_rules)
		parser->rules = (struct scope){0};
	if (parser->is_in_rules || parser->is_in_delays)
		parser->delays = (struct scope){0};
	parser->is_in_rules = false;
	parser->is_in_delays = false;
	parser->rules.is_any |= is_any;
	parser->rules.is_named |= is_named;
	parser->delays.is_any |= is_any;
	parser->delays.is_named |= is_named;
	parser->has_named |= is_named;
}

static void add_rule(struct arena *arena, struct robots *robots,
		     struct slice value, bool is_allow)
{
	struct pattern pattern;
	struct rule *rule;

	if (robots->rule_count >= MAX_RULES ||
	    !pattern_make(arena, value, &pattern))
		return;
	rule = ARENA_NEW(arena, struct rule, 1);
	*rule = (struct rule){
		.next = robots->rules,
		.pattern = pattern,
		.is_allow = is_allow,
	};
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
	if (parser->rules.is_any)
		add_rule(parser->arena, &parser->any, value, is_allow);
	if (parser->rules.is_named)
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

static void take_delay(struct parser *parser, struct slice value)
{
	parser->is_in_delays = true;
	if (parser->delays.is_any)
		raise_delay(&parser->any, parse_delay(value));
	if (parser->delays.is_named)
		raise_delay(&parser->named, parse_delay(value));
}

static void take_allow(struct parser *parser, struct slice value)
{
	take_rule(parser, value, true);
}

static void take_disallow(struct parser *parser, struct slice value)
{
	take_rule(parser, value, false);
}

/* The keys, with the misspellings that Google's parser takes, too. */
static const struct {
	const char *name;
	void (*take)(struct parser *parser, struct slice value);
} keys[] = {
	{"user-agent", take_agent},  {"useragent", take_agent},
	{"user agent", take_agent},  {"allow", take_allow},
	{"disallow", take_disallow}, {"dissallow", take_disallow},
	{"dissalow", take_disallow}, {"disalow", take_disallow},
	{"diasllow", take_disallow}, {"disallaw", take_disallow},
	{"crawl-delay", take_delay},
};

static void take_line(struct parser *parser, struct slice line)
{
	struct slice key;
	struct slice value;

	if (!split_line(line, &key, &value))
		return;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (is_word(key, keys[i].name))
			keys[i].take(parser, value);
}

static void put_utf8(struct bounded *out, unsigned code)
{
	if (code < 0x80) {
		bounded_put(out, (char)code);
		return;
	}
	if (code < 0x800) {
		bounded_put(out, (char)(0xc0 | code >> 6));
	} else {
		bounded_put(out, (char)(0xe0 | code >> 12));
		bounded_put(out, (char)(0x80 | (code >> 6 & 0x3f)));
	}
	bounded_put(out, (char)(0x80 | (code & 0x3f)));
}

/* UTF-16 to UTF-8, but for surrogates, which no rule has been seen to use. */
static struct slice from_utf16(struct arena *arena, struct slice file,
			       size_t high)
{
	const unsigned char *bytes = file.data;
	struct bounded out = {.capacity = file.size / 2 * 3};

	out.data = ARENA_NEW(arena, char, out.capacity + 1);
	for (size_t i = 0; i + 1 < file.size; i += 2)
		put_utf8(&out,
			 (unsigned)bytes[i + high] << 8 | bytes[i + 1 - high]);
	return bounded_slice(&out);
}

/* The file as UTF-8 without its byte order mark. */
static struct slice decode(struct arena *arena, struct slice file)
{
	if (file.size >= 3 && memcmp(file.data, "\xef\xbb\xbf", 3) == 0)
		return skip(file, 3);
	if (file.size >= 2 && memcmp(file.data, "\xff\xfe", 2) == 0)
		return from_utf16(arena, skip(file, 2), 1);
	if (file.size >= 2 && memcmp(file.data, "\xfe\xff", 2) == 0)
		return from_utf16(arena, skip(file, 2), 0);
	return file;
}

const struct robots *robots_parse(struct arena *arena, struct slice file,
				  const char *agent)
{
	struct parser parser = {.arena = arena, .agent = agent};
	struct robots *robots = ARENA_NEW(arena, struct robots, 1);

	if (file.size > MAX_ROBOTS_BYTES)
		file.size = MAX_ROBOTS_BYTES;
	file = decode(arena, file);
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

static bool decide(const struct robots *robots, struct slice path)
{
	size_t longest = 0;
	bool is_allowed = true;

	for (const struct rule *rule = robots->rules; rule != NULL;
	     rule = rule->next) {
		size_t length = pattern_length(&rule->pattern);
		bool is_better = length > longest ||
				 (length == longest && rule->is_allow);

		if (!is_better || !pattern_matches(&rule->pattern, path))
			continue;
		longest = length;
		is_allowed = rule->is_allow;
	}
	return is_allowed;
}

bool robots_allows(const struct robots *robots, struct slice path)
{
	char text[MAX_PATH_BYTES];
	struct bounded out = {.data = text, .capacity = sizeof(text)};

	if (slice_equal(path, slice_of("/robots.txt")))
		return true;
	if (robots->is_forbidden)
		return false;
	if (path.size == 0)
		path = slice_of("/");
	pattern_normalize_path(path, &out);
	if (out.is_cut)
		return false;
	return decide(robots, bounded_slice(&out));
}

uint32_t robots_delay_ms(const struct robots *robots)
{
	return robots->delay_ms;
}
