#include "daemon/ctl/offline_learn.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/compress.h"
#include "base/file.h"
#include "base/memory.h"
#include "daemon/ctl/client.h"
#include "daemon/ctl/offline.h"
#include "daemon/ctl/offline_input.h"
#include "daemon/ctl/offline_run.h"
#include "daemon/engine/commit_guard.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/threshold_report.h"
#include "daemon/privsep/analyse_task.h"
#include "daemon/privsep/model_cache.h"
#include "daemon/runtime/clock.h"
#include "extract/core/numeric.h"
#include "store/content.h"
#include "store/key.h"
#include "store/rows.h"

enum {
	FIRST_CHANGES = 32, /* maximum number of changes of the first commit */
	OFFLINE_LESSON_MAX_CHANGES = 200,
	FIRST_KEPT_BYTES = 128 << 20, /* size of parsed pages up to which all
					 are cached */
	MAX_KEPT_BYTES = 448 << 20,   /* maximum size of parsed pages in the
					 cache */
	MAX_EARLY_BYTES = 128 << 20,  /* maximum size of early results */
	FAST_LEVEL = -300, /* zstd level for bodies in a temporary store;
			      takes hardly more time than a copy */
	OFFLINE_LESSON_HTTP_OK = 200,
	MAX_WAITING_BYTES = 64 << 20,
	MAX_LEARNED_BYTES = 64 << 20,
};

/* A page that waits for its commit. The change for the page points into it. */
struct waiting {
	struct url url;
	struct buffer packed;
	struct buffer record;
	struct buffer charset;
	size_t page; /* index of the page in the site */
};

/* A host of the pages, which becomes a site. */
struct offline_host {
	char *name;
	char *seed; /* URL of its path "/" */
	size_t pages;
};

/* An entry of the table of pages by URL. */
struct address {
	uint64_t key;
	size_t page; /* index of the page + 1 */
};

struct offline_import {
	const struct ctl *ctl;
	struct offline_site *site;
	struct engine *engine;
	struct change *changes;  /* [change_count], with space for
				    OFFLINE_LESSON_MAX_CHANGES */
	struct waiting *waiting; /* [change_count] */
	size_t change_count;
	size_t waiting_bytes;
	size_t max_changes; /* maximum number of changes in the next commit */
	struct page_stream stream;
	struct offline_host
		*hosts; /* [host_count], in the order of their first pages */
	size_t host_count;
	size_t host_capacity;
	struct hash_table addresses;
	struct arena *arena;   /* has the table `addresses` */
	struct packer *packer; /* compresses bodies, fast, because they are
				  deleted soon */
	struct progress progress;
	bool is_broken; /* an error was printed: stop */
	/*
	 * Parsed pages are cached as far as they fit: first up to
	 * FIRST_KEPT_BYTES, then, while many pages have a template, up to
	 * MAX_KEPT_BYTES. The text of other pages is extracted early, without a
	 * template, while they are parsed. Whether a page has a template is
	 * known only at the end. So texts are extracted early as long as few of
	 * the last pages have a template.
	 */
	struct fallback_options rules; /* the request is NULL if no text will
					  be extracted */
	bool is_answering;             /* extract the texts of the next pages
					  early */
	size_t early_bytes;            /* size of the early results */
};

/* Add the host as a site. An error is only an error of the current page. */
static enum error offline_import_add_site(struct offline_import *lesson,
					  const struct url *seed)
{
	const struct ctl *ctl = lesson->ctl;
	struct change change = {
		.kind = CHANGE_SITE_ADD,
		.url = seed,
		.site_add = {.measure = (uint16_t)offline_measure(ctl),
			     .width = offline_width(ctl),
			     .max_pages = UINT32_MAX,
			     .max_depth = UINT16_MAX,
			     .flags = SITE_IS_OFFLINE},
	};
	enum error error;

	options_set_threshold(&change.site_add, offline_threshold(ctl));
	error = engine_commit(lesson->engine, &change, 1, clock_wall_ms(),
			      NULL);
	return error == ERR_NONE ? change.error : error;
}

static struct offline_host *find_host(const struct offline_import *lesson,
				      const char *name)
{
	for (size_t i = lesson->host_count; i > 0; i--)
		if (strcmp(lesson->hosts[i - 1].name, name) == 0)
			return &lesson->hosts[i - 1];
	return NULL;
}

