#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/engine/commit.h"
#include "daemon/engine/commit_screenshot.h"
#include "daemon/engine/engine_internal.h"
#include "daemon/engine/page_packer.h"
#include "daemon/engine/page_text.h"
#include "page/page.h"
#include "page/page_class.h"
#include "store/content.h"
#include "store/document_frequency.h"
#include "store/key.h"
#include "store/rows.h"

/*
 * The decision whether a visited page has shown anything new. If so, more pages
 * of its URL pattern are worth a visit.
 */

/*
 * As in the extraction method df, a fragment belongs to the template if more
 * than a third of the pages contain it.
 */
enum { TEMPLATE_RATIO = 3, PERMILLE = 1000 };

static bool fragment_is_template(uint32_t df, uint32_t pages)
{
	return (uint64_t)df * TEMPLATE_RATIO > pages;
}

/*
 * Return how much of the page's text is classified in the same way, as template
 * or as content, before and after this page is counted. The value is a share of
 * the bytes in permille. A high value means that the page has taught extraction
 * nothing new.
 */
static unsigned page_text_agreement(struct commit *batch, struct site *site,
				    uint32_t cluster, uint32_t pages,
				    const struct record *record)
{
	struct df_reader reader = {
		.txn = batch->txn, .site = site->row.id, .cluster = cluster};
	uint64_t all = 0;
	uint64_t same = 0;

	for (uint32_t i = 0; i < record->fragment_count; i++) {
		const struct record_fragment *fragment = &record->fragments[i];
		uint32_t df =
			counts_get(&site->counts, &reader, fragment->hash);

		if (df == 0)
			continue;
		all += fragment->length;
		if (fragment_is_template(df - 1, pages - 1) ==
		    fragment_is_template(df, pages))
			same += fragment->length;
	}
	return all == 0 ? PERMILLE : (unsigned)(same * PERMILLE / all);
}

/* Record whether the visited page has shown anything new. */
static void commit_note_novelty(struct commit *batch, struct site *site,
				uint64_t page, const struct record *record,
				struct link_result linked)
{
	struct novelty novelty = {
		.cluster = linked.cluster,
		.is_novel = linked.is_news,
	};
	struct cluster_row row;

	if (cluster_row_get(batch->txn, site->row.id, linked.cluster, &row) &&
	    row.page_count >= QUIET_PAGES) {
		novelty.cluster_pages = row.page_count;
		novelty.agreement = page_text_agreement(
			batch, site, linked.cluster, row.page_count, record);
	}
	frontier_count_page(batch->txn, &site->row, page, &novelty,
			    batch->now_ms);
}

/* A link of a page, as a candidate for the frontier of the page's site. */

struct link_candidate {
	struct slice url;
	/* similarity of the URL to the URL of the page; see link_kinship() */
	size_t kinship;
	size_t order; /* position of the link in the page */
};

/*
 * Return true if `text` is a URL of the host of `site`. Compare only the
 * beginning of the URL.
 */
static bool link_is_of_site(const struct site *site, struct slice text)
{
	const char *host = memmem(text.data, text.size, "://", 3);
	struct slice rest;

	if (host == NULL)
		return false;
	host += 3;
	rest.data = host;
	rest.size = text.size - (size_t)(host - (const char *)text.data);
	return rest.size > site->row.host.size &&
	       memcmp(rest.data, site->row.host.data, site->row.host.size) ==
		       0 &&
	       host[site->row.host.size] == '/';
}

/*
 * Return a number that is higher the more similar two URLs are: twice the
 * number of their common leading path segments, plus one if both have equally
 * many segments. Similar URLs probably lead to pages with the same template.
 */
static size_t link_kinship(struct slice a, struct slice b)
{
	const char *left = a.data;
	const char *right = b.data;
	size_t shorter = a.size < b.size ? a.size : b.size;
	size_t shared = 0;
	size_t slashes = 0;
	size_t i = 0;

	for (; i < shorter && left[i] == right[i]; i++)
		shared += left[i] == '/';
	for (size_t k = i; k < a.size; k++)
		slashes += left[k] == '/';
	for (size_t k = i; k < b.size; k++)
		slashes -= right[k] == '/';
	return 2 * shared + (slashes == 0);
}

