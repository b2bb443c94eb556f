#include "daemon/engine/commit.h"

#include "base/error.h"
#include "cluster/signature.h"
#include "page/page_class.h"
#include "store/content.h"
#include "store/key.h"
#include "store/rows.h"

/*
 * Visits that contradict the store wait in TABLE_WAITING for a decision of the
 * watcher (daemon/watch/health.h). Their number and size are limited; a visit
 * over the limit is lost, and the page is visited again.
 */

enum {
	MAX_WAITING = 512,
	MAX_WAITING_BYTES = 32 << 20,
	/* the same for sample pages, by which the site is judged */
	MAX_WAITING_SAMPLES = 2 * MAX_WAITING,
	MAX_SAMPLE_BYTES = 2 * MAX_WAITING_BYTES,
	/*
	 * A page differs from the stored page if more than this ratio of its
	 * shingles are gone, in permille. When only content had changed, none
	 * of 732 pages lost more than 250 (template/change_detector.c).
	 */
	MAX_LOST = 250,
	/*
	 * A sample page also differs if it has lost and gained at least this
	 * number of shingles: a part of it was replaced.
	 */
	MIN_REPLACED = 3,
	/* sample pages that a differing page is compared with */
	MAX_READ = 2,
	MIN_PAUSE_MS = 60 * 1000, /* shorter pauses delay only some visits */
};

bool commit_site_waits(const struct site *site)
{
	const struct site_options *options = &site->row.options;

	return (options->flags & SITE_IS_KNOWN) != 0 &&
	       (options->flags & (SITE_IS_SAMPLE | SITE_IS_OFFLINE)) == 0 &&
	       options->watch_ms != 0;
}

bool commit_site_is_down(struct commit *batch, const struct site *site)
{
	struct health_row health;

	return commit_site_waits(site) &&
	       health_row_get(batch->txn, site->row.id, &health) &&
	       health.state != SITE_STATE_OK &&
	       health.state != SITE_STATE_ALTERNATING;
}

static bool is_sample_page(struct commit *batch, const struct site *site,
			   uint32_t cluster, uint64_t page)
{
	return txn_get(batch->txn, TABLE_SAMPLE_PAGES,
		       KEY(key_member(site->row.id, cluster, page)))
		       .data != NULL;
}

/* Return whether the page has changed since the other one was stored. */
static bool is_changed_page(struct commit *batch, const struct site *site,
			    const struct page_pair *pair, uint64_t page)
{
	struct page_row row;

	return page_row_get(batch->txn, site->row.id, page, &row) &&
	       row.redirect.size == 0 && row.page_class == CLASS_PAGE &&
	       row.changed_ms > pair->fetched_ms;
}

static bool is_like_page(struct commit *batch, const struct site *site,
			 const struct page_pair *pair, uint64_t page)
{
	struct buffer bytes = {0};
	struct record record;
	bool is_like =
		content_record(batch->txn, site->row.id, page, &bytes,
			       &record) == ERR_NONE &&
		signature_linked(commit_signature(site, &record),
				 commit_signature(site, pair->after), MAX_LOST);

	buffer_free(&bytes);
	return is_like;
}

/*
 * Return whether the page of the pair is now like a sample page of its template
 * that has changed since the page was stored: the change was accepted for the
 * sample already. At most MAX_READ records are read.
 */
static bool is_like_changed_sample(struct commit *batch,
				   const struct site *site,
				   const struct page_pair *pair)
{
	struct scan scan = scan_cluster(batch->txn, TABLE_SAMPLE_PAGES,
					site->row.id, pair->cluster);
	bool is_like = false;
	unsigned count = 0;

	while (!is_like && count < MAX_READ && scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, 2 * sizeof(uint32_t));

		if (!is_changed_page(batch, site, pair, page))
			continue;
		is_like = is_like_page(batch, site, pair, page);
		count++;
	}
	scan_end(&scan);
	return is_like;
}

bool commit_page_differs(struct commit *batch, const struct site *site,
			 const struct page_pair *pair)
{
	struct signature before = commit_signature(site, pair->before);
	struct signature after = commit_signature(site, pair->after);
	size_t common = signature_common(before, after);
	size_t lost = before.count - common;
	bool is_sample = is_sample_page(batch, site, pair->cluster, pair->page);

	if (lost * 1000 > before.count * MAX_LOST)
		return is_sample || !is_like_changed_sample(batch, site, pair);
	return is_sample && lost >= MIN_REPLACED &&
	       after.count - common >= MIN_REPLACED;
}

