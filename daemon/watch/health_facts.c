#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "daemon/engine/site_status.h"
#include "daemon/watch/collect.h"
#include "daemon/watch/health.h"
#include "store/content.h"
#include "store/key.h"
#include "store/txn.h"

enum {
	/* maximum size of all records that are read, except the last one */
	MAX_RECORD_BYTES = 64 << 20,
	/* a later end of a pause was written before the clock was set back */
	MAX_PAUSE_MS = 25 * 60 * 60 * 1000,
};

/* The facts while they are being read. */
struct health_reader {
	struct txn *txn;
	uint32_t site;
	uint64_t now_ms;
	struct arena *arena;
	struct health_facts *facts;
	size_t capacity; /* of the pages */
	size_t records;  /* number of waiting pages whose records were read */
	size_t record_bytes; /* size of these records */
	enum error error;
};

static struct health_page *add_page(struct health_reader *reader, uint64_t key,
				    uint32_t cluster)
{
	struct health_facts *facts = reader->facts;
	struct health_page *page;

	if (facts->count == reader->capacity)
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
	/* if the clock was set back, it waits since the last check */
	page->stored_ms = row->time_ms;
	if (row->time_ms > reader->now_ms)
		page->waiting.time_ms = reader->facts->row.closed_ms;
	if (page->waiting.first_ms > page->waiting.time_ms)
		page->waiting.first_ms = page->waiting.time_ms;
	if (row->time_ms > reader->now_ms)
		page->waiting.retry_ms = 0;
	if (row->flip_ms > reader->now_ms)
		page->waiting.flip_ms = reader->facts->row.closed_ms;
}

/* Read the record of the stored page, and that of the waiting visit. */
static void read_records(struct health_reader *reader,
			 const struct waiting_row *row,
			 struct health_page *page)
{
	struct buffer before = {0};
	struct buffer after = {0};

	if (row->kind != WAITING_PAGE ||
	    reader->records == HEALTH_MAX_RECORDS ||
	    reader->record_bytes > MAX_RECORD_BYTES)
		return;
	buffer_append_slice(&after, row->record);
	page->has_records =
		content_record(reader->txn, reader->site, page->page, &before,
			       &page->before) == ERR_NONE &&
		record_open(buffer_slice(&after), &page->after) == ERR_NONE;
	arena_adopt(reader->arena, before.data, before.capacity);
	arena_adopt(reader->arena, after.data, after.capacity);
	reader->records++;
	reader->record_bytes += before.capacity + after.capacity;
}

/* Read when the page was visited. */
static void read_visit(const struct health_reader *reader,
		       struct health_page *page)
{
	const struct health_row *health = &reader->facts->row;
	uint64_t since_ms = health->asked_ms != 0 ? health->asked_ms
						  : health->closed_ms + 1;
	struct frontier_row visit;

	if (!frontier_row_get(reader->txn, reader->site, page->page, &visit))
		return;
	page->is_visited = visit.state == FRONTIER_DONE ||
			   visit.state == FRONTIER_FAILED ||
			   visit.state == FRONTIER_LEASED;
	page->is_answered = visit.answered_ms >= since_ms;
	page->is_due = visit.state == FRONTIER_LEASED ||
		       (visit.due_ms != 0 && visit.due_ms <= reader->now_ms);
	page->has_failed = visit.error != ERR_NONE;
	page->answered_ms = visit.answered_ms;
}

/*
 * Read the waiting pages, ascending by page. Their number is limited, so there
 * is room for all.
 */
static void read_waiting_pages(struct health_reader *reader)
{
	struct scan scan = scan_site(reader->txn, TABLE_WAITING, reader->site);
	struct waiting_row row;

	while (scan_next(&scan)) {
		uint64_t key = key_u64(scan.key, sizeof(uint32_t));
		struct page_row stored = {0};
		struct health_page *page;

		if (!waiting_row_decode(scan.value, &row) ||
		    !page_row_get(reader->txn, reader->site, key, &stored))
			continue;
		page = add_page(reader, key, stored.cluster);
		if (page == NULL)
			break;
		read_visit(reader, page);
		copy_waiting(reader, &row, page);
		read_records(reader, &row, page);
	}
	scan_end(&scan);
}

/* Return the waiting page with this key; NULL if no visit of it waits. */
static struct health_page *find_waiting(const struct health_facts *facts,
					size_t waiting, uint64_t page)
{
	size_t at;

	LOWER_BOUND(at, waiting, facts->pages[at].page < page);
	return at < waiting && facts->pages[at].page == page ? &facts->pages[at]
							     : NULL;
}

