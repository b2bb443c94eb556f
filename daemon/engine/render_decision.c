#include "daemon/engine/render_decision.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "cluster/linkage.h"
#include "cluster/shingle_weights.h"
#include "crawl/frontier.h"
#include "daemon/engine/engine_internal.h"
#include "daemon/query/query.h"
#include "page/page_class.h"
#include "store/key.h"

enum {
	/* pages that are requested again after a decision has changed */
	MAX_MOVED_PAGES = 10000,
	/* time between the visits of two such pages */
	MOVED_PAGE_MS = 500,
	/*
	 * strange pages cause at most one sample in this time, or in one round
	 * of the site if that is shorter
	 */
	DOUBT_MS = 60 * 60 * 1000,
};

void render_visit_free(struct render_visit *visit)
{
	buffer_free(&visit->words);
	buffer_free(&visit->words_before);
	buffer_free(&visit->record);
	buffer_free(&visit->guarded);
	buffer_free(&visit->packed);
}

/* Return whether the templates decide about the page of the job. */
static bool render_visit_is_decided(const struct job *job)
{
	return job->kind == CHANGE_PAGE &&
	       (job->work.lease.flags & FRONTIER_IS_PROBE) == 0 &&
	       site_render_of(job->work.site_flags) == SITE_RENDER_AUTO;
}

/* Return the template of the site whose sample is this page; 0 = none. */
static uint32_t render_sample_of(struct txn *txn, uint32_t site, uint64_t page)
{
	struct scan scan = scan_site(txn, TABLE_RENDERS, site);
	uint32_t cluster = 0;

	while (cluster == 0 && scan_next(&scan)) {
		struct render_row row;

		if (render_row_decode(scan.value, &row) && row.asked_ms != 0 &&
		    row.page == page)
			cluster = key_u32(scan.key, sizeof(uint32_t));
	}
	scan_end(&scan);
	return cluster;
}

void render_visit_begin(struct store *store, struct job *job, bool has_browser)
{
	struct render_visit *visit = &job->render;
	struct txn txn;

	if (!has_browser || job->is_rendered || job->is_kept_raw ||
	    !render_visit_is_decided(job))
		return;
	txn = txn_begin_read(store);
	visit->finding.cluster =
		render_sample_of(&txn, job->work.site, job->work.lease.key);
	txn_abort(&txn);
	visit->wants_words = visit->finding.cluster != 0;
}

void render_signatures_add(struct buffer *list, struct signature signature)
{
	const uint64_t count = signature.count;
	struct arena *arena = arena_create();
	struct slice rest = buffer_slice(list);
	struct buffer kept = {0};
	struct signature other;
	bool is_known = false;
	size_t others = 0;
	size_t size = (size_t)(count + 1) * sizeof(uint64_t);

	while (render_signatures_next(&rest, arena, &other)) {
		others++;
		is_known |= signature_linked(signature, other, 0);
	}
	if (count > 0 && !is_known && size <= MAX_RENDER_SIGNATURE_BYTES) {
		rest = buffer_slice(list);
		while ((others >= MAX_RENDER_SIGNATURES ||
			rest.size + size > MAX_RENDER_SIGNATURE_BYTES) &&
		       render_signatures_next(&rest, arena, &other))
			others--;
		buffer_append_slice(&kept, rest);
		buffer_append_slice(&kept,
				    (struct slice){&count, sizeof(count)});
		buffer_append_slice(&kept,
				    (struct slice){signature.shingles,
						   size - sizeof(count)});
		buffer_free(list);
		*list = kept;
	}
	arena_destroy(arena);
}

bool render_signatures_next(struct slice *list, struct arena *arena,
			    struct signature *signature_out)
{
	const char *bytes = list->data;
	uint64_t *shingles;
	uint64_t count;

	*signature_out = (struct signature){0};
	if (list->size < sizeof(count))
		return false;
	memcpy(&count, bytes, sizeof(count));
	if (count > list->size / sizeof(*shingles) - 1)
		return false;
	shingles = ARENA_ROOM(arena, uint64_t, (size_t)count);
	memcpy(shingles, bytes + sizeof(count),
	       (size_t)count * sizeof(*shingles));
	*list = (struct slice){bytes + (count + 1) * sizeof(count),
			       list->size -
				       (size_t)(count + 1) * sizeof(count)};
	*signature_out = (struct signature){shingles, (size_t)count};
	return true;
}

