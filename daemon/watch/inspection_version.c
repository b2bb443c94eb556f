/* A version, out of the stored pages of a cluster. */
#include "daemon/watch/inspection_parts.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/answer/stored_page.h"
#include "daemon/answer/stored_version.h"
#include "store/compress.h"
#include "store/key.h"

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

static bool load_member(struct inspector *inspector, struct txn *txn,
			uint64_t key, struct member *member)
{
	struct key name = key_page(inspector->site.id, key);
	struct frontier_row visit;
	struct slice value;
	char *copy;

	member->key = key;
	if (!page_row_get(txn, inspector->site.id, key, &member->row))
		return false;
	member->row.url = inspector_copy(inspector->scratch, member->row.url);
	member->row.charset =
		inspector_copy(inspector->scratch, member->row.charset);
	member->is_visited =
		frontier_row_get(txn, inspector->site.id, key, &visit) &&
		visit.state != FRONTIER_DENIED;
	value = txn_get(txn, TABLE_RECORDS, key_slice(&name));
	if (value.data == NULL)
		return false;
	copy = arena_alloc(inspector->scratch, value.size, 1);
	memcpy(copy, value.data, value.size);
	return record_open((struct slice){copy, value.size}, &member->record) ==
	       ERR_NONE;
}

/* The first members by key, of those that were fetched since then. */
static struct members load_members(struct inspector *inspector, struct txn *txn,
				   uint32_t cluster, uint64_t since_ms)
{
	struct key prefix = key_cluster(inspector->site.id, cluster);
	struct scan scan = scan_begin(txn, TABLE_MEMBERS, key_slice(&prefix));
	struct members members = {
		.items = ARENA_NEW(inspector->scratch, struct member,
				   VERSION_MAX_RECORDS),
	};

	while (members.count < VERSION_MAX_RECORDS && scan_next(&scan)) {
		uint64_t key = key_u64(scan.key, 2 * sizeof(uint32_t));
		struct page_row row;

		if (page_row_get(txn, inspector->site.id, key, &row) &&
		    row.fetched_ms >= since_ms)
			members.count +=
				load_member(inspector, txn, key,
					    &members.items[members.count]);
	}
	scan_end(&scan);
	return members;
}

/* Without its links, which say nothing of the template. */
struct slice sample_record(struct inspector *inspector,
			   const struct record *record)
{
	struct record bare = *record;
	struct buffer out = {0};
	struct slice copy;

	bare.link_count = 0;
	record_encode(&bare, NULL, &out);
	copy = (struct slice){arena_copy(inspector->arena, out.data, out.size),
			      out.size};
	buffer_free(&out);
	return copy;
}

static void make_sample(struct inspector *inspector,
			const struct members *members, struct taken *taken)
{
	bool is_asked = inspector_can_ask(inspector);

	taken->sample = ARENA_NEW(inspector->arena, struct sample_page_entry,
				  MAX_TEMPLATE_SAMPLE);
	for (uint32_t i = 0;
	     i < members->count && taken->sample_count < MAX_TEMPLATE_SAMPLE;
	     i++) {
		const struct member *member = &members->items[i];

		if (is_asked && !member->is_visited)
			continue;
		taken->sample[taken->sample_count++] =
			(struct sample_page_entry){
				.page = member->key,
				.row = {.since_ms = member->row.fetched_ms,
					.url = inspector_copy(inspector->arena,
							      member->row.url),
					.record = sample_record(
						inspector, &member->record)},
			};
	}
}

/* Parsed pages, with their URLs. */
struct samples {
	const struct page *pages[VERSION_MAX_SAMPLES];
	struct page *owned[VERSION_MAX_SAMPLES];
	struct slice urls[VERSION_MAX_SAMPLES];
	uint32_t count;
};

static void parse_samples(struct inspector *inspector, struct txn *txn,
			  uint32_t cluster, const struct members *members,
			  struct samples *samples)
{
	const struct stored_pages from = {txn, inspector->site.id, cluster,
					  &inspector->rules->limits};

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

static struct record *records_of(struct inspector *inspector,
				 const struct members *members)
{
	struct record *records =
		ARENA_NEW(inspector->scratch, struct record, members->count);

	for (uint32_t i = 0; i < members->count; i++)
		records[i] = members->items[i].record;
	return records;
}

enum error take_version(struct inspector *inspector, uint32_t cluster,
			uint64_t since_ms, struct taken *taken_out)
{
	const struct subject *subject = inspector_subject(inspector, cluster);
	struct txn txn = txn_begin_read(inspector->store);
	struct members members =
		load_members(inspector, &txn, cluster, since_ms);
	struct samples samples;
	enum error error;

	*taken_out = (struct taken){.is_partial = since_ms != 0};
	if (since_ms != 0 && members.count < inspector->rules->min_pages) {
		taken_out->is_partial = false;
		members = load_members(inspector, &txn, cluster, 0);
	}
	parse_samples(inspector, &txn, cluster, &members, &samples);
	error = txn.error;
	txn_abort(&txn);
	if (error == ERR_NONE && samples.count > 0) {
		const struct version_input input = {
			.page_count = subject != NULL && subject->has_cluster
					      ? subject->cluster_row.page_count
					      : members.count,
			.generation = inspector->site.generation,
			.records = records_of(inspector, &members),
			.record_count = members.count,
			.pages = samples.pages,
			.urls = samples.urls,
			.sample_count = samples.count,
		};

		taken_out->version = version_make(inspector->scratch, &input);
		make_sample(inspector, &members, taken_out);
	}
	for (uint32_t i = 0; i < samples.count; i++)
		page_destroy(samples.owned[i]);
	return error;
}

struct version *load_version(struct inspector *inspector, uint32_t cluster,
			     uint32_t number)
{
	struct txn txn = txn_begin_read(inspector->store);
	struct version *version;
	struct version_row row;

	if (stored_version(
		    &txn,
		    (struct version_name){inspector->site.id, cluster, number},
		    inspector->scratch, &row, &version) != ERR_NONE)
		version = NULL;
	txn_abort(&txn);
	return version;
}

void find_version(struct inspector *inspector, const struct taken *taken,
		  uint64_t first_ms, struct template_finding *found)
{
	struct buffer json = {0};
	struct buffer packed = {0};

	version_encode(taken->version, &json);
	compress(buffer_slice(&json), &packed);
	found->has_version = true;
	found->version = (struct version_row){
		.first_ms = first_ms,
		.last_ms = inspector->now_ms,
		.page_count = taken->version->page_count,
		.packed = {arena_copy(inspector->arena, packed.data,
				      packed.size),
			   packed.size},
	};
	found->has_sample = true;
	found->sample = taken->sample;
	found->sample_count = taken->sample_count;
	buffer_free(&json);
	buffer_free(&packed);
}
