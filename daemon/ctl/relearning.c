#include "daemon/ctl/relearning.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/compress.h"
#include "base/memory.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/guard_change.h"
#include "daemon/privsep/analyse.h"
#include "daemon/runtime/clock.h"
#include "store/content.h"
#include "store/key.h"
#include "store/rows_frontier.h"
#include "store/rows_guard.h"
#include "store/rows_page.h"

enum { MAX_CHANGES = 64, MAX_BATCH_BYTES = 16 << 20, HTTP_OK = 200 };

/* A page to be committed; its change points into it. */
struct rebuilt_page {
	struct url url;
	struct buffer charset;
	struct buffer body;
	struct buffer packed;
	struct buffer record;
	uint64_t time_ms;
};

/* A site and the current position in it. */
struct site_rebuild {
	struct store *remains;
	struct engine *engine;
	struct site_rebuild_report *report;
	uint32_t site; /* number in the damaged store */
	struct site_options options;
	struct buffer texts; /* holds the texts of the options */
	struct buffer host;
	struct url seed;
	bool has_row;
	uint64_t next; /* page to continue with */
	bool is_over;
	uint64_t pages;
	uint64_t lost;
	struct rebuilt_page *found; /* [found_count], of MAX_CHANGES */
	size_t found_count;
};

/* Return the options of a site whose pages were uploaded. */
static struct site_options options_of_unknown(void)
{
	struct site_options options = {
		.measure = MEASURE_CAS,
		.max_pages = UINT32_MAX,
		.max_depth = UINT16_MAX,
		.flags = SITE_IS_OFFLINE,
	};

	options_set_threshold(&options, THRESHOLD_AUTO);
	return options;
}

static void keep_row(struct site_rebuild *relearning,
		     const struct site_row *row)
{
	struct site_options *options = &relearning->options;

	*options = row->options;
	options->flags &= ~(uint32_t)SITE_FINDINGS;
	buffer_append_slice(&relearning->texts, row->options.headers);
	buffer_append_slice(&relearning->texts, row->options.proxy);
	if (relearning->texts.size > 0) {
		options->headers.data = relearning->texts.data;
		options->proxy.data =
			relearning->texts.data + options->headers.size;
	}
	relearning->has_row =
		url_parse(&relearning->seed, row->seed, NULL) == ERR_NONE;
}

/* Read the row of the site, if it is undamaged. */
static enum error rebuild_find_row(struct site_rebuild *relearning)
{
	struct txn txn = txn_begin_read(relearning->remains);
	struct scan scan = scan_begin(&txn, TABLE_SITES, slice_of(""));
	struct site_row row;

	relearning->options = options_of_unknown();
	while (scan_next(&scan))
		if (site_decode(scan.value, &row) &&
		    row.id == relearning->site) {
			keep_row(relearning, &row);
			break;
		}
	scan_end(&scan);
	return txn_end(&txn);
}

/* The page's URL is in its row or in the frontier row. */
static bool rebuild_find_url(struct txn *txn, uint32_t site, uint64_t page,
			     struct rebuilt_page *found, struct page_row *row)
{
	struct frontier_row frontier;

	*row = (struct page_row){0};
	if (page_row_get(txn, site, page, row)) {
		buffer_append_slice(&found->charset, row->charset);
		found->time_ms = row->fetched_ms;
		return url_parse(&found->url, row->url, NULL) == ERR_NONE;
	}
	return frontier_row_get(txn, site, page, &frontier) &&
	       url_parse(&found->url, frontier.url, NULL) == ERR_NONE;
}

static bool find_body(struct txn *txn, uint32_t site, struct slice value,
		      struct buffer *out)
{
	const struct content_source place = {TABLE_BODIES, site};

	return content_unpack(txn, place, value, page_limits_default.max_bytes,
			      out) == ERR_NONE;
}

static void free_found(struct rebuilt_page *found)
{
	buffer_free(&found->charset);
	buffer_free(&found->body);
	buffer_free(&found->packed);
	buffer_free(&found->record);
}

static bool rebuild_find_page(struct txn *txn, uint32_t site,
			      const struct scan *scan,
			      struct rebuilt_page *found)
{
	uint64_t page = key_u64(scan->key, sizeof(site));
	struct page_row row;

	*found = (struct rebuilt_page){0};
	return rebuild_find_url(txn, site, page, found, &row) &&
	       find_body(txn, site, scan->value, &found->body);
}

/* Read the next pages of the site, up to the size of a commit. */
static enum error find_pages(struct site_rebuild *relearning)
{
	struct txn txn = txn_begin_read(relearning->remains);
	struct key from = key_page(relearning->site, relearning->next);
	struct scan scan = scan_begin_at(&txn, TABLE_BODIES, key_slice(&from),
					 sizeof(relearning->site));
	size_t bytes = 0;

