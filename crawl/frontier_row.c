#include "crawl/frontier_row.h"

#include <string.h>

enum { PRESET_MAX_PATTERN = 500 };

uint64_t frontier_due(uint64_t time_ms)
{
	return time_ms == 0 ? 1 : time_ms;
}

uint64_t frontier_due_again(const struct frontier_row *row, uint64_t now_ms)
{
	if ((row->flags & FRONTIER_IS_ON_DEMAND) != 0)
		return DUE_ON_DEMAND;
	if (row->fetched_ms == 0 && row->attempts == 0)
		return DUE_FIRST;
	return frontier_due(now_ms);
}

bool frontier_is_auxiliary(const struct frontier_row *row)
{
	return (row->flags & FRONTIER_IS_AUXILIARY) != 0;
}

bool frontier_is_never_skipped(enum admission rule, uint32_t flags)
{
	return rule == ADMIT_SEED || rule == ADMIT_ON_DEMAND ||
	       (flags & FRONTIER_IS_ON_DEMAND) != 0;
}

bool frontier_load(struct txn *txn, uint32_t site, uint64_t key,
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

/* Return the counter of the site for a row in `state`, or `none`. */
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
		return none; /* a new row */
	}
}

void frontier_store(struct txn *txn, struct site_row *site, uint64_t key,
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

void patterns_load(struct txn *txn, uint32_t site, uint64_t fine,
		   uint64_t coarse, struct frontier_patterns *out)
{
	out->fine_key = fine;
	out->coarse_key = coarse;
	load_one(txn, site, fine, &out->fine, out->fine_text);
	load_one(txn, site, coarse, &out->coarse, out->coarse_text);
}

void patterns_store(struct txn *txn, uint32_t site,
		    const struct frontier_patterns *patterns)
{
	pattern_row_put(txn, site, patterns->fine_key, &patterns->fine);
	pattern_row_put(txn, site, patterns->coarse_key, &patterns->coarse);
}

enum admission frontier_state_rule(const struct site_row *site,
				   const struct frontier_rules *rules,
				   const struct frontier_patterns *patterns)
{
	uint32_t max_pattern = rules->max_pattern == 0 ? PRESET_MAX_PATTERN
						       : rules->max_pattern;

	return admission_of_state(site, &patterns->fine, &patterns->coarse,
				  max_pattern);
}
