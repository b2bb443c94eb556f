/* A version, out of the stored pages of a cluster. */
#include "daemon/watch/inspection_reading.h"

#include <string.h>

#include "daemon/answer/stored_page.h"
#include "store/arena.h"
#include "store/key.h"
#include "store/rows_cluster.h"
#include "store/rows_event.h"
#include "store/rows_frontier.h"
#include "store/rows_page.h"

static struct slice copy_of(struct arena *arena, struct slice text)
{
	return (struct slice){arena_copy(arena, text.data, text.size),
			      text.size};
}

/* A page of the cluster, copied out of the store. */
struct member {
	uint64_t key;
	struct page_row row; /* its URL is in the arena */
	struct record record;
	bool is_visited; /* it can be asked for again */
};

struct members {
	struct member *items; /* [count], by page key: a sample that no
				 content decides upon */
	uint32_t count;
};

static bool load_member(const struct reading *reading, uint64_t key,
			struct member *member)
{
	struct key name = key_page(reading->site, key);
	struct frontier_row visit;
	struct slice value;

	member->key = key;
	if (!page_row_get(reading->txn, reading->site, key, &member->row))
		return false;
	member->row.url = copy_of(reading->scratch, member->row.url);
	member->row.charset = copy_of(reading->scratch, member->row.charset);
	member->is_visited =
		frontier_row_get(reading->txn, reading->site, key, &visit) &&
		visit.state != FRONTIER_DENIED;
	value = txn_get(reading->txn, TABLE_RECORDS, key_slice(&name));
	return value.data != NULL &&
	       reading_record(reading, value, &member->record) == ERR_NONE;
}

/* The first members by key, of those that were fetched since then. */
static struct members load_members(const struct reading *reading,
				   uint32_t cluster, uint64_t since_ms)
{
	struct key prefix = key_cluster(reading->site, cluster);
	struct scan scan =
		scan_begin(reading->txn, TABLE_MEMBERS, key_slice(&prefix));
	struct members members = {
		.items = ARENA_NEW(reading->scratch, struct member,
				   VERSION_MAX_RECORDS),
	};

	while (members.count < VERSION_MAX_RECORDS && scan_next(&scan)) {
		uint64_t key = key_u64(scan.key, 2 * sizeof(uint32_t));
		struct page_row row;

		if (page_row_get(reading->txn, reading->site, key, &row) &&
		    row.fetched_ms >= since_ms)
			members.count += load_member(
				reading, key, &members.items[members.count]);
	}
	scan_end(&scan);
	return members;
}

/* Parsed pages, with their URLs. */
struct samples {
	const struct page *pages[VERSION_MAX_SAMPLES];
	struct page *owned[VERSION_MAX_SAMPLES];
	struct slice urls[VERSION_MAX_SAMPLES];
	uint32_t count;
};

struct version_pages {
	struct members members;
	struct samples samples;
	uint32_t page_count; /* of the cluster */
	bool is_partial;
};

static void parse_samples(const struct reading *reading, uint32_t cluster,
			  const struct members *members,
			  struct samples *samples)
{
	const struct stored_pages from = {reading->txn, reading->site, cluster,
					  reading->source->limits};

	samples->count = 0;
	for (uint32_t i = 0;
	     i < members->count && samples->count < VERSION_MAX_SAMPLES; i++) {
		const struct member *member = &members->items[i];
		struct page *page;

		if (stored_page_parse(&from, member->key, &member->row,
				      &page) != ERR_NONE)
			continue;
		samples->owned[samples->count] = page;
		samples->pages[samples->count] = page;
		samples->urls[samples->count++] = member->row.url;
	}
}

struct version_pages *version_pages_read(const struct reading *reading,
					 uint32_t cluster, uint64_t since_ms)
{
	struct version_pages *pages =
		ARENA_NEW(reading->scratch, struct version_pages, 1);
	struct cluster_row row;

	*pages = (struct version_pages){
		.members = load_members(reading, cluster, since_ms),
		.is_partial = since_ms != 0,
	};
	if (since_ms != 0 &&
	    pages->members.count < reading->source->min_pages) {
		pages->is_partial = false;
		pages->members = load_members(reading, cluster, 0);
	}
	pages->page_count =
		cluster_row_get(reading->txn, reading->site, cluster, &row)
			? row.page_count
			: pages->members.count;
	parse_samples(reading, cluster, &pages->members, &pages->samples);
	return pages;
}

/* They are what the sample pages of the template are from now on. */
static void take_pages(const struct reading *reading,
		       const struct members *members,
		       struct taken_version *taken)
{
	bool is_asked = site_is_asked(&reading->source->site->row);

	taken->pages = ARENA_NEW(reading->arena, struct sample_page_entry,
				 MAX_TEMPLATE_SAMPLE);
	for (uint32_t i = 0;
	     i < members->count && taken->page_count < MAX_TEMPLATE_SAMPLE;
	     i++) {
		const struct member *member = &members->items[i];

		if (is_asked && !member->is_visited)
			continue;
		taken->pages[taken->page_count++] = (struct sample_page_entry){
			.page = member->key,
			.row = {.since_ms = member->row.fetched_ms,
				.url = copy_of(reading->arena, member->row.url),
				.record = sample_record(reading->arena,
							&member->record)},
		};
	}
}

static struct record *records_of(const struct reading *reading,
				 const struct members *members)
{
	struct record *records =
		ARENA_NEW(reading->scratch, struct record, members->count);

	for (uint32_t i = 0; i < members->count; i++)
		records[i] = members->items[i].record;
	return records;
}

void version_take(const struct reading *reading, struct version_pages *pages,
		  struct taken_version *taken_out)
{
	const struct members *members = &pages->members;
	const struct samples *samples = &pages->samples;

	*taken_out = (struct taken_version){.is_partial = pages->is_partial};
	if (samples->count > 0) {
		const struct version_input input = {
			.page_count = pages->page_count,
			.generation = reading->source->site->row.generation,
			.records = records_of(reading, members),
			.record_count = members->count,
			.pages = samples->pages,
			.urls = samples->urls,
			.sample_count = samples->count,
		};

		taken_out->version = version_make(reading->scratch, &input);
		take_pages(reading, members, taken_out);
	}
	for (uint32_t i = 0; i < samples->count; i++)
		page_destroy(samples->owned[i]);
}