static struct signature render_signature_of(const struct record *record,
					    unsigned measure)
{
	unsigned slot = signature_slot(measure % MEASURE_COUNT);

	return (struct signature){record->signatures[slot],
				  record->signature_counts[slot]};
}

/* A page that is compared with the signatures of the decisions of its site. */
struct render_match {
	const struct shingle_weights *weights;
	struct signature own;
	const uint32_t *own_units; /* [own.count], of each shingle */
	uint64_t units;            /* of all of them */
	unsigned height; /* distance to the nearest one, in permille */
	enum render_decision decision; /* UNKNOWN: it resembles none */
};

/* Return the units of the shingles that the page and the other one have. */
static uint64_t render_match_common(const struct render_match *match,
				    struct signature other)
{
	const struct signature own = match->own;
	uint64_t common = 0;
	size_t o = 0;

	for (size_t i = 0; i < own.count && o < other.count; i++) {
		while (o < other.count && other.shingles[o] < own.shingles[i])
			o++;
		if (o < other.count && other.shingles[o] == own.shingles[i])
			common += match->own_units[i];
	}
	return common;
}

/*
 * Return the distance of the two pages, in permille; or one above the largest
 * that counts. This needs the memory of the signatures only, however large
 * their weights are.
 */
static unsigned render_match_height(const struct render_match *match,
				    struct signature other)
{
	const uint64_t common = render_match_common(match, other);
	uint64_t units = match->units;

	if (signature_height(units, common) > match->height)
		return match->height + 1;
	units = signature_units(match->weights, other);
	return signature_height(units > match->units ? units : match->units,
				common);
}

static void render_match_compare(struct render_match *match,
				 const struct render_row *row)
{
	struct arena *arena = arena_create(); /* of this row only */
	struct slice rest = row->signatures;
	struct signature other;

	while (render_signatures_next(&rest, arena, &other)) {
		const unsigned height = render_match_height(match, other);

		if (height > match->height ||
		    (height == match->height &&
		     match->decision != RENDER_UNKNOWN))
			continue;
		match->height = height;
		match->decision = (enum render_decision)row->decision;
	}
	arena_destroy(arena);
}

/* Compare the page with all decisions of its site. */
static void render_match_all(struct txn *txn, uint32_t site,
			     struct render_match *match)
{
	struct scan scan = scan_site(txn, TABLE_RENDERS, site);

	while (scan_next(&scan)) {
		struct render_row row;

		if (render_row_decode(scan.value, &row))
			render_match_compare(match, &row);
	}
	scan_end(&scan);
}

/* Return whether a decision of the site has signatures. */
static bool render_has_signatures(struct txn *txn, uint32_t site)
{
	struct scan scan = scan_site(txn, TABLE_RENDERS, site);
	bool has_some = false;
	struct render_row row;

	while (!has_some && scan_next(&scan))
		has_some = render_row_decode(scan.value, &row) &&
			   row.signatures.size > 0;
	scan_end(&scan);
	return has_some;
}

/*
 * Return the decision for the template that the page, which is not rendered,
 * belongs to. RENDER_UNKNOWN: no decision of the site has signatures that the
 * page would be linked to.
 */
static enum render_decision render_decision_of(struct txn *txn,
					       const struct site_row *site,
					       const struct record *record)
{
	struct shingle_weights weights;
	struct render_match match = {
		.height = site->options.threshold,
		.weights = &weights,
		.own = render_signature_of(record, site->options.measure),
	};
	uint32_t *units;

	if (!render_has_signatures(txn, site->id) ||
	    !site_weights_read(txn, site, &weights))
		return RENDER_UNKNOWN;
	units = mem_alloc(match.own.count + 1, sizeof(*units));
	for (size_t i = 0; i < match.own.count; i++) {
		units[i] = shingle_units(&weights, match.own.shingles[i]);
		match.units += units[i];
	}
	match.own_units = units;
	render_match_all(txn, site->id, &match);
	shingle_weights_free(&weights);
	free(units);
	return match.decision;
}

/*
 * Decide about a page that is not empty without scripts. A page that a client
 * wants rendered is; its stored page was not rendered yet.
 */