/* Return whether the site has too many waiting visits, or too large ones. */
static bool is_over_limit(struct commit *batch, const struct site *site,
			  uint64_t page, uint32_t count, uint64_t bytes)
{
	struct page_row stored;

	if (count <= MAX_WAITING && bytes <= MAX_WAITING_BYTES)
		return false;
	return count > MAX_WAITING_SAMPLES || bytes > MAX_SAMPLE_BYTES ||
	       !page_row_get(batch->txn, site->row.id, page, &stored) ||
	       !is_sample_page(batch, site, stored.cluster, page);
}

/*
 * Write the row of the page, or delete it if `row` is NULL, and update the
 * counts of the site. Return false if a limit forbids it; then the old row
 * stays.
 */
static bool put_waiting(struct commit *batch, struct site *site, uint64_t page,
			const struct waiting_row *row)
{
	uint32_t id = site->row.id;
	struct key key = key_page(id, page);
	struct waiting_row before;
	struct health_row health;
	bool is_row = waiting_row_get(batch->txn, id, page, &before);
	uint64_t bytes;
	uint32_t count;

	health_row_get(batch->txn, id, &health);
	bytes = health.waiting_bytes -
		(is_row ? waiting_row_bytes(&before) : 0) +
		(row == NULL ? 0 : waiting_row_bytes(row));
	count = health.waiting_count - is_row + (row != NULL);
	if (row != NULL && is_over_limit(batch, site, page, count, bytes))
		return false;
	if (row != NULL)
		waiting_row_put(batch->txn, id, page, row);
	else
		txn_delete(batch->txn, TABLE_WAITING, key_slice(&key));
	health_row_get(batch->txn, id, &health);
	health.waiting_bytes = bytes;
	health.waiting_count = count;
	health_row_put(batch->txn, id, &health);
	site->is_changed = true;
	return true;
}

void commit_note_pause(struct commit *batch, struct site *site,
		       uint64_t until_ms)
{
	uint32_t id = site->row.id;
	struct health_row health;

	if (until_ms <= batch->now_ms + MIN_PAUSE_MS ||
	    !commit_site_waits(site))
		return;
	health_row_get(batch->txn, id, &health);
	if (until_ms <= health.pause_ms)
		return;
	health.pause_ms = until_ms;
	health_row_put(batch->txn, id, &health);
	site->is_changed = true;
}

/*
 * Return whether the open check of the site has got the page. Then a server
 * that refuses a part of the requests does not make this result undone.
 */
static bool is_seen_by_check(struct commit *batch, const struct site *site,
			     const struct waiting_row *before)
{
	struct health_row health;

	return before->kind == WAITING_PAGE &&
	       health_row_get(batch->txn, site->row.id, &health) &&
	       health.asked_ms != 0 && before->time_ms >= health.asked_ms &&
	       !commit_site_is_down(batch, site);
}

bool commit_wait(struct commit *batch, struct site *site,
		 const struct waiting_row *visit)
{
	uint64_t page = page_key_of(visit->url);
	struct waiting_row row = *visit;
	struct waiting_row before;

	row.first_ms = batch->now_ms;
	row.time_ms = batch->now_ms;
	row.looks = 1;
	if (waiting_row_get(batch->txn, site->row.id, page, &before)) {
		row.flips = before.flips;
		row.flip_ms = before.flip_ms;
		row.turns = before.turns + (before.kind != row.kind);
		if (before.kind == row.kind) {
			row.first_ms = before.first_ms;
			row.looks += before.looks;
		}
		if (row.kind == WAITING_REFUSED &&
		    is_seen_by_check(batch, site, &before))
			return true;
	}
	return put_waiting(batch, site, page, &row);
}

void commit_wait_end(struct commit *batch, struct site *site, uint64_t page)
{
	struct waiting_row row;

	if (!waiting_row_get(batch->txn, site->row.id, page, &row))
		return;
	if (row.kind == WAITING_REFUSED && row.page_class == CLASS_PAGE &&
	    row.flips == 0) {
		/* a failure of the server is no other page */
		put_waiting(batch, site, page, NULL);
		return;
	}
	put_waiting(batch, site, page,
		    &(struct waiting_row){
			    .first_ms = row.first_ms,
			    .time_ms = batch->now_ms,
			    .flip_ms = row.kind == WAITING_FLIPPED
					       ? row.flip_ms
					       : batch->now_ms,
			    .flips = row.flips + (row.kind != WAITING_FLIPPED),
			    .kind = WAITING_FLIPPED,
			    .url = row.url,
		    });
}

void commit_wait_drop(struct commit *batch, struct site *site, uint64_t page)
{
	struct waiting_row row;

	if (waiting_row_get(batch->txn, site->row.id, page, &row))
		put_waiting(batch, site, page, NULL);
}

bool commit_wait_is(struct commit *batch, const struct site *site,
		    const struct judged_visit *visit)
{
	struct waiting_row row;

	return waiting_row_get(batch->txn, site->row.id, visit->page, &row) &&
	       row.time_ms == visit->time_ms;
}
