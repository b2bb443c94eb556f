/* The pages of a sample: what they were, and what they are. */
#include "daemon/watch/inspection_parts.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/signature.h"
#include "page/page_class.h"
#include "store/key.h"
#include "store/rows_page.h"

/* Permille: content alone moves the paths of a page by so much. */
enum { MAX_DRIFT = 200 };

/* A page of a sample while it is read. */
struct reading {
	struct inspector *inspector;
	struct txn *txn;
	uint64_t window_ms;
	struct frontier_row visit; /* zero: it is never visited by itself */
	struct sample_page *page;
};

/* A record out of the store. */
static enum error load_record(struct inspector *inspector, struct slice value,
			      struct record *record_out)
{
	char *copy = arena_alloc(inspector->scratch, value.size + 1, 1);

	if (value.size > 0)
		memcpy(copy, value.data, value.size);
	return record_open((struct slice){copy, value.size}, record_out);
}

static struct signature paths_of(const struct record *record)
{
	return (struct signature){record->signatures[MEASURE_CPC],
				  record->signature_counts[MEASURE_CPC]};
}

/* Has its last visit ended since the window began? */
static bool is_answered(const struct reading *reading)
{
	return reading->visit.answered_ms != 0 &&
	       reading->visit.answered_ms >= reading->window_ms;
}

/* Was that visit in vain, so that nothing is known? */
static bool is_given_up(const struct reading *reading)
{
	return is_answered(reading) &&
	       (reading->visit.state == FRONTIER_FAILED ||
		reading->visit.state == FRONTIER_DENIED);
}

/* Where the page leads: nobody knows as long as that place is awaited. */
static void follow(struct reading *reading, struct slice target)
{
	struct observed_page *observed = &reading->page->observed;
	uint64_t key = page_key_of(target);
	uint32_t site = reading->inspector->site.id;
	struct frontier_row visit;
	struct page_row row;

	observed->observation = OBSERVED_GONE;
	if (page_row_get(reading->txn, site, key, &row)) {
		observed->cluster = row.cluster;
		reading->page->is_moved = row.cluster != 0;
	} else if (frontier_row_get(reading->txn, site, key, &visit) &&
		   (visit.state == FRONTIER_PENDING ||
		    visit.state == FRONTIER_LEASED)) {
		observed->observation = OBSERVED_UNSEEN;
	}
}

/* A stub is a redirect in HTML. */
static enum error follow_stub(struct reading *reading)
{
	struct key key = key_page(reading->inspector->site.id,
				  reading->page->observed.page);
	struct record record;
	enum error error = load_record(
		reading->inspector,
		txn_get(reading->txn, TABLE_RECORDS, key_slice(&key)), &record);

	reading->page->observed.observation = OBSERVED_GONE;
	for (uint32_t i = 0; error == ERR_NONE && i < record.link_count; i++) {
		struct record_link link = record_link_at(&record, i);

		if ((link.flags & LINK_IS_REFRESH) != 0) {
			follow(reading, link.url);
			break;
		}
	}
	return error;
}

/*
 * What is stored is a page. It tells when it was seen since the window began;
 * and when its paths are others than they were, because it does not come back
 * by itself to what it was.
 */
static enum error read_page(struct reading *reading, const struct page_row *row)
{
	struct sample_page *page = reading->page;
	struct observed_page *observed = &page->observed;
	struct key key = key_page(reading->inspector->site.id, observed->page);
	enum error error = ERR_NONE;

	page->fetched_ms = row->fetched_ms;
	page->is_fresh = row->fetched_ms > page->since_ms &&
			 row->fetched_ms >= reading->window_ms;
	observed->cluster = row->cluster;
	observed->after = observed->before;
	observed->observation = OBSERVED_PAGE;
	if (row->content_hash != observed->before.content_hash)
		error = load_record(
			reading->inspector,
			txn_get(reading->txn, TABLE_RECORDS, key_slice(&key)),
			&observed->after);
	if (error != ERR_NONE)
		return error;
	page->has_other_paths =
		!signature_linked(paths_of(&observed->before),
				  paths_of(&observed->after), MAX_DRIFT);
	if (!page->is_fresh && is_given_up(reading))
		observed->observation = OBSERVED_BLOCKED;
	else if (!page->is_fresh && !page->has_other_paths)
		observed->observation = OBSERVED_UNSEEN;
	return ERR_NONE;
}

