/* The consequences of an outcome: state, next visit and counts. */
#include "crawl/frontier_row.h"

#include <assert.h>

#include "base/hash.h"
#include "crawl/revisit.h"
#include "store/rows_cluster.h"

enum {
	FIRST_PAUSE_MS = 5 * 1000,
	MAX_PAUSE_MS = 60 * 60 * 1000,
	MAX_RETRY_MS = 24 * 60 * 60 * 1000, /* same as in polite.h */
	MAX_ATTEMPTS = 4,
	STATUS_NOT_MODIFIED = 304,
	STATUS_TOO_MANY = 429,
	STATUS_SERVER_ERROR = 500,
};

/* Return whether the failure is temporary. */
static bool outcome_is_temporary(const struct outcome *outcome)
{
	switch (outcome->error) {
	case ERR_TIMEOUT:
	case ERR_NETWORK:
	case ERR_BUSY:
	case ERR_IO:
	case ERR_STORE_FULL:
		return true;
	default:
		return outcome->http_status == STATUS_TOO_MANY ||
		       outcome->http_status >= STATUS_SERVER_ERROR;
	}
}

/* Return the rule that forbade the URL, or ADMIT_NONE. */
static enum admission outcome_denial_rule(enum error error)
{
	switch (error) {
	case ERR_ROBOTS_DENIED:
		return DENY_ROBOTS;
	case ERR_ADDRESS_FORBIDDEN:
		return DENY_ADDRESS;
	case ERR_OUT_OF_SCOPE:
		return DENY_SCOPE;
	default:
		return ADMIT_NONE;
	}
}

/* Change the pause by up to a quarter. */
static uint64_t frontier_jitter(uint64_t pause_ms, uint64_t key,
				unsigned attempts)
{
	uint64_t quarter = pause_ms / 4;

	assert(quarter <= pause_ms);
	return pause_ms - quarter +
	       hash_chain(key, attempts) % (2 * quarter + 1);
}

/*
 * Return the time of the next try after the `attempts`-th consecutive temporary
 * failure.
 */
static uint64_t next_try_ms(const struct outcome *outcome, uint64_t key,
			    unsigned attempts)
{
	uint64_t latest_ms = outcome->now_ms + MAX_RETRY_MS;
	uint64_t retry_ms =
		outcome->retry_ms < latest_ms ? outcome->retry_ms : latest_ms;
	uint64_t first_ms = outcome->first_pause_ms == 0
				    ? FIRST_PAUSE_MS
				    : outcome->first_pause_ms;
	uint64_t pause_ms = first_ms << (attempts - 1);
	uint64_t due_ms =
		outcome->now_ms + frontier_jitter(pause_ms, key, attempts);

	assert(attempts >= 1 && attempts <= MAX_ATTEMPTS);
	if (due_ms > outcome->now_ms + MAX_PAUSE_MS)
		due_ms = outcome->now_ms + MAX_PAUSE_MS;
	return retry_ms > due_ms ? retry_ms : due_ms;
}

/* A visit that has ended, and the row that it changes. */
struct visit {
	struct txn *txn;
	struct site_row *site;
	uint64_t key;
	const struct outcome *outcome;
	struct frontier_row row;
};

/* Return the mean interval of its cluster; 0 = unknown. */
static uint64_t interval_of_cluster(const struct visit *visit)
{
	uint32_t cluster = visit->outcome->cluster;
	struct cluster_row row;

	return cluster != 0 && cluster_row_get(visit->txn, visit->site->id,
					       cluster, &row)
		       ? row.interval_ms
		       : 0;
}

/* Set the next visit by `interval`; 0 = the site's interval. */
static void visit_set_next(struct visit *visit, uint64_t interval)
{
	uint64_t default_ms = visit->site->options.revisit_ms;

	assert(visit->outcome != NULL);
	visit->row.due_ms = 0;
	if (default_ms != 0)
		visit->row.due_ms = frontier_due(revisit_due(
			visit->outcome->now_ms,
			interval == 0 ? default_ms : interval, visit->key));
}

/*
 * Return the interval after a visit. Ignore an early, requested visit that
 * found no change.
 */
static uint64_t next_interval(const struct visit *visit, bool is_changed)
{
	uint64_t before = visit->row.interval_ms;
	uint64_t since_ms = visit->outcome->now_ms - visit->row.fetched_ms;

	if (visit->site->options.revisit_ms == 0)
		return before;
	if (!is_changed && visit->row.fetched_ms != 0 && since_ms < before / 2)
		return before;
	return revisit_interval(before, is_changed, interval_of_cluster(visit),
				visit->site->options.revisit_ms);
}

/* Update the mean interval of the cluster, after a second or later visit. */
static void visit_update_cluster(const struct visit *visit)
{
	uint32_t site = visit->site->id;
	uint32_t cluster = visit->outcome->cluster;
	struct cluster_row row;
	uint64_t before;

	if (cluster == 0 || !cluster_row_get(visit->txn, site, cluster, &row))
		return;
	before = row.interval_ms;
	row.interval_ms = revisit_of_cluster(before, visit->row.interval_ms);
	if (row.interval_ms != before)
		cluster_row_put(visit->txn, site, cluster, &row);
}