/* If the host of a page is new, add it as a site. */
static enum error open_host(struct offline_import *lesson,
			    const struct url *url)
{
	struct url seed;
	enum error error;

	if (find_host(lesson, url->host) != NULL)
		return ERR_NONE;
	error = url_parse(&seed, slice_of("/"), url);
	if (error == ERR_NONE)
		error = offline_import_add_site(lesson, &seed);
	if (error != ERR_NONE)
		return error;
	lesson->hosts =
		mem_grow(lesson->hosts, lesson->host_count,
			 &lesson->host_capacity, sizeof(*lesson->hosts));
	lesson->hosts[lesson->host_count++] = (struct offline_host){
		.name = mem_copy_text(url->host, strlen(url->host)),
		.seed = mem_copy_text(seed.text, strlen(seed.text))};
	return ERR_NONE;
}

static bool open_engine(struct offline_import *lesson)
{
	const struct engine_options options = {0};

	if (temporary_store_open(lesson->ctl, &lesson->site->store) != ERR_NONE)
		return false;
	if (engine_create(&lesson->engine, lesson->site->store, &options,
			  clock_wall_ms()) != ERR_NONE) {
		ctl_print_error(lesson->ctl, "cannot use the temporary store");
		return false;
	}
	return true;
}

static void offline_import_fail_page(struct offline_import *lesson, size_t page,
				     enum error error)
{
	struct buffer trouble = {0};

	input_trouble(error, lesson->site->rules.limits.max_bytes, &trouble);
	lesson->site->pages[page].trouble = trouble.data;
}

/*
 * Return whether less than half of the pages of the last commit have a
 * template.
 */
static bool has_few_templates(const struct offline_import *lesson)
{
	const struct offline_site *site = lesson->site;
	size_t count = 0;

	for (size_t i = 0; i < lesson->change_count; i++) {
		struct extraction_result answer = {0};

		count += query_page_place(site->store, &lesson->waiting[i].url,
					  &answer) == ERR_NONE &&
			 answer.cluster_pages >= site->rules.min_cluster_pages;
	}
	return 2 * count < lesson->change_count;
}

static void offline_import_commit(struct offline_import *lesson)
{
	enum error error =
		engine_commit(lesson->engine, lesson->changes,
			      lesson->change_count, clock_wall_ms(), NULL);

	if (error != ERR_NONE) {
		progress_clear(&lesson->progress);
		ctl_print_error(
			lesson->ctl,
			"the temporary store: %s; check the free space in "
			"TMPDIR",
			error_text(error));
		lesson->is_broken = true;
	}
	for (size_t i = 0; i < lesson->change_count; i++) {
		struct waiting *waiting = &lesson->waiting[i];

		if (lesson->changes[i].error != ERR_NONE && !lesson->is_broken)
			offline_import_fail_page(lesson, waiting->page,
						 lesson->changes[i].error);
		buffer_free(&waiting->packed);
		buffer_free(&waiting->record);
		buffer_free(&waiting->charset);
	}
	if (lesson->rules.request != NULL &&
	    lesson->rules.request->format != FORMAT_EXPLAIN &&
	    !lesson->is_broken)
		lesson->is_answering = has_few_templates(lesson);
	lesson->change_count = 0;
	lesson->waiting_bytes = 0;
	lesson->max_changes = OFFLINE_LESSON_MAX_CHANGES;
}

/* A page that is being read and analysed. */
struct page_lesson {
	struct page_item item;
	size_t number; /* index of the page in the site */
	bool is_kept;
	bool wants_answer;
	enum error error;
	struct buffer record;
	struct page *page;                /* the parsed page, if it will be
					     cached; or NULL */
	struct extraction_result *answer; /* early result, detached from the
					     page; or NULL */
};

/*
 * Return whether to cache the page. A page with a template is needed for the
 * model, and its text is extracted later. For other pages an early result needs
 * less memory.
 */
static bool is_to_keep(const struct offline_import *lesson)
{
	const struct page_cache *kept = lesson->site->kept;

	return kept != NULL &&
	       page_cache_bytes(kept) < (lesson->is_answering ? FIRST_KEPT_BYTES
							      : MAX_KEPT_BYTES);
}

/*
 * Set the URL of a file. If there are several operands, it is made from the
 * path, because files in different folders may have the same name.
 */
static enum error offline_import_set_url(const struct offline_import *lesson,
					 struct page_item *item)
{
	const char *name =
		item->output.size == 0 ? item->name.data : item->output.data;

