/* A version, out of the stored pages of a cluster. */
#include "daemon/inspection_parts.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/stored_page.h"
#include "store/compress.h"

enum { MAX_VERSION_BYTES = 64 << 20 };

/* A page of the cluster, copied out of the store. */
struct member {
	uint64_t key;
	struct page_row row; /* its URL is in the arena */
	struct record record;
	struct slice bytes; /* of the record */
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
	struct slice value;
	char *copy;

	member->key = key;
	if (!page_row_get(txn, inspector->site.id, key, &member->row))
		return false;
	member->row.url = (struct slice){arena_copy(inspector->arena,
						    member->row.url.data,
						    member->row.url.size),
					 member->row.url.size};
	member->row.charset = (struct slice){
		arena_copy(inspector->arena, member->row.charset.data,
			   member->row.charset.size),
		member->row.charset.size};
	value = txn_get(txn, TABLE_RECORDS, key_slice(&name));
	if (value.data == NULL)
		return false;
	copy = arena_alloc(inspector->arena, value.size, 1);
	memcpy(copy, value.data, value.size);
	member->bytes = (struct slice){copy, value.size};
	return record_open(member->bytes, &member->record) == ERR_NONE;
}

static struct members load_members(struct inspector *inspector, struct txn *txn,
				   uint32_t cluster)
{
	struct key prefix = key_cluster(inspector->site.id, cluster);
	struct scan scan = scan_begin(txn, TABLE_MEMBERS, key_slice(&prefix));
	struct members members = {
		.items = ARENA_NEW(inspector->arena, struct member,
				   VERSION_MAX_RECORDS),
	};

	while (members.count < VERSION_MAX_RECORDS && scan_next(&scan))
		members.count += load_member(
			inspector, txn, key_u64(scan.key, 2 * sizeof(uint32_t)),
			&members.items[members.count]);
	scan_end(&scan);
	return members;
}

/* The record without its links, which say nothing of the template. */
static struct slice strip(struct inspector *inspector,
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

static void make_panel(struct inspector *inspector,
		       const struct members *members,
		       const struct subject *subject, uint64_t since_ms,
		       struct taken *taken)
{
	uint32_t count =
		members->count < MAX_PANEL ? members->count : MAX_PANEL;

	taken->panel =
		ARENA_NEW(inspector->arena, struct panel_entry, count + 1);
	taken->panel_count = count;
	for (uint32_t i = 0; i < count; i++) {
		const struct member *member = &members->items[i];

		taken->panel[i] = (struct panel_entry){
			.page = member->key,
			.row = {.since_ms = member->row.fetched_ms,
				.url = member->row.url,
				.record = strip(inspector, &member->record)},
		};
		taken->older += subject != NULL &&
				member->row.changed_ms <
					subject->cluster_row.created_ms;
		taken->fetched += member->row.fetched_ms > since_ms;
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
		ARENA_NEW(inspector->arena, struct record, members->count);

	for (uint32_t i = 0; i < members->count; i++)
		records[i] = members->items[i].record;
	return records;
}

enum error take_version(struct inspector *inspector, uint32_t cluster,
			uint64_t since_ms, struct taken *taken_out)
{
	const struct subject *subject = inspector_subject(inspector, cluster);
	struct txn txn = txn_begin_read(inspector->store);
	struct members members = load_members(inspector, &txn, cluster);
	struct samples samples;
	enum error error;

	*taken_out = (struct taken){0};
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

		taken_out->version = version_make(inspector->arena, &input);
		make_panel(inspector, &members, subject, since_ms, taken_out);
	}
	for (uint32_t i = 0; i < samples.count; i++)
		page_destroy(samples.owned[i]);
	return error;
}

struct version *load_version(struct inspector *inspector, uint32_t cluster,
			     uint32_t number)
{
	struct txn txn = txn_begin_read(inspector->store);
	struct buffer json = {0};
	struct version *version = NULL;
	struct version_row row;

	if (version_row_get(&txn, inspector->site.id, cluster, number, &row) &&
	    decompress(row.packed, MAX_VERSION_BYTES, &json) == ERR_NONE &&
	    version_decode(inspector->arena, buffer_slice(&json), &version) !=
		    ERR_NONE)
		version = NULL;
	txn_abort(&txn);
	buffer_free(&json);
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
	found->has_panel = true;
	found->panel = taken->panel;
	found->panel_count = taken->panel_count;
	buffer_free(&json);
	buffer_free(&packed);
}
