#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "daemon/watch/collect.h"
#include "daemon/watch/health.h"
#include "store/content.h"
#include "store/key.h"
#include "store/txn.h"

/* The facts while they are being read. */
struct health_reader {
	struct txn *txn;
	uint32_t site;
	uint64_t now_ms;
	struct arena *arena;
	struct health_facts *facts;
	size_t records; /* number of waiting pages whose records were read */
	enum error error;
};

static struct health_page *add_page(struct health_reader *reader, uint64_t key,
				    uint32_t cluster)
{
	struct health_facts *facts = reader->facts;
	struct health_page *page;

	if (facts->count == HEALTH_MAX_PAGES)
		return NULL;
	page = &facts->pages[facts->count++];
	*page = (struct health_page){.page = key, .cluster = cluster};
	return page;
}

/* Copy the slices of the row, except those of a document. */
static void copy_waiting(const struct health_reader *reader,
			 const struct waiting_row *row,
			 struct health_page *page)
{
	page->has_waiting = true;
	page->waiting = *row;
	page->waiting.url = arena_slice(reader->arena, row->url);
	page->waiting.target = arena_slice(reader->arena, row->target);
	page->waiting.charset = slice_of("");
	page->waiting.record = slice_of("");
	page->waiting.guarded = slice_of("");
	page->waiting.packed = slice_of("");
}

/* Read the record of the stored page, and that of the waiting visit. */
static void read_records(struct health_reader *reader,
			 const struct waiting_row *row,
			 struct health_page *page)
{
	struct buffer before = {0};
	struct buffer after = {0};

	if (row->kind != WAITING_PAGE || reader->records == HEALTH_MAX_RECORDS)
		return;
	buffer_append_slice(&after, row->record);
	page->has_records =
		content_record(reader->txn, reader->site, page->page, &before,
			       &page->before) == ERR_NONE &&
		record_open(buffer_slice(&after), &page->after) == ERR_NONE;
	arena_adopt(reader->arena, before.data, before.capacity);
	arena_adopt(reader->arena, after.data, after.capacity);
	reader->records++;
}

/* Read the waiting visit of the page, if there is one. */
static void read_waiting(struct health_reader *reader,
			 const struct waiting_row *row,
			 struct health_page *page)
{
	copy_waiting(reader, row, page);
	read_records(reader, row, page);
}

/* Read when the page was visited, and what waits. */
static void read_visit(struct health_reader *reader, struct health_page *page)
{
	uint64_t asked_ms = reader->facts->row.asked_ms;
	struct frontier_row visit;
	struct waiting_row row;

	if (frontier_row_get(reader->txn, reader->site, page->page, &visit)) {
		page->is_visited = visit.state == FRONTIER_DONE ||
				   visit.state == FRONTIER_FAILED ||
				   visit.state == FRONTIER_LEASED;
		page->is_answered = visit.answered_ms >= asked_ms;
		page->is_due =
			visit.state == FRONTIER_LEASED ||
			(visit.due_ms != 0 && visit.due_ms <= reader->now_ms);
	}
	if (waiting_row_get(reader->txn, reader->site, page->page, &row))
		read_waiting(reader, &row, page);
}

static void read_sample_page(struct health_reader *reader, uint32_t cluster,
			     uint64_t key)
{
	struct health_page *page = add_page(reader, key, cluster);

	if (page == NULL)
		return;
	read_visit(reader, page);
	page->is_sample = page->is_visited;
}

static void read_samples(struct health_reader *reader,
			 const struct template_view *subject)
{
	struct scan scan = scan_cluster(reader->txn, TABLE_SAMPLE_PAGES,
					reader->site, subject->cluster);

	while (scan_next(&scan))
		read_sample_page(reader, subject->cluster,
				 key_u64(scan.key, 2 * sizeof(uint32_t)));
	scan_end(&scan);
}

static int order_page(const void *left, const void *right)
{
	const struct health_page *a = left;
	const struct health_page *b = right;

	if (a->cluster != b->cluster)
		return a->cluster < b->cluster ? -1 : 1;
	return (a->page > b->page) - (a->page < b->page);
}

static bool is_read(const struct health_facts *facts, size_t sorted,
		    uint32_t cluster, uint64_t page)
{
	const struct health_page key = {.page = page, .cluster = cluster};

	return sorted > 0 && bsearch(&key, facts->pages, sorted, sizeof(key),
				     order_page) != NULL;
}

/* Read the waiting pages that are in no sample. */
static void read_others(struct health_reader *reader)
{
	struct scan scan = scan_site(reader->txn, TABLE_WAITING, reader->site);
	size_t sorted = reader->facts->count;
	struct waiting_row row;

	while (scan_next(&scan)) {
		uint64_t key = key_u64(scan.key, sizeof(uint32_t));
		struct health_page *page;
		struct page_row stored;

		if (!waiting_row_decode(scan.value, &row) ||
		    !page_row_get(reader->txn, reader->site, key, &stored) ||
		    is_read(reader->facts, sorted, stored.cluster, key))
			continue;
		page = add_page(reader, key, stored.cluster);
		if (page != NULL)
			read_visit(reader, page);
	}
	scan_end(&scan);
}

static void read_pages(struct health_reader *reader,
		       const struct site_facts *site)
{
	struct health_facts *facts = reader->facts;

	facts->pages =
		ARENA_NEW(reader->arena, struct health_page, HEALTH_MAX_PAGES);
	for (size_t i = 0; i < site->subject_count; i++)
		if (site->subjects[i].has_row &&
		    site->subjects[i].row.state == TEMPLATE_LIVE)
			read_samples(reader, &site->subjects[i]);
	qsort(facts->pages, facts->count, sizeof(*facts->pages), order_page);
	read_others(reader);
	qsort(facts->pages, facts->count, sizeof(*facts->pages), order_page);
}

enum error health_facts_read(struct store *store, const struct site_facts *site,
			     uint64_t now_ms, struct arena *arena,
			     struct health_facts *facts_out)
{
	struct txn txn = txn_begin_read(store);
	struct health_reader reader = {
		.txn = &txn,
		.site = site->row.id,
		.now_ms = now_ms,
		.arena = arena,
		.facts = facts_out,
	};
	struct health_row *row = &facts_out->row;

	*facts_out = (struct health_facts){0};
	health_row_get(&txn, site->row.id, row);
	row->reason = arena_slice(arena, row->reason);
	if (row->asked_ms > now_ms) /* the clock was set back */
		row->asked_ms = now_ms;
	if (row->closed_ms > now_ms)
		row->closed_ms = now_ms;
	if (row->waiting_count > 0 || row->state != SITE_STATE_OK ||
	    row->asked_ms != 0)
		read_pages(&reader, site);
	return txn_end(&txn);
}
