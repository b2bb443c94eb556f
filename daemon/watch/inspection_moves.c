/*
 * Find sample pages that were deleted and appeared again at another URL; they
 * are treated as if the old URL redirected to the new one.
 */
#include "daemon/watch/inspection_reading.h"

#include "base/arena.h"
#include "base/buffer.h"
#include "page/page_class.h"
#include "store/content.h"
#include "store/key.h"
#include "store/rows_page.h"

enum { MAX_COMPARED = 1000 /* maximum number of newer pages to compare */ };

/* The texts of a sample page that are in no other sample page. */
struct own_texts {
	const struct record_fragment **items; /* [count], ascending by hash */
	uint32_t count;
	uint64_t length;
	uint64_t best; /* most text in common with a newer page */
};

static bool has_fragment(const struct record *record, uint64_t hash)
{
	uint32_t low = 0;
	uint32_t high = record->fragment_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (record->fragments[middle].hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	return low < record->fragment_count &&
	       record->fragments[low].hash == hash;
}

static bool moved_page_text_is_own(const struct template_facts *facts,
				   uint32_t page, uint64_t hash)
{
	for (uint32_t i = 0; i < facts->sample_count; i++)
		if (i != page && has_fragment(&facts->sample[i].before, hash))
			return false;
	return true;
}

static struct own_texts own_texts_of(struct arena *arena,
				     const struct template_facts *facts,
				     uint32_t page)
{
	const struct record *record = &facts->sample[page].before;
	struct own_texts own = {
		.items = ARENA_NEW(arena, const struct record_fragment *,
				   record->fragment_count),
	};

	for (uint32_t i = 0; i < record->fragment_count; i++) {
		const struct record_fragment *fragment = &record->fragments[i];

		if (!moved_page_text_is_own(facts, page, fragment->hash))
			continue;
		own.items[own.count++] = fragment;
		own.length += fragment->length;
	}
	return own;
}

/*
 * Return whether the page has more than half of the texts, and more than any
 * other page until now.
 */
static bool is_the_same(const struct record *record, struct own_texts *own)
{
	uint64_t common = 0;

	for (uint32_t i = 0; i < own->count; i++)
		if (has_fragment(record, own->items[i]->hash))
			common += own->items[i]->length;
	if (2 * common <= own->length || common <= own->best)
		return false;
	own->best = common;
	return true;
}

static void moved_page_compare(const struct facts_reader *reading,
			       const struct page_row *row,
			       const struct record *record,
			       struct template_facts *facts,
			       struct own_texts *own)
{
	for (uint32_t i = 0; i < facts->sample_count; i++) {
		struct sample_page *page = &facts->sample[i];

		if (page->is_stored || !is_the_same(record, &own[i]))
			continue;
		page->lead = REDIRECT_TARGET_PAGE;
		page->lead_cluster = row->cluster;
		page->moved_to =
			(struct slice){arena_copy(reading->scratch,
						  row->url.data, row->url.size),
				       row->url.size};
	}
}

static void compare_stored(const struct facts_reader *reading, uint64_t key,
			   const struct page_row *row,
			   struct template_facts *facts, struct own_texts *own)
{
	struct buffer bytes = {0};
	struct record record;

	if (content_record(reading->txn, reading->site, key, &bytes, &record) ==
	    ERR_NONE)
		moved_page_compare(reading, row, &record, facts, own);
	buffer_free(&bytes);
}

void facts_reader_read_moves(const struct facts_reader *reading,
			     struct template_facts *facts)
{
	struct own_texts own[MAX_TEMPLATE_SAMPLE];
	struct key prefix = key_site(reading->site);
	struct scan scan =
		scan_begin(reading->txn, TABLE_PAGES, key_slice(&prefix));
	unsigned compared = 0;
	struct page_row row;

	for (uint32_t i = 0; i < facts->sample_count; i++)
		own[i] = own_texts_of(reading->scratch, facts, i);
	while (compared < MAX_COMPARED && scan_next(&scan)) {
		if (!page_row_decode(scan.value, &row) ||
		    row.page_class != CLASS_PAGE || row.redirect.size > 0 ||
		    row.cluster == facts->self.cluster ||
		    row.stored_ms <= facts->version_ms)
			continue;
		compare_stored(reading, key_u64(scan.key, sizeof(uint32_t)),
			       &row, facts, own);
		compared++;
	}
	scan_end(&scan);
}