	if (item->has_url)
		return ERR_NONE;
	item->has_url = true;
	return offline_url(item->path != NULL && lesson->ctl->operand_count > 1
				   ? item->path
				   : name,
			   &item->url);
}

/*
 * Return whether an earlier page has this URL; then set the trouble of the
 * page.
 */
static bool is_repeated(struct offline_import *lesson, struct page_item *item,
			size_t number)
{
	struct address *address = hash_table_add(
		&lesson->addresses, page_key_of(slice_of(item->url.text)));

	if (address->page == 0) {
		address->page = number + 1;
		return false;
	}
	buffer_printf(&item->trouble, "skipped: %s has the same URL",
		      lesson->site->pages[address->page - 1].name);
	return true;
}

static char *offline_text_or_null(const char *text)
{
	return text == NULL ? NULL : mem_copy_text(text, strlen(text));
}

static void offline_import_add_page(struct offline_import *lesson,
				    const struct page_item *item)
{
	struct offline_site *site = lesson->site;

	site->pages = mem_grow(site->pages, site->count, &site->capacity,
			       sizeof(*site->pages));
	site->pages[site->count++] = (struct offline_page){
		.name = offline_text_or_null(item->name.data),
		.path = offline_text_or_null(item->path),
		.output = offline_text_or_null(item->output.data),
	};
}

static bool next_lesson(void *context, void *place)
{
	struct offline_import *lesson = context;
	struct offline_site *site = lesson->site;
	struct page_lesson *one = place;
	struct page_item *item = &one->item;

	if (!page_stream_next(&lesson->stream, item))
		return false;
	/* the number of pages in an archive is unknown */
	progress_show(&lesson->progress, site->count,
		      item->path == NULL ? 0 : lesson->stream.inputs.count,
		      NULL);
	one->number = site->count;
	offline_import_add_page(lesson, item);
	if (item->trouble.size == 0)
		one->error = offline_import_set_url(lesson, item);
	if (item->trouble.size == 0 && one->error == ERR_NONE &&
	    !is_repeated(lesson, item, one->number))
		one->error = open_host(lesson, &item->url);
	one->is_kept = is_to_keep(lesson);
	one->wants_answer = !one->is_kept && lesson->is_answering &&
			    lesson->early_bytes < MAX_EARLY_BYTES;
	return true;
}

/*
 * Read, parse and analyse a page; extract its text early if one->wants_answer
 * is set.
 */
static enum error offline_import_analyse(const struct offline_import *lesson,
					 struct page_lesson *one)
{
	struct page_item *item = &one->item;
	const struct analyse_options options = {
		.measure = offline_measure(lesson->ctl),
		.width = offline_width(lesson->ctl),
		.is_for_once = true,
	};
	const struct page_limits *limits = &lesson->site->rules.limits;
	struct page *page = NULL;
	enum error error = ERR_NONE;

	if (item->path != NULL)
		error = file_read(item->path, limits->max_bytes, &item->body);
	if (error == ERR_NONE)
		error = page_parse(&page, buffer_slice(&item->body),
				   buffer_slice(&item->charset), limits);
	if (error != ERR_NONE)
		return error;
	analyse_page(page, buffer_slice(&item->body), &item->url, &options,
		     &one->record);
	if (one->is_kept)
		one->page = page;
	else if (one->wants_answer)
		one->answer =
			fallback_text_create(&lesson->rules, &item->url, page);
	else
		page_destroy(page);
	return ERR_NONE;
}

static void work_on_lesson(void *context, void *place)
{
	struct page_lesson *one = place;

	if (one->item.trouble.size == 0 && one->error == ERR_NONE)
		one->error = offline_import_analyse(context, one);
}

static void offline_import_cache(struct offline_import *lesson,
				 const struct page_lesson *one)
{
	struct offline_page *page = &lesson->site->pages[one->number];

	page->url = offline_text_or_null(one->item.url.text);
	find_host(lesson, one->item.url.host)->pages++;
	if (one->page != NULL)
		page_cache_add(lesson->site->kept, one->number, &one->item.url,
			       one->page);
	if (one->answer == NULL)
		return;
	page->early = one->answer;
	lesson->early_bytes += fallback_text_bytes(one->answer);
}

/*
 * Compress the page and add it to the next commit, which takes ownership of its
 * record.
 */
