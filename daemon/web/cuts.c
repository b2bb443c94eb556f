#include "daemon/web/cuts.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/memory.h"
#include "daemon/engine/report.h"
#include "daemon/engine/snapshot.h"
#include "daemon/runtime/lock.h"
#include "daemon/web/report_json.h"
#include "daemon/web/report_svg.h"

enum {
	MAX_KEPT = 8,
	REAL_DIGITS = 6,
};

/* The dendrogram of a site at one of its generations. */
struct cached_dendrogram {
	char *host; /* NULL = free entry */
	uint64_t used;
	struct site_snapshot snapshot;
	struct report report;
};

struct site_thresholds {
	struct store *store;
	size_t max_leaves;
	atomic_bool is_stopped;
	struct lock lock; /* guards the fields below */
	bool is_busy;
	uint64_t clock; /* counts requests: the age of entries */
	struct cached_dendrogram kept[MAX_KEPT];
};

struct site_thresholds *thresholds_create(struct store *store,
					  size_t max_leaves)
{
	struct site_thresholds *cuts = mem_alloc(1, sizeof(*cuts));

	cuts->store = store;
	cuts->max_leaves = max_leaves;
	lock_init(&cuts->lock, LOCK_LEVELS);
	return cuts;
}

static void cached_dendrogram_free(struct cached_dendrogram *kept)
{
	if (kept->host == NULL)
		return;
	free(kept->host);
	report_free(&kept->report);
	site_snapshot_free(&kept->snapshot);
	*kept = (struct cached_dendrogram){0};
}

void thresholds_destroy(struct site_thresholds *cuts)
{
	if (cuts == NULL)
		return;
	for (size_t i = 0; i < MAX_KEPT; i++)
		cached_dendrogram_free(&cuts->kept[i]);
	lock_destroy(&cuts->lock);
	free(cuts);
}

void thresholds_stop(struct site_thresholds *cuts)
{
	atomic_store(&cuts->is_stopped, true);
}

static bool thresholds_continue(void *context, uint64_t done, uint64_t total)
{
	struct site_thresholds *cuts = context;

	(void)done;
	(void)total;
	return !atomic_load(&cuts->is_stopped);
}

static enum error thresholds_read_site(struct site_thresholds *cuts,
				       const char *host,
				       struct site_row *row_out)
{
	struct txn txn = txn_begin_read(cuts->store);

	if (!site_get(&txn, slice_of(host), row_out))
		txn_fail(&txn, ERR_NOT_FOUND);
	return txn_end(&txn);
}

/* Return the entry of the site if it is up to date. Call with the lock held. */
static struct cached_dendrogram *thresholds_find(struct site_thresholds *cuts,
						 const char *host,
						 const struct site_row *row)
{
	assert(lock_is_held(&cuts->lock));
	for (size_t i = 0; i < MAX_KEPT; i++) {
		struct cached_dendrogram *kept = &cuts->kept[i];

		if (kept->host == NULL || strcmp(kept->host, host) != 0)
			continue;
		if (kept->snapshot.site.id == row->id &&
		    kept->snapshot.site.generation == row->generation)
			return kept;
		cached_dendrogram_free(kept);
	}
	return NULL;
}

/* Return the least recently used entry. Call with the lock held. */
static struct cached_dendrogram *thresholds_oldest(struct site_thresholds *cuts)
{
	struct cached_dendrogram *best = &cuts->kept[0];

	assert(lock_is_held(&cuts->lock));
	for (size_t i = 1; i < MAX_KEPT; i++)
		if (cuts->kept[i].used < best->used)
			best = &cuts->kept[i];
	return best;
}

static enum error cached_dendrogram_compute(struct site_thresholds *cuts,
					    const char *host,
					    struct cached_dendrogram *kept_out)
{
	const struct dendrogram_options watch = {
		.max_leaves = cuts->max_leaves,
		.goes_on = thresholds_continue,
		.context = cuts,
	};
	enum error error = site_snapshot_read(
		cuts->store, host, cuts->max_leaves, &kept_out->snapshot);

	if (error != ERR_NONE)
		return error;
	error = site_snapshot_report(&kept_out->snapshot, &watch,
				     &kept_out->report);
	if (error != ERR_NONE) {
		site_snapshot_free(&kept_out->snapshot);
		return error;
	}
	site_snapshot_trim(&kept_out->snapshot);
	kept_out->host = mem_copy_text(host, strlen(host));
	return ERR_NONE;
}

/*
 * Compute the dendrogram and store it. Call with the lock held; it is released
 * during the computation.
 */
static enum error thresholds_add(struct site_thresholds *cuts, const char *host,
				 struct cached_dendrogram **kept_out)
{
	struct cached_dendrogram kept = {0};
	enum error error;

	assert(lock_is_held(&cuts->lock));
	if (cuts->is_busy)
		return ERR_BUSY;
	cuts->is_busy = true;
	lock_release(&cuts->lock);
	error = cached_dendrogram_compute(cuts, host, &kept);
	lock_acquire(&cuts->lock);
	assert(cuts->is_busy);
	cuts->is_busy = false;
	if (error != ERR_NONE)
		return error;
	*kept_out = thresholds_oldest(cuts);
	cached_dendrogram_free(*kept_out);
	**kept_out = kept;
	return ERR_NONE;
}

static void thresholds_append_json(const struct cached_dendrogram *kept,
				   const struct site_row *row,
				   struct buffer *out)
{
	json_t *site = json_pack(
		"{s:s, s:s, s:I, s:f, s:b, s:I}", "host", kept->host, "measure",
		measure_name(row->options.measure % MEASURE_COUNT),
		"shingle_width", (json_int_t)row->options.width, "threshold",
		row->options.threshold / 1000.0, "auto",
		(int)((row->options.flags & SITE_IS_AUTO) != 0), "generation",
		(json_int_t)row->generation);
	json_t *report = report_json(&kept->report);
	char *text;

	json_object_update(site, report);
	text = json_dumps(site,
			  JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS));
	buffer_append_text(out, text == NULL ? "{}" : text);
	buffer_append_byte(out, '\n');
	free(text);
	json_decref(report);
	json_decref(site);
}

static void thresholds_append_format(const struct cached_dendrogram *kept,
				     const struct site_row *row,
				     enum thresholds_format format,
				     struct buffer *out)
{
	assert(kept->host != NULL);
	switch (format) {
	case THRESHOLDS_JSON:
		thresholds_append_json(kept, row, out);
		break;
	case THRESHOLDS_TEXT:
		report_text(&kept->report, REPORT_MAX_WIDTH, out);
		break;
	case THRESHOLDS_SVG:
		report_svg(&kept->report, out);
		break;
	case THRESHOLDS_FIGURE:
		report_svg_figure(&kept->report, out);
		break;
	}
}

enum error thresholds_append(struct site_thresholds *cuts, const char *host,
			     enum thresholds_format format, struct buffer *out)
{
	struct site_row row;
	enum error error = thresholds_read_site(cuts, host, &row);
	struct cached_dendrogram *kept;

	assert(!txn_is_open());
	if (error != ERR_NONE)
		return error;
	if (atomic_load(&cuts->is_stopped))
		return ERR_STOPPED;
	lock_acquire(&cuts->lock);
	kept = thresholds_find(cuts, host, &row);
	if (kept == NULL) {
		error = thresholds_add(cuts, host, &kept);
		if (error == ERR_NONE)
			row = kept->snapshot.site; /* may have changed since */
	}
	if (error == ERR_NONE) {
		kept->used = ++cuts->clock;
		thresholds_append_format(kept, &row, format, out);
	}
	lock_release(&cuts->lock);
	return error;
}
