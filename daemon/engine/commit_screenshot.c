#include "daemon/engine/commit_screenshot.h"

#include "base/buffer.h"
#include "daemon/engine/commit.h"
#include "store/key.h"

enum {
	/* a change that is older than the begin of an incident by more check
	   intervals, and a minute, does not belong to it */
	CHANGE_INTERVALS = 4,
	CHANGE_GRACE_MS = 60 * 1000,
};

/* Return whether the page is in the sample of the template. */
static bool is_sample_page(struct txn *txn, uint32_t site, uint32_t cluster,
			   uint64_t page)
{
	return txn_get(txn, TABLE_SAMPLE_PAGES,
		       KEY(key_member(site, cluster, page)))
		       .data != NULL;
}

bool screenshot_is_kept(struct txn *txn, uint32_t site, uint32_t cluster,
			uint64_t page)
{
	struct scan scan = scan_site(txn, TABLE_SCREENSHOTS, site);
	unsigned others = 0;  /* other pages of the template with one */
	unsigned samples = 0; /* others in its sample */
	unsigned total = 0;   /* other pages of the site with one */
	bool has_own = false;
	struct page_row row;

	while (scan_next(&scan)) {
		const uint64_t other = key_u64(scan.key, sizeof(site));
		const bool is_same = page_row_get(txn, site, other, &row) &&
				     row.cluster == cluster;

		if (other == page) {
			has_own = true;
			continue;
		}
		total++;
		others += is_same;
		samples += is_same && is_sample_page(txn, site, cluster, other);
	}
	scan_end(&scan);
	if (cluster == 0 || (!has_own && total >= MAX_SITE_SCREENSHOTS))
		return false;
	return others < MAX_TEMPLATE_SCREENSHOTS ||
	       (samples < MAX_TEMPLATE_SCREENSHOTS &&
		is_sample_page(txn, site, cluster, page));
}

/* Make the picture of the row the one of before a change. */
static void keep_before(struct screenshot_row *row, uint64_t now_ms)
{
	row->before = row->picture;
	row->before_ms = row->taken_ms;
	row->changed_ms = now_ms;
	row->picture = slice_of("");
	row->taken_ms = 0;
}

void commit_screenshot(struct commit *batch, const struct site *site,
		       const struct page_shot *shot)
{
	struct txn *txn = batch->txn;
	struct screenshot_row row = {.before = slice_of("")};
	const bool has_row =
		screenshot_row_get(txn, site->row.id, shot->page, &row);

	if (!has_row && shot->picture.size == 0)
		return;
	if (!shot->is_rendered ||
	    !screenshot_is_kept(txn, site->row.id, shot->cluster, shot->page)) {
		if (has_row)
			txn_delete(txn, TABLE_SCREENSHOTS,
				   KEY(key_page(site->row.id, shot->page)));
		return;
	}
	if (has_row && shot->is_restructured && row.picture.size > 0)
		keep_before(&row, batch->now_ms);
	if (shot->picture.size > 0) {
		row.picture = shot->picture;
		row.taken_ms = batch->now_ms;
	}
	screenshot_row_put(txn, site->row.id, shot->page, &row);
}

/* Return when the earliest change that belongs to the incident can be. */
static uint64_t incident_since_ms(const struct site *site,
				  const struct incident_row *row)
{
	const uint64_t grace_ms =
		CHANGE_INTERVALS * site->row.options.watch_ms + CHANGE_GRACE_MS;

	if (row->changed_ms != 0)
		return row->changed_ms;
	return row->begin_ms > grace_ms ? row->begin_ms - grace_ms : 0;
}

/* Find a page with the screenshots of the incident, and copy its row. */
static bool find_change(struct txn *txn, const struct site *site,
			const struct incident *incident,
			struct incident_screenshots_row *row_out)
{
	const uint64_t since_ms = incident_since_ms(site, &incident->row);
	const uint32_t wanted = incident_only_cluster(incident);
	struct scan scan = scan_site(txn, TABLE_SCREENSHOTS, site->row.id);
	bool is_found = false;
	bool is_wanted = false;
	struct screenshot_row row;
	struct page_row page;

	while (!is_wanted && scan_next(&scan)) {
		const uint64_t key = key_u64(scan.key, sizeof(uint32_t));

		if (!screenshot_row_decode(scan.value, &row) ||
		    row.picture.size == 0 || row.before.size == 0 ||
		    row.changed_ms < since_ms ||
		    !page_row_get(txn, site->row.id, key, &page))
			continue;
		is_wanted = page.cluster == wanted ||
			    is_sample_page(txn, site->row.id, wanted, key);
		if (is_found && !is_wanted)
			continue;
		is_found = true;
		*row_out = (struct incident_screenshots_row){
			.before_ms = row.before_ms,
			.after_ms = row.taken_ms,
			.url = page.url,
			.before = row.before,
			.after = row.picture,
		};
	}
	scan_end(&scan);
	return is_found;
}

void commit_incident_screenshots(struct commit *batch, const struct site *site,
				 const struct incident *incident)
{
	struct incident_screenshots_row row;
	const struct finding_kind *kind = finding_kind_of(incident->row.kind);

	if (kind == NULL || kind->class != FINDING_OF_CHANGE ||
	    incident_screenshots_row_get(batch->txn, site->row.id,
					 incident->number, &row))
		return;
	if (find_change(batch->txn, site, incident, &row))
		incident_screenshots_row_put(batch->txn, site->row.id,
					     incident->number, &row);
}

bool screenshot_find(struct txn *txn, uint32_t site, uint32_t cluster,
		     struct screenshot_row *row_out, struct slice *url_out)
{
	struct scan scan = scan_site(txn, TABLE_SCREENSHOTS, site);
	struct screenshot_row row;
	struct page_row page;

	*row_out = (struct screenshot_row){0};
	*url_out = slice_of("");
	while (scan_next(&scan)) {
		if (!screenshot_row_decode(scan.value, &row) ||
		    row.taken_ms <= row_out->taken_ms ||
		    !page_row_get(txn, site, key_u64(scan.key, sizeof(site)),
				  &page) ||
		    page.cluster != cluster)
			continue;
		*row_out = row;
		*url_out = page.url;
	}
	scan_end(&scan);
	return row_out->taken_ms != 0;
}