static void render_visit_match(struct txn *txn, const struct site_row *site,
			       const struct record *record, struct job *job)
{
	struct render_visit *visit = &job->render;
	const enum render_decision decision =
		render_decision_of(txn, site, record);
	const bool was_rendered =
		(job->work.lease.flags & FRONTIER_IS_RENDERED) != 0;
	struct page_row row;
	bool is_wanted;

	is_wanted = was_rendered &&
		    (!page_row_get(txn, site->id, job->work.lease.key, &row) ||
		     (row.flags & PAGE_ROW_IS_RENDERED) == 0);
	visit->is_of_rendered = decision == RENDER_YES;
	visit->must_render = visit->finding.cluster != 0 || is_wanted ||
			     decision == RENDER_YES ||
			     (was_rendered && decision != RENDER_NO);
	visit->finding.is_strange = was_rendered && !is_wanted &&
				    visit->finding.cluster == 0 &&
				    decision == RENDER_UNKNOWN;
}

void render_visit_choose(struct store *store, struct job *job)
{
	struct render_visit *visit = &job->render;
	struct record record;
	struct site_row site;
	struct txn txn;

	if (job->is_rendered || job->is_kept_raw || job->error != ERR_NONE ||
	    !render_visit_is_decided(job))
		return;
	visit->must_render = job->is_shell;
	visit->finding.is_empty = job->is_shell;
	if (job->is_shell ||
	    record_open(buffer_slice(&job->record), &record) != ERR_NONE)
		return;
	txn = txn_begin_read(store);
	if (site_get(&txn, slice_of(job->url.host), &site))
		render_visit_match(&txn, &site, &record, job);
	txn_abort(&txn);
}

/* Move the buffer; it is empty afterwards. */
static void render_buffer_move(struct buffer *from, struct buffer *to)
{
	buffer_free(to);
	*to = *from;
	*from = (struct buffer){0};
}

bool render_visit_is_first(const struct job *job)
{
	return job->render.finding.cluster != 0 &&
	       (job->work.lease.flags & FRONTIER_IS_RENDERED) == 0;
}

void render_visit_keep(struct job *job)
{
	struct render_visit *visit = &job->render;

	if (visit->finding.cluster == 0 && !visit->finding.is_empty)
		return;
	visit->body_bytes = job->analysis.body_bytes;
	memcpy(visit->charset, job->result.charset, sizeof(visit->charset));
	render_buffer_move(&visit->words, &visit->words_before);
	render_buffer_move(&job->record, &visit->record);
	render_buffer_move(&job->guarded, &visit->guarded);
	render_buffer_move(&job->packed, &visit->packed);
}

/* Store the fetched page, and not its DOM. */
static void render_visit_restore(struct job *job)
{
	struct render_visit *visit = &job->render;

	job->is_rendered = false;
	visit->must_render = false;
	job->analysis.body_bytes = visit->body_bytes;
	memcpy(job->result.charset, visit->charset, sizeof(visit->charset));
	buffer_clear(&job->record);
	buffer_append_slice(&job->record, buffer_slice(&visit->record));
	render_buffer_move(&visit->guarded, &job->guarded);
	render_buffer_move(&visit->packed, &job->packed);
}

void render_visit_end(struct job *job)
{
	struct render_visit *visit = &job->render;
	struct render_finding *finding = &visit->finding;
	struct record record;

	if (!job->is_rendered || job->error != ERR_NONE)
		return;
	finding->record = buffer_slice(&visit->record);
	if (finding->cluster == 0)
		return;
	finding->words = page_words_compare(buffer_slice(&visit->words_before),
					    buffer_slice(&visit->words));
	finding->is_decided =
		!visit->has_left &&
		record_open(buffer_slice(&job->record), &record) == ERR_NONE &&
		record_class(&record) == CLASS_PAGE;
	if (finding->is_decided ? !words_comparison_is_large(&finding->words)
				: render_visit_is_first(job))
		render_visit_restore(job);
}

/* The steps of a commit. */

/* Add the signatures of pages that are in the cluster to the list. */
static void render_signatures_of_cluster(const struct site *site,
					 uint32_t cluster, struct buffer *list)
{
	const struct linkage *linkage = site->linkage;
	const size_t sets = linkage_size(linkage).set_rows;
	struct arena *arena = arena_create();
	size_t found = 0;

	for (size_t i = 0; i < sets && found < MAX_RENDER_SIGNATURES; i++) {
		struct linkage_set_view set =
			linkage_set_at(linkage, (uint32_t)i);
		uint64_t *shingles;

		if (set.page_count == 0 || set.label != cluster)
			continue;
		shingles = ARENA_ROOM(arena, uint64_t, set.count);
		for (size_t s = 0; s < set.count; s++)
			shingles[s] =
				linkage_shingle(linkage, set.shingle_ids[s]);
		if (set.count > 0)
			qsort(shingles, set.count, sizeof(*shingles),
			      order_u64);
		render_signatures_add(list,
				      (struct signature){shingles, set.count});
		found++;
	}
	arena_destroy(arena);
}

