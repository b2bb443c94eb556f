#include "crawl/robots.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/limit.h"
#include "base/utf8.h"
#include "crawl/pattern.h"
#include "crawl/robots_group.h"
#include "crawl/robots_line.h"
#include "crawl/url.h"

enum {
	MAX_STEPS =
		LIMIT(4 << 20,
		      2048), /* bytes that the wildcards may search per path */
	STATUS_TOO_MANY = 429,
};

struct robots {
	struct robots_group group;
	const struct slice *sitemaps;
	size_t sitemap_count;
	bool is_named;     /* the group names the agent */
	bool is_forbidden; /* everything is forbidden */
};

static bool has_sitemap(const struct robots *robots, struct slice value)
{
	for (size_t i = 0; i < robots->sitemap_count; i++)
		if (slice_equal(robots->sitemaps[i], value))
			return true;
	return false;
}

static void read_sitemaps(struct arena *arena, struct robots_lines lines,
			  struct robots *robots)
{
	struct slice *sitemaps = NULL;
	struct robots_line line;

	while (robots->sitemap_count < MAX_ROBOTS_SITEMAPS &&
	       robots_lines_next(&lines, &line)) {
		if (line.key != ROBOTS_SITEMAP || line.value.size == 0 ||
		    line.value.size > MAX_URL_BYTES ||
		    has_sitemap(robots, line.value))
			continue;
		if (sitemaps == NULL)
			sitemaps = ARENA_NEW(arena, struct slice,
					     MAX_ROBOTS_SITEMAPS);
		assert(robots->sitemap_count < MAX_ROBOTS_SITEMAPS);
		sitemaps[robots->sitemap_count++] = line.value;
		robots->sitemaps = sitemaps;
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
	const struct robots_rule *rule; /* NULL: no rule decided */
	bool is_allowed;
};

/*
 * Return the deciding rule: the first that matches, because the rules are
 * sorted (RFC 9309, 2.2.2).
 */
static struct robots_verdict robots_find_rule(const struct robots *robots,
					      struct slice raw)
{
	struct pattern_path path;
	size_t steps = 0;

	pattern_path_set(&path, raw);
	for (size_t i = 0; i < robots->group.rule_count; i++) {
		const struct robots_rule *rule = &robots->group.rules[i];

		if (pattern_matches(&rule->pattern, &path, &steps))
			return (struct robots_verdict){rule, rule->is_allow};
		if (steps > MAX_STEPS)
			return (struct robots_verdict){NULL, false};
	}
	return (struct robots_verdict){NULL, true};
}

static struct robots_verdict robots_decide_path(const struct robots *robots,
						struct slice path)
{
	if (slice_equal(path, slice_of("/robots.txt")))
		return (struct robots_verdict){NULL, true};
	if (robots->is_forbidden || path.size > MAX_URL_BYTES)
		return (struct robots_verdict){NULL, false};
	if (path.size == 0)
		path = slice_of("/");
	return robots_find_rule(robots, path);
}

bool robots_allows(const struct robots *robots, struct slice path)
{
	return robots_decide_path(robots, path).is_allowed;
}

static bool robots_byte_is_control(char byte)
{
	return (unsigned char)byte < ' ' || byte == 0x7f;
}

/* Copy `text`, truncated to whole characters that fit. */
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
		if (robots_byte_is_control(*at))
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