static int closest_first(const void *left, const void *right)
{
	const struct link_candidate *a = left;
	const struct link_candidate *b = right;

	if (a->kinship != b->kinship)
		return a->kinship > b->kinship ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/*
 * Return whether the frontier has the URL. The result may be cached, because
 * URLs are never removed from the frontier.
 */
static bool link_is_known(struct commit *batch, struct site *site,
			  struct slice url)
{
	uint64_t key = page_key_of(url);
	uint64_t *known =
		site->known == NULL ? NULL : &site->known[key % SITE_KNOWN];
	struct frontier_row row;

	if (known != NULL && *known == key && key != 0)
		return true;
	if (!frontier_row_get(batch->txn, site->row.id, key, &row))
		return false;
	if (known != NULL)
		*known = key;
	return true;
}

/*
 * Find the links of the page that lead to its own site and are not in the
 * frontier yet. Return their number.
 */
static size_t find_candidates(struct commit *batch, struct site *site,
			      const struct url *page,
			      const struct record *record,
			      struct link_candidate *candidates)
{
	size_t count = 0;

	for (uint32_t i = 0; i < record->link_count; i++) {
		struct record_link link = record_link_at(record, i);

		if ((link.flags & LINK_IS_NOFOLLOW) != 0 ||
		    !link_is_of_site(site, link.url) ||
		    link_is_known(batch, site, link.url))
			continue;
		candidates[count] = (struct link_candidate){
			.url = link.url,
			.kinship = link_kinship(link.url, slice_of(page->text)),
			.order = count,
		};
		count++;
	}
	return count;
}

static void add_candidate(struct commit *batch, struct site *site,
			  struct slice text, unsigned depth)
{
	struct url url;

	if (url_parse(&url, text, NULL) != ERR_NONE)
		return;
	commit_discover(batch, site,
			&(struct discovery){
				.url = &url,
				.how = ADMIT_LINK,
				.depth = depth,
			});
}

/* Add the links of a page to the frontier. */
static void commit_links(struct commit *batch, struct site *site,
			 const struct url *page, const struct record *record,
			 const struct frontier_row *row)
{
	bool is_asked = (row->flags & FRONTIER_IS_ON_DEMAND) != 0;
	unsigned depth = is_asked ? 1 : row->depth + 1U;
	struct link_candidate *candidates;
	size_t count;

	if ((record->flags & RECORD_IS_NOFOLLOW) != 0 ||
	    (site->row.options.flags & SITE_IS_OFFLINE) != 0 ||
	    depth > site->row.options.max_depth || record->link_count == 0)
		return;
	candidates = mem_alloc(record->link_count, sizeof(*candidates));
	count = find_candidates(batch, site, page, record, candidates);
	if ((site->row.options.flags & SITE_IS_SAMPLE) != 0) {
		qsort(candidates, count, sizeof(*candidates), closest_first);
		if (count > batch->options->max_neighbours)
			count = batch->options->max_neighbours;
	}
	for (size_t i = 0; i < count; i++)
		add_candidate(batch, site, candidates[i].url, depth);
	free(candidates);
}

/*
 * Functions that add, change and delete a page. Its row, record, body, cluster,
 * counts and events change in the same transaction.
 */

/*
 * The stored page before the change. Its texts are copies, because writes
 * invalidate LMDB's memory.
 */
struct before {
	bool is_row; /* the URL has a row, of a page or of a redirect */
	/* the row is of a page with a record, whose fragments are counted */
	bool is_page;
	struct page_row row; /* row of the page; its texts are not set */
	struct buffer bytes; /* bytes of the page's record */
	struct record record;
};

static struct before load_before(struct commit *batch, const struct site *site,
				 uint64_t page, struct slice url)
{
	struct before before = {0};
	struct page_row row;

	if (!page_row_get(batch->txn, site->row.id, page, &row))
		return before;
	if (!slice_equal(row.url, url)) {
		/*
		 * equal hashes of two URLs of a site do not occur by chance,
		 * only in an attack
		 */
		txn_fail(batch->txn, ERR_ADDRESS_FORBIDDEN);
		return before;
	}
	before.is_row = true;
	before.is_page = row.redirect.size == 0;
	row.page_class %= SITE_CLASSES;
	before.row = row;
	before.row.url = slice_of("");
	before.row.redirect = slice_of("");
	before.row.charset = slice_of("");
	if (before.is_page)
		commit_load_record(batch, site, page, &before.record,
				   &before.bytes);
	return before;
}

/* A visited page, with its stored state before the visit. */
struct page_visit {
	struct commit *batch;
	struct site *site;
	const struct change *change;
	/* the result of the visit; points into `change` */
	const struct analysis *arrived;
	uint64_t page;
	struct before before;
	struct record record;
	unsigned page_class; /* value of enum page_class */
};

/*
 * Store the body or the record of the page, compressed with dictionary number
 * `dictionary`; 0 = without one.
 */
static void put_packed(const struct page_visit *arrival, enum table table,
		       struct slice value, uint32_t dictionary)
{
	const struct key key = key_page(arrival->site->row.id, arrival->page);
	struct buffer bytes = {0};

	if (dictionary != 0)
		content_renumber(value, dictionary, &bytes);
	content_put(arrival->batch->txn, table, key_slice(&key),
		    dictionary == 0 ? value : buffer_slice(&bytes));
	buffer_free(&bytes);
}

/* Append the body, compressed without its dictionary, to `out`. */
static void page_visit_convert_body(const struct page_visit *arrival,
				    struct buffer *out)
{
	const struct analysis *arrived = arrival->arrived;

	txn_fail(arrival->batch->txn,
		 page_dictionary_convert(arrived->dictionary, arrived->packed,
					 arrived->body_bytes, out));
}

/* Store body and record. `cluster` is the cluster of the page. */
static void put_content(const struct page_visit *arrival, uint32_t cluster)
{
	const struct analysis *arrived = arrival->arrived;
	const bool is_plain = arrived->packed_record.size == 0;
	struct buffer body = {0};
	uint32_t dictionary = 0;

	if (arrived->dictionary != NULL)
		dictionary = commit_page_dictionary(
			arrival->batch,
			&(struct cluster_name){arrival->site->row.id, cluster},
			arrived->dictionary);
	if (arrived->dictionary != NULL && dictionary == 0) {
		/* the site was deleted and added again in the meantime */
		page_visit_convert_body(arrival, &body);
		put_packed(arrival, TABLE_BODIES, buffer_slice(&body), 0);
		put_packed(arrival, TABLE_RECORDS, arrived->record, 0);
	} else {
		put_packed(arrival, TABLE_BODIES, arrived->packed, dictionary);
		put_packed(arrival, TABLE_RECORDS,
			   is_plain ? arrived->record : arrived->packed_record,
			   is_plain ? 0 : dictionary);
	}
	buffer_free(&body);
}

/*
 * Write into `row` when the content last changed and when it was stored, and
 * whether the content is from an archive.
 */
static void put_time(const struct page_visit *arrival, bool is_changed,
		     struct page_row *row)
{
	const struct analysis *arrived = arrival->arrived;
	const struct page_row *before = &arrival->before.row;

	if (!is_changed) {
		row->changed_ms = before->changed_ms;
		row->stored_ms = before->stored_ms;
		row->flags |= before->flags & PAGE_ROW_IS_ARCHIVED;
		return;
	}
	row->changed_ms = row->fetched_ms;
	row->stored_ms = arrival->batch->now_ms;
	if (arrived->archived_ms != 0) {
		row->changed_ms = arrived->archived_ms;
		row->flags |= PAGE_ROW_IS_ARCHIVED;
	}
}

/* Emit the event that the page is new, or has changed. */
static void page_visit_emit_event(const struct page_visit *arrival,
				  const struct page_row *row,
				  const json_t *change)
{
	const struct before *before = &arrival->before;
	json_t *detail = page_text_detail(change);
	char *text = detail == NULL ? NULL : json_dumps(detail, JSON_COMPACT);

	commit_event(arrival->batch, arrival->site,
		     &(struct event_row){
			     .kind = before->is_page ? EVENT_PAGE_CHANGED
						     : EVENT_PAGE_ADDED,
			     .cluster = row->cluster,
			     .other = before->row.cluster == row->cluster
					      ? 0
					      : before->row.cluster,
			     .pages = 1,
			     .url = row->url,
			     .detail = slice_of(text == NULL ? "" : text),
		     });
	free(text);
	json_decref(detail);
}

/* Write the row of the page. */
static void page_visit_put_row(const struct page_visit *arrival,
			       bool is_changed, struct page_row *row)
{
	const struct analysis *arrived = arrival->arrived;
	const struct before *before = &arrival->before;
	const struct change *change = arrival->change;
	struct commit *batch = arrival->batch;
	struct site *site = arrival->site;

	row->content_hash = arrival->record.content_hash;
	row->fetched_ms =
		arrived->time_ms != 0 ? arrived->time_ms : batch->now_ms;
	row->body_bytes = arrived->body_bytes;
	row->http_status = change->answer.outcome.http_status;
	row->flags = row->cluster == 0 ? PAGE_ROW_IS_TRUNCATED : 0;
	if (change->kind == CHANGE_INGEST &&
	    (is_changed || (before->row.flags & PAGE_ROW_IS_INGESTED) != 0))
		row->flags |= PAGE_ROW_IS_INGESTED;
	put_time(arrival, is_changed, row);
	if ((arrival->record.flags & RECORD_IS_RENDERED) != 0)
		row->flags |= PAGE_ROW_IS_RENDERED;
	row->flags = (uint16_t)(row->flags | record_kind(&arrival->record)
						     << PAGE_ROW_KIND_SHIFT);
	row->page_class = (uint16_t)arrival->page_class;
	row->url = slice_of(change->url->text);
	row->charset = arrived->charset;
	page_row_put(batch->txn, site->row.id, arrival->page, row);
	site->row.generation += is_changed;
	site->day.changed += is_changed && before->is_page;
}

/*
 * Store the changed content of the page: update its signature, cluster and
 * counts.
 */
static struct link_result take_content(const struct page_visit *arrival)
{
	const struct before *before = &arrival->before;
	const struct record *record = &arrival->record;
	struct site *site = arrival->site;
	struct signature signature = commit_signature(site, record);
	bool is_learned = arrival->page_class == CLASS_PAGE;
	struct link_result linked =
		commit_link(arrival->batch, site, arrival->page,
			    is_learned ? &signature : NULL);

	put_content(arrival, linked.cluster);
	site_count(site, before->row.cluster, &before->record, -1);
	site_count(site, linked.cluster, record, 1);
	if (before->is_page)
		site->row.class_counts[before->row.page_class]--;
	else
		site->row.page_count++;
	site->row.class_counts[arrival->page_class]++;
	return linked;
}

static bool has_changed(const struct page_visit *arrival)
{
	const struct before *before = &arrival->before;
	const struct site *site = arrival->site;

	return !before->is_page ||
	       before->row.page_class != arrival->page_class ||
	       commit_signature(site, &before->record).count !=
		       commit_signature(site, &arrival->record).count ||
	       !record_is_same(&before->record, &arrival->record);
}

/*
 * Return the class of the page: soft 404 if it looks like the stored response
 * to the probe, a URL that does not exist. The seed URL of the site is never a
 * soft 404.
 */
static unsigned commit_page_class(const struct site *site,
				  const struct record *record, struct slice url)
{
	unsigned page_class = record_class(record);

	return page_class == CLASS_PAGE && !slice_equal(url, site->row.seed) &&
			       soft_404_is(record, site->row.missing)
		       ? CLASS_SOFT_404
		       : page_class;
}

/*
 * Store the text of the probe's page in the site; pages that look like it are
 * soft 404s.
 */
static void learn_missing(struct site *site, const struct record *record)
{
	struct buffer missing = {0};

	if (record->fragment_count == 0)
		/*
		 * if this were stored, every page without text would look like
		 * it
		 */
		return;
	soft_404_store_probe(record, &missing);
	site_set_text(&site->row.missing, buffer_slice(&missing));
	buffer_free(&missing);
	site->is_changed = true;
}

/*
 * Return whether the daemon follows the links of a document of this class. For
 * example, it does not follow links of an error page.
 */
static bool is_followed(unsigned page_class)
{
	switch (page_class) {
	case CLASS_PAGE:
	case CLASS_STUB:
	case CLASS_TRUNCATED:
	case CLASS_EMPTY:
		return true;
	default:
		return false;
	}
}

/*
 * Delete the ETag and the date of the last fetch, because they do not belong to
 * the stored page. Remove the page from quarantine if its previous bytes are in
 * the quarantine.
 */
static void forget_visit(const struct page_visit *arrival)
{
	frontier_clear_validators(arrival->batch->txn, arrival->site->row.id,
				  arrival->page);
	if (arrival->arrived->was_poisoned)
		commit_unquarantine(arrival->batch, arrival->site,
				    arrival->change->url);
}

/* Return whether the paths of the page are others than before. */
static bool page_visit_is_restructured(const struct page_visit *arrival)
{
	const struct signature before =
		commit_signature(arrival->site, &arrival->before.record);
	const struct signature after =
		commit_signature(arrival->site, &arrival->record);

	return before.count != after.count ||
	       (before.count > 0 &&
		memcmp(before.shingles, after.shingles,
		       before.count * sizeof(*before.shingles)) != 0);
}

/* Store the screenshot of the page, which is in this cluster now. */
static void page_visit_put_screenshot(const struct page_visit *arrival,
				      uint32_t cluster)
{
	const bool is_rendered =
		(arrival->record.flags & RECORD_IS_RENDERED) != 0;

	/* a page that was not rendered has no screenshot to remove */
	if (!is_rendered &&
	    (arrival->before.record.flags & RECORD_IS_RENDERED) == 0)
		return;
	commit_screenshot(
		arrival->batch, arrival->site,
		&(struct page_shot){
			.page = arrival->page,
			.cluster = cluster,
			.is_rendered = is_rendered,
			.is_restructured = arrival->before.is_page &&
					   page_visit_is_restructured(arrival),
			.picture = arrival->arrived->screenshot,
		});
}

/* Store what has changed in the text, and tell the guards that watch it. */
static void page_visit_put_text(const struct page_visit *arrival,
				const struct page_row *row,
				const json_t *change)
{
	if (arrival->page_class != CLASS_PAGE)
		return;
	if (arrival->before.is_page)
		commit_page_text(
			arrival->batch, arrival->site,
			&(struct page_text_visit){
				.page = arrival->page,
				.before_ms = arrival->before.row.fetched_ms,
				.change = change,
			});
	commit_guard_text(arrival->batch, arrival->site, row, change);
}

/*
 * Store the page: its row, cluster and counts. Add its links to the frontier,
 * and record whether it has shown anything new.
 */
static void store_arrival(const struct page_visit *arrival,
			  const struct frontier_row *visit,
			  struct outcome *outcome)
{
	struct commit *batch = arrival->batch;
	struct site *site = arrival->site;
	struct link_result linked = {.cluster = arrival->before.row.cluster};
	struct page_row row = {0};
	bool is_changed = has_changed(arrival);
	json_t *change = NULL;

	if (is_changed && arrival->before.is_page)
		change = page_text_change(arrival->arrived->guarded,
					  arrival->before.row.content_hash);
	if (is_changed)
		linked = take_content(arrival);
	else if ((arrival->before.row.flags & PAGE_ROW_HAS_NO_BODY) != 0)
		put_content(arrival, linked.cluster);
	row.cluster = linked.cluster;
	page_visit_put_row(arrival, is_changed, &row);
	if (is_changed)
		page_visit_emit_event(arrival, &row, change);
	page_visit_put_text(arrival, &row, change);
	json_decref(change);
	if (arrival->page_class == CLASS_PAGE &&
	    !commit_guard_page(batch, site, &row, arrival->arrived->guarded)) {
		/*
		 * at the next visit the server must return the page and not a
		 * 304
		 */
		outcome->etag = slice_of("");
		outcome->modified = slice_of("");
	}
	page_visit_put_screenshot(arrival, linked.cluster);
	outcome->is_changed = is_changed;
	outcome->cluster = linked.cluster;
	if (arrival->change->kind == CHANGE_INGEST)
		forget_visit(arrival);
	if (visit == NULL)
		return;
	if ((visit->flags & FRONTIER_IS_COUNTED) == 0)
		commit_note_novelty(batch, site, arrival->page,
				    &arrival->record, linked);
	else if (linked.is_news ||
		 linked.cluster != arrival->before.row.cluster)
		frontier_reopen(batch->txn, &site->row, arrival->page,
				batch->now_ms);
	if (is_followed(arrival->page_class))
		commit_links(batch, site, arrival->change->url,
			     &arrival->record, visit);
}

/*
 * Return whether documents of this class only hide a page that still exists, as
 * a challenge or a consent form does.
 */
static bool is_obstacle(unsigned page_class)
{
	return page_class == CLASS_ERROR || page_class == CLASS_CHALLENGE ||
	       page_class == CLASS_CONSENT;
}

/*
 * Return whether the stored state of the URL comes from a fetch of the daemon
 * and not from an ingest. The state is a page, a redirect, or "not found".
 */
static bool batch_page_is_own(const struct page_visit *arrival)
{
	const struct before *before = &arrival->before;
	const struct site_row *site = &arrival->site->row;
	struct frontier_row visit = {0};

	if (before->is_row)
		return (before->row.flags & PAGE_ROW_IS_INGESTED) == 0;
	frontier_row_get(arrival->batch->txn, site->id, arrival->page, &visit);
	return visit.http_status == 404 || visit.http_status == 410;
}

/* Return whether the page was rendered before, or is now, but not both. */
static bool page_visit_is_rendered_anew(const struct page_visit *arrival)
{
	return ((arrival->before.record.flags ^ arrival->record.flags) &
		RECORD_IS_RENDERED) != 0;
}

/* Store what the stored visit says about rendering the template of the page. */
static void page_visit_note_rendering(const struct page_visit *arrival,
				      struct outcome *outcome)
{
	const struct before *before = &arrival->before;
	struct render_arrival render = {
		.page = arrival->page,
		.finding = &arrival->arrived->render,
		.before = before->is_page ? &before->record : NULL,
		.cluster_before = before->row.cluster,
		.cluster = outcome->cluster,
		.was_rendered = (before->row.flags & PAGE_ROW_IS_RENDERED) != 0,
		.is_rendered = outcome->is_rendered,
	};
	struct page_row row;

	if (arrival->arrived->render.cluster == 0 &&
	    !arrival->arrived->render.is_strange &&
	    !(before->is_page && page_visit_is_rendered_anew(arrival)))
		return;
	commit_render_visit(arrival->batch, arrival->site, &render);
	if (page_row_get(arrival->batch->txn, arrival->site->row.id,
			 arrival->page, &row))
		outcome->cluster = row.cluster;
}

/* Return whether the new document should replace the stored one. */
static bool page_visit_is_better(const struct page_visit *arrival)
{
	const struct analysis *arrived = arrival->arrived;

	if (arrived->is_undated && arrival->before.is_row && !arrived->replaces)
		return false;
	/* an accepted visit is the last one, whatever the clock says */
	if (arrived->time_ms != 0 && !arrived->is_accepted &&
	    arrived->time_ms < arrival->before.row.fetched_ms)
		return false;
	if (!arrival->before.is_page ||
	    arrival->before.row.page_class == CLASS_TRUNCATED)
		return true;
	if (arrival->before.row.page_class == CLASS_PAGE &&
	    is_obstacle(arrival->page_class))
		return false;
	return !arrived->is_broken && (arrival->change->kind == CHANGE_PAGE ||
				       arrival->page_class != CLASS_TRUNCATED);
}

/* Return the kind of visit that this page is if it differs from the stored. */
static enum waiting_kind waiting_kind_of(unsigned page_class)
{
	if (page_class == CLASS_SOFT_404)
		return WAITING_REMOVED;
	return is_obstacle(page_class) || page_class == CLASS_EMPTY
		       ? WAITING_REFUSED
		       : WAITING_PAGE;
}

/*
 * Return whether the visit must wait: it contradicts the stored page, so the
 * watcher decides whether this page or the whole site has changed. A rendered
 * page says nothing about one that is not.
 */
static bool page_visit_must_wait(const struct page_visit *arrival)
{
	const struct before *before = &arrival->before;

	if (arrival->change->kind != CHANGE_PAGE ||
	    arrival->arrived->is_accepted || arrival->arrived->is_broken ||
	    !before->is_page || before->row.page_class != CLASS_PAGE ||
	    arrival->page_class == CLASS_TRUNCATED ||
	    page_visit_is_rendered_anew(arrival) ||
	    !commit_site_waits(arrival->site))
		return false;
	return arrival->page_class != CLASS_PAGE ||
	       commit_page_differs(arrival->batch, arrival->site,
				   &(struct page_pair){
					   arrival->page,
					   before->row.cluster,
					   before->row.fetched_ms,
					   &before->record,
					   &arrival->record,
				   });
}

/* Let the visit wait. Its validators do not belong to the stored page. */
static void page_visit_wait(const struct page_visit *arrival,
			    struct outcome *outcome)
{
	const struct analysis *arrived = arrival->arrived;
	enum waiting_kind kind = waiting_kind_of(arrival->page_class);
	struct buffer packed = {0};
	struct waiting_row row = {
		.body_bytes = arrived->body_bytes,
		.kind = (uint16_t)kind,
		.retry_ms = outcome->retry_ms,
		.http_status = outcome->http_status,
		.page_class = (uint16_t)arrival->page_class,
		.url = slice_of(arrival->change->url->text),
		.charset = arrived->charset,
	};

	if (kind == WAITING_PAGE) {
		row.record = arrived->record;
		row.guarded = arrived->guarded;
		row.packed = arrived->packed;
	}
	if (kind == WAITING_PAGE && arrived->dictionary != NULL) {
		/* its dictionary may be deleted before it is accepted */
		page_visit_convert_body(arrival, &packed);
		row.packed = buffer_slice(&packed);
	}
	outcome->etag = slice_of("");
	outcome->modified = slice_of("");
	if (!commit_wait(arrival->batch, arrival->site, &row) ||
	    kind == WAITING_REFUSED)
		outcome->error = ERR_NETWORK; /* the page may be back soon */
	buffer_free(&packed);
}

/*
 * Return whether the visit returned a URL that is not stored, of a site that is
 * down. If all its pages are missing, or are at another host, then a page that
 * is there is stored: the site may have new pages only.
 */
static bool is_refused_while_down(struct commit *batch,
				  const struct page_visit *arrival)
{
	struct health_row health;

	if (arrival->before.is_page ||
	    !commit_site_is_down(batch, arrival->site))
		return false;
	return arrival->page_class != CLASS_PAGE ||
	       !health_row_get(batch->txn, arrival->site->row.id, &health) ||
	       (health.state != SITE_STATE_MISSING &&
		health.state != SITE_STATE_MOVED);
}

/*
 * Store a page. Update *outcome, the outcome of the visit, and set `is_kept` of
 * an INGEST.
 */
static void commit_put_page(struct commit *batch, struct site *site,
			    struct change *change, struct outcome *outcome)
{
	struct analysis *arrived = &change->answer;
	struct slice url = slice_of(change->url->text);
	struct page_visit arrival = {
		.batch = batch,
		.site = site,
		.change = change,
		.arrived = arrived,
		.page = page_key_of(url),
	};
	enum error error = record_open(arrived->record, &arrival.record);
	struct frontier_row visit;
	bool is_visit;

	arrival.before = load_before(batch, site, arrival.page, url);
	if (error != ERR_NONE)
		txn_fail(batch->txn, error);
	if (batch->txn->error != ERR_NONE)
		goto out;
	arrived->is_kept = change->kind == CHANGE_INGEST &&
			   !arrived->replaces && batch_page_is_own(&arrival);
	if (arrived->is_kept)
		goto out;
	outcome->is_rendered = (arrival.record.flags & RECORD_IS_RENDERED) != 0;
	arrival.page_class = commit_page_class(site, &arrival.record, url);
	is_visit = change->kind == CHANGE_PAGE &&
		   frontier_row_get(batch->txn, site->row.id, arrival.page,
				    &visit);
	if (is_visit && (visit.flags & FRONTIER_IS_PROBE) != 0) {
		learn_missing(site, &arrival.record);
	} else if (page_visit_must_wait(&arrival)) {
		page_visit_wait(&arrival, outcome);
		goto out;
	} else if (!(is_visit && is_refused_while_down(batch, &arrival)) &&
		   page_visit_is_better(&arrival)) {
		store_arrival(&arrival, is_visit ? &visit : NULL, outcome);
		arrived->stored_site = site->row.id;
		arrived->cluster = outcome->cluster;
		page_visit_note_rendering(&arrival, outcome);
		if (change->kind == CHANGE_PAGE)
			commit_wait_end(batch, site, arrival.page);
		else /* it contradicts an older page */
			commit_wait_drop(batch, site, arrival.page);
	} else if (is_obstacle(arrival.page_class) ||
		   (is_visit && commit_site_is_down(batch, site))) {
		outcome->error = ERR_NETWORK; /* the page may be back soon */
	}
	if (arrival.page_class == CLASS_PAGE && is_visit)
		site->row.seen_ms = batch->now_ms;
	if (arrived->is_broken)
		frontier_clear_validators(batch->txn, site->row.id,
					  arrival.page);
	site->is_changed = true;
out:
	buffer_free(&arrival.before.bytes);
}

/*
 * Delete the page. If `redirect` is not NULL, write a row for that redirect
 * instead.
 */
static void commit_remove_page(struct commit *batch, struct site *site,
			       const struct url *url,
			       const struct url *redirect)
{
	struct slice text = slice_of(url->text);
	uint64_t page = page_key_of(text);
	struct before before = load_before(batch, site, page, text);
	struct key key = key_page(site->row.id, page);

	commit_wait_drop(batch, site, page);
	if (batch->txn->error == ERR_NONE && before.is_page) {
		commit_link(batch, site, page, NULL);
		commit_unguard_page(batch, site, page, redirect);
		site_count(site, before.row.cluster, &before.record, -1);
		content_delete(batch->txn, TABLE_BODIES, key_slice(&key));
		content_delete(batch->txn, TABLE_RECORDS, key_slice(&key));
		txn_delete(batch->txn, TABLE_SCREENSHOTS, key_slice(&key));
		txn_delete(batch->txn, TABLE_TEXT_CHANGES, key_slice(&key));
		site->row.page_count--;
		site->row.class_counts[before.row.page_class]--;
		site->row.generation++;
		site->is_changed = true;
		commit_event(batch, site,
			     &(struct event_row){.kind = EVENT_PAGE_GONE,
						 .cluster = before.row.cluster,
						 .pages = 1,
						 .url = text});
	}
	buffer_free(&before.bytes);
	if (redirect != NULL)
		page_row_put(batch->txn, site->row.id, page,
			     &(struct page_row){
				     .fetched_ms = batch->now_ms,
				     .changed_ms = batch->now_ms,
				     .url = text,
				     .redirect = slice_of(redirect->text),
			     });
	else
		txn_delete(batch->txn, TABLE_PAGES, key_slice(&key));
}

/*
 * Functions that store the result of a visit: the page, and the end of the
 * lease of its URL.
 */

/*
 * End the lease of the URL, if it was leased, and record the outcome of its
 * visit.
 */
static void answer_lease(struct commit *batch, struct site *site,
			 const struct change *change,
			 const struct outcome *outcome)
{
	uint64_t key = page_key_of(slice_of(change->url->text));
	struct frontier_row row;

	if (!frontier_row_get(batch->txn, site->row.id, key, &row))
		return;
	if (row.state == FRONTIER_LEASED && site->leased > 0)
		site->leased--;
	if (outcome->error != ERR_STOPPED)
		site->row.asked_ms = batch->now_ms;
	if (outcome->error != ERR_STOPPED &&
	    (row.flags & FRONTIER_IS_AUXILIARY) == 0) {
		site->day.visits++;
		site->day.failed += outcome->http_status >= 400 ||
				    error_is_network(outcome->error) ||
				    outcome->error == ERR_TIMEOUT;
	}
	frontier_record_outcome(batch->txn, &site->row, key, outcome);
	if (outcome->error == ERR_NONE)
		commit_guard_learn_text(batch, site, key);
	site->is_changed = true;
}

/* Return whether the stored row of the URL is a redirect. */
static bool has_led(struct commit *batch, const struct site *site,
		    const struct change *change)
{
	uint64_t page = page_key_of(slice_of(change->url->text));
	struct page_row row;

	return page_row_get(batch->txn, site->row.id, page, &row) &&
	       row.redirect.size > 0;
}

/*
 * If the first page of a site redirects to another host, as example.org does to
 * www.example.org, add that host as a site. Redirects from host to host are
 * counted and limited, and only the first target of a seed is used; otherwise a
 * server with a wildcard DNS name could create any number of sites.
 */
static void follow_seed(struct commit *batch, const struct site *site,
			const struct change *change, unsigned redirects)
{
	const struct url *target = change->answer.target;
	struct site_options options = site->row.options;

	/* do not send the site's headers to another host */
	options.headers = slice_of("");
	options.proxy = slice_of("");
	options.flags &= ~(uint32_t)(SITE_IS_PRIVATE_OK | SITE_IS_PORT_OK |
				     SITE_IS_NETWORK_OK | SITE_FINDINGS);
	if (site->row.page_count == 0 && redirects < MAX_REDIRECTS &&
	    slice_equal(site->row.seed, slice_of(change->url->text)) &&
	    sites_find(batch->sites, slice_of(target->host)) == NULL &&
	    !has_led(batch, site, change))
		commit_add_site(batch, target, &options, redirects + 1);
}

/*
 * Return the error for a redirect whose target was not admitted because of this
 * rule.
 */
static enum error admission_error(enum admission rule)
{
	if (rule == REFUSE_HOST)
		return ERR_OUT_OF_SCOPE;
	if (rule == REFUSE_ENDING)
		return ERR_NOT_HTML;
	return rule >= REFUSE_HOST && rule < SKIP_SATURATED ? ERR_TOO_LARGE
							    : ERR_NONE;
}

/* Add the target of a redirect to the frontier of the site. */
static enum error discover_target(struct commit *batch, struct site *site,
				  const struct url *target,
				  const struct frontier_row *row)
{
	struct discovery discovery = {
		.url = target,
		.how = ADMIT_REDIRECT,
		.depth = row->depth,
		.redirects = row->redirects + 1U,
		.flags = row->flags & FRONTIER_IS_SITEMAP,
	};

	/*
	 * the target is on demand only if this was the first visit to the
	 * redirecting URL
	 */
	if (row->fetched_ms == 0 && row->interval_ms == 0)
		discovery.flags |= row->flags & FRONTIER_IS_ON_DEMAND;
	if (slice_equal(site->row.host, slice_of(target->host)) &&
	    row->redirects >= MAX_REDIRECTS)
		return ERR_TOO_LARGE;
	return admission_error(commit_discover(batch, site, &discovery));
}

/*
 * Return whether the visit of a URL, which returned no document, must wait: the
 * store has a page of this URL.
 */
static bool commit_must_wait(struct commit *batch, const struct site *site,
			     const struct change *change)
{
	uint64_t page = page_key_of(slice_of(change->url->text));
	struct page_row row;

	return !change->answer.is_accepted && commit_site_waits(site) &&
	       page_row_get(batch->txn, site->row.id, page, &row) &&
	       row.redirect.size == 0 && row.page_class == CLASS_PAGE;
}

/* Let a visit without a document wait; update its outcome. */
static void commit_wait_without_page(struct commit *batch, struct site *site,
				     const struct change *change,
				     struct waiting_row *row,
				     struct outcome *outcome)
{
	row->url = slice_of(change->url->text);
	row->http_status = outcome->http_status;
	row->error = (int16_t)outcome->error;
	row->retry_ms = outcome->retry_ms;
	outcome->etag = slice_of("");
	outcome->modified = slice_of("");
	if (!commit_wait(batch, site, row))
		outcome->error = ERR_NETWORK;
}

static void commit_redirect(struct commit *batch, struct site *site,
			    struct change *change)
{
	uint64_t key = page_key_of(slice_of(change->url->text));
	struct outcome outcome = change->answer.outcome;
	struct frontier_row row = {0};

	if (commit_must_wait(batch, site, change)) {
		struct waiting_row visit = {
			.kind = WAITING_REDIRECT,
			.target = slice_of(change->answer.target->text),
		};

		commit_wait_without_page(batch, site, change, &visit, &outcome);
		answer_lease(batch, site, change, &outcome);
		return;
	}
	frontier_row_get(batch->txn, site->row.id, key, &row);
	outcome.error =
		discover_target(batch, site, change->answer.target, &row);
	if (outcome.error == ERR_OUT_OF_SCOPE)
		follow_seed(batch, site, change, row.redirects);
	if ((row.flags & FRONTIER_IS_AUXILIARY) == 0)
		commit_remove_page(batch, site, change->url,
				   change->answer.target);
	answer_lease(batch, site, change, &outcome);
}

/*
 * Handle a page that the server reports as unchanged: update only the times of
 * the visit. If an ingested page has replaced the stored page since, the
 * server's response does not refer to it, so leave that page unchanged.
 */
static void commit_not_modified(struct commit *batch, struct site *site,
				struct change *change)
{
	uint64_t key = page_key_of(slice_of(change->url->text));
	struct outcome outcome = change->answer.outcome;
	struct page_row row;

	if (page_row_get(batch->txn, site->row.id, key, &row) &&
	    row.redirect.size == 0 && (row.flags & PAGE_ROW_IS_INGESTED) == 0) {
		outcome.cluster = row.cluster;
		row.fetched_ms = batch->now_ms;
		site->row.seen_ms = batch->now_ms;
		page_row_put(batch->txn, site->row.id, key, &row);
		commit_page_text(batch, site,
				 &(struct page_text_visit){.page = key});
		row.url = slice_of(change->url->text);
		commit_guard_text(batch, site, &row, NULL);
		commit_guard_not_modified(batch, site, key);
		commit_wait_end(batch, site, key);
	}
	answer_lease(batch, site, change, &outcome);
}

/* Store a page, and end the lease of its URL. */
static void commit_fetched_page(struct commit *batch, struct site *site,
				struct change *change)
{
	struct outcome outcome = change->answer.outcome;

	commit_put_page(batch, site, change, &outcome);
	if (change->kind == CHANGE_INGEST)
		/* an ingested page has no lease, and does not affect visits */
		return;
	site->poisoned_in_row = 0;
	if (change->answer.was_poisoned)
		commit_unquarantine(batch, site, change->url);
	if (change->answer.is_broken)
		/* it was truncated; the next visit may get all of it */
		outcome.error = ERR_NETWORK;
	answer_lease(batch, site, change, &outcome);
}

/* Return whether the error says nothing about the server. */
static bool error_is_own(enum error error)
{
	return error == ERR_STOPPED || error == ERR_QUARANTINED ||
	       error == ERR_ROBOTS_DENIED || error == ERR_TOO_LARGE ||
	       error == ERR_NOT_RENDERED;
}

static bool outcome_is_gone(const struct outcome *outcome)
{
	return outcome->http_status == 404 || outcome->http_status == 410;
}

static void commit_failed_visit(struct commit *batch, struct site *site,
				struct change *change)
{
	struct outcome waiting = change->answer.outcome;
	const struct outcome *outcome = &change->answer.outcome;
	bool is_gone = outcome_is_gone(outcome);
	bool is_seed = slice_equal(site->row.seed, slice_of(change->url->text));

	commit_note_pause(batch, site, outcome->retry_ms);
	if (!error_is_own(outcome->error) &&
	    commit_must_wait(batch, site, change)) {
		struct waiting_row visit = {.kind = is_gone ? WAITING_REMOVED
							    : WAITING_REFUSED};

		commit_wait_without_page(batch, site, change, &visit, &waiting);
		answer_lease(batch, site, change, &waiting);
		return;
	}

	if (outcome->error == ERR_ADDRESS_FORBIDDEN &&
	    site->row.page_count == 0 &&
	    (site->row.options.flags &
	     (SITE_IS_PORT_OK | SITE_IS_NETWORK_OK | SITE_IS_OFFLINE)) == 0) {
		/*
		 * no user has added this host, only a redirect of another site
		 */
		commit_remove_site(batch, site);
		return;
	}
	if (outcome->error == ERR_QUARANTINED)
		commit_quarantine(batch, site, change);
	/* keep the first redirect of the seed permanently: see follow_seed() */
	if (is_gone && !(is_seed && site->row.page_count == 0))
		commit_remove_page(batch, site, change->url, NULL);
	answer_lease(batch, site, change, outcome);
}

static void read_sitemap(struct commit *batch, struct site *site,
			 struct change *change)
{
	commit_sitemap_entries(batch, site, change);
	answer_lease(batch, site, change, &change->answer.outcome);
}

/*
 * The functions that apply the result of a visit to its site, by kind of
 * change.
 */
static void (*const takers[CHANGE_KINDS])(struct commit *batch,
					  struct site *site,
					  struct change *change) = {
	[CHANGE_PAGE] = commit_fetched_page,
	[CHANGE_INGEST] = commit_fetched_page,
	[CHANGE_REDIRECT] = commit_redirect,
	[CHANGE_NOT_MODIFIED] = commit_not_modified,
	[CHANGE_SITEMAP] = read_sitemap,
	[CHANGE_FAILED] = commit_failed_visit,
	[CHANGE_QUARANTINE] = commit_quarantine,
};

enum error commit_visit(struct commit *batch, struct change *change)
{
	bool is_ingest = change->kind == CHANGE_INGEST;
	bool is_leased = change_ends_lease(change->kind);
	struct analysis *answer = &change->answer;
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));

	if (site == NULL && is_ingest && answer->options != NULL) {
		site = commit_new_site(batch, change->url, answer->options);
		if (site == NULL)
			return commit_no_site_error(batch);
		answer->is_new_site = true;
	}
	if (site == NULL)
		return ERR_NOT_FOUND;
	if (answer->site != 0 && answer->site != site->row.id)
		return ERR_NOT_FOUND; /* the site was deleted */
	if (is_leased && answer->adoption != site->adoption)
		/*
		 * this node left the site and adopted it again since then; that
		 * released the lease
		 */
		return ERR_NOT_OWNER;
	answer->outcome.now_ms = batch->now_ms;
	if (is_leased)
		site->pace_ms = answer->pace_ms;
	if (answer->pause_ms > 0)
		site->rests_until_ms = batch->now_ms + answer->pause_ms;
	takers[change->kind](batch, site, change);
	site_flush_counts(site, batch->txn, MAX_UNWRITTEN_COUNTS);
	return ERR_NONE;
}