/*
 * Request the pages of the cluster again, one after another. Pages of clients
 * stay as they are. Visits that have begun do not know the decision, so those
 * of all pages but `page` are repeated. Return the time of the last visit.
 */
static uint64_t render_move_pages(struct commit *batch, const struct site *site,
				  uint32_t cluster, uint64_t page)
{
	const uint32_t id = site->row.id;
	uint64_t *pages = mem_alloc(MAX_MOVED_PAGES, sizeof(*pages));
	struct scan scan = scan_cluster(batch->txn, TABLE_MEMBERS, id, cluster);
	uint64_t due_ms = batch->now_ms + MOVED_PAGE_MS;
	size_t count = 0;

	while (count < MAX_MOVED_PAGES && scan_next(&scan))
		pages[count++] = key_u64(scan.key, 2 * sizeof(uint32_t));
	scan_end(&scan);
	for (size_t i = 0; i < count; i++) {
		struct page_row row;

		if (!page_row_get(batch->txn, id, pages[i], &row) ||
		    (row.flags & PAGE_ROW_IS_INGESTED) != 0)
			continue;
		frontier_clear_validators(batch->txn, id, pages[i]);
		frontier_make_due(batch->txn, id, pages[i], due_ms);
		due_ms += MOVED_PAGE_MS;
	}
	free(pages);
	frontier_repeat_leased(batch->txn, &site->row, page);
	return due_ms;
}

/* The values of fields on pages of the other kind say nothing. */
static void render_forget_values(struct commit *batch, uint32_t site,
				 uint32_t cluster)
{
	struct fields_row fields;
	struct buffer copy;

	if (!fields_row_find(batch->txn, site, cluster, &fields))
		return;
	copy = fields_row_encode(&fields);
	txn_delete_prefix(batch->txn, TABLE_FIELD_VALUES,
			  KEY(key_cluster(site, cluster)));
	if (fields_row_decode(buffer_slice(&copy), &fields)) {
		fields.changes = 0;
		fields.pending_ms = 0;
		fields_row_put(batch->txn, site, cluster, &fields);
	}
	buffer_free(&copy);
}

/*
 * The pages of the template are in the cluster `other` from now on. Unless that
 * is a template already, the two exchange their numbers, and the next check
 * builds the version of the template from the new pages. This is no event.
 */
static void render_move_template(struct commit *batch, struct site *site,
				 uint32_t cluster, uint32_t other)
{
	const uint32_t id = site->row.id;
	struct template_row row;
	struct template_row into;
	struct buffer lineage = {0};
	const bool is_template =
		template_row_get(batch->txn, id, other, &into) &&
		into.state == TEMPLATE_LIVE;

	if (!template_row_get(batch->txn, id, cluster, &row))
		return;
	buffer_append_slice(&lineage, row.lineage);
	row.lineage = buffer_slice(&lineage);
	row.flags = 0;
	row.asked_ms = 0;
	row.asked_for = 0;
	if (is_template) {
		row.state = TEMPLATE_MERGED;
		row.ended_ms = batch->now_ms;
		row.other = other;
	} else {
		/* no site has this threshold, so the version is outdated */
		row.threshold = SITE_MAX_THRESHOLD + 1;
	}
	template_row_put(batch->txn, id, cluster, &row);
	buffer_free(&lineage);
	txn_delete_prefix(batch->txn, TABLE_SAMPLE_PAGES,
			  KEY(key_cluster(id, cluster)));
	render_forget_values(batch, id, cluster);
	if (!is_template)
		commit_swap_clusters(batch, site, cluster, other);
}

/*
 * Make room for one more row. Rows of templates that have ended are removed.
 * Return false if the site has as many as it may have, all of live templates.
 */