	relearning->is_over = true;
	while (scan_next(&scan)) {
		struct rebuilt_page *found =
			&relearning->found[relearning->found_count];

		if (relearning->found_count == MAX_CHANGES ||
		    bytes > MAX_BATCH_BYTES) {
			relearning->next =
				key_u64(scan.key, sizeof(relearning->site));
			relearning->is_over = false;
			break;
		}
		if (rebuild_find_page(&txn, relearning->site, &scan, found)) {
			relearning->found_count++;
			bytes += found->body.size;
		} else {
			free_found(found);
		}
	}
	scan_end(&scan);
	return txn_end(&txn);
}

/* Return false if the bytes are not a page. */
static bool analyse_found(const struct site_rebuild *relearning,
			  struct rebuilt_page *found, struct change *change_out)
{
	const struct analyse_options options = {
		.limits = &page_limits_default,
		.measure = (enum measure)relearning->options.measure,
		.width = relearning->options.width,
		.http_status = HTTP_OK,
	};

	if (analyse(buffer_slice(&found->body), buffer_slice(&found->charset),
		    &found->url, &options, &found->record) != ERR_NONE)
		return false;
	compress_slice(buffer_slice(&found->body), &found->packed);
	*change_out = (struct change){
		.kind = CHANGE_INGEST,
		.url = &found->url,
		.answer = {.outcome = {.http_status = HTTP_OK},
			   .page = {.packed = buffer_slice(&found->packed),
				    .record = buffer_slice(&found->record),
				    .charset = buffer_slice(&found->charset),
				    .body_bytes = (uint32_t)found->body.size,
				    .time_ms = found->time_ms,
				    .options = &relearning->options}},
	};
	return true;
}

static enum error commit_pages(struct site_rebuild *relearning)
{
	struct change changes[MAX_CHANGES];
	size_t count = 0;
	enum error error = ERR_NONE;

	for (size_t i = 0; i < relearning->found_count; i++)
		count += analyse_found(relearning, &relearning->found[i],
				       &changes[count]);
	if (count > 0)
		error = engine_commit(relearning->engine, changes, count,
				      clock_wall_ms(), NULL);
	for (size_t i = 0; i < count; i++)
		relearning->pages += changes[i].error == ERR_NONE;
	if (relearning->host.size == 0 && count > 0)
		buffer_append_text(&relearning->host, changes[0].url->host);
	for (size_t i = 0; i < relearning->found_count; i++)
		free_found(&relearning->found[i]);
	relearning->found_count = 0;
	return error;
}

static enum error commit_one(struct site_rebuild *relearning,
			     struct change *change)
{
	enum error error = engine_commit(relearning->engine, change, 1,
					 clock_wall_ms(), NULL);

	return error != ERR_NONE ? error : change->error;
}

static enum error rebuild_add_site(struct site_rebuild *relearning)
{
	struct change change = {.kind = CHANGE_SITE_ADD,
				.url = &relearning->seed,
				.site_add = relearning->options};

	if (!relearning->has_row)
		return ERR_NONE;
	buffer_append_text(&relearning->host, relearning->seed.host);
	return commit_one(relearning, &change);
}

/*
 * Copy the settings of the guard, without its results; `texts` holds the
 * strings.
 */
static struct guard_row keep_guard(const struct guard_row *row,
				   struct buffer *texts)
{
	struct guard_row guard = {
		.minimum = row->minimum,
		.maximum = row->maximum,
		.language = row->language,
		.name = {NULL, row->name.size},
		.selector = {NULL, row->selector.size},
		.xpath = {NULL, row->xpath.size},
	};

	buffer_append_slice(texts, row->name);
	buffer_append_slice(texts, row->selector);
	buffer_append_slice(texts, row->xpath);
	guard.name.data = texts->data;
	guard.selector.data = texts->data + row->name.size;
	guard.xpath.data = texts->data + row->name.size + row->selector.size;
	return guard;
}

/* Read the first guard of the site after *number; false if there is none. */
static bool next_guard(struct site_rebuild *relearning, uint32_t *number,
		       struct guard_row *guard_out, struct buffer *texts)
{
	struct txn txn = txn_begin_read(relearning->remains);
	struct key prefix = key_site(relearning->site);
	struct scan scan = scan_begin(&txn, TABLE_GUARDS, key_slice(&prefix));
	bool is_found = false;

	while (!is_found && scan_next(&scan)) {
		uint32_t one = key_u32(scan.key, sizeof(relearning->site));
		struct guard_row row;

		is_found = one > *number &&
			   guard_row_decode(scan.value, &row) &&
			   row.cluster == 0;
		if (is_found) {
			*number = one;
			*guard_out = keep_guard(&row, texts);
		}
	}
	scan_end(&scan);
	txn_abort(&txn);
	return is_found;
}