/* Apply a waiting visit, whose slices are copies. */
static void accept_visit(struct commit *batch, struct site *site,
			 const struct waiting_row *row)
{
	struct url url;
	struct url target;
	struct change change = {
		.kind = CHANGE_PAGE,
		.url = &url,
		.answer = {.outcome = {.http_status = row->http_status,
				       .now_ms = batch->now_ms},
			   .packed = row->packed,
			   .record = row->record,
			   .guarded = row->guarded,
			   .charset = row->charset,
			   .body_bytes = row->body_bytes,
			   .time_ms = row->time_ms,
			   .is_accepted = true},
	};
	struct outcome outcome = change.answer.outcome;
	struct frontier_row visit = {0};

	if (url_parse(&url, row->url, NULL) != ERR_NONE)
		return;
	switch (row->kind) {
	case WAITING_PAGE:
		commit_put_page(batch, site, &change, &outcome);
		break;
	case WAITING_REDIRECT:
		if (url_parse(&target, row->target, NULL) != ERR_NONE)
			return;
		frontier_row_get(batch->txn, site->row.id,
				 page_key_of(row->url), &visit);
		discover_target(batch, site, &target, &visit);
		commit_remove_page(batch, site, &url, &target);
		break;
	case WAITING_REMOVED:
		commit_remove_page(batch, site, &url, NULL);
		break;
	default:
		break;
	}
}