static void add_change(struct offline_import *lesson, struct page_lesson *one)
{
	struct waiting *waiting = &lesson->waiting[lesson->change_count];
	struct page_item *item = &one->item;

	*waiting = (struct waiting){.url = item->url,
				    .record = one->record,
				    .charset = item->charset,
				    .page = one->number};
	item->charset = (struct buffer){0};
	packer_pack(lesson->packer, buffer_slice(&item->body),
		    &waiting->packed);
	lesson->changes[lesson->change_count++] = (struct change){
		.kind = CHANGE_PAGE,
		.url = &waiting->url,
		.answer = {.outcome = {.http_status = OFFLINE_LESSON_HTTP_OK},
			   .packed = buffer_slice(&waiting->packed),
			   .charset = buffer_slice(&waiting->charset),
			   .body_bytes = (uint32_t)item->body.size,
			   .record = buffer_slice(&waiting->record)},
	};
	lesson->waiting_bytes += waiting->packed.size + waiting->record.size;
}

static bool end_lesson(void *context, void *place)
{
	struct offline_import *lesson = context;
	struct page_lesson *one = place;

	if (one->item.trouble.size > 0) {
		lesson->site->pages[one->number].trouble =
			offline_text_or_null(one->item.trouble.data);
	} else if (one->error == ERR_NONE) {
		offline_import_cache(lesson, one);
		add_change(lesson, one);
	} else {
		offline_import_fail_page(lesson, one->number, one->error);
	}
	page_item_free(&one->item);
	if (lesson->change_count == lesson->max_changes ||
	    lesson->waiting_bytes > MAX_WAITING_BYTES)
		offline_import_commit(lesson);
	return !lesson->is_broken;
}

static void add_pages(struct offline_import *lesson)
{
	const struct ordered_work work = {
		.next = next_lesson,
		.work = work_on_lesson,
		.done = end_lesson,
		.context = lesson,
		.item_bytes = sizeof(struct page_lesson),
	};

	lesson->progress = progress_begin("learn");
	ordered_work_run(&work, page_run_jobs(lesson->ctl));
	if (lesson->change_count > 0)
		offline_import_commit(lesson);
	progress_clear(&lesson->progress);
}

/*
 * Choose the threshold of the site, as the daemon does at the end of a crawl.
 */
static void offline_import_select_threshold(struct offline_import *lesson,
					    const struct offline_host *host)
{
	const struct dendrogram_options watch = {
		.max_leaves = REPORT_MAX_LEAVES,
		.goes_on = progress_goes_on,
		.context = &lesson->progress,
	};
	struct url seed;
	struct change change;
	struct threshold_choice choice = {0};
	enum error error = url_parse(&seed, slice_of(host->seed), NULL);

	lesson->progress = progress_begin("compare");
	if (error == ERR_NONE)
		error = site_snapshot_choose_threshold(
			lesson->site->store, host->name, &watch, &choice);
	if (error == ERR_NONE) {
		change = threshold_choice_change(&choice, &seed);
		error = engine_commit(lesson->engine, &change, 1,
				      clock_wall_ms(), NULL);
	}
	progress_clear(&lesson->progress);
	if (error == ERR_NONE && lesson->host_count == 1 &&
	    offline_threshold(lesson->ctl) == THRESHOLD_AUTO)
		lesson->site->threshold = choice.threshold;
	if (error != ERR_NONE)
		ctl_print_error(lesson->ctl, "cannot choose a threshold: %s",
				error_text(error));
	threshold_choice_free(&choice);
	lesson->is_broken |= error != ERR_NONE;
}

static void open_lesson(struct offline_import *lesson)
{
	struct offline_site *site = lesson->site;

	if (lesson->rules.request != NULL)
		site->kept = page_cache_create(MAX_KEPT_BYTES,
					       page_run_jobs(lesson->ctl));
	site->rules.learned = model_cache_create(MAX_LEARNED_BYTES);
	site->rules.max_learned = MAX_LEARNED_BYTES;
	site->rules.min_cluster_pages = (uint32_t)option_whole(
		lesson->ctl, "min-pages", site->rules.min_cluster_pages);
	lesson->changes =
		mem_alloc(OFFLINE_LESSON_MAX_CHANGES, sizeof(*lesson->changes));
	lesson->waiting =
		mem_alloc(OFFLINE_LESSON_MAX_CHANGES, sizeof(*lesson->waiting));
	lesson->packer = packer_create((struct slice){NULL, 0}, FAST_LEVEL);
	lesson->arena = arena_create();
	lesson->addresses =
		hash_table_make(lesson->arena, sizeof(struct address));
	lesson->is_broken = !open_engine(lesson);
}

