#include "daemon/query/text_walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows_event.h"
#include "store/rows_site.h"

enum {
	MAX_PLACES = 32768, /* found by one pass over all rows */
	MAX_ROWS = 4096,    /* rows per transaction */
	KEY_DIGITS = 16,
};

struct text_walk {
	struct store *store;
	char host[MAX_HOST_BYTES + 1];
	uint32_t site;
	struct text_filter filter;
	struct text_position last;    /* last returned place, or the start */
	struct text_position *places; /* [count], a heap with the last place at
				      its top; sorted ascending afterwards */
	size_t count;
	size_t next;
	bool is_last; /* no places remain after these */
};

void text_position_write(struct text_position place, char *out)
{
	snprintf(out, TEXT_POSITION_BYTES, "%" PRIu64 ".%016" PRIx64,
		 place.stored_ms, place.key);
}

/*
 * Parse lower-case digits of `base` at the beginning of `text`; return their
 * number.
 */
static size_t read_digits(struct slice text, unsigned base,
			  uint64_t *number_out)
{
	static const char digits[] = "0123456789abcdef";
	size_t count = 0;

	*number_out = 0;
	for (; count < text.size; count++) {
		const char *digit =
			memchr(digits, slice_byte(text, count), base);
		uint64_t value = digit == NULL ? 0 : (uint64_t)(digit - digits);

		if (digit == NULL || *number_out > (UINT64_MAX - value) / base)
			break;
		*number_out = *number_out * base + value;
	}
	return count;
}

bool text_position_read(struct slice text, struct text_position *place_out)
{
	size_t count = read_digits(text, 10, &place_out->stored_ms);
	struct slice key = {NULL, 0};

	place_out->key = UINT64_MAX;
	if (count == 0 || count == text.size)
		return count > 0;
	key = (struct slice){(const char *)text.data + count + 1,
			     text.size - count - 1};
	return slice_byte(text, count) == '.' && key.size == KEY_DIGITS &&
	       read_digits(key, 16, &place_out->key) == KEY_DIGITS;
}

static bool text_position_is_before(struct text_position a,
				    struct text_position b)
{
	return a.stored_ms != b.stored_ms ? a.stored_ms < b.stored_ms
					  : a.key < b.key;
}

/* Restore the heap: sink the place at `index`, whose children are heaps. */
static void text_walk_sift_down(struct text_walk *walk, size_t index)
{
	struct text_position *places = walk->places;
	struct text_position place = places[index];

	for (;;) {
		size_t child = 2 * index + 1;

		if (child + 1 < walk->count &&
		    text_position_is_before(places[child], places[child + 1]))
			child++;
		if (child >= walk->count ||
		    !text_position_is_before(place, places[child]))
			break;
		places[index] = places[child];
		index = child;
	}
	places[index] = place;
}

static void text_walk_sift_up(struct text_walk *walk, size_t index)
{
	struct text_position *places = walk->places;
	struct text_position place = places[index];

	while (index > 0 &&
	       text_position_is_before(places[(index - 1) / 2], place)) {
		places[index] = places[(index - 1) / 2];
		index = (index - 1) / 2;
	}
	places[index] = place;
}

/* Insert the place if it is among the first MAX_PLACES. */
static void text_walk_add_position(struct text_walk *walk,
				   struct text_position place)
{
	if (walk->count < MAX_PLACES) {
		walk->places[walk->count] = place;
		text_walk_sift_up(walk, walk->count++);
		return;
	}
	walk->is_last = false;
	if (!text_position_is_before(place, walk->places[0]))
		return;
	walk->places[0] = place;
	text_walk_sift_down(walk, 0);
}

static bool text_walk_matches(const struct text_walk *walk,
			      const struct page_row *row,
			      struct text_position place)
{
	const struct text_filter *filter = &walk->filter;

	return row->redirect.size == 0 && row->stored_ms < filter->before_ms &&
	       text_position_is_before(walk->last, place) &&
	       (filter->cluster == 0 || filter->cluster == row->cluster) &&
	       row->page_class < 32 &&
	       (filter->classes >> row->page_class & 1U) != 0;
}

/* Read the next rows from *key on, and advance it; false at the end. */
static bool text_walk_read_rows(struct text_walk *walk, struct txn *txn,
				uint64_t *key)
{
	struct key from = key_page(walk->site, *key);
	struct scan scan = scan_begin_at(txn, TABLE_PAGES, key_slice(&from),
					 sizeof(uint32_t));
	bool has_more = true;

	for (int i = 0; i < MAX_ROWS && has_more; i++) {
		struct page_row row;

		has_more = scan_next(&scan);
		if (!has_more)
			break;
		*key = key_u64(scan.key, sizeof(uint32_t));
		if (page_row_decode(scan.value, &row)) {
			struct text_position place = {row.stored_ms, *key};

			if (text_walk_matches(walk, &row, place))
				text_walk_add_position(walk, place);
		}
		has_more = *key < UINT64_MAX;
		*key += has_more;
	}
	scan_end(&scan);
	return has_more;
}