void commit_wait_accept(struct commit *batch, struct site *site, uint64_t page)
{
	struct slice value = txn_get(batch->txn, TABLE_WAITING,
				     KEY(key_page(site->row.id, page)));
	struct buffer bytes = {0};
	struct buffer record = {0};
	struct waiting_row row;

	if (value.data == NULL)
		return;
	/* writes invalidate the memory of LMDB, and a record must be aligned */
	buffer_append_slice(&bytes, value);
	if (waiting_row_decode(buffer_slice(&bytes), &row)) {
		buffer_append_slice(&record, row.record);
		row.record = buffer_slice(&record);
		commit_wait_drop(batch, site, page);
		accept_visit(batch, site, &row);
		site_flush_counts(site, batch->txn, MAX_UNWRITTEN_COUNTS);
	}
	buffer_free(&bytes);
	buffer_free(&record);
}

/* Delete the page or redirect of the URL, and its row in the quarantine. */
enum error commit_delete_page(struct commit *batch, struct change *change)
{
	const struct url *url = change->url;
	struct site *site = sites_find(batch->sites, slice_of(url->host));
	uint64_t page = page_key_of(slice_of(url->text));
	struct quarantine_row poison;
	struct page_row row;
	enum error error;

	if (site == NULL ||
	    (!page_row_get(batch->txn, site->row.id, page, &row) &&
	     !quarantine_row_get(batch->txn, site->row.id, page, &poison)))
		return ERR_NOT_FOUND;
	error = frontier_exclude(batch->txn, &site->row, page);
	if (error != ERR_NONE)
		return error;
	site->is_changed = true;
	commit_remove_page(batch, site, url, NULL);
	commit_unquarantine(batch, site, url);
	site_flush_counts(site, batch->txn, MAX_UNWRITTEN_COUNTS);
	return ERR_NONE;
}