static void close_lesson(struct offline_import *lesson)
{
	engine_destroy(lesson->engine);
	packer_destroy(lesson->packer);
	free(lesson->changes);
	free(lesson->waiting);
	for (size_t i = 0; i < lesson->host_count; i++) {
		free(lesson->hosts[i].name);
		free(lesson->hosts[i].seed);
	}
	free(lesson->hosts);
	arena_destroy(lesson->arena);
}

static void finish_host(struct offline_import *lesson,
			const struct offline_host *host)
{
	struct offline_site *site = lesson->site;

	/* wcas also needs weights */
	if (host->pages > 0 &&
	    (offline_threshold(lesson->ctl) == THRESHOLD_AUTO ||
	     offline_measure(lesson->ctl) == MEASURE_WCAS))
		offline_import_select_threshold(lesson, host);
	if (host->pages > 0 && !lesson->is_broken && site->kept != NULL)
		page_cache_build_models(site->kept, site->store, host->name,
					&site->rules, lesson->rules.request);
}

bool offline_site_learn(const struct ctl *ctl,
			const struct text_request *request,
			struct offline_site *site_out)
{
	struct offline_import lesson = {
		.ctl = ctl,
		.site = site_out,
		.max_changes = FIRST_CHANGES,
		.rules = {&site_out->rules, request,
			  option_given(ctl, "only-with-metadata")},
		.is_answering =
			request != NULL && request->format != FORMAT_EXPLAIN,
	};
	bool is_open;

	*site_out = (struct offline_site){.rules = extraction_options_default};
	is_open = page_stream_open(ctl, site_out->rules.limits.max_bytes,
				   &lesson.stream);
	if (is_open) {
		open_lesson(&lesson);
		if (!lesson.is_broken)
			add_pages(&lesson);
		for (size_t i = 0; i < lesson.host_count && !lesson.is_broken;
		     i++)
			finish_host(&lesson, &lesson.hosts[i]);
		close_lesson(&lesson);
	}
	page_stream_close(&lesson.stream);
	return is_open && !lesson.is_broken;
}

enum {
	RELEARNING_MAX_CHANGES = 64,
	MAX_BATCH_BYTES = 16 << 20,
	RELEARNING_HTTP_OK = 200
};

/* A page that waits for its commit. The change for the page points into it. */
struct rebuilt_page {
	struct url url;
	struct buffer charset;
	struct buffer body;
	struct buffer packed;
	struct buffer record;
	uint64_t time_ms;
};

/* A site that is being rebuilt, and the current position in it. */
struct site_rebuild {
	struct store *remains;
	struct engine *engine;
	struct site_rebuild_report *report;
	uint32_t site; /* number of the site in the damaged store */
	struct site_options options;
	struct buffer texts; /* has the texts of the options */
	struct buffer host;
	struct url seed;
	bool has_row;
	uint64_t next; /* key of the page to continue with */
	bool is_over;
	uint64_t pages;
	uint64_t lost;
	struct rebuilt_page *found; /* [found_count], with space for
				       RELEARNING_MAX_CHANGES */
	size_t found_count;
};

static void keep_row(struct site_rebuild *relearning,
		     const struct site_row *row)
{
	struct site_options *options = &relearning->options;
	struct slice *texts[] = {&options->headers,     &options->proxy,
				 &options->include,     &options->exclude,
				 &options->render_wait, &options->render_click};
	const size_t count = sizeof(texts) / sizeof(texts[0]);
	const char *text;

	*options = row->options;
	options->flags &= ~(uint32_t)SITE_FINDINGS;
	for (size_t i = 0; i < count; i++)
		buffer_append_slice(&relearning->texts, *texts[i]);
	text = relearning->texts.data;
	for (size_t i = 0; i < count && text != NULL; i++) {
		texts[i]->data = text;
		text += texts[i]->size;
	}
	relearning->has_row =
		url_parse(&relearning->seed, row->seed, NULL) == ERR_NONE;
}

/* Read the row of the site. If it is damaged, use default options. */
static enum error rebuild_find_row(struct site_rebuild *relearning)
{
	struct txn txn = txn_begin_read(relearning->remains);
	struct scan scan = scan_begin(&txn, TABLE_SITES, slice_of(""));
	struct site_row row;