/* Return the number of the site; 0 if there is no such site. */
static uint32_t find_site(struct txn *txn, const char *host)
{
	struct site_row row;

	return site_get(txn, slice_of(host), &row) ? row.id : 0;
}

static int text_walk_compare_positions(const void *a, const void *b)
{
	struct text_position x = *(const struct text_position *)a;
	struct text_position y = *(const struct text_position *)b;

	return text_position_is_before(x, y) ? -1
					     : text_position_is_before(y, x);
}

/*
 * Find the places after the last one. After an error the list is empty, and the
 * call can be repeated.
 */
static enum error text_walk_find_positions(struct text_walk *walk)
{
	uint64_t key = 0;
	bool has_more = true;
	enum error error = ERR_NONE;

	walk->count = 0;
	walk->next = 0;
	walk->is_last = true;
	while (has_more && error == ERR_NONE) {
		struct txn txn = txn_begin_read(walk->store);
		bool is_there = find_site(&txn, walk->host) == walk->site;

		if (is_there)
			has_more = text_walk_read_rows(walk, &txn, &key);
		else
			txn_fail(&txn, ERR_NOT_FOUND);
		error = txn.error;
		txn_abort(&txn);
	}
	if (error != ERR_NONE) {
		walk->count = 0;
		walk->is_last = false;
		return error;
	}
	if (walk->count > 0)
		qsort(walk->places, walk->count, sizeof(*walk->places),
		      text_walk_compare_positions);
	return ERR_NONE;
}

/*
 * Return the first time whose pages may be incomplete, if that is before
 * `now_ms`. A walk uses several transactions, and others commit between them:
 * it must not see a part of these commits. Each stored page has an event of the
 * same time, and the times that one machine writes only grow, so later pages
 * are newer than the last event of their partition; other partitions may be
 * ahead or behind.
 */
static uint64_t end_of_stored(struct txn *txn, uint32_t site, uint64_t now_ms)
{
	uint64_t number = store_last_event(txn, site);
	struct event_row event;

	if (number == 0 || !event_get(txn, number, &event) ||
	    event.time_ms >= now_ms)
		return now_ms;
	return event.time_ms + 1;
}

enum error text_walk_begin(struct text_walk **walk_out, struct store *store,
			   const struct text_filter *filter)
{
	struct txn txn = txn_begin_read(store);
	uint32_t site = find_site(&txn, filter->host);
	uint64_t before_ms = end_of_stored(&txn, site, filter->before_ms);
	enum error error = txn.error;
	struct text_walk *walk;

	txn_abort(&txn);
	if (error == ERR_NONE && site == 0)
		error = ERR_NOT_FOUND;
	if (error != ERR_NONE)
		return error;
	walk = mem_alloc(1, sizeof(*walk));
	*walk = (struct text_walk){
		.store = store,
		.site = site,
		.filter = *filter,
		.last = filter->since,
		.places = mem_alloc(MAX_PLACES, sizeof(*walk->places)),
	};
	snprintf(walk->host, sizeof(walk->host), "%s", filter->host);
	walk->filter.host = walk->host;
	walk->filter.before_ms = before_ms;
	*walk_out = walk;
	return ERR_NONE;
}

void text_walk_end(struct text_walk *walk)
{
	if (walk == NULL)
		return;
	free(walk->places);
	free(walk);
}

uint32_t text_walk_site(const struct text_walk *walk)
{
	return walk->site;
}

enum error text_walk_next(struct text_walk *walk,
			  struct text_position *place_out, bool *is_there_out)
{
	enum error error = ERR_NONE;

	*is_there_out = false;
	if (walk->next == walk->count && !walk->is_last)
		error = text_walk_find_positions(walk);
	if (error != ERR_NONE || walk->next == walk->count)
		return error;
	walk->last = walk->places[walk->next++];
	*place_out = walk->last;
	*is_there_out = true;
	return ERR_NONE;
}

enum error text_position_page(struct store *store, uint32_t site,
			      struct text_position place,
			      struct positioned_page *page_out)
{
	struct txn txn = txn_begin_read(store);
	struct page_row row;
	enum error error = ERR_NOT_FOUND;

	if (page_row_get(&txn, site, place.key, &row) &&
	    row.stored_ms == place.stored_ms && row.redirect.size == 0 &&
	    row.url.size < sizeof(page_out->url)) {
		memcpy(page_out->url, row.url.data, row.url.size);
		page_out->url[row.url.size] = '\0';
		page_out->fetched_ms = row.fetched_ms;
		page_out->archived_ms = (row.flags & PAGE_ROW_IS_ARCHIVED) != 0
						? row.changed_ms
						: 0;
		page_out->cluster = row.cluster;
		page_out->page_class = row.page_class;
		error = ERR_NONE;
	}
	if (txn.error != ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	return error;
}