static bool render_make_room(struct commit *batch, uint32_t site)
{
	struct scan scan = scan_site(batch->txn, TABLE_RENDERS, site);
	struct template_row template;
	uint32_t ended = 0; /* the first such template */
	size_t count = 0;

	for (; scan_next(&scan); count++) {
		const uint32_t cluster = key_u32(scan.key, sizeof(uint32_t));

		if (ended == 0 &&
		    (!template_row_get(batch->txn, site, cluster, &template) ||
		     template.state != TEMPLATE_LIVE))
			ended = cluster;
	}
	scan_end(&scan);
	if (count >= MAX_RENDER_ROWS && ended != 0)
		txn_delete(batch->txn, TABLE_RENDERS,
			   KEY(key_cluster(site, ended)));
	return count < MAX_RENDER_ROWS || ended != 0;
}

/*
 * Read the row of the template, or begin a new one. Its signatures are copied
 * to the buffer. Return false if there is no room for it.
 */
static bool render_row_open(struct commit *batch, uint32_t site,
			    uint32_t cluster, struct buffer *signatures,
			    struct render_row *row_out)
{
	const bool is_there =
		render_row_get(batch->txn, site, cluster, row_out);

	if (!is_there)
		*row_out = (struct render_row){.signatures = slice_of("")};
	buffer_append_slice(signatures, row_out->signatures);
	row_out->signatures = buffer_slice(signatures);
	return is_there || render_make_room(batch, site);
}

/* Write how the decision was made to the log. */
static void render_log(struct commit *batch, const struct site *site,
		       uint64_t page, uint32_t cluster,
		       const struct render_row *row)
{
	struct page_row stored;

	if (!page_row_get(batch->txn, site->row.id, page, &stored))
		stored.url = slice_of("");
	log_info_about(
		((struct log_subject){site->row.host, stored.url}),
		"template %u: its pages %s rendered: the main text of this "
		"page has %u words without rendering and %u with it, %u new",
		cluster, row->decision == RENDER_YES ? "are" : "need not be",
		row->words_before, row->words_after, row->words_new);
}

/* Store the decision that follows from the sample `arrival`. */
static void render_decide(struct commit *batch, struct site *site,
			  const struct render_arrival *arrival,
			  struct render_row *row, struct buffer *signatures)
{
	const struct render_finding *finding = arrival->finding;
	const bool is_moved = arrival->was_rendered != arrival->is_rendered;
	struct template_row template;
	struct record record;

	row->decision = arrival->is_rendered ? RENDER_YES : RENDER_NO;
	row->decided_ms = batch->now_ms;
	row->attempts = 0;
	row->words_before = finding->words.before;
	row->words_after = finding->words.after;
	row->words_new = finding->words.added;
	if (template_row_get(batch->txn, site->row.id, finding->cluster,
			     &template))
		row->version = template.version;
	if (is_moved && arrival->is_rendered)
		render_signatures_of_cluster(site, finding->cluster,
					     signatures);
	if (is_moved || signatures->size > 0) {
		if (record_open(finding->record, &record) == ERR_NONE)
			render_signatures_add(signatures,
					      commit_signature(site, &record));
	}
	if (is_moved)
		row->moved_ms = render_move_pages(batch, site, finding->cluster,
						  arrival->page);
	row->signatures = buffer_slice(signatures);
	render_row_put(batch->txn, site->row.id, finding->cluster, row);
	render_log(batch, site, arrival->page, finding->cluster, row);
	if (is_moved)
		render_move_template(batch, site, finding->cluster,
				     arrival->cluster);
}

/* The live template of a page that looks strange needs another sample. */
static void render_doubt(struct commit *batch, const struct site *site,
			 uint32_t cluster)
{
	const uint32_t id = site->row.id;
	const uint64_t watch_ms = site->row.options.watch_ms;
	const uint64_t pause_ms =
		watch_ms != 0 && watch_ms < DOUBT_MS ? watch_ms : DOUBT_MS;
	struct buffer signatures = {0};
	struct template_row template;
	struct render_row row;

	if (!template_row_get(batch->txn, id, cluster, &template) ||
	    template.state != TEMPLATE_LIVE ||
	    (render_row_get(batch->txn, id, cluster, &row) &&
	     (row.version == 0 || row.decided_ms + pause_ms > batch->now_ms)))
		return;
	if (render_row_open(batch, id, cluster, &signatures, &row)) {
		row.version = 0;
		render_row_put(batch->txn, id, cluster, &row);
	}
	buffer_free(&signatures);
}

/*
 * Return whether the page was the same before it was rendered. Then the pages
 * of its template are empty, too; otherwise only this page has changed,
 * and may change back.
 */
