#include "crawl/frontier.h"

#include <assert.h>

#include "crawl/frontier_row.h"
#include "crawl/revisit.h"
#include "store/key.h"

enum {
	PRESET_MAX_URLS = 100 * 1000,
	MAX_COARSE = 64, /* maximum number of coarse patterns with a folder per
			    site */
};

static uint16_t to_u16(unsigned number)
{
	return number < UINT16_MAX ? (uint16_t)number : UINT16_MAX;
}

/* Return the rule that admits or refuses the URL. */
static enum admission frontier_admit_url(const struct site_row *site,
					 const struct discovery *discovery)
{
	enum admission rule;

	if (!slice_equal(site->host, slice_of(discovery->url->host)))
		return REFUSE_HOST;
	if ((discovery->flags & FRONTIER_IS_SITEMAP) != 0)
		return discovery->depth > MAX_SITEMAP_DEPTH ? REFUSE_SITEMAPS
							    : discovery->how;
	if ((discovery->flags & FRONTIER_IS_PROBE) != 0 ||
	    frontier_is_never_skipped(discovery->how, discovery->flags))
		return discovery->how;
	rule = admission_of_url(site, discovery->url, discovery->depth);
	return admission_is_in(rule) ? discovery->how : rule;
}

/* Apply the rules that concern only new URLs. */
static enum admission admit_new(const struct site_row *site,
				const struct frontier_rules *rules,
				const struct discovery *discovery)
{
	uint32_t max = rules->max_urls == 0 ? PRESET_MAX_URLS : rules->max_urls;

	if ((discovery->flags & FRONTIER_IS_SITEMAP) != 0)
		return site->sitemap_count < MAX_SITEMAPS ? discovery->how
							  : REFUSE_SITEMAPS;
	if ((discovery->flags & FRONTIER_IS_PROBE) != 0 ||
	    frontier_is_never_skipped(discovery->how, discovery->flags) ||
	    site->found_count < max)
		return discovery->how;
	return REFUSE_URLS;
}

/* Request a URL that already has a row. */
static void frontier_request_known(struct txn *txn, struct site_row *site,
				   uint64_t key, struct frontier_row *row,
				   const struct discovery *discovery)
{
	uint64_t due_ms = frontier_due(discovery->due_ms);

	row->flags |= discovery->flags & FRONTIER_IS_ON_DEMAND;
	if (row->state == FRONTIER_LEASED) {
		frontier_store(txn, site, key, row, FRONTIER_LEASED);
		return;
	}
	assert(admission_is_in(discovery->how));
	row->rule = (uint16_t)discovery->how;
	if (row->depth > discovery->depth)
		row->depth = to_u16(discovery->depth);
	/* continue to count redirects, so that a redirect loop ends */
	row->redirects = to_u16(discovery->redirects);
	row->attempts = 0;
	if (row->state != FRONTIER_PENDING || row->due_ms > due_ms)
		row->due_ms = due_ms;
	frontier_store(txn, site, key, row, FRONTIER_PENDING);
}

/*
 * Handle a change date of a sitemap. Use it at most once in an eighth of the
 * page's interval, because many sitemaps report a change of all pages each
 * time.
 */
static void frontier_apply_lastmod(struct txn *txn, struct site_row *site,
				   struct frontier_row *row,
				   const struct discovery *discovery,
				   uint64_t now_ms)
{
	uint64_t key = page_key_of(row->url);
	uint64_t due_ms = row->fetched_ms + row->interval_ms / REVISIT_SHORTEST;

	if (due_ms < now_ms)
		due_ms = now_ms;
	if (row->fetched_ms == 0 || discovery->lastmod_ms <= row->fetched_ms ||
	    discovery->lastmod_ms > now_ms || row->state == FRONTIER_LEASED ||
	    row->state == FRONTIER_DENIED ||
	    (row->due_ms != 0 && row->due_ms <= due_ms))
		return;
	row->lastmod_ms = discovery->lastmod_ms;
	row->due_ms = due_ms;
	frontier_store(txn, site, key, row, (enum frontier_state)row->state);
}

/*
 * Return whether the site has too many coarse patterns, so that the URL uses
 * the wide one.
 */
static bool frontier_uses_wide_pattern(struct txn *txn,
				       const struct site_row *site,
				       const struct url_pattern *pattern)
{
	struct pattern_row row;

	return site->coarse_count >= MAX_COARSE &&
	       !pattern_row_get(txn, site->id, pattern->coarse, &row);
}

/* Load the patterns; return whether the coarse pattern is the wide one. */
static bool load_patterns(struct txn *txn, const struct site_row *site,
			  const struct url_pattern *pattern,
			  struct frontier_patterns *patterns)
{
	bool wide = frontier_uses_wide_pattern(txn, site, pattern);

	patterns_load(txn, site->id, pattern->fine,
		      wide ? pattern->wide : pattern->coarse, patterns);
	patterns->fine.text = slice_of(pattern->fine_text);
	patterns->coarse.text =
		slice_of(wide ? pattern->wide_text : pattern->coarse_text);
	patterns->coarse.flags = PATTERN_IS_COARSE;
	return wide;
}

/*
 * Return the position in the fair queue: the number of the URL in its pattern.
 * All URLs of a coarse pattern together have COARSE_FACTOR shares, and so have
 * all URLs that begin new coarse patterns, or would.
 */
