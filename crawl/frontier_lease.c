/* Leases rows, and takes them back without an outcome. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "crawl/frontier_row.h"
#include "crawl/revisit.h"
#include "store/key.h"

enum {
	MAX_FORWARDED = 1024, /* maximum number of skipped rows per call */
	CHUNK = 256,          /* rows that are read together */
	DUE_OFFSET = 4,       /* offset of the time in a key of TABLE_DUE */
	URL_OFFSET = 12,      /* offset of the URL in that key */
	ROW_URL_OFFSET = 4,
	LATEST_MS = 24 * 60 * 60 * 1000, /* maximum distance of a retry */
};

/* Return the keys of up to `max` due rows, the longest due first. */
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

/* Return whether a rule forbids the first visit of the row. */
static bool is_skipped(const struct site_row *site,
		       const struct frontier_rules *rules,
		       const struct frontier_patterns *patterns,
		       struct frontier_row *row)
{
	enum admission rule = frontier_state_rule(site, rules, patterns);

	if (row->state != FRONTIER_PENDING || admission_is_in(rule) ||
	    frontier_is_never_skipped((enum admission)row->rule, row->flags))
		return false;
	row->rule = (uint16_t)rule;
	row->due_ms = 0;
	return true;
}

/* Count the first visit; return true if a rule skips it instead. */
static bool begin_visits(struct txn *txn, struct site_row *site,
			 const struct frontier_rules *rules,
			 struct frontier_row *row,
			 struct frontier_patterns *patterns)
{
	patterns_load(txn, site->id, row->pattern, row->coarse, patterns);
	if (is_skipped(site, rules, patterns, row))
		return true;
	row->flags |= FRONTIER_IS_ATTEMPTED;
	site->tried_count++;
	patterns->fine.tried++;
	patterns->coarse.tried++;
	return false;
}

/* Return whether a budget of the site is spent; sitemaps count, too. */
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

/* The arguments of a call of frontier_lease(). */
struct leasing {
	struct txn *txn;
	struct site_row *site;
	const struct frontier_rules *rules;
	const struct lease_request *order;
};

/* Lease a row; return false if it was skipped, or is damaged. */
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
			 ERR_CORRUPT); /* an entry of TABLE_DUE without a row */
		return false;
	}
	is_first = (row.flags & FRONTIER_IS_ATTEMPTED) == 0 &&
		   !frontier_is_auxiliary(&row);
	if (is_spent(site, &row) ||
	    (is_first &&
	     begin_visits(txn, site, leasing->rules, &row, &patterns))) {
		frontier_store(txn, site, key, &row, FRONTIER_SKIPPED);
		return false;
	}
	assert(row.url.size <= MAX_URL_BYTES);
	fill_lease(lease_out, key, &row);
	row.due_ms = frontier_due(leasing->order->until_ms);
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
		/* after skipped rows read larger chunks */
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

/* A row that becomes pending again, and its pattern. */
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

/* Return all rows of the site in `state`; the caller frees them. */
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
	size_t count;
	struct skipped_entry *entries =
		find_all(txn, site->id, FRONTIER_LEASED, &count);
	struct frontier_row row;

	for (size_t i = 0;
	     i < count && frontier_load(txn, site->id, entries[i].key, &row);
	     i++) {
		row.due_ms = frontier_due_again(&row, now_ms);
		frontier_store(txn, site, entries[i].key, &row,
			       FRONTIER_PENDING);
	}
	free(entries);
}

/*
 * Return the keys of the site's rows that are due after `after_ms`; the caller
 * frees them.
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

/* Set an earlier time for a row that is due too late and not leased. */
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
	size_t count;
	struct skipped_entry *entries =
		find_all(txn, site->id, FRONTIER_SKIPPED, &count);
	struct frontier_row row;
	uint64_t rank = 0;

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
