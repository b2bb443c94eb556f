#include "crawl/robots_group.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "page/robots_word.h"

enum { MAX_DELAY_MS = 60 * 60 * 1000 };

struct parser {
	struct arena *arena;
	const char *agent; /* NULL: "*" */
	struct robots_group *group;
	struct buffer rules; /* array of struct robots_rule */
	bool has_group;      /* the agent has a group, possibly empty */
	/*
	 * A group ends at a User-agent line after a rule; other lines must not
	 * end it (RFC 9309, 2.2.4). Crawl-delay is not in the RFC: it applies
	 * only to the agents named directly above it.
	 */
	bool are_rules_ours;
	bool are_delays_ours;
	bool is_in_rules;
	bool is_in_delays;
};

/* "*" followed by a word counts as "*", as in Google's parser. */
static bool is_any(struct slice agent)
{
	agent.size = word_find_blank(agent);
	return word_is(agent, "*");
}

/* A name with digits, which is no product token, must match completely. */
static bool robots_group_is_agent(struct slice value, const char *agent)
{
	struct slice whole = {value.data, word_find_blank(value)};

	return word_is(word_product(value), agent) || word_is(whole, agent);
}

static void robots_group_read_agent(struct parser *parser, struct slice value)
{
	bool is_ours = parser->agent == NULL
			       ? is_any(value)
			       : robots_group_is_agent(value, parser->agent);

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

/* Add a rule; ignore a value that is empty or cannot begin a path. */
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
 * Convert seconds with a fraction to milliseconds; return false if the value is
 * no number.
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
 * Sort the longest first, allow before disallow, then by position in the file.
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

bool robots_group_read(struct arena *arena, struct robots_lines lines,
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