static uint64_t frontier_rank_of(const struct site_row *site,
				 const struct frontier_patterns *patterns,
				 bool wide)
{
	uint64_t fine = patterns->fine.found;
	uint64_t coarse = patterns->coarse.found;

	if (coarse == 0 || wide)
		coarse += site->coarse_count;
	coarse /= COARSE_FACTOR;
	return fine > coarse ? fine : coarse;
}

static void queue_up(struct txn *txn, struct site_row *site,
		     const struct frontier_rules *rules,
		     struct frontier_row *row, const struct url *url)
{
	uint64_t key = page_key_of(row->url);
	struct url_pattern pattern;
	struct frontier_patterns patterns;
	enum admission rule = ADMIT_LINK;
	bool wide;

	url_pattern_of(url, &pattern);
	wide = load_patterns(txn, site, &pattern, &patterns);
	row->pattern = patterns.fine_key;
	row->coarse = patterns.coarse_key;
	if (!frontier_is_never_skipped((enum admission)row->rule, row->flags)) {
		rule = frontier_state_rule(site, rules, &patterns);
		row->due_ms =
			DUE_FIRST + frontier_rank_of(site, &patterns, wide);
	}
	if (!admission_is_in(rule)) {
		row->rule = (uint16_t)rule;
		row->due_ms = 0;
	}
	assert(row->due_ms == 0 || admission_is_in(rule));
	frontier_store(txn, site, key, row,
		       admission_is_in(rule) ? FRONTIER_PENDING
					     : FRONTIER_SKIPPED);
	site->coarse_count += patterns.coarse.found == 0;
	patterns.fine.found++;
	patterns.coarse.found++;
	patterns_store(txn, site->id, &patterns);
}

enum admission frontier_discover(struct txn *txn, struct site_row *site,
				 const struct frontier_rules *rules,
				 const struct discovery *discovery,
				 uint64_t now_ms)
{
	enum admission rule = frontier_admit_url(site, discovery);
	struct slice url = slice_of(discovery->url->text);
	uint64_t key = page_key_of(url);
	struct frontier_row row;

	assert(discovery->url != NULL);
	if (!admission_is_in(rule))
		return rule;
	if (frontier_load(txn, site->id, key, &row)) {
		if (frontier_is_never_skipped(rule, discovery->flags))
			frontier_request_known(txn, site, key, &row, discovery);
		else if (discovery->lastmod_ms != 0)
			frontier_apply_lastmod(txn, site, &row, discovery,
					       now_ms);
		return (enum admission)row.rule;
	}
	rule = admit_new(site, rules, discovery);
	if (!admission_is_in(rule))
		return rule;
	assert(admission_is_in(rule));
	row = (struct frontier_row){
		.found_ms = now_ms,
		.due_ms = frontier_due(discovery->due_ms),
		.lastmod_ms = discovery->lastmod_ms,
		.state = FRONTIER_STATES,
		.depth = to_u16(discovery->depth),
		.redirects = to_u16(discovery->redirects),
		.rule = (uint16_t)rule,
		.flags = discovery->flags &
			 (FRONTIER_IS_ON_DEMAND | FRONTIER_IS_AUXILIARY),
		.url = url,
	};
	if (frontier_is_auxiliary(&row))
		frontier_store(txn, site, key, &row, FRONTIER_PENDING);
	else
		queue_up(txn, site, rules, &row, discovery->url);
	return (enum admission)row.rule;
}

/* Return the rule that would apply to a URL without a row. */
static enum admission explain_new(const struct site_row *site,
				  const struct frontier_rules *rules,
				  const struct url *url,
				  const struct frontier_patterns *patterns)
{
	struct discovery discovery = {
		.url = url, .how = ADMIT_LINK, .depth = 1};
	enum admission rule = frontier_admit_url(site, &discovery);

	if (admission_is_in(rule))
		rule = admit_new(site, rules, &discovery);
	return admission_is_in(rule)
		       ? frontier_state_rule(site, rules, patterns)
		       : rule;
}

static enum admission explain_known(const struct site_row *site,
				    const struct frontier_rules *rules,
				    const struct frontier_row *row,
				    const struct frontier_patterns *patterns)
{
	bool is_new = (row->flags & FRONTIER_IS_ATTEMPTED) == 0 &&
		      row->state == FRONTIER_PENDING;
	enum admission rule;

	if (frontier_is_auxiliary(row) ||
	    frontier_is_never_skipped((enum admission)row->rule, row->flags) ||
	    (!is_new && row->state != FRONTIER_SKIPPED))
		return (enum admission)row->rule;
	rule = frontier_state_rule(site, rules, patterns);
	if (admission_is_in(rule) && row->state == FRONTIER_PENDING)
		return (enum admission)row->rule;
	return rule;
}

void frontier_explain(struct txn *txn, const struct site_row *site,
		      const struct frontier_rules *rules, const struct url *url,
		      struct frontier_explanation *out)
{
	uint64_t key = page_key_of(slice_of(url->text));
	struct frontier_patterns patterns;

	url_pattern_of(url, &out->pattern);
	out->is_known = frontier_load(txn, site->id, key, &out->row);
	if (out->is_known)
		patterns_load(txn, site->id, out->row.pattern, out->row.coarse,
			      &patterns);
	else
		load_patterns(txn, site, &out->pattern, &patterns);
	out->verdict =
		out->is_known ? explain_known(site, rules, &out->row, &patterns)
			      : explain_new(site, rules, url, &patterns);
	pattern_row_get(txn, site->id, patterns.fine_key, &out->fine);
	pattern_row_get(txn, site->id, patterns.coarse_key, &out->coarse);
}