static enum error read_stored(struct reading *reading,
			      const struct page_row *row)
{
	struct sample_page *page = reading->page;
	enum error error = ERR_NONE;

	page->is_fresh = is_answered(reading);
	if (row->redirect.size > 0) {
		follow(reading, row->redirect);
		return ERR_NONE;
	}
	switch (row->page_class) {
	case CLASS_PAGE:
		return read_page(reading, row);
	case CLASS_STUB:
		error = follow_stub(reading);
		break;
	case CLASS_ERROR:
	case CLASS_CHALLENGE:
	case CLASS_CONSENT:
	case CLASS_TRUNCATED:
		page->observed.observation =
			page->is_fresh ? OBSERVED_BLOCKED : OBSERVED_UNSEEN;
		break;
	default:
		page->observed.observation = OBSERVED_GONE;
		break;
	}
	return error;
}

static enum error read_observation(struct inspector *inspector, struct txn *txn,
				   uint64_t window_ms, struct sample_page *page)
{
	struct reading reading = {
		.inspector = inspector,
		.txn = txn,
		.window_ms = window_ms,
		.page = page,
	};
	uint32_t site = inspector->site.id;
	enum error error = ERR_NONE;
	struct page_row row;

	frontier_row_get(txn, site, page->observed.page, &reading.visit);
	if (page_row_get(txn, site, page->observed.page, &row)) {
		error = read_stored(&reading, &row);
	} else {
		page->observed.observation = OBSERVED_GONE;
		page->is_fresh = is_answered(&reading);
	}
	return txn->error != ERR_NONE ? txn->error : error;
}

static enum error read_entry(struct inspector *inspector, struct slice key,
			     struct slice value, struct sample_page *page)
{
	struct sample_page_row row;

	*page = (struct sample_page){0};
	if (!sample_page_row_decode(value, &row))
		return ERR_CORRUPT;
	page->observed.page = key_u64(key, 2 * sizeof(uint32_t));
	/* a clock that was ahead once stops nothing */
	page->since_ms = row.since_ms > inspector->now_ms ? 0 : row.since_ms;
	page->url = inspector_copy(inspector->scratch, row.url);
	return load_record(inspector, row.record, &page->observed.before);
}

enum error sample_read(struct inspector *inspector,
		       const struct subject *subject, uint64_t window_ms,
		       struct sample *sample_out)
{
	struct key prefix = key_cluster(inspector->site.id, subject->cluster);
	struct txn txn = txn_begin_read(inspector->store);
	struct scan scan =
		scan_begin(&txn, TABLE_SAMPLE_PAGES, key_slice(&prefix));
	enum error error = ERR_NONE;

	sample_out->count = 0;
	while (error == ERR_NONE && sample_out->count < MAX_TEMPLATE_SAMPLE &&
	       scan_next(&scan)) {
		struct sample_page *page =
			&sample_out->pages[sample_out->count++];

		error = read_entry(inspector, scan.key, scan.value, page);
		if (error == ERR_NONE)
			error = read_observation(inspector, &txn, window_ms,
						 page);
	}
	scan_end(&scan);
	if (txn.error != ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	return error;
}

/* Members of the taken sample take the places of the pages that are gone. */
void sample_mend(struct inspector *inspector, const struct sample *sample,
		 struct taken *taken)
{
	struct sample_page_entry *mended =
		ARENA_NEW(inspector->arena, struct sample_page_entry,
			  MAX_TEMPLATE_SAMPLE);
	size_t count = 0;

	for (uint32_t i = 0; i < sample->count; i++) {
		const struct sample_page *page = &sample->pages[i];

		if (page->observed.observation == OBSERVED_GONE)
			continue;
		mended[count++] = (struct sample_page_entry){
			.page = page->observed.page,
			.row = {.since_ms = page->since_ms,
				.url = inspector_copy(inspector->arena,
						      page->url),
				.record = sample_record(
					inspector, &page->observed.before)},
		};
	}
	for (size_t i = 0;
	     i < taken->sample_count && count < MAX_TEMPLATE_SAMPLE; i++) {
		size_t j = 0;

		while (j < count && mended[j].page != taken->sample[i].page)
			j++;
		if (j == count)
			mended[count++] = taken->sample[i];
	}
	taken->sample = mended;
	taken->sample_count = count;
}
