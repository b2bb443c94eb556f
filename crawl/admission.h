/*
 * crawl/admission.h - decides which URLs enter the frontier, and names the rule
 * that decided. `templatectl page show` prints these rules. Pure.
 */
#ifndef CRAWL_ADMISSION_H
#define CRAWL_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "crawl/url/url.h"
#include "store/rows.h"

/*
 * Limits for URLs that no client requested. They protect against crawler traps.
 */
enum {
	MAX_SEGMENTS = 16, /* maximum number of segments in a path */
	/* a path is refused if a segment occurs this many times */
	MAX_REPEATS = 3,
	MAX_KEYS = 8, /* maximum number of parameters in a query */
	MAX_SITEMAP_DEPTH = 3,
	MAX_SITEMAPS = 500, /* maximum number of sitemaps of a site */
};

/* constant, stored number, word for programs, explanation for users */
#define ADMISSION_LIST(X)                                                    \
	X(ADMIT_NONE, 0, "unknown", "no link or request names it yet")       \
	X(ADMIT_SEED, 1, "seed", "the site was added with it")               \
	X(ADMIT_ON_DEMAND, 2, "asked", "a client requested it")              \
	X(ADMIT_LINK, 3, "link", "a page of the site links to it")           \
	X(ADMIT_SITEMAP, 4, "sitemap", "a sitemap names it")                 \
	X(ADMIT_REDIRECT, 5, "redirect", "another URL leads to it")          \
	X(ADMIT_PROBE, 6, "probe", "invented, to probe for soft 404s")       \
	X(REFUSE_HOST, 16, "host", "it belongs to another host")             \
	X(REFUSE_ENDING, 17, "ending", "files with its ending are no pages") \
	X(REFUSE_DEPTH, 18, "depth", "too many links away from the seed")    \
	X(REFUSE_SEGMENTS, 19, "segments", "its path has over 16 segments")  \
	X(REFUSE_REPEAT, 20, "repeat", "its path repeats a segment 3 times") \
	X(REFUSE_KEYS, 21, "keys", "it has over 8 query parameters")         \
	X(REFUSE_URLS, 22, "urls", "the site has crawl.max_urls URLs")       \
	X(REFUSE_SITEMAPS, 23, "sitemaps", "too many sitemaps, or too deep") \
	X(REFUSE_DATA, 24, "data", "it is a feed or an API, not a page")     \
	X(SKIP_SATURATED, 32, "saturated",                                   \
	  "the pages of its pattern bring nothing new")                      \
	X(SKIP_PATTERN, 33, "pattern",                                       \
	  "crawl.max_pages_per_pattern of its pattern")                      \
	X(SKIP_PAGES, 34, "pages", "the budget of pages is spent")           \
	X(SKIP_BYTES, 35, "bytes", "the budget of bytes is spent")           \
	X(SKIP_TIME, 36, "time", "the budget of time is spent")              \
	X(SKIP_EXCLUDED, 37, "excluded",                                     \
	  "the include and exclude patterns of the site exclude it")         \
	X(DENY_ROBOTS, 48, "robots", "robots.txt forbids it")                \
	X(DENY_ADDRESS, 49, "address", "its address is forbidden")           \
	X(DENY_SCOPE, 50, "scope", "it leads outside the site")              \
	X(DENY_DELETED, 51, "forgotten", "a client deleted the page")

enum admission {
#define X(name, value, word, meaning) name = (value),
	ADMISSION_LIST(X)
#undef X
};

/*
 * Return the word of the rule `admission`, such as "saturated", and its
 * explanation, such as "the pages of ...".
 */
const char *admission_word(unsigned admission);
const char *admission_meaning(unsigned admission);

/* Return whether `admission` is an ADMIT_* constant, except ADMIT_NONE. */
bool admission_is_in(unsigned admission);

/*
 * Apply the rules that depend only on the URL, its depth and the site. Return a
 * REFUSE_* constant or ADMIT_LINK. Not for seeds and requested URLs, for which
 * only the host matters.
 */
enum admission admission_of_url(const struct site_row *site,
				const struct url *url, unsigned depth);

/*
 * The patterns that say which URLs of a site to visit: site->options.include
 * and .exclude, as lines. A pattern is like a rule of robots.txt: it matches a
 * path with its query, or the beginning of one; '*' matches any bytes, and a
 * '$' at its end the end of the path. The longest pattern that matches decides;
 * of equally long ones `include` does. If none matches, the URL is excluded if
 * `include` has patterns. They do not concern seeds and requested URLs.
 */
enum { MAX_URL_PATTERNS = 64, MAX_URL_PATTERN_BYTES = 16 * 1024 };

/* Return whether the text is a pattern: one line that begins with / or *. */
bool admission_pattern_is_valid(struct slice text);

/* Return whether the patterns of the site exclude the canonical URL. */
bool admission_is_excluded(const struct site_row *site, struct slice url);

/*
 * Apply the rules that are checked again just before the first visit of a URL.
 * Return a SKIP_* constant or ADMIT_LINK. For a coarse pattern, the budget and
 * the number of pages until saturation are COARSE_FACTOR times those of a fine
 * one. If the site is sampled, or clients upload its pages, no pattern becomes
 * saturated.
 */
enum { COARSE_FACTOR = 4 };
bool admission_is_saturated(const struct site_row *site,
			    const struct pattern_row *fine,
			    const struct pattern_row *coarse);
enum admission admission_of_state(const struct site_row *site,
				  const struct pattern_row *fine,
				  const struct pattern_row *coarse,
				  uint32_t max_pattern);

#endif
