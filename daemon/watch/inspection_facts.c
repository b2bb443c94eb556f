#include "daemon/watch/inspection_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "crawl/frontier.h"
#include "daemon/query/stored_version.h"
#include "daemon/watch/inspection_reading.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows_cluster.h"
#include "store/rows_event.h"
#include "store/rows_frontier.h"
#include "store/rows_page.h"
#include "store/rows_site.h"
#include "store/rows_template.h"
#include "store/store.h"

/*
 * Maximum number of events to search for one about a version: on a node, events
 * of all partitions are between them.
 */
enum { MAX_TOLD = 100000 };

static struct slice site_facts_copy_text(struct arena *arena, struct slice text)
{
	return (struct slice){arena_copy(arena, text.data, text.size),
			      text.size};
}

/* The rows of a site during reading. */
struct site_fact_rows {
	struct txn *txn;
	struct arena *arena;
	uint64_t now_ms;
	struct template_view *subjects; /* [count] */
	size_t count;
	size_t capacity;
};

static struct template_view *add_subject(struct site_fact_rows *rows,
					 uint32_t cluster)
{
	struct template_view *subject;

	rows->subjects = mem_grow(rows->subjects, rows->count, &rows->capacity,
				  sizeof(*subject));
	subject = &rows->subjects[rows->count++];
	*subject = (struct template_view){.cluster = cluster};
	return subject;
}

static void site_facts_read_clusters(struct site_fact_rows *rows, uint32_t site)
{
	struct key prefix = key_site(site);
	struct scan scan =
		scan_begin(rows->txn, TABLE_CLUSTERS, key_slice(&prefix));
	struct cluster_row row;

	while (scan_next(&scan)) {
		struct template_view *subject;

		if (!cluster_row_decode(scan.value, &row))
			continue;
		subject =
			add_subject(rows, key_u32(scan.key, sizeof(uint32_t)));
		subject->has_cluster = true;
		subject->cluster_row = row;
	}
	scan_end(&scan);
}

static void set_template(const struct site_fact_rows *rows,
			 struct template_view *subject,
			 const struct template_row *row)
{
	subject->has_row = true;
	subject->row = *row;
	if (row->round_ms > rows->now_ms)
		subject->row.round_ms = 0;
	if (row->asked_ms > rows->now_ms)
		subject->row.asked_ms = 0;
	subject->row.lineage = site_facts_copy_text(rows->arena, row->lineage);
}

/* Merge the templates into the clusters, which come first and sorted. */
static void site_facts_read_templates(struct site_fact_rows *rows,
				      uint32_t site)
{
	struct key prefix = key_site(site);
	struct scan scan =
		scan_begin(rows->txn, TABLE_TEMPLATES, key_slice(&prefix));
	size_t clusters = rows->count;
	size_t at = 0;
	struct template_row row;

	while (scan_next(&scan)) {
		uint32_t cluster = key_u32(scan.key, sizeof(uint32_t));

		if (!template_row_decode(scan.value, &row))
			continue;
		while (at < clusters && rows->subjects[at].cluster < cluster)
			at++;
		set_template(rows,
			     at < clusters && rows->subjects[at].cluster ==
						      cluster
				     ? &rows->subjects[at]
				     : add_subject(rows, cluster),
			     &row);
	}
	scan_end(&scan);
}

static int site_facts_compare_clusters(const void *left, const void *right)
{
	const struct template_view *a = left;
	const struct template_view *b = right;

	return (a->cluster > b->cluster) - (a->cluster < b->cluster);
}

bool site_is_fetched(const struct site_row *site)
{
	return (site->options.flags & (SITE_IS_SAMPLE | SITE_IS_OFFLINE)) ==
		       0 &&
	       site->options.watch_ms != 0;
}

enum error site_facts_read(struct store *store, const char *host,
			   uint64_t now_ms, struct arena *arena,
			   struct site_facts *facts_out)
{
	struct txn txn = txn_begin_read(store);
	struct site_fact_rows rows = {
		.txn = &txn, .arena = arena, .now_ms = now_ms};
	struct site_row *site = &facts_out->row;
	enum error error = ERR_NONE;

	*facts_out = (struct site_facts){0};
	if (site_get(&txn, slice_of(host), site)) {
		site->host = site_facts_copy_text(arena, site->host);
		site->seed = site_facts_copy_text(arena, site->seed);
		facts_out->due_ms = frontier_next_due(&txn, site->id);
		site_facts_read_clusters(&rows, site->id);
		site_facts_read_templates(&rows, site->id);
	} else {
		error = ERR_NOT_FOUND;
	}
	if (txn.error != ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	if (rows.count > 0) {
		qsort(rows.subjects, rows.count, sizeof(struct template_view),
		      site_facts_compare_clusters);
		facts_out->subjects =
			ARENA_NEW(arena, struct template_view, rows.count);
		memcpy(facts_out->subjects, rows.subjects,
		       rows.count * sizeof(struct template_view));
		facts_out->subject_count = rows.count;
	}
	free(rows.subjects);
	return error;
}

bool data_request_is_met(const struct data_request *wish,
			 const struct data_request *given)
{
	return (given->has_sample || !wish->has_sample) &&
	       (given->has_arrivals || !wish->has_arrivals) &&
	       (given->has_before || !wish->has_before) &&
	       (given->has_members || !wish->has_members) &&
	       (given->has_moves || !wish->has_moves) &&
	       (wish->version == 0 || (given->version == wish->version &&
				       given->since_ms == wish->since_ms));
}

uint32_t template_missing_pages(const struct template_facts *facts)
{
	uint32_t now = facts->self.cluster_row.page_count;

	return facts->version_pages > now ? facts->version_pages - now : 0;
}

static void read_version_row(const struct facts_reader *reading,
			     struct template_facts *facts)
{
	struct version_row row;

