#include "crawl/frontier.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "crawl/schedule.h"
#include "store/key.h"

/*
 * Due times that are not times but ranks. The rank of requested URLs is before
 * all others.
 */
enum { DUE_ON_DEMAND = 1, DUE_FIRST = 2 };

/* The rows of the patterns of a URL; zero if a row does not exist. */
struct frontier_patterns {
	uint64_t fine_key;
	uint64_t coarse_key;
	struct pattern_row fine; /* its texts are in the arrays below */
	struct pattern_row coarse;
	char fine_text[MAX_PATTERN_TEXT];
	char coarse_text[MAX_PATTERN_TEXT];
};

enum { PRESET_MAX_PATTERN = 500 };

/*
 * Return `time_ms` as a due time. 0 would mean that the row is never due, so
 * return 1 instead of it.
 */
static uint64_t frontier_due(uint64_t time_ms)
{
	return time_ms == 0 ? 1 : time_ms;
}

/*
 * Return a due time that means now. A page that was never visited gets a rank,
 * because a real time would move it after all other pages of its pattern.
 */
static uint64_t frontier_due_again(const struct frontier_row *row,
				   uint64_t now_ms)
{
	if ((row->flags & FRONTIER_IS_ON_DEMAND) != 0)
		return DUE_ON_DEMAND;
	if (row->fetched_ms == 0 && row->attempts == 0)
		return DUE_FIRST;
	return frontier_due(now_ms);
}

/*
 * Return whether the row is not a page of the site: it is a sitemap or the
 * probe.
 */
static bool frontier_is_auxiliary(const struct frontier_row *row)
{
	return (row->flags & FRONTIER_IS_AUXILIARY) != 0;
}

/*
 * Return whether the rules never skip the URL: it is a seed, or a client
 * requested it or a URL that redirected to it.
 */
static bool frontier_is_never_skipped(enum admission rule, uint32_t flags)
{
	return rule == ADMIT_SEED || rule == ADMIT_ON_DEMAND ||
	       (flags & FRONTIER_IS_ON_DEMAND) != 0;
}

/*
 * Return whether the patterns of the site exclude a known URL, also if it was
 * visited before.
 */
static bool frontier_is_excluded(const struct site_row *site,
				 const struct frontier_row *row)
{
	return !frontier_is_auxiliary(row) &&
	       !frontier_is_never_skipped((enum admission)row->rule,
					  row->flags) &&
	       row->rule != DENY_DELETED &&
	       admission_is_excluded(site, row->url);
}

/*
 * Read a row as frontier_row_get() does, and truncate its texts so that they
 * fit into a lease.
 */
static bool frontier_load(struct txn *txn, uint32_t site, uint64_t key,
			  struct frontier_row *row_out)
{
	if (!frontier_row_get(txn, site, key, row_out))
		return false;
	if (row_out->url.size <= MAX_URL_BYTES &&
	    row_out->etag.size < MAX_ETAG &&
	    row_out->modified.size < MAX_MODIFIED)
		return true;
	txn_fail(txn, ERR_CORRUPT);
	return false;
}

/* Return the counter of the site for rows in `state`; `none` if none exists. */
static uint32_t *counter_of(struct site_row *site,
			    const struct frontier_row *row, uint16_t state,
			    uint32_t *none)
{
	enum frontier_state known = (enum frontier_state)state;

	if (known == FRONTIER_PENDING || known == FRONTIER_LEASED)
		return &site->pending_count;
	if (frontier_is_auxiliary(row))
		return none;
	switch (known) {
	case FRONTIER_DONE:
		return &site->fetched_count;
	case FRONTIER_FAILED:
	case FRONTIER_DENIED:
		return &site->failed_count;
	case FRONTIER_SKIPPED:
		return &site->skipped_count;
	default:
		return none; /* the row is new */
	}
}

/*
 * Set the state of the row, and write it. Only this function writes rows and
 * changes the counters of states. The state of a new row is FRONTIER_STATES.
 * The slices of the row may point into the memory map.
 */