static bool http_status_is_success(unsigned status)
{
	return (status >= 200 && status < 300) || status == STATUS_NOT_MODIFIED;
}

static enum frontier_state visit_record_success(struct visit *visit)
{
	const struct outcome *outcome = visit->outcome;
	struct frontier_row *row = &visit->row;

	row->attempts = 0;
	row->interval_ms = next_interval(visit, outcome->is_changed);
	visit_set_next(visit, row->interval_ms);
	if (http_status_is_success(outcome->http_status))
		row->fetched_ms = outcome->now_ms;
	if (outcome->http_status != STATUS_NOT_MODIFIED) {
		row->etag = outcome->etag.size < MAX_ETAG ? outcome->etag
							  : slice_of("");
		row->modified = outcome->modified.size < MAX_MODIFIED
					? outcome->modified
					: slice_of("");
	}
	return FRONTIER_DONE;
}

static enum frontier_state visit_record_failure(struct visit *visit)
{
	const struct outcome *outcome = visit->outcome;
	struct frontier_row *row = &visit->row;
	enum admission rule = outcome_denial_rule(outcome->error);

	if (row->attempts < UINT16_MAX)
		row->attempts++;
	if (rule != ADMIT_NONE) {
		row->rule = (uint16_t)rule;
		row->due_ms = 0;
		/* a URL that was fetched before may be allowed again later */
		if (row->fetched_ms != 0) {
			row->interval_ms = next_interval(visit, false);
			visit_set_next(visit, row->interval_ms);
		}
		return FRONTIER_DENIED;
	}
	if (!outcome_is_temporary(outcome)) {
		/* a missing page is requested less and less often */
		row->interval_ms = next_interval(visit, false);
		visit_set_next(visit, row->interval_ms);
		return FRONTIER_FAILED;
	}
	visit_set_next(visit, 0);
	if (row->attempts >= MAX_ATTEMPTS)
		return FRONTIER_FAILED;
	row->due_ms =
		frontier_due(next_try_ms(outcome, visit->key, row->attempts));
	return FRONTIER_PENDING;
}

/* Return the next state; set attempts and the next visit of the row. */
static enum frontier_state visit_decide_state(struct visit *visit)
{
	enum error error = visit->outcome->error;

	if (error == ERR_NONE)
		return visit_record_success(visit);
	if (error != ERR_STOPPED)
		return visit_record_failure(visit);
	visit->row.due_ms =
		frontier_due_again(&visit->row, visit->outcome->now_ms);
	return FRONTIER_PENDING;
}

/* Sitemaps have the site's interval, the probe none. */
static void plan_auxiliary(struct visit *visit, enum frontier_state state)
{
	visit->row.interval_ms = 0;
	if ((visit->row.flags & FRONTIER_IS_PROBE) != 0)
		visit->row.due_ms = 0;
	else if (state != FRONTIER_DENIED)
		visit_set_next(visit, 0);
}

/*
 * Add the cost of a visit to the budgets if the URL has never had a response.
 */
static void visit_charge_budget(const struct visit *visit)
{
	if (visit->row.fetched_ms != 0 || visit->row.interval_ms != 0)
		return;
	visit->site->spent_bytes += visit->outcome->wire_bytes;
	visit->site->spent_ms += visit->outcome->elapsed_ms;
}

/* Return whether the page has shown nothing new. */
static bool novelty_is_quiet(const struct novelty *novelty)
{
	return novelty->cluster == 0 ||
	       (!novelty->is_novel && novelty->cluster_pages >= QUIET_PAGES &&
		novelty->agreement >= QUIET_AGREEMENT);
}

/* Restart the count of quiet pages. */
static void pattern_reset_counts(struct pattern_row *pattern, uint64_t now_ms)
{
	pattern->quiet = 0;
	pattern->changed_ms = now_ms;
}

static void pattern_count_page(struct pattern_row *pattern,
			       const struct novelty *novelty, uint64_t now_ms)
{
	pattern->learned++;
	pattern->cluster = novelty->cluster;
	if (novelty_is_quiet(novelty))
		pattern->quiet++;
	else
		pattern_reset_counts(pattern, now_ms);
}

/*
 * Update the patterns of the URL with the news of a first visit; with `novelty`
 * NULL reset them. A saturated pattern that is reset is open again.
 */
