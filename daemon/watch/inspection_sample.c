/*
 * Read the sample pages of a template: their old records and their current
 * state. inspection_observation.h interprets them.
 */
#include "daemon/watch/inspection_reading.h"

#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "cluster/signature.h"
#include "page/page_class.h"
#include "store/content.h"
#include "store/key.h"
#include "store/rows_frontier.h"
#include "store/rows_page.h"
#include "store/rows_template.h"

/*
 * Permille: a change of content without a new layout moves the paths of a page
 * by up to this much.
 */
enum { MAX_DRIFT = 200 };

/* Decode a record from the store. */
enum error facts_reader_record(const struct facts_reader *reading,
			       struct slice value, struct record *record_out)
{
	struct buffer bytes = {0};
	enum error error = content_record_open(reading->txn, reading->site,
					       value, &bytes, record_out);

	if (error == ERR_NONE)
		arena_adopt(reading->scratch, bytes.data, bytes.capacity);
	else
		buffer_free(&bytes);
	return error;
}

static enum error load_stored(const struct facts_reader *reading, uint64_t page,
			      struct record *record_out)
{
	struct key key = key_page(reading->site, page);

	return facts_reader_record(
		reading, txn_get(reading->txn, TABLE_RECORDS, key_slice(&key)),
		record_out);
}

static struct signature paths_of(const struct record *record)
{
	return (struct signature){record->signatures[MEASURE_CPC],
				  record->signature_counts[MEASURE_CPC]};
}

static void sample_page_follow(const struct facts_reader *reading,
			       struct slice target, struct sample_page *page)
{
	uint64_t key = page_key_of(target);
	struct frontier_row visit;
	struct page_row row;

	page->moved_to = (struct slice){
		arena_copy(reading->scratch, target.data, target.size),
		target.size};
	if (page_row_get(reading->txn, reading->site, key, &row)) {
		page->lead = REDIRECT_TARGET_PAGE;
		page->lead_cluster = row.cluster;
	} else if (frontier_row_get(reading->txn, reading->site, key, &visit) &&
		   (visit.state == FRONTIER_PENDING ||
		    visit.state == FRONTIER_LEASED)) {
		page->lead = REDIRECT_TARGET_QUEUED;
	}
}

/* Follow a stub page, which is a redirect in HTML. */
static enum error follow_stub(const struct facts_reader *reading,
			      struct sample_page *page)
{
	struct record record;
	enum error error = load_stored(reading, page->page, &record);

	page->lead = REDIRECT_TARGET_UNKNOWN;
	for (uint32_t i = 0; error == ERR_NONE && i < record.link_count; i++) {
		struct record_link link = record_link_at(&record, i);

		if ((link.flags & LINK_IS_REFRESH) != 0) {
			sample_page_follow(reading, link.url, page);
			break;
		}
	}
	return error;
}

static enum error sample_page_read(const struct facts_reader *reading,
				   const struct page_row *row,
				   struct sample_page *page)
{
	enum error error = ERR_NONE;

	page->after = page->before;
	if (row->content_hash != page->before.content_hash)
		error = load_stored(reading, page->page, &page->after);
	if (error == ERR_NONE)
		page->has_other_paths =
			!signature_linked(paths_of(&page->before),
					  paths_of(&page->after), MAX_DRIFT);
	return error;
}

static enum error read_stored(const struct facts_reader *reading,
			      const struct page_row *row,
			      struct sample_page *page)
{
	page->is_stored = true;
	page->page_class = row->page_class;
	page->cluster = row->cluster;
	page->fetched_ms = row->fetched_ms;
	if (row->redirect.size > 0) {
		page->lead = REDIRECT_TARGET_UNKNOWN;
		sample_page_follow(reading, row->redirect, page);
		return ERR_NONE;
	}
	if (row->page_class == CLASS_STUB)
		return follow_stub(reading, page);
	return row->page_class == CLASS_PAGE
		       ? sample_page_read(reading, row, page)
		       : ERR_NONE;
}

static enum error read_now(const struct facts_reader *reading,
			   struct sample_page *page)
{
	struct frontier_row visit;
	struct page_row row;

	if (frontier_row_get(reading->txn, reading->site, page->page, &visit)) {
		page->answered_ms = visit.answered_ms;
		page->is_refused = visit.state == FRONTIER_FAILED ||
				   visit.state == FRONTIER_DENIED;
	}
	return page_row_get(reading->txn, reading->site, page->page, &row)
		       ? read_stored(reading, &row, page)
		       : ERR_NONE;
}

static enum error sample_page_read_entry(const struct facts_reader *reading,
					 struct slice key, struct slice value,
					 struct sample_page *page)
{
	uint64_t now_ms = reading->source->now_ms;
	struct sample_page_row row;
	enum error error;

	*page = (struct sample_page){0};
	if (!sample_page_row_decode(value, &row))
		return ERR_CORRUPT;
	page->page = key_u64(key, 2 * sizeof(uint32_t));
	/* a clock that was ahead once stops nothing */
	page->since_ms = row.since_ms > now_ms ? 0 : row.since_ms;
	page->url = (struct slice){
		arena_copy(reading->scratch, row.url.data, row.url.size),
		row.url.size};
	error = facts_reader_record(reading, row.record, &page->before);
	return error == ERR_NONE ? read_now(reading, page) : error;
}

enum error facts_reader_read_sample(const struct facts_reader *reading,
				    uint32_t cluster,
				    struct template_facts *facts)
{
	struct key prefix = key_cluster(reading->site, cluster);
	struct scan scan = scan_begin(reading->txn, TABLE_SAMPLE_PAGES,
				      key_slice(&prefix));
	enum error error = ERR_NONE;

	while (error == ERR_NONE && facts->sample_count < MAX_TEMPLATE_SAMPLE &&
	       scan_next(&scan))
		error = sample_page_read_entry(
			reading, scan.key, scan.value,
			&facts->sample[facts->sample_count++]);
	scan_end(&scan);
	return error;
}

struct slice sample_record(struct arena *arena, const struct record *record)
{
	struct record bare = *record;
	struct buffer out = {0};
	struct slice copy;

	bare.link_count = 0;
	record_encode(&bare, NULL, &out);
	copy = (struct slice){arena_copy(arena, out.data, out.size), out.size};
	buffer_free(&out);
	return copy;
}