static void frontier_store(struct txn *txn, struct site_row *site, uint64_t key,
			   struct frontier_row *row, enum frontier_state state)
{
	uint32_t none = 0;

	if (txn->error != ERR_NONE)
		return;
	if (row->state == FRONTIER_STATES) {
		site->found_count += !frontier_is_auxiliary(row);
		site->sitemap_count += (row->flags & FRONTIER_IS_SITEMAP) != 0;
	}
	(*counter_of(site, row, row->state, &none))--;
	(*counter_of(site, row, (uint16_t)state, &none))++;
	row->state = (uint16_t)state;
	frontier_row_put(txn, site->id, key, row);
}

static void load_one(struct txn *txn, uint32_t site, uint64_t key,
		     struct pattern_row *row, char text_out[MAX_PATTERN_TEXT])
{
	if (!pattern_row_get(txn, site, key, row))
		return;
	if (row->text.size > MAX_PATTERN_TEXT) {
		txn_fail(txn, ERR_CORRUPT);
		return;
	}
	if (row->text.size > 0)
		memcpy(text_out, row->text.data, row->text.size);
	row->text.data = text_out;
}

static void patterns_load(struct txn *txn, uint32_t site, uint64_t fine,
			  uint64_t coarse, struct frontier_patterns *out)
{
	out->fine_key = fine;
	out->coarse_key = coarse;
	load_one(txn, site, fine, &out->fine, out->fine_text);
	load_one(txn, site, coarse, &out->coarse, out->coarse_text);
}

static void patterns_store(struct txn *txn, uint32_t site,
			   const struct frontier_patterns *patterns)
{
	pattern_row_put(txn, site, patterns->fine_key, &patterns->fine);
	pattern_row_put(txn, site, patterns->coarse_key, &patterns->coarse);
}

/*
 * Return the result of admission_of_state() with these rules, unless the
 * patterns of the site exclude the URL.
 */
static enum admission
frontier_state_rule(const struct site_row *site,
		    const struct frontier_rules *rules,
		    const struct frontier_patterns *patterns, struct slice url)
{
	uint32_t max_pattern = rules->max_pattern == 0 ? PRESET_MAX_PATTERN
						       : rules->max_pattern;

	if (admission_is_excluded(site, url))
		return SKIP_EXCLUDED;
	return admission_of_state(site, &patterns->fine, &patterns->coarse,
				  max_pattern);
}

/* The effects of a visit on a row: state, next visit and counts. */

enum {
	FIRST_PAUSE_MS = 5 * 1000,
	MAX_PAUSE_MS = 60 * 60 * 1000,
	MIN_RETRY_PAUSE_MS = 1000,
	MAX_RETRY_MS = 24 * 60 * 60 * 1000, /* as in schedule.h */
	MAX_ATTEMPTS = 4,
	STATUS_NOT_MODIFIED = 304,
	STATUS_TOO_MANY = 429,
	STATUS_SERVER_ERROR = 500,
};

/* Return whether the visit failed for a reason that may disappear. */
static bool outcome_is_temporary(const struct outcome *outcome)
{
	switch (outcome->error) {
	case ERR_TIMEOUT:
	case ERR_NETWORK:
	case ERR_UNKNOWN_HOST:
	case ERR_NOT_CONNECTED:
	case ERR_TLS:
	case ERR_BUSY:
	case ERR_IO:
	case ERR_STORE_FULL:
	case ERR_NOT_RENDERED:
		return true;
	default:
		return outcome->http_status == STATUS_TOO_MANY ||
		       outcome->http_status >= STATUS_SERVER_ERROR;
	}
}

/* Return the rule that forbade the visit, or ADMIT_NONE. */
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

/* Change the pause randomly by up to a quarter. */
static uint64_t frontier_jitter(uint64_t pause_ms, uint64_t key,
				unsigned attempts)
{
	uint64_t quarter = pause_ms / 4;

	assert(quarter <= pause_ms);
	return pause_ms - quarter +
	       hash_chain(key, attempts) % (2 * quarter + 1);
}

