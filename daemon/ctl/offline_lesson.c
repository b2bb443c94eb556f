#include "daemon/ctl/offline_site.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/compress.h"
#include "base/file.h"
#include "base/memory.h"
#include "daemon/ctl/ctl_offline.h"
#include "daemon/ctl/early_answer.h"
#include "daemon/ctl/kept_pages.h"
#include "daemon/ctl/ordered_work.h"
#include "daemon/ctl/page_run.h"
#include "daemon/ctl/page_stream.h"
#include "daemon/ctl/progress.h"
#include "daemon/ctl/temporary_store.h"
#include "daemon/engine/engine.h"
#include "daemon/engine/snapshot.h"
#include "daemon/privsep/analyse.h"
#include "daemon/privsep/learned.h"
#include "daemon/runtime/clock.h"
#include "extract/core/hash_table.h"
#include "store/key.h"

enum {
	FIRST_CHANGES = 32, /* of the first commit */
	MAX_CHANGES = 200,
	FIRST_KEPT_BYTES = 128 << 20, /* of parsed pages, always cached */
	MAX_KEPT_BYTES = 448 << 20,   /* of parsed pages, cached at most */
	MAX_EARLY_BYTES = 128 << 20,  /* of early results */
	FAST_LEVEL = -300, /* of bodies in a temporary store: hardly more than a
			      copy */
	HTTP_OK = 200,
	MAX_WAITING_BYTES = 64 << 20,
	MAX_LEARNED_BYTES = 64 << 20,
};

/* A page to be committed; its change points into it. */
struct waiting {
	struct url url;
	struct buffer packed;
	struct buffer record;
	struct buffer charset;
	size_t page; /* of the site */
};

/* A host of the pages; it becomes a site. */
struct offline_host {
	char *name;
	char *seed; /* URL of its "/" */
	size_t pages;
};

/* A page, by its URL. */
struct address {
	uint64_t key;
	size_t page; /* number + 1 */
};

struct offline_import {
	const struct ctl *ctl;
	struct offline_site *site;
	struct engine *engine;
	struct change *changes;  /* [change_count], of MAX_CHANGES */
	struct waiting *waiting; /* [change_count] */
	size_t change_count;
	size_t waiting_bytes;
	size_t max_changes; /* size of the next commit */
	struct page_stream stream;
	struct offline_host
		*hosts; /* [host_count], in order of their first pages */
	size_t host_count;
	size_t host_capacity;
	struct hash_table addresses;
	struct arena *arena;   /* holds the addresses */
	struct packer *packer; /* for bodies that are deleted soon */
	struct progress progress;
	bool is_broken; /* stop; the error was reported */
	/*
	 * Parsed pages are cached while they fit: at first all, then while many
	 * pages have a template. For other pages the text is extracted early,
	 * without a template, while they are parsed. Whether a page has a
	 * template is unknown before the end, so all texts are extracted early
	 * while few of the last pages have one.
	 */
	struct fallback_options rules; /* no request: no early extraction */
	bool is_answering;             /* extract the next page early */
	size_t early_bytes;            /* size of the early results */
};

/* Add the host as a site; an error concerns only this page. */
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

/* Add the host of a page as a site, if it is new. */
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

/* Return whether less than half of the pages committed last have a template. */
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
	lesson->max_changes = MAX_CHANGES;
}

/* A page in progress. */
struct page_lesson {
	struct page_item item;
	size_t number; /* of the page */
	bool is_kept;
	bool wants_answer;
	enum error error;
	struct buffer record;
	struct page *page;                /* cached page; or NULL */
	struct extraction_result *answer; /* early result, detached; or NULL */
};

/*
 * A page with a template is used for the model and extracted later; an early
 * result needs less memory than a page.
 */
static bool is_to_keep(const struct offline_import *lesson)
{
	const struct page_cache *kept = lesson->site->kept;

	return kept != NULL &&
	       page_cache_bytes(kept) < (lesson->is_answering ? FIRST_KEPT_BYTES
							      : MAX_KEPT_BYTES);
}

/*
 * With several operands, files may have the same name, but not the same path.
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
 * Return whether an earlier page has this URL; if so, set the page's trouble.
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
	progress_show(&lesson->progress, site->count,
		      lesson->stream.inputs.count, NULL);
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

/* Read, parse and analyse a page. */
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

/* Pack the page and queue it for the commit, which takes its record. */
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
		.answer = {.outcome = {.http_status = HTTP_OK},
			   .page = {.packed = buffer_slice(&waiting->packed),
				    .charset = buffer_slice(&waiting->charset),
				    .body_bytes = (uint32_t)item->body.size,
				    .record = buffer_slice(&waiting->record)}},
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

static bool show_tree(void *context, uint64_t done, uint64_t total)
{
	progress_show(context, done, total, NULL);
	return true;
}

/* Name the host if there are several. */
static void tell_threshold(const struct offline_import *lesson,
			   const struct offline_host *host,
			   const struct threshold_choice *choice)
{
	if (lesson->host_count == 1)
		ctl_print_error(lesson->ctl, "threshold %.3f: %s",
				choice->threshold / 1000.0, choice->reason);
	else if (host->pages >= lesson->site->rules.min_cluster_pages)
		ctl_print_error(lesson->ctl, "%s: threshold %.3f: %s",
				host->name, choice->threshold / 1000.0,
				choice->reason);
}

/* Choose the threshold, as the daemon does at the end of a crawl. */
static void offline_import_select_threshold(struct offline_import *lesson,
					    const struct offline_host *host)
{
	const struct dendrogram_options watch = {
		.max_leaves = REPORT_MAX_LEAVES,
		.goes_on = show_tree,
		.context = &lesson->progress,
	};
	struct url seed;
	struct change change;
	struct threshold_choice choice;
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
	if (error == ERR_NONE)
		tell_threshold(lesson, host, &choice);
	else
		ctl_print_error(lesson->ctl, "cannot choose a threshold: %s",
				error_text(error));
	lesson->is_broken |= error != ERR_NONE;
}

static void offline_import_build_models(struct offline_import *lesson,
					const struct offline_host *host)
{
	struct offline_site *site = lesson->site;

	if (site->kept != NULL)
		page_cache_build_models(site->kept, site->store, host->name,
					&site->rules, lesson->rules.request);
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
	lesson->changes = mem_alloc(MAX_CHANGES, sizeof(*lesson->changes));
	lesson->waiting = mem_alloc(MAX_CHANGES, sizeof(*lesson->waiting));
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
	if (host->pages > 0 && offline_threshold(lesson->ctl) == THRESHOLD_AUTO)
		offline_import_select_threshold(lesson, host);
	if (host->pages > 0 && !lesson->is_broken)
		offline_import_build_models(lesson, host);
}

static void offline_import_read_pages(struct offline_import *lesson)
{
	open_lesson(lesson);
	if (!lesson->is_broken)
		add_pages(lesson);
	for (size_t i = 0; i < lesson->host_count && !lesson->is_broken; i++)
		finish_host(lesson, &lesson->hosts[i]);
	close_lesson(lesson);
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
	if (is_open)
		offline_import_read_pages(&lesson);
	page_stream_close(&lesson.stream);
	return is_open && !lesson.is_broken;
}
