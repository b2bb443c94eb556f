/* Build a version from the stored pages of a cluster. */
#include "daemon/watch/inspection_reading.h"

#include <string.h>

#include "base/arena.h"
#include "base/log.h"
#include "daemon/privsep/item_list.h"
#include "daemon/privsep/pool.h"
#include "daemon/privsep/requests.h"
#include "daemon/query/stored_page.h"
#include "store/key.h"
#include "store/rows_cluster.h"
#include "store/rows_event.h"
#include "store/rows_frontier.h"
#include "store/rows_page.h"

static struct slice version_copy_text(struct arena *arena, struct slice text)
{
	return (struct slice){arena_copy(arena, text.data, text.size),
			      text.size};
}

/*
 * Add no more pages after this many bytes of source, except to reach two: one
 * worker parses them all.
 */
enum { MAX_PAGES_BYTES = 16 << 20 };

/* A page of the cluster, copied out of the store. */
struct version_member {
	uint64_t key;
	struct page_row row; /* its URL belongs to the arena */
	struct record record;
	bool is_visited; /* it can be fetched again */
};

struct members {
	struct version_member *items; /* [count], by page key: a sample that
				 does not depend on content */
	uint32_t count;
};

static bool load_member(const struct facts_reader *reading, uint64_t key,
			struct version_member *member)
{
	struct key name = key_page(reading->site, key);
	struct frontier_row visit;
	struct slice value;

	member->key = key;
	if (!page_row_get(reading->txn, reading->site, key, &member->row))
		return false;
	member->row.url = version_copy_text(reading->scratch, member->row.url);
	member->row.charset =
		version_copy_text(reading->scratch, member->row.charset);
	member->is_visited =
		frontier_row_get(reading->txn, reading->site, key, &visit) &&
		visit.state != FRONTIER_DENIED;
	value = txn_get(reading->txn, TABLE_RECORDS, key_slice(&name));
	return value.data != NULL &&
	       facts_reader_record(reading, value, &member->record) == ERR_NONE;
}

/* Load the first members by key that were fetched since `since_ms`. */
static struct members load_members(const struct facts_reader *reading,
				   uint32_t cluster, uint64_t since_ms)
{
	struct key prefix = key_cluster(reading->site, cluster);
	struct scan scan =
		scan_begin(reading->txn, TABLE_MEMBERS, key_slice(&prefix));
	struct members members = {
		.items = ARENA_NEW(reading->scratch, struct version_member,
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

struct version_pages {
	struct members members;
	struct buffer request; /* the body of TASK_VERSION */
	uint32_t page_count;   /* pages of the cluster */
	bool is_partial;
};

/* Append the URL and the page of the member, if its body is stored. */
static bool version_append_page(const struct stored_pages *from,
				const struct version_member *member,
				struct buffer *list)
{
	size_t before = list->size;

	item_append(list, member->row.url);
	if (stored_page_append(from, member->key, &member->row, list) ==
	    ERR_NONE)
		return true;
	list->size = before;
	return false;
}

/* Copy all data that the version is built from. */
static void copy_members(const struct facts_reader *reading, uint32_t cluster,
			 struct version_pages *pages)
{
	const struct members *members = &pages->members;
	const struct stored_pages from = {reading->txn, reading->site, cluster,
					  reading->source->limits};
	size_t records_bytes;
	uint32_t count = 0;

	for (uint32_t i = 0; i < members->count; i++)
		item_append(&pages->request,
			    sample_record(reading->scratch,
					  &members->items[i].record));
	records_bytes = pages->request.size;
	for (uint32_t i = 0;
	     i < members->count && count < VERSION_MAX_SAMPLES &&
	     (count < 2 ||
	      pages->request.size - records_bytes <= MAX_PAGES_BYTES);
	     i++)
		count += version_append_page(&from, &members->items[i],
					     &pages->request);
}

struct version_pages *
facts_reader_read_version_pages(const struct facts_reader *reading,
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
	copy_members(reading, cluster, pages);
	return pages;
}

/* Make them the sample pages of the template from now on. */
static void take_pages(const struct facts_reader *reading,
		       const struct members *members,
		       struct built_version *taken)
{
	bool is_asked = site_is_fetched(&reading->source->site->row);

	taken->pages = ARENA_NEW(reading->arena, struct sample_page_entry,
				 MAX_TEMPLATE_SAMPLE);
	for (uint32_t i = 0;
	     i < members->count && taken->page_count < MAX_TEMPLATE_SAMPLE;
	     i++) {
		const struct version_member *member = &members->items[i];

		if (is_asked && !member->is_visited)
			continue;
		taken->pages[taken->page_count++] = (struct sample_page_entry){
			.page = member->key,
			.row = {.since_ms = member->row.fetched_ms,
				.url = version_copy_text(reading->arena,
							 member->row.url),
				.record = sample_record(reading->arena,
							&member->record)},
		};
	}
}

/* The result of a worker. */
struct made {
	struct arena *arena;
	struct version *version; /* NULL if no page could be read */
};

static bool take_version(void *context, struct slice head, struct slice body)
{
	struct made *made = context;

	(void)head;
	return body.size == 0 ||
	       version_decode(made->arena, body, &made->version) == ERR_NONE;
}

void version_pages_build(const struct facts_reader *reading,
			 struct version_pages *pages,
			 struct built_version *taken_out)
{
	const struct facts_source *source = reading->source;
	const struct version_request request = {
		.limits = limits_to_field(source->limits),
		.generation = source->site->row.generation,
		.page_count = pages->page_count,
		.record_count = pages->members.count,
	};
	struct buffer head =
		row_codec_encode(&version_request_layout, &request);
	struct made made = {.arena = reading->scratch};
	struct pool_task task = {
		.kind = TASK_VERSION,
		.head = buffer_slice(&head),
		.body = buffer_slice(&pages->request),
		.site = reading->site,
		.take = take_version,
		.take_context = &made,
	};

	*taken_out = (struct built_version){.is_partial = pages->is_partial};
	if (worker_pool_run(source->pool, &task) != ERR_NONE)
		log_warn_limited_about(
			(struct log_subject){.site = source->site->row.host},
			"cannot build a version of a template: %s",
			task.reason);
	if (made.version != NULL) {
		taken_out->version = made.version;
		take_pages(reading, &pages->members, taken_out);
	}
	buffer_free(&head);
	buffer_free(&pages->request);
}