static bool render_was_empty(const struct site *site,
			     const struct render_arrival *arrival)
{
	struct record record;

	return arrival->before != NULL &&
	       record_open(arrival->finding->record, &record) == ERR_NONE &&
	       signature_linked(commit_signature(site, &record),
				commit_signature(site, arrival->before),
				site->row.options.threshold);
}

/*
 * Return whether all pages of the template are rendered from now on, or none
 * is, like this page, without a sample: an option of the site demands it, or
 * the page is empty without scripts, and always was.
 */
static bool render_is_of_all(const struct site *site,
			     const struct render_arrival *arrival)
{
	if (arrival->was_rendered == arrival->is_rendered ||
	    arrival->cluster == 0)
		return false;
	switch (site_render_of(site->row.options.flags)) {
	case SITE_RENDER_ALWAYS:
		return arrival->is_rendered;
	case SITE_RENDER_NEVER:
		return !arrival->is_rendered;
	default:
		return arrival->is_rendered && arrival->finding->is_empty &&
		       render_was_empty(site, arrival);
	}
}

/* The template that the page was in has the pages of the other kind now. */
static void render_follow(struct commit *batch, struct site *site,
			  const struct render_arrival *arrival)
{
	const uint32_t id = site->row.id;
	const uint32_t cluster = arrival->cluster_before;
	struct buffer signatures = {0};
	struct template_row template;
	struct render_row row;

	if (!template_row_get(batch->txn, id, cluster, &template) ||
	    template.state != TEMPLATE_LIVE)
		return;
	/* an option is of the operator, an empty page is of the site */
	if (render_row_open(batch, id, cluster, &signatures, &row) &&
	    !(arrival->finding->is_empty &&
	      site_render_rests(&site->row, &row, batch->now_ms))) {
		row.version = 0;
		row.moved_ms =
			render_move_pages(batch, site, cluster, arrival->page);
		render_row_put(batch->txn, id, cluster, &row);
		render_move_template(batch, site, cluster, arrival->cluster);
	}
	buffer_free(&signatures);
}

void commit_render_visit(struct commit *batch, struct site *site,
			 const struct render_arrival *arrival)
{
	const struct render_finding *finding = arrival->finding;
	struct buffer signatures = {0};
	struct render_row row;

	if (finding->cluster == 0) {
		if (finding->is_strange)
			render_doubt(batch, site, arrival->cluster);
		else if (render_is_of_all(site, arrival))
			render_follow(batch, site, arrival);
		else if (finding->is_empty)
			render_doubt(batch, site, arrival->cluster_before);
		return;
	}
	if (!render_row_get(batch->txn, site->row.id, finding->cluster, &row) ||
	    row.asked_ms == 0 || row.page != arrival->page)
		return;
	buffer_append_slice(&signatures, row.signatures);
	row.signatures = buffer_slice(&signatures);
	row.asked_ms = 0;
	if (finding->is_decided && arrival->cluster != 0 &&
	    arrival->cluster_before == finding->cluster)
		render_decide(batch, site, arrival, &row, &signatures);
	else
		render_row_put(batch->txn, site->row.id, finding->cluster,
			       &row);
	buffer_free(&signatures);
}

bool commit_render_is_moving(struct commit *batch, const struct site *site,
			     uint32_t cluster)
{
	struct render_row row;

	return render_row_get(batch->txn, site->row.id, cluster, &row) &&
	       batch->now_ms < row.moved_ms;
}

void commit_render_request(struct commit *batch, const struct site *site,
			   const struct render_sample *request)
{
	const uint32_t id = site->row.id;
	struct buffer signatures = {0};
	struct template_row template;
	struct render_row row;

	if (!template_row_get(batch->txn, id, request->cluster, &template) ||
	    template.state != TEMPLATE_LIVE ||
	    site_render_of(site->row.options.flags) != SITE_RENDER_AUTO)
		return;
	if (!render_row_open(batch, id, request->cluster, &signatures, &row)) {
		buffer_free(&signatures);
		return;
	}
	row.attempts = row.version == template.version
			       ? (uint16_t)(row.attempts + 1)
			       : 1;
	row.version = template.version;
	row.asked_ms = batch->now_ms;
	row.page = request->page;
	render_row_put(batch->txn, id, request->cluster, &row);
	buffer_free(&signatures);
	frontier_clear_validators(batch->txn, id, request->page);
	frontier_make_due(batch->txn, id, request->page, batch->now_ms);
}