static void rebuild_add_guards(struct site_rebuild *relearning)
{
	struct guard_change guard = {0};
	struct buffer texts = {0};
	uint32_t number = 0;

	while (relearning->has_row &&
	       next_guard(relearning, &number, &guard.guard, &texts)) {
		struct change change = {.kind = CHANGE_GUARD,
					.url = &relearning->seed,
					.guard = &guard};

		commit_one(relearning,
			   &change); /* on failure this guard is lost */
		buffer_clear(&texts);
	}
	buffer_free(&texts);
}

/* Count the pages that existed, by their rows and their bodies. */
static uint64_t rebuild_count_pages(struct store *remains, uint32_t site)
{
	struct txn txn = txn_begin_read(remains);
	struct key prefix = key_site(site);
	struct scan scan = scan_begin(&txn, TABLE_PAGES, key_slice(&prefix));
	struct page_row row;
	uint64_t count = 0;
	uint64_t bodies = 0;

	while (scan_next(&scan))
		count += page_row_decode(scan.value, &row) &&
			 row.redirect.size == 0;
	scan_end(&scan);
	scan = scan_begin(&txn, TABLE_BODIES, key_slice(&prefix));
	scan.is_keys_only = true;
	while (scan_next(&scan))
		bodies++;
	scan_end(&scan);
	txn_abort(&txn);
	return count > bodies ? count : bodies;
}

static void tell_site(struct site_rebuild *relearning)
{
	struct site_rebuild_report *report = relearning->report;
	uint64_t were =
		rebuild_count_pages(relearning->remains, relearning->site);
	uint64_t lost = were > relearning->pages ? were - relearning->pages : 0;

	report->lost += lost;
	report->pages += relearning->pages;
	if (relearning->host.size == 0)
		return;
	report->sites++;
	buffer_printf(
		&report->text,
		"site %.*s: rebuilt from %" PRIu64 " pages; lost: %" PRIu64
		" other pages, the versions of its templates and the results "
		"of its guards%s\n",
		(int)relearning->host.size, relearning->host.data,
		relearning->pages, lost,
		relearning->has_row ? ""
				    : ", and its options: add the site again");
}

static enum error learn_site(struct site_rebuild *relearning)
{
	enum error error = rebuild_find_row(relearning);

	if (error == ERR_NONE)
		error = rebuild_add_site(relearning);
	while (error == ERR_NONE && !relearning->is_over) {
		error = find_pages(relearning);
		if (error == ERR_NONE)
			error = commit_pages(relearning);
	}
	if (error == ERR_NONE) {
		rebuild_add_guards(relearning);
		tell_site(relearning);
	}
	buffer_free(&relearning->texts);
	buffer_free(&relearning->host);
	return error;
}

/*
 * Return the lowest number from `from` on that begins a key of the table;
 * UINT64_MAX if there is none.
 */
static uint64_t rebuild_lowest_site(struct txn *txn, enum table table,
				    uint64_t from)
{
	struct key key = key_site((uint32_t)from);
	struct scan scan = scan_begin_at(txn, table, key_slice(&key), 0);
	uint64_t number = UINT64_MAX;

	scan.is_keys_only = true;
	if (scan_next(&scan))
		number = key_u32(scan.key, 0);
	scan_end(&scan);
	return number;
}

/* Return the lowest site number from `from` on that has any remaining data. */
static uint64_t rebuild_next_site(struct store *remains, uint64_t from)
{
	struct txn txn = txn_begin_read(remains);
	struct scan scan = scan_begin(&txn, TABLE_SITES, slice_of(""));
	struct site_row row;
	uint64_t bodies = rebuild_lowest_site(&txn, TABLE_BODIES, from);
	uint64_t number = bodies;

	while (scan_next(&scan))
		if (site_decode(scan.value, &row) && row.id >= from &&
		    row.id < number)
			number = row.id;
	scan_end(&scan);
	txn_abort(&txn);
	return number;
}

enum error rebuild_sites(struct store *remains, struct store *store,
			 struct site_rebuild_report *report_out)
{
	const struct engine_options options = {0};
	struct rebuilt_page *found = mem_alloc(MAX_CHANGES, sizeof(*found));
	struct engine *engine = NULL;
	enum error error =
		engine_create(&engine, store, &options, clock_wall_ms());
	uint64_t site = rebuild_next_site(remains, 0);

	*report_out = (struct site_rebuild_report){0};
	while (error == ERR_NONE && site <= UINT32_MAX) {
		struct site_rebuild relearning = {
			.remains = remains,
			.engine = engine,
			.report = report_out,
			.site = (uint32_t)site,
			.found = found,
		};

		error = learn_site(&relearning);
		site = site == UINT32_MAX
			       ? UINT64_MAX
			       : rebuild_next_site(remains, site + 1);
	}
	engine_destroy(engine);
	free(found);
	return error;
}