	/* the options of a site with uploaded pages */
	relearning->options = (struct site_options){
		.measure = MEASURE_WCAS,
		.max_pages = UINT32_MAX,
		.max_depth = UINT16_MAX,
		.flags = SITE_IS_OFFLINE,
	};
	options_set_threshold(&relearning->options, THRESHOLD_AUTO);
	while (scan_next(&scan))
		if (site_decode(scan.value, &row) &&
		    row.id == relearning->site) {
			keep_row(relearning, &row);
			break;
		}
	scan_end(&scan);
	return txn_end(&txn);
}

/*
 * Find the URL of a page in the row of the page or, if that is lost, in its row
 * of the frontier.
 */
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
	const struct content_source place = {TABLE_BODIES, site};
	uint64_t page = key_u64(scan->key, sizeof(site));
	struct buffer joined = {0};
	struct page_row row;
	bool is_read;

	*found = (struct rebuilt_page){0};
	is_read = rebuild_find_url(txn, site, page, found, &row) &&
		  content_unpack(txn, place,
				 content_join(txn, TABLE_BODIES, scan->key,
					      scan->value, &joined),
				 page_limits_default.max_bytes,
				 &found->body) == ERR_NONE;
	buffer_free(&joined);
	return is_read;
}

/* Read the next pages of the site, at most as many as one commit may have. */
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

		if (relearning->found_count == RELEARNING_MAX_CHANGES ||
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

/*
 * Analyse a page and make its change. Return false if the bytes are not a page.
 */
static bool analyse_found(const struct site_rebuild *relearning,
			  struct rebuilt_page *found, struct change *change_out)
{
	const struct analyse_options options = {
		.limits = &page_limits_default,
		.measure = (enum measure)relearning->options.measure,
		.width = relearning->options.width,
		.http_status = RELEARNING_HTTP_OK,
	};

	if (analyse(buffer_slice(&found->body), buffer_slice(&found->charset),
		    &found->url, &options, &found->record) != ERR_NONE)
		return false;
	compress_slice(buffer_slice(&found->body), &found->packed);
	*change_out = (struct change){
		.kind = CHANGE_INGEST,
		.url = &found->url,
		.answer = {.outcome = {.http_status = RELEARNING_HTTP_OK},
			   .packed = buffer_slice(&found->packed),
			   .record = buffer_slice(&found->record),
			   .charset = buffer_slice(&found->charset),
			   .body_bytes = (uint32_t)found->body.size,
			   .time_ms = found->time_ms,
			   .options = &relearning->options},
	};
	return true;
}

static enum error commit_pages(struct site_rebuild *relearning)
{
	struct change changes[RELEARNING_MAX_CHANGES];
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

/*
 * Copy the settings of the guard, without its results. The strings are stored
 * in `texts`.
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

/*
 * Read the first guard for the whole site with a number above *number, and set
 * *number. Return false if there is none.
 */
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
			   &change); /* if this fails, the guard is lost */
		buffer_clear(&texts);
	}
	buffer_free(&texts);
}

/*
 * Return the number of pages that the site had, according to its rows and
 * bodies.
 */
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
	struct change change = {.kind = CHANGE_SITE_ADD,
				.url = &relearning->seed};
	enum error error = rebuild_find_row(relearning);

	if (error == ERR_NONE && relearning->has_row) {
		change.site_add = relearning->options;
		buffer_append_text(&relearning->host, relearning->seed.host);
		error = commit_one(relearning, &change);
	}
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
 * Return the lowest site number, at least `from`, for which the damaged store
 * has data; UINT64_MAX if there is none.
 */
static uint64_t rebuild_next_site(struct store *remains, uint64_t from)
{
	struct txn txn = txn_begin_read(remains);
	struct key key = key_site((uint32_t)from);
	struct scan scan =
		scan_begin_at(&txn, TABLE_BODIES, key_slice(&key), 0);
	uint64_t number = UINT64_MAX;
	struct site_row row;

	scan.is_keys_only = true;
	if (scan_next(&scan))
		number = key_u32(scan.key, 0);
	scan_end(&scan);
	scan = scan_begin(&txn, TABLE_SITES, slice_of(""));
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
	struct rebuilt_page *found =
		mem_alloc(RELEARNING_MAX_CHANGES, sizeof(*found));
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
