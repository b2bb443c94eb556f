#include "daemon/watch/collect.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "cluster/signature.h"
#include "crawl/frontier.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/worker_pool.h"
#include "daemon/query/stored_site.h"
#include "page/page_class.h"
#include "store/content.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows.h"
#include "store/store.h"
#include "store/txn.h"
#include "template/page_outline.h"

/* A reader of the facts of one subject. It uses one transaction. */
struct facts_reader {
	const struct facts_source *source;
	struct txn *txn;
	uint32_t site;
	struct arena *arena;   /* owns results that may be stored */
	struct arena *scratch; /* owns temporary data */
};

/*
 * Maximum number of events to search for the alert about the end of a template.
 * The store of a node also has events of other partitions between the events of
 * a partition.
 */
enum { MAX_TOLD = 100000 };

/* The rows of a site while they are being read. */
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
	struct scan scan = scan_site(rows->txn, TABLE_CLUSTERS, site);
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
	subject->row.lineage = arena_slice(rows->arena, row->lineage);
}

/*
 * Add the templates to the subjects, which have the clusters already, ascending
 * by number.
 */
static void site_facts_read_templates(struct site_fact_rows *rows,
				      uint32_t site)
{
	struct scan scan = scan_site(rows->txn, TABLE_TEMPLATES, site);
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

/* Read the decisions about rendering the templates of the site. */
static void site_facts_read_renders(struct txn *txn, struct arena *arena,
				    struct site_facts *facts)
{
	struct scan scan = scan_site(txn, TABLE_RENDERS, facts->row.id);
	struct render_view *views = NULL;
	size_t capacity = 0;
	size_t count = 0;
	struct render_row row;

	while (scan_next(&scan)) {
		if (!render_row_decode(scan.value, &row))
			continue;
		row.signatures = slice_of("");
		views = mem_grow(views, count, &capacity, sizeof(*views));
		views[count++] = (struct render_view){
			key_u32(scan.key, sizeof(uint32_t)), row};
	}
	scan_end(&scan);
	if (count > 0) {
		facts->renders = ARENA_NEW(arena, struct render_view, count);
		memcpy(facts->renders, views, count * sizeof(*views));
		facts->render_count = count;
	}
	free(views);
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
		site->host = arena_slice(arena, site->host);
		site->seed = arena_slice(arena, site->seed);
		facts_out->due_ms = frontier_next_due(&txn, site->id);
		site_facts_read_clusters(&rows, site->id);
		site_facts_read_templates(&rows, site->id);
		site_facts_read_renders(&txn, arena, facts_out);
	} else {
		error = ERR_NOT_FOUND;
	}
	if (txn.error != ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	if (rows.count > 0) {
		qsort(rows.subjects, rows.count, sizeof(struct template_view),
		      order_u32);
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
	struct scan scan = scan_cluster(reading->txn, TABLE_MEMBERS,
					reading->site, facts->self.cluster);

	while (facts->arrival_count < MAX_TEMPLATE_SAMPLE && scan_next(&scan))
		read_arrival(reading, key_u64(scan.key, 2 * sizeof(uint32_t)),
			     facts);
	scan_end(&scan);
}

/*
 * Add the pages of a cluster to the members, except those that were fetched
 * since `since_ms`. Look at no more than `most` pages, and return at how many.
 */
static size_t read_cluster_members(const struct facts_reader *reading,
				   uint32_t cluster, uint64_t since_ms,
				   size_t most, struct template_facts *facts)
{
	struct scan scan = scan_cluster(reading->txn, TABLE_MEMBERS,
					reading->site, cluster);
	struct page_row row;
	size_t count = 0;

	for (; count < most && facts->member_count < FACTS_MAX_MEMBERS &&
	       scan_next(&scan);
	     count++) {
		uint64_t page = key_u64(scan.key, 2 * sizeof(uint32_t));

		if (since_ms == UINT64_MAX ||
		    (page_row_get(reading->txn, reading->site, page, &row) &&
		     row.fetched_ms < since_ms))
			facts->members[facts->member_count++] = page;
	}
	scan_end(&scan);
	return count;
}

/*
 * Read the pages of the template's cluster. The first changed pages may have
 * split other pages off, which are still as they were. So also read the pages
 * of clusters that are no templates and began in this round.
 */
static void template_facts_read_members(const struct facts_reader *reading,
					struct template_facts *facts)
{
	const struct site_facts *site = reading->source->site;
	uint64_t since_ms = facts->self.row.round_ms;
	size_t most = FACTS_MAX_MEMBERS; /* of all these clusters */

	facts->members =
		ARENA_NEW(reading->scratch, uint64_t, FACTS_MAX_MEMBERS);
	read_cluster_members(reading, facts->self.cluster, UINT64_MAX,
			     FACTS_MAX_MEMBERS, facts);
	for (size_t i = 0; i < site->subject_count; i++) {
		const struct template_view *subject = &site->subjects[i];

		if (!subject->has_row && subject->has_cluster &&
		    subject->cluster_row.created_ms >= since_ms)
			most -= read_cluster_members(reading, subject->cluster,
						     since_ms, most, facts);
	}
}

/*
 * Find the last alert that reported the end of the template. Event numbers
 * ascend in time within a partition, but events of other partitions are stored
 * between them.
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

/* Maximum number of earlier versions that a new one is compared with. */
enum { MAX_FORMER = 8 };

struct former_versions {
	struct version *items[MAX_FORMER]; /* [count], the newest first */
	uint32_t numbers[MAX_FORMER];
	uint64_t times[MAX_FORMER];
	uint32_t count;
};

/* Read the stored versions before the newest one. */
static void read_former(const struct facts_reader *reading,
			const struct template_facts *facts,
			struct former_versions *former)
{
	for (uint32_t number = facts->self.row.version;
	     number > 1 && former->count < MAX_FORMER; number--) {
		const struct version_name name = {
			reading->site, facts->self.cluster, number - 1};
		struct version *version;
		struct version_row row;

		if (stored_version_read(reading->txn, name, reading->scratch,
					&row, &version) != ERR_NONE)
			break;
		former->items[former->count] = version;
		former->numbers[former->count] = number - 1;
		former->times[former->count] = row.last_ms;
		former->count++;
	}
}

/* Find the earlier version whose design the new version has again. */
static void find_former(const struct facts_reader *reading,
			const struct former_versions *former,
			struct template_facts *facts)
{
	for (uint32_t i = 0; i < former->count && facts->former == 0; i++) {
		if (facts->taken.version == NULL ||
		    !version_is_same_design(reading->scratch, former->items[i],
					    facts->taken.version))
			continue;
		facts->former = former->numbers[i];
		facts->former_ms = former->times[i];
	}
}

/*
 * Functions that find sample pages which were deleted and whose content
 * appeared again at another URL. They are treated as if the old URL redirected
 * to the new one.
 */

enum { MAX_COMPARED = 1000 /* maximum number of newer pages to compare */ };

/* The texts of a sample page that no other sample page has. */
struct own_texts {
	const struct record_fragment **items; /* [count], ascending by hash */
	uint32_t count;
	uint64_t length;
	/* length of the longest common text with a newer page until now */
	uint64_t best;
};

static bool has_fragment(const struct record *record, uint64_t hash)
{
	size_t at;

	LOWER_BOUND(at, record->fragment_count,
		    record->fragments[at].hash < hash);
	return at < record->fragment_count &&
	       record->fragments[at].hash == hash;
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
 * Return whether the page with this record has more than half of the texts, and
 * more of them than all pages that were compared before.
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
		page->moved_to = arena_slice(reading->scratch, row->url);
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

/*
 * Find pages that have the content of deleted sample pages. Such a page was
 * stored after the version was built, and has most of the texts of the sample
 * page that no other sample page has. O(sample pages * fragments) for each
 * page, and at most 1,000 pages.
 */
static void facts_reader_read_moves(const struct facts_reader *reading,
				    struct template_facts *facts)
{
	struct own_texts own[MAX_TEMPLATE_SAMPLE];
	struct scan scan = scan_site(reading->txn, TABLE_PAGES, reading->site);
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

/*
 * Functions that read the sample pages of a template: their old records and
 * their current state. The comments in collect.h explain the values.
 */

/*
 * Maximum share of the paths of a page, in permille, that may change when only
 * its content and not its layout has changed.
 */
enum { MAX_DRIFT = 200 };

/*
 * Decode a stored record (store/content.h) into the scratch arena. ERR_CORRUPT,
 * ERR_VERSION.
 */
static enum error facts_reader_record(const struct facts_reader *reading,
				      struct slice value,
				      struct record *record_out)
{
	struct buffer bytes = {0};
	enum error error = content_record_open(reading->txn, reading->site,
					       value, &bytes, record_out);

	if (error == ERR_NONE)
		arena_adopt(reading->scratch, bytes.data, bytes.capacity);
	else
		buffer_free(&bytes);
	return error;
}

static enum error load_stored(const struct facts_reader *reading, uint64_t page,
			      struct record *record_out)
{
	struct buffer joined = {0};
	enum error error = facts_reader_record(
		reading,
		content_get(reading->txn, TABLE_RECORDS,
			    KEY(key_page(reading->site, page)), &joined),
		record_out);

	buffer_free(&joined);
	return error;
}

static struct signature paths_of(const struct record *record)
{
	return (struct signature){record->signatures[MEASURE_CPC],
				  record->signature_counts[MEASURE_CPC]};
}

static bool has_other_paths(const struct facts_reader *reading,
			    const struct sample_page *page)
{
	const struct record both[] = {page->before, page->after};
	const struct record *records;

	if (slice_equal(both[0].outline, both[1].outline) &&
	    both[0].outline.size > 0)
		return false;
	records = outline_records(reading->scratch, both, 2);
	return !signature_linked(paths_of(&records[0]), paths_of(&records[1]),
				 MAX_DRIFT);
}

static enum error sample_page_read(const struct facts_reader *reading,
				   const struct page_row *row,
				   struct sample_page *page)
{
	enum error error = ERR_NONE;

	page->after = page->before;
	if (row->content_hash != page->before.content_hash)
		error = load_stored(reading, page->page, &page->after);
	if (error == ERR_NONE)
		page->has_other_paths = has_other_paths(reading, page);
	return error;
}

/*
 * Read the page to which a sample page redirects. It is the current state of
 * the sample page, which has only moved.
 */
static enum error read_target(const struct facts_reader *reading, uint64_t key,
			      const struct page_row *row,
			      struct sample_page *page)
{
	enum error error = load_stored(reading, key, &page->after);

	page->is_moved = true;
	page->changed_ms = row->changed_ms;
	page->page_class = row->page_class;
	page->cluster = row->cluster;
	page->fetched_ms = row->fetched_ms > page->answered_ms
				   ? row->fetched_ms
				   : page->answered_ms;
	if (error == ERR_NONE)
		page->has_other_paths = has_other_paths(reading, page);
	return error;
}

static enum error sample_page_follow(const struct facts_reader *reading,
				     struct slice target,
				     struct sample_page *page)
{
	uint64_t key = page_key_of(target);
	struct frontier_row visit;
	struct page_row row;

	page->moved_to = arena_slice(reading->scratch, target);
	if (page_row_get(reading->txn, reading->site, key, &row)) {
		if (row.page_class == CLASS_PAGE && row.redirect.size == 0)
			return read_target(reading, key, &row, page);
		page->lead = REDIRECT_TARGET_PAGE;
		page->lead_cluster = row.cluster;
	} else if (frontier_row_get(reading->txn, reading->site, key, &visit) &&
		   (visit.state == FRONTIER_PENDING ||
		    visit.state == FRONTIER_LEASED)) {
		page->lead = REDIRECT_TARGET_QUEUED;
	} else {
		page->lead = REDIRECT_TARGET_UNKNOWN;
	}
	return ERR_NONE;
}

/* Follow a stub page, which redirects in HTML, to its target. */
static enum error follow_stub(const struct facts_reader *reading,
			      struct sample_page *page)
{
	struct record record;
	enum error error = load_stored(reading, page->page, &record);

	page->lead = REDIRECT_TARGET_UNKNOWN;
	for (uint32_t i = 0; error == ERR_NONE && i < record.link_count; i++) {
		struct record_link link = record_link_at(&record, i);

		if ((link.flags & LINK_IS_REFRESH) != 0) {
			page->lead = REDIRECT_TARGET_NONE;
			return sample_page_follow(reading, link.url, page);
		}
	}
	return error;
}

static enum error read_stored(const struct facts_reader *reading,
			      const struct page_row *row,
			      struct sample_page *page)
{
	page->is_stored = true;
	page->page_class = row->page_class;
	page->cluster = row->cluster;
	page->fetched_ms = row->fetched_ms;
	page->changed_ms = row->changed_ms;
	if (row->redirect.size > 0)
		return sample_page_follow(reading, row->redirect, page);
	if (row->page_class == CLASS_STUB)
		return follow_stub(reading, page);
	return row->page_class == CLASS_PAGE
		       ? sample_page_read(reading, row, page)
		       : ERR_NONE;
}

static enum error read_now(const struct facts_reader *reading,
			   struct sample_page *page)
{
	struct frontier_row visit;
	struct page_row row;

	if (frontier_row_get(reading->txn, reading->site, page->page, &visit)) {
		page->answered_ms = visit.answered_ms;
		page->is_refused = visit.state == FRONTIER_FAILED ||
				   visit.state == FRONTIER_DENIED;
		page->is_idle = (visit.state == FRONTIER_DONE ||
				 visit.state == FRONTIER_FAILED) &&
				(visit.due_ms == 0 ||
				 visit.due_ms > reading->source->now_ms);
	}
	return page_row_get(reading->txn, reading->site, page->page, &row)
		       ? read_stored(reading, &row, page)
		       : ERR_NONE;
}

static enum error sample_page_read_entry(const struct facts_reader *reading,
					 struct slice key, struct slice value,
					 struct sample_page *page)
{
	uint64_t now_ms = reading->source->now_ms;
	struct sample_page_row row;
	enum error error;

	*page = (struct sample_page){0};
	if (!sample_page_row_decode(value, &row))
		return ERR_CORRUPT;
	page->page = key_u64(key, 2 * sizeof(uint32_t));
	/*
	 * ignore a time in the future, which was stored when the clock was
	 * ahead
	 */
	page->since_ms = row.since_ms > now_ms ? 0 : row.since_ms;
	page->url = arena_slice(reading->scratch, row.url);
	error = facts_reader_record(reading, row.record, &page->before);
	return error == ERR_NONE ? read_now(reading, page) : error;
}

static enum error facts_reader_read_sample(const struct facts_reader *reading,
					   uint32_t cluster,
					   struct template_facts *facts)
{
	struct scan scan = scan_cluster(reading->txn, TABLE_SAMPLE_PAGES,
					reading->site, cluster);
	enum error error = ERR_NONE;

	while (error == ERR_NONE && facts->sample_count < MAX_TEMPLATE_SAMPLE &&
	       scan_next(&scan))
		error = sample_page_read_entry(
			reading, scan.key, scan.value,
			&facts->sample[facts->sample_count++]);
	scan_end(&scan);
	return error;
}

struct slice sample_record(struct arena *arena, const struct record *record)
{
	struct record bare = *record;
	struct buffer out = {0};
	struct slice copy;

	bare.link_count = 0;
	record_encode(&bare, NULL, &out);
	copy = arena_slice(arena, buffer_slice(&out));
	buffer_free(&out);
	return copy;
}

/* Functions that build a version from the stored pages of a cluster. */

/*
 * Maximum source bytes of the pages for a version, because one worker parses
 * them all. At this limit no further page is added, except that two pages are
 * always allowed.
 */
enum { MAX_PAGES_BYTES = 16 << 20 };

/* A page of the cluster, copied from the store. */
struct version_member {
	uint64_t key;
	struct page_row row; /* row of the page; its URL belongs to the arena */
	struct record record;
	bool is_visited; /* it has been fetched, so it can be fetched again */
};

struct members {
	/*
	 * [count], the first pages by page key; this sample does not depend on
	 * their content
	 */
	struct version_member *items;
	uint32_t count;
};

static bool load_member(const struct facts_reader *reading, uint64_t key,
			struct version_member *member)
{
	struct frontier_row visit;

	member->key = key;
	if (!page_row_get(reading->txn, reading->site, key, &member->row))
		return false;
	member->row.url = arena_slice(reading->scratch, member->row.url);
	member->row.charset =
		arena_slice(reading->scratch, member->row.charset);
	member->is_visited =
		frontier_row_get(reading->txn, reading->site, key, &visit) &&
		visit.state != FRONTIER_DENIED;
	return load_stored(reading, key, &member->record) == ERR_NONE;
}

/* Load the first members by key that were fetched after `since_ms`. */
static struct members load_members(const struct facts_reader *reading,
				   uint32_t cluster, uint64_t since_ms)
{
	struct scan scan = scan_cluster(reading->txn, TABLE_MEMBERS,
					reading->site, cluster);
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
	uint32_t page_count;   /* number of pages of the cluster */
	bool is_partial;
};

/*
 * Append the URL and the source of the member to `list`. Return false if its
 * body is not stored.
 */
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

/* Copy all data that the version will be built from. */
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

static struct version_pages *
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

/* Make the members the sample pages of the template. */
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
				.url = arena_slice(reading->arena,
						   member->row.url),
				.record = sample_record(reading->arena,
							&member->record)},
		};
	}
}

/* The version that a worker has built. */
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

/*
 * Build the version from the copied pages, after the end of the transaction,
 * and free the pages.
 */
static void version_pages_build(const struct facts_reader *reading,
				struct version_pages *pages,
				struct built_version *taken_out)
{
	const struct facts_source *source = reading->source;
	const struct version_request request = {
		.limits = *source->limits,
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

/* Read the data that facts->given requests, in one transaction. */
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
	struct former_versions former = {.count = 0};
	struct version_pages *pages = NULL;
	enum error error;

	*facts_out = (struct template_facts){.given = *wish, .self = *subject};
	error = read_wished(&reading, facts_out, &pages);
	if (error == ERR_NONE && wish->has_before)
		read_former(&reading, facts_out, &former);
	txn_abort(&txn);
	if (pages != NULL)
		version_pages_build(&reading, pages, &facts_out->taken);
	find_former(&reading, &former, facts_out);
	return error;
}