uint32_t frontier_retry_pause_ms(const struct site_row *site)
{
	uint64_t pause_ms = site->options.watch_ms;

	if (pause_ms == 0 || pause_ms > MAX_PAUSE_MS)
		return MAX_PAUSE_MS;
	return pause_ms < MIN_RETRY_PAUSE_MS ? MIN_RETRY_PAUSE_MS
					     : (uint32_t)pause_ms;
}

/*
 * Return the time of the next try, after `attempts` consecutive failures; the
 * pause is at most `max_ms`.
 */
static uint64_t next_try_ms(const struct outcome *outcome, uint64_t key,
			    unsigned attempts, uint64_t max_ms)
{
	uint64_t latest_ms = outcome->now_ms + MAX_RETRY_MS;
	uint64_t retry_ms =
		outcome->retry_ms < latest_ms ? outcome->retry_ms : latest_ms;
	uint64_t pause_ms = outcome->first_pause_ms == 0
				    ? FIRST_PAUSE_MS
				    : outcome->first_pause_ms;
	uint64_t due_ms;

	assert(attempts >= 1);
	for (unsigned i = 1; i < attempts && pause_ms < max_ms; i++)
		pause_ms *= 2;
	pause_ms = frontier_jitter(pause_ms, key, attempts);
	due_ms = outcome->now_ms + (pause_ms < max_ms ? pause_ms : max_ms);
	return retry_ms > due_ms ? retry_ms : due_ms;
}

/* A finished visit, and the row of its URL. */
struct visit {
	struct txn *txn;
	struct site_row *site;
	uint64_t key;
	const struct outcome *outcome;
	struct frontier_row row;
};

/* Return the mean interval of the page's cluster; 0 = unknown. */
static uint64_t interval_of_cluster(const struct visit *visit)
{
	uint32_t cluster = visit->outcome->cluster;
	struct cluster_row row;

	return cluster != 0 && cluster_row_get(visit->txn, visit->site->id,
					       cluster, &row)
		       ? row.interval_ms
		       : 0;
}

/*
 * Set the time of the next visit; if `interval` is 0, by the interval of the
 * site.
 */
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
 * Return the interval of the page after a visit. If the visit was earlier than
 * half of the interval, because a client requested it, and found no change, the
 * interval is the same as before.
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

/*
 * Update the mean interval of the page's cluster. Call this only after the
 * second and later visits of the page.
 */
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

/*
 * Return whether the site has no page and the URL is its seed, or a redirect
 * has led to the URL. A site that users add while its server is down must not
 * remain without pages.
 */
static bool visit_is_of_seed(const struct visit *visit)
{
	const struct site_row *site = visit->site;

	return site->page_count == 0 &&
	       (site->options.flags & (SITE_IS_SAMPLE | SITE_IS_OFFLINE)) ==
		       0 &&
	       !frontier_is_auxiliary(&visit->row) &&
	       (visit->row.rule == ADMIT_REDIRECT ||
		visit->key == page_key_of(site->seed));
}

static enum frontier_state visit_fail(struct visit *visit)
{
	const struct outcome *outcome = visit->outcome;
	struct frontier_row *row = &visit->row;
	enum admission rule = outcome_denial_rule(outcome->error);

	if (row->attempts < UINT16_MAX)
		row->attempts++;
	if (rule != ADMIT_NONE) {
		row->rule = (uint16_t)rule;
		row->due_ms = 0;
		/*
		 * a URL that was fetched before may be allowed again in the
		 * future
		 */
		if (row->fetched_ms != 0) {
			row->interval_ms = next_interval(visit, false);
			visit_set_next(visit, row->interval_ms);
		}
		return FRONTIER_DENIED;
	}
	if (!outcome_is_temporary(outcome)) {
		/*
		 * the interval grows, so a missing page is requested less and
		 * less often
		 */
		row->interval_ms = next_interval(visit, false);
		visit_set_next(visit, row->interval_ms);
		return FRONTIER_FAILED;
	}
	visit_set_next(visit, 0);
	if (row->attempts >= MAX_ATTEMPTS)
		return FRONTIER_FAILED;
	row->due_ms = frontier_due(
		next_try_ms(outcome, visit->key, row->attempts, MAX_PAUSE_MS));
	return FRONTIER_PENDING;
}