static void frontier_update_patterns(struct txn *txn, struct site_row *site,
				     const struct frontier_row *row,
				     const struct novelty *novelty,
				     uint64_t now_ms)
{
	static const struct pattern_row none;
	struct frontier_patterns patterns;
	struct pattern_row *both[] = {&patterns.fine, &patterns.coarse};
	bool is_fine;
	bool is_coarse;

	patterns_load(txn, site->id, row->pattern, row->coarse, &patterns);
	is_fine = admission_is_saturated(site, &patterns.fine, &none);
	is_coarse = admission_is_saturated(site, &none, &patterns.coarse);
	for (size_t i = 0; i < 2; i++) {
		if (novelty != NULL)
			pattern_count_page(both[i], novelty, now_ms);
		else
			pattern_reset_counts(both[i], now_ms);
	}
	patterns_store(txn, site->id, &patterns);
	if (patterns.fine.quiet == 0 && (is_fine || is_coarse))
		frontier_revive(txn, site,
				is_coarse ? row->coarse : row->pattern);
}

static bool visit_is_uncounted(const struct frontier_row *row)
{
	return row->pattern != 0 && (row->flags & FRONTIER_IS_COUNTED) == 0;
}

/* Return whether a first visit has ended without a page. */
static bool is_nothing(const struct visit *visit, enum frontier_state state)
{
	const struct outcome *outcome = visit->outcome;

	return visit_is_uncounted(&visit->row) &&
	       ((state == FRONTIER_DONE &&
		 !http_status_is_success(outcome->http_status)) ||
		(state == FRONTIER_FAILED && !outcome_is_temporary(outcome)));
}

void frontier_record_outcome(struct txn *txn, struct site_row *site,
			     uint64_t url, const struct outcome *outcome)
{
	static const struct novelty nothing;
	struct visit visit = {
		.txn = txn, .site = site, .key = url, .outcome = outcome};
	enum frontier_state state;
	bool was_visited;
	bool is_lesson;

	if (!frontier_load(txn, site->id, url, &visit.row))
		return;
	visit_charge_budget(&visit);
	was_visited = visit.row.fetched_ms != 0;
	if (outcome->error != ERR_STOPPED) { /* otherwise it was not visited */
		visit.row.error = (int16_t)outcome->error;
		visit.row.http_status = outcome->http_status;
		visit.row.answered_ms = outcome->now_ms;
	}
	state = visit_decide_state(&visit);
	if (frontier_is_auxiliary(&visit.row) && state != FRONTIER_PENDING)
		plan_auxiliary(&visit, state);
	is_lesson = is_nothing(&visit, state);
	if (is_lesson)
		visit.row.flags |= FRONTIER_IS_COUNTED;
	frontier_store(txn, site, url, &visit.row, state);
	if (is_lesson)
		frontier_update_patterns(txn, site, &visit.row, &nothing,
					 outcome->now_ms);
	if (was_visited && outcome->error == ERR_NONE &&
	    site->options.revisit_ms != 0)
		visit_update_cluster(&visit);
}

void frontier_count_page(struct txn *txn, struct site_row *site, uint64_t url,
			 const struct novelty *novelty, uint64_t now_ms)
{
	struct frontier_row row;

	if (!frontier_load(txn, site->id, url, &row) ||
	    !visit_is_uncounted(&row))
		return;
	row.flags |= FRONTIER_IS_COUNTED;
	frontier_row_put(txn, site->id, url, &row);
	frontier_update_patterns(txn, site, &row, novelty, now_ms);
}

void frontier_reopen(struct txn *txn, struct site_row *site, uint64_t url,
		     uint64_t now_ms)
{
	struct frontier_row row;

	if (frontier_load(txn, site->id, url, &row) && row.pattern != 0)
		frontier_update_patterns(txn, site, &row, NULL, now_ms);
}

void frontier_make_due(struct txn *txn, uint32_t site, uint64_t url,
		       uint64_t now_ms)
{
	struct frontier_row row;

	if (!frontier_load(txn, site, url, &row) ||
	    row.state == FRONTIER_LEASED || row.state == FRONTIER_SKIPPED ||
	    row.state == FRONTIER_PENDING || row.rule == DENY_DELETED ||
	    (row.due_ms != 0 && row.due_ms <= now_ms))
		return;
	row.due_ms = frontier_due(now_ms);
	frontier_row_put(txn, site, url, &row);
}

void frontier_clear_validators(struct txn *txn, uint32_t site, uint64_t url)
{
	struct frontier_row row;

	if (!frontier_load(txn, site, url, &row) ||
	    row.etag.size + row.modified.size == 0)
		return;
	row.etag = slice_of("");
	row.modified = slice_of("");
	frontier_row_put(txn, site, url, &row);
}

enum error frontier_exclude(struct txn *txn, struct site_row *site,
			    uint64_t url)
{
	struct frontier_row row;

	if (!frontier_load(txn, site->id, url, &row))
		return ERR_NONE;
	if (row.state == FRONTIER_LEASED)
		return ERR_BUSY;
	row.rule = DENY_DELETED;
	row.error = ERR_BODY_EXPIRED;
	row.due_ms = 0;
	row.etag = slice_of("");
	row.modified = slice_of("");
	frontier_store(txn, site, url, &row, FRONTIER_DENIED);
	return ERR_NONE;
}