	facts->has_version_row = version_row_get(reading->txn, reading->site,
						 facts->self.cluster,
						 facts->self.row.version, &row);
	if (!facts->has_version_row)
		return;
	facts->version_ms = row.first_ms;
	facts->version_pages = row.page_count;
}

static void read_arrival(const struct facts_reader *reading, uint64_t page,
			 struct template_facts *facts)
{
	struct frontier_row visit;
	struct page_row row;

	if (!page_row_get(reading->txn, reading->site, page, &row))
		return;
	facts->arrivals[facts->arrival_count++] = (struct page_timestamps){
		.stored_ms = row.stored_ms,
		.fetched_ms = row.fetched_ms,
		.found_ms = frontier_row_get(reading->txn, reading->site, page,
					     &visit)
				    ? visit.found_ms
				    : row.stored_ms,
	};
}

static void read_arrivals(const struct facts_reader *reading,
			  struct template_facts *facts)
{
	struct key prefix = key_cluster(reading->site, facts->self.cluster);
	struct scan scan =
		scan_begin(reading->txn, TABLE_MEMBERS, key_slice(&prefix));

	while (facts->arrival_count < MAX_TEMPLATE_SAMPLE && scan_next(&scan))
		read_arrival(reading, key_u64(scan.key, 2 * sizeof(uint32_t)),
			     facts);
	scan_end(&scan);
}

static void template_facts_read_members(const struct facts_reader *reading,
					struct template_facts *facts)
{
	struct key prefix = key_cluster(reading->site, facts->self.cluster);
	struct scan scan =
		scan_begin(reading->txn, TABLE_MEMBERS, key_slice(&prefix));
	uint64_t *members =
		ARENA_NEW(reading->scratch, uint64_t, FACTS_MAX_MEMBERS);

	while (facts->member_count < FACTS_MAX_MEMBERS && scan_next(&scan))
		members[facts->member_count++] =
			key_u64(scan.key, 2 * sizeof(uint32_t));
	scan_end(&scan);
	facts->members = members;
}

/*
 * Find the event. Events of a partition are numbered in order; events of other
 * partitions are between them.
 */
static void template_facts_read_alert(const struct facts_reader *reading,
				      struct template_facts *facts)
{
	const struct store *store = reading->txn->store;
	unsigned partition = store_partition_of_site(store, reading->site);
	uint64_t number = store_last_event(reading->txn, reading->site) + 1;
	struct event_row event;

	for (unsigned i = 0;
	     i < MAX_TOLD && event_get_before(reading->txn, &number, &event);
	     i++) {
		if (store_partition_of_event(store, number) != partition)
			continue;
		if (event.time_ms < facts->self.row.ended_ms)
			return;
		if (event.cluster != facts->self.cluster ||
		    !slice_equal(event.host, reading->source->site->row.host) ||
		    (event.kind != EVENT_TEMPLATE_REPLACED &&
		     event.kind != EVENT_TEMPLATE_MERGED))
			continue;
		facts->told = number;
		return;
	}
}

static void read_before(const struct facts_reader *reading,
			struct template_facts *facts)
{
	const struct version_name name = {reading->site, facts->self.cluster,
					  facts->self.row.version};
	struct version *version;
	struct version_row row;

	if (stored_version_read(reading->txn, name, reading->scratch, &row,
				&version) == ERR_NONE)
		facts->before = version;
}

/* Read the requested data in one transaction. */
static enum error read_wished(const struct facts_reader *reading,
			      struct template_facts *facts,
			      struct version_pages **pages_out)
{
	const struct data_request *wish = &facts->given;
	struct template_view *self = &facts->self;
	enum error error = ERR_NONE;

	self->has_cluster = cluster_row_get(reading->txn, reading->site,
					    self->cluster, &self->cluster_row);
	if (!self->has_cluster)
		self->cluster_row = (struct cluster_row){0};
	if (wish->has_sample) {
		error = facts_reader_read_sample(reading, self->cluster, facts);
		read_version_row(reading, facts);
		if ((self->row.flags & TEMPLATE_IS_LEAVING) != 0)
			template_facts_read_alert(reading, facts);
	}
	if (wish->has_moves && error == ERR_NONE)
		facts_reader_read_moves(reading, facts);
	if (wish->has_arrivals)
		read_arrivals(reading, facts);
	if (wish->has_before)
		read_before(reading, facts);
	if (wish->has_members)
		template_facts_read_members(reading, facts);
	if (error == ERR_NONE && wish->version != 0)
		*pages_out = facts_reader_read_version_pages(
			reading, wish->version, wish->since_ms);
	return reading->txn->error != ERR_NONE ? reading->txn->error : error;
}

enum error template_facts_read(const struct facts_source *source,
			       const struct template_view *subject,
			       const struct data_request *wish,
			       struct arena *scratch,
			       struct template_facts *facts_out)
{
	struct txn txn = txn_begin_read(source->store);
	const struct facts_reader reading = {
		.source = source,
		.txn = &txn,
		.site = source->site->row.id,
		.arena = source->arena,
		.scratch = scratch,
	};
	struct version_pages *pages = NULL;
	enum error error;

	*facts_out = (struct template_facts){.given = *wish, .self = *subject};
	error = read_wished(&reading, facts_out, &pages);
	txn_abort(&txn);
	if (pages != NULL)
		version_pages_build(&reading, pages, &facts_out->taken);
	return error;
}