static enum frontier_state visit_record_failure(struct visit *visit)
{
	bool is_seed = visit_is_of_seed(visit);
	enum frontier_state state = visit_fail(visit);

	if (is_seed)
		visit->row.due_ms = frontier_due(next_try_ms(
			visit->outcome, visit->key, visit->row.attempts,
			frontier_retry_pause_ms(visit->site)));
	return state;
}

/* Return the next state of the row; set its attempts and its next visit. */
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

/* A visit that began too early to be what was wanted is repeated. */
static void visit_begin_again(struct visit *visit, enum frontier_state state)
{
	struct frontier_row *row = &visit->row;

	if ((row->flags & FRONTIER_IS_DUE_AGAIN) == 0)
		return;
	row->flags &= ~(uint32_t)FRONTIER_IS_DUE_AGAIN;
	if (state != FRONTIER_DONE)
		return;
	row->due_ms = frontier_due(visit->outcome->now_ms);
	row->etag = slice_of("");
	row->modified = slice_of("");
}

/* Return whether the page is quiet: it has shown nothing new. */
static bool novelty_is_quiet(const struct novelty *novelty)
{
	return novelty->cluster == 0 ||
	       (!novelty->is_novel && novelty->cluster_pages >= QUIET_PAGES &&
		novelty->agreement >= QUIET_AGREEMENT);
}

/*
 * Update the patterns of the URL after its first visit. If `novelty` is NULL,
 * reset the patterns instead; if one of them was saturated, its skipped URLs
 * are pending again.
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
		if (novelty != NULL) {
			both[i]->learned++;
			both[i]->cluster = novelty->cluster;
		}
		if (novelty != NULL && novelty_is_quiet(novelty)) {
			both[i]->quiet++;
		} else {
			both[i]->quiet = 0;
			both[i]->changed_ms = now_ms;
		}
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

/*
 * Return whether the stored page was rendered. If not, a page that a browser
 * could not render for a client is visited again as it was before.
 */