/*
 * Read the sample pages of a template. A page that waits belongs to the
 * template that has it in its sample, even if it is in another cluster now.
 */
static void read_sample(struct health_reader *reader, uint32_t cluster,
			size_t waiting)
{
	struct scan scan = scan_cluster(reader->txn, TABLE_SAMPLE_PAGES,
					reader->site, cluster);

	while (scan_next(&scan)) {
		uint64_t key = key_u64(scan.key, 2 * sizeof(uint32_t));
		struct health_page *page =
			find_waiting(reader->facts, waiting, key);

		reader->facts->has_samples = true;
		if (page != NULL && page->is_sample)
			continue;
		if (page == NULL) {
			page = add_page(reader, key, cluster);
			if (page == NULL)
				break;
			read_visit(reader, page);
		}
		page->cluster = cluster;
		page->is_sample = page->is_visited;
	}
	scan_end(&scan);
}

/* Read the seed, which may be a sample page, or wait. */
static void read_seed_page(struct health_reader *reader,
			   const struct site_facts *site)
{
	struct health_facts *facts = reader->facts;
	uint64_t key = page_key_of(site->row.seed);
	struct page_row row;
	size_t at = 0;

	while (at < facts->count && facts->pages[at].page != key)
		at++;
	if (at == facts->count) {
		struct health_page *page;

		if (!page_row_get(reader->txn, reader->site, key, &row))
			return;
		page = add_page(reader, key, row.cluster);
		if (page == NULL)
			return;
		read_visit(reader, page);
	}
	facts->pages[at].is_seed = true;
}

static int order_page(const void *left, const void *right)
{
	const struct health_page *a = left;
	const struct health_page *b = right;

	if (a->cluster != b->cluster)
		return a->cluster < b->cluster ? -1 : 1;
	return (a->page > b->page) - (a->page < b->page);
}

static bool has_waiting_page(const struct health_facts *facts, size_t waiting,
			     uint32_t cluster)
{
	for (size_t i = 0; i < waiting; i++)
		if (facts->pages[i].cluster == cluster)
			return true;
	return false;
}

/*
 * Read the waiting pages; then the samples of the templates that have waiting
 * pages, and of as many others as there is room for.
 */
static void read_pages(struct health_reader *reader,
		       const struct site_facts *site)
{
	struct health_facts *facts = reader->facts;
	bool *is_first = ARENA_NEW(reader->arena, bool, site->subject_count);
	size_t waiting;

	reader->capacity = facts->row.waiting_count +
			   site->subject_count * MAX_TEMPLATE_SAMPLE + 1;
	if (reader->capacity > HEALTH_MAX_PAGES)
		reader->capacity = HEALTH_MAX_PAGES;
	facts->pages =
		ARENA_NEW(reader->arena, struct health_page, reader->capacity);
	read_waiting_pages(reader);
	waiting = facts->count;
	for (size_t i = 0; i < site->subject_count; i++)
		is_first[i] = has_waiting_page(facts, waiting,
					       site->subjects[i].cluster);
	for (int turn = 0; turn < 2; turn++)
		for (size_t i = 0; i < site->subject_count; i++)
			if (is_first[i] == (turn == 0) &&
			    site->subjects[i].has_row &&
			    site->subjects[i].row.state == TEMPLATE_LIVE)
				read_sample(reader, site->subjects[i].cluster,
					    waiting);
	read_seed_page(reader, site);
	qsort(facts->pages, facts->count, sizeof(*facts->pages), order_page);
}

/* Read why the seed cannot be fetched. */
static void read_seed(struct health_reader *reader,
		      const struct site_facts *site)
{
	struct site_status status;

	site_status_read(reader->txn, &site->row, &status);
	if (status.kind == SITE_UNREACHABLE)
		reader->facts->seed_reason =
			arena_slice(reader->arena, slice_of(status.reason));
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
	facts_out->has_pages = site->row.page_count > 0;
	if (!facts_out->has_pages)
		read_seed(&reader, site);
	if (row->asked_ms > now_ms) /* the clock was set back */
		row->asked_ms = 0;
	if (row->closed_ms > now_ms)
		row->closed_ms = 0;
	if (row->since_ms > now_ms)
		row->since_ms = now_ms;
	if (row->retry_ms > now_ms + MAX_PAUSE_MS)
		row->retry_ms = 0;
	if (row->pause_ms > now_ms + MAX_PAUSE_MS)
		row->pause_ms = 0;
	if (row->waiting_count > 0 || row->state != SITE_STATE_OK ||
	    row->asked_ms != 0 || row->pause_ms > now_ms)
		read_pages(&reader, site);
	return txn_end(&txn);
}