static bool visit_is_of_rendered(const struct visit *visit)
{
	struct page_row row;

	return page_row_get(visit->txn, visit->site->id, visit->key, &row) &&
	       (row.flags & PAGE_ROW_IS_RENDERED) != 0;
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
	/*
	 * the budgets of the site are only for URLs that never had a response
	 */
	if (visit.row.fetched_ms == 0 && visit.row.interval_ms == 0 &&
	    visit.row.attempts < MAX_ATTEMPTS) {
		site->spent_bytes += outcome->wire_bytes;
		site->spent_ms += outcome->elapsed_ms;
	}
	was_visited = visit.row.fetched_ms != 0;
	if (outcome->error !=
	    ERR_STOPPED) { /* ERR_STOPPED: the URL was not visited */
		visit.row.error = (int16_t)outcome->error;
		visit.row.http_status = outcome->http_status;
		visit.row.answered_ms = outcome->now_ms;
	}
	if (outcome->is_rendered)
		visit.row.flags |= FRONTIER_IS_RENDERED;
	else if (outcome->error == ERR_NONE ||
		 (outcome->error == ERR_NOT_RENDERED &&
		  !visit_is_of_rendered(&visit)))
		visit.row.flags &= ~(uint32_t)FRONTIER_IS_RENDERED;
	state = visit_decide_state(&visit);
	if (frontier_is_auxiliary(&visit.row) && state != FRONTIER_PENDING) {
		visit.row.interval_ms = 0;
		if ((visit.row.flags & FRONTIER_IS_PROBE) != 0)
			visit.row.due_ms = 0;
		else if (state != FRONTIER_DENIED)
			visit_set_next(&visit, 0);
	}
	visit_begin_again(&visit, state);
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

/* Leases of rows, and their end without an outcome. */

enum {
	MAX_FORWARDED = 1024, /* maximum number of rows that a call skips */
	CHUNK = 256,          /* number of rows that are read together */
	DUE_OFFSET = 4,       /* offset of the due time in a key of TABLE_DUE */
	URL_OFFSET = 12,      /* offset of the URL in this key */
	ROW_URL_OFFSET = 4,
	LATEST_MS = 24 * 60 * 60 * 1000, /* maximum time until a retry */
};

/*
 * Write the keys of up to `max` due rows to `keys_out`, in the order of their
 * due times; return their number.
 */
static size_t find_due(struct txn *txn, uint32_t site, uint64_t now_ms,
		       size_t max, uint64_t *keys_out)
{
	struct key prefix = key_site(site);
	struct scan scan = scan_begin(txn, TABLE_DUE, key_slice(&prefix));
	size_t count = 0;

	assert(max > 0);
	while (count < max && scan_next(&scan) &&
	       key_u64(scan.key, DUE_OFFSET) <= now_ms)
		keys_out[count++] = key_u64(scan.key, URL_OFFSET);
	scan_end(&scan);
	assert(count <= max);
	return count;
}

static void lease_copy_text(struct slice text, char *out)
{
	assert(text.data != NULL || text.size == 0);
	if (text.size > 0)
		memcpy(out, text.data, text.size);
	out[text.size] = '\0';
}

static void fill_lease(struct lease *lease, uint64_t key,
		       const struct frontier_row *row)
{
	lease->key = key;
	lease->depth = row->depth;
	lease->redirects = row->redirects;
	lease->attempts = row->attempts;
	lease->flags = row->flags;
	lease_copy_text(row->url, lease->url);
	lease_copy_text(row->etag, lease->etag);
	lease_copy_text(row->modified, lease->modified);
}

/*
 * Count the first visit of a URL in its patterns. Return true if a rule now
 * skips the URL; then nothing is counted.
 */
static bool begin_visits(struct txn *txn, struct site_row *site,
			 const struct frontier_rules *rules,
			 struct frontier_row *row,
			 struct frontier_patterns *patterns)
{
	enum admission rule;

	patterns_load(txn, site->id, row->pattern, row->coarse, patterns);
	rule = frontier_state_rule(site, rules, patterns, row->url);
	if (row->state == FRONTIER_PENDING && !admission_is_in(rule) &&
	    !frontier_is_never_skipped((enum admission)row->rule, row->flags)) {
		row->rule = (uint16_t)rule;
		row->due_ms = 0;
		return true;
	}
	row->flags |= FRONTIER_IS_ATTEMPTED;
	site->tried_count++;
	patterns->fine.tried++;
	patterns->coarse.tried++;
	return false;
}

/*
 * Return whether a sitemap that was never fetched must be skipped, because the
 * site has used its budget of bytes. Set the rule of the row in this case.
 */
static bool is_spent(const struct site_row *site, struct frontier_row *row)
{
	if ((row->flags & FRONTIER_IS_SITEMAP) == 0 || row->fetched_ms != 0 ||
	    site->options.max_bytes == 0 ||
	    site->spent_bytes < site->options.max_bytes)
		return false;
	row->rule = SKIP_BYTES;
	row->due_ms = 0;
	return true;
}

/*
 * Return whether a URL that was visited must be skipped now, because the
 * patterns of the site exclude it. Set the rule of the row in this case.
 */
static bool is_no_longer_included(const struct site_row *site,
				  struct frontier_row *row)
{
	if (!frontier_is_excluded(site, row))
		return false;
	row->rule = SKIP_EXCLUDED;
	row->due_ms = 0;
	return true;
}

/* The arguments of a call of frontier_lease(). */
struct leasing {
	struct txn *txn;
	struct site_row *site;
	const struct frontier_rules *rules;
	const struct lease_request *order;
};

/* Lease a row. Return false if it was skipped, or is damaged. */
static bool lease_row(const struct leasing *leasing, uint64_t key,
		      struct lease *lease_out)
{
	struct txn *txn = leasing->txn;
	struct site_row *site = leasing->site;
	struct frontier_row row;
	struct frontier_patterns patterns;
	bool is_first;

	if (!frontier_load(txn, site->id, key, &row)) {
		txn_fail(txn,
			 ERR_CORRUPT); /* an entry of TABLE_DUE has no row */
		return false;
	}
	is_first = (row.flags & FRONTIER_IS_ATTEMPTED) == 0 &&
		   !frontier_is_auxiliary(&row);
	if (is_spent(site, &row) || is_no_longer_included(site, &row) ||
	    (is_first &&
	     begin_visits(txn, site, leasing->rules, &row, &patterns))) {
		frontier_store(txn, site, key, &row, FRONTIER_SKIPPED);
		return false;
	}
	assert(row.url.size <= MAX_URL_BYTES);
	fill_lease(lease_out, key, &row);
	row.due_ms = frontier_due(leasing->order->until_ms);
	row.flags &= ~(uint32_t)FRONTIER_IS_DUE_AGAIN;
	frontier_store(txn, site, key, &row, FRONTIER_LEASED);
	if (is_first)
		patterns_store(txn, site->id, &patterns);
	return txn->error == ERR_NONE;
}

size_t frontier_lease(struct txn *txn, struct site_row *site,
		      const struct frontier_rules *rules,
		      const struct lease_request *order,
		      struct lease *leases_out)
{
	const struct leasing leasing = {txn, site, rules, order};
	uint64_t keys[CHUNK];
	size_t passed = 0;
	size_t count = 0;

	while (count < order->max && passed < MAX_FORWARDED) {
		/* if rows were skipped, read more rows together */
		size_t wanted = passed > 0 ? CHUNK : order->max - count;
		size_t found = find_due(txn, site->id, order->now_ms,
					wanted < CHUNK ? wanted : CHUNK, keys);

		for (size_t i = 0; i < found && count < order->max; i++) {
			if (lease_row(&leasing, keys[i], &leases_out[count]))
				count++;
			else
				passed++;
		}
		if (found == 0)
			break;
	}
	assert(count <= order->max);
	return count;
}

uint64_t frontier_next_due(struct txn *txn, uint32_t site)
{
	struct key prefix = key_site(site);
	struct scan scan = scan_begin(txn, TABLE_DUE, key_slice(&prefix));
	uint64_t due = UINT64_MAX;

	if (scan_next(&scan))
		due = key_u64(scan.key, DUE_OFFSET);
	scan_end(&scan);
	return due;
}

/* A skipped row that becomes pending again, and its pattern. */
struct skipped_entry {
	uint64_t pattern;
	uint64_t key;
};

static int by_pattern(const void *left, const void *right)
{
	const struct skipped_entry *a = left;
	const struct skipped_entry *b = right;

	if (a->pattern != b->pattern)
		return a->pattern < b->pattern ? -1 : 1;
	return (a->key > b->key) - (a->key < b->key);
}

/*
 * Return the rows of the site that are in `state`. The caller frees the array.
 */
static struct skipped_entry *find_all(struct txn *txn, uint32_t site,
				      enum frontier_state state,
				      size_t *count_out)
{
	struct key prefix = key_site(site);
	struct scan scan = scan_begin(txn, TABLE_FRONTIER, key_slice(&prefix));
	struct skipped_entry *entries = NULL;
	size_t capacity = 0;
	size_t count = 0;

	while (scan_next(&scan)) {
		struct frontier_row row;

		if (!frontier_row_decode(scan.value, &row)) {
			txn_fail(txn, ERR_CORRUPT);
			break;
		}
		if (row.state != state)
			continue;
		entries = mem_grow(entries, count, &capacity, sizeof(*entries));
		entries[count++] = (struct skipped_entry){
			row.pattern, key_u64(scan.key, ROW_URL_OFFSET)};
	}
	scan_end(&scan);
	*count_out = count;
	return entries;
}

void frontier_release(struct txn *txn, struct site_row *site, uint64_t now_ms)
{
	struct skipped_entry *entries;
	size_t count;
	struct frontier_row row;

	if (site->pending_count == 0) /* it includes the leased rows */
		return;
	entries = find_all(txn, site->id, FRONTIER_LEASED, &count);
	for (size_t i = 0;
	     i < count && frontier_load(txn, site->id, entries[i].key, &row);
	     i++) {
		row.due_ms = frontier_due_again(&row, now_ms);
		frontier_store(txn, site, entries[i].key, &row,
			       FRONTIER_PENDING);
	}
	free(entries);
}

void frontier_repeat_leased(struct txn *txn, const struct site_row *site,
			    uint64_t url)
{
	size_t count;
	struct skipped_entry *entries =
		find_all(txn, site->id, FRONTIER_LEASED, &count);
	struct frontier_row row;

	for (size_t i = 0; i < count; i++) {
		if (entries[i].key == url ||
		    !frontier_load(txn, site->id, entries[i].key, &row))
			continue;
		row.flags |= FRONTIER_IS_DUE_AGAIN;
		frontier_row_put(txn, site->id, entries[i].key, &row);
	}
	free(entries);
}

/*
 * Return the keys of the rows of the site that are due after `after_ms`. The
 * caller frees the array.
 */
static uint64_t *find_later(struct txn *txn, uint32_t site, uint64_t after_ms,
			    size_t *count_out)
{
	struct key prefix = key_site(site);
	struct key from = key_due(site, after_ms, 0);
	struct scan scan =
		scan_begin_at(txn, TABLE_DUE, key_slice(&from), prefix.size);
	uint64_t *keys = NULL;
	size_t capacity = 0;
	size_t count = 0;

	while (scan_next(&scan)) {
		keys = mem_grow(keys, count, &capacity, sizeof(*keys));
		keys[count++] = key_u64(scan.key, URL_OFFSET);
	}
	scan_end(&scan);
	*count_out = count;
	return keys;
}

/* If the row is due too late and not leased, set an earlier due time. */
static void frontier_clamp_row(struct txn *txn, const struct site_row *site,
			       uint64_t key, struct frontier_row *row,
			       uint64_t now_ms)
{
	uint64_t interval = row->interval_ms == 0 ? site->options.revisit_ms
						  : row->interval_ms;
	uint64_t due_ms = revisit_due(now_ms, interval, key);
	uint64_t latest_ms = now_ms + LATEST_MS;

	if (row->due_ms <= (due_ms > latest_ms ? due_ms : latest_ms))
		return;
	row->due_ms = row->state == FRONTIER_DONE
			      ? frontier_due(due_ms)
			      : frontier_due_again(row, now_ms);
	frontier_row_put(txn, site->id, key, row);
}

void frontier_clamp(struct txn *txn, struct site_row *site, uint64_t now_ms)
{
	struct frontier_row row;
	size_t count;
	uint64_t *keys = find_later(txn, site->id, now_ms + LATEST_MS, &count);

	for (size_t i = 0; i < count; i++)
		if (frontier_load(txn, site->id, keys[i], &row) &&
		    row.state != FRONTIER_LEASED)
			frontier_clamp_row(txn, site, keys[i], &row, now_ms);
	free(keys);
}

void frontier_revive(struct txn *txn, struct site_row *site, uint64_t pattern)
{
	struct skipped_entry *entries;
	size_t count;
	struct frontier_row row;
	uint64_t rank = 0;

	/* sitemaps are not counted when they are skipped */
	if (site->skipped_count == 0 && site->sitemap_count == 0)
		return;
	entries = find_all(txn, site->id, FRONTIER_SKIPPED, &count);
	if (count > 1)
		qsort(entries, count, sizeof(*entries), by_pattern);
	for (size_t i = 0;
	     i < count && frontier_load(txn, site->id, entries[i].key, &row);
	     i++) {
		if (i > 0 && entries[i].pattern != entries[i - 1].pattern)
			rank = 0;
		if (pattern != 0 && row.pattern != pattern &&
		    row.coarse != pattern)
			continue;
		row.due_ms = DUE_FIRST + rank++;
		row.rule = row.lastmod_ms != 0 ? ADMIT_SITEMAP : ADMIT_LINK;
		frontier_store(txn, site, entries[i].key, &row,
			       FRONTIER_PENDING);
	}
	free(entries);
}

enum {
	PRESET_MAX_URLS = 100 * 1000,
	MAX_COARSE = 64, /* maximum number of coarse patterns with a folder, for
			    each site */
};

static uint16_t to_u16(unsigned number)
{
	return number < UINT16_MAX ? (uint16_t)number : UINT16_MAX;
}

/*
 * Return the rule that admits or refuses the URL, without those for new URLs.
 */
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

/* Return the rule that admits or refuses a new URL. */
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

/*
 * Make a URL due that already has a row, because a client requests it or it is
 * a seed.
 */
static void frontier_request_known(struct txn *txn, struct site_row *site,
				   uint64_t key, struct frontier_row *row,
				   const struct discovery *discovery)
{
	uint64_t due_ms = frontier_due(discovery->due_ms);

	row->flags |= discovery->flags &
		      (FRONTIER_IS_ON_DEMAND | FRONTIER_IS_RENDERED);
	if (row->state == FRONTIER_LEASED) {
		frontier_store(txn, site, key, row, FRONTIER_LEASED);
		return;
	}
	assert(admission_is_in(discovery->how));
	row->rule = (uint16_t)discovery->how;
	if (row->depth > discovery->depth)
		row->depth = to_u16(discovery->depth);
	/*
	 * the count includes the redirects until now, so that a loop of
	 * redirects ends
	 */
	row->redirects = to_u16(discovery->redirects);
	row->attempts = 0;
	if (row->state != FRONTIER_PENDING || row->due_ms > due_ms)
		row->due_ms = due_ms;
	frontier_store(txn, site, key, row, FRONTIER_PENDING);
}

/*
 * Handle a time of change (lastmod) from a sitemap. Many sitemaps always report
 * a change of all pages. So the next visit is at least an eighth of the page's
 * interval after the last visit.
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
 * Load the rows of the URL's patterns. Return whether the wide pattern is used
 * instead of the coarse one.
 */
static bool load_patterns(struct txn *txn, const struct site_row *site,
			  const struct url_pattern *pattern,
			  struct frontier_patterns *patterns)
{
	struct pattern_row row;
	/* the site has too many coarse patterns, and this one would be new */
	bool wide = site->coarse_count >= MAX_COARSE &&
		    !pattern_row_get(txn, site->id, pattern->coarse, &row);

	patterns_load(txn, site->id, pattern->fine,
		      wide ? pattern->wide : pattern->coarse, patterns);
	patterns->fine.text = slice_of(pattern->fine_text);
	patterns->coarse.text =
		slice_of(wide ? pattern->wide_text : pattern->coarse_text);
	patterns->coarse.flags = PATTERN_IS_COARSE;
	return wide;
}

/*
 * Return the rank of a new URL in the fair queue: the number of URLs in its
 * fine pattern. But all URLs of a coarse pattern together have only
 * COARSE_FACTOR shares; so have all URLs together that begin a new coarse
 * pattern, or would begin one if the wide pattern were not used.
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
		rule = frontier_state_rule(site, rules, &patterns, row->url);
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
			 (FRONTIER_IS_ON_DEMAND | FRONTIER_IS_RENDERED |
			  FRONTIER_IS_AUXILIARY),
		.url = url,
	};
	if (frontier_is_auxiliary(&row))
		frontier_store(txn, site, key, &row, FRONTIER_PENDING);
	else
		queue_up(txn, site, rules, &row, discovery->url);
	return (enum admission)row.rule;
}

/* Return the rule that would apply if the URL were new. */
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
		       ? frontier_state_rule(site, rules, patterns,
					     slice_of(url->text))
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

	if (frontier_is_excluded(site, row))
		return SKIP_EXCLUDED;
	if (frontier_is_auxiliary(row) ||
	    frontier_is_never_skipped((enum admission)row->rule, row->flags) ||
	    (!is_new && row->state != FRONTIER_SKIPPED))
		return (enum admission)row->rule;
	rule = frontier_state_rule(site, rules, patterns, row->url);
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
