#include "daemon/ctl/offline_site.h"

#include <stdlib.h>

#include "daemon/worker/learned.h"
#include "daemon/ctl/ctl_offline.h"
#include "daemon/ctl/early_answer.h"
#include "daemon/ctl/kept_pages.h"
#include "daemon/ctl/ordered_work.h"
#include "daemon/ctl/page_run.h"
#include "daemon/ctl/progress.h"
#include "daemon/ctl/temporary_store.h"
#include "daemon/worker/analyse.h"
#include "daemon/engine/engine.h"
#include "daemon/report/snapshot.h"
#include "daemon/runtime/clock.h"
#include "store/compress.h"
#include "store/file.h"
#include "store/memory.h"

enum {
	FIRST_CHANGES = 32, /* of the first commit */
	MAX_CHANGES = 200,
	FIRST_KEPT_BYTES = 128 << 20, /* of parsed pages, in any case */
	MAX_KEPT_BYTES = 448 << 20,   /* of parsed pages */
	MAX_EARLY_BYTES = 128 << 20,  /* of answers */
	FAST_LEVEL = -300, /* of bodies in a store that is dropped: hardly more
		   than a copy */
	HTTP_OK = 200,
	MAX_WAITING_BYTES = 64 << 20,
	MAX_LEARNED_BYTES = 64 << 20,
};

/* A page to be committed; its change points into it. */
struct waiting {
	struct url url;
	struct buffer packed;
	struct buffer record;
	size_t input;
};

struct lesson {
	const struct ctl *ctl;
	struct offline_site *site;
	struct engine *engine;
	struct change *changes;  /* [change_count], of MAX_CHANGES */
	struct waiting *waiting; /* the same */
	size_t change_count;
	size_t waiting_bytes;
	size_t max_changes;    /* of the next commit */
	size_t next;           /* input */
	struct packer *packer; /* of what the commit drops soon */
	struct progress progress;
	bool is_broken; /* it cannot go on; the error was reported */
	/* Pages are kept as they are parsed while there is room, all at first
	   and then while many have a template. Of the others those that will
	   have no template are answered while they are parsed. Which these are
	   is not known before the end; so all are while few of the last ones
	   have got one. */
	struct early_rules rules; /* no request: none is answered */
	bool is_answering;        /* the next page is */
	size_t early_bytes;       /* of these answers */
};

static bool add_site(struct lesson *lesson)
{
	const struct ctl *ctl = lesson->ctl;
	struct url seed;
	struct change change = {
		.kind = CHANGE_SITE_ADD,
		.url = &seed,
		.site_add = {.measure = (uint16_t)offline_measure(ctl),
			     .width = offline_width(ctl),
			     .max_pages = UINT32_MAX,
			     .max_depth = UINT16_MAX,
			     .flags = SITE_IS_OFFLINE},
	};
	enum error error = offline_url("", &seed);

	options_set_threshold(&change.site_add, offline_threshold(ctl));
	if (error == ERR_NONE)
		error = engine_commit(lesson->engine, &change, 1,
				      clock_wall_ms(), NULL);
	if (error == ERR_NONE)
		error = change.error;
	if (error != ERR_NONE)
		ctl_complain(ctl, "the temporary store: %s", error_text(error));
	return error == ERR_NONE;
}

static bool open_engine(struct lesson *lesson)
{
	const struct engine_options options = {0};

	if (temporary_store_open(lesson->ctl, &lesson->site->store) != ERR_NONE)
		return false;
	if (engine_create(&lesson->engine, lesson->site->store, &options,
			  clock_wall_ms()) != ERR_NONE) {
		ctl_complain(lesson->ctl, "the temporary store cannot be used");
		return false;
	}
	return add_site(lesson);
}

static void skip(struct lesson *lesson, size_t input, enum error error)
{
	struct offline_site *site = lesson->site;

	progress_clear(&lesson->progress);
	complain_input(lesson->ctl, site->inputs.items[input].path, error,
		       site->rules.limits.max_bytes);
	site->skipped++;
}

/* Whether less than half of the pages committed last have a template. */
static bool has_few_templates(const struct lesson *lesson)
{
	const struct offline_site *site = lesson->site;
	size_t count = 0;

	for (size_t i = 0; i < lesson->change_count; i++) {
		struct text_answer answer = {0};

		count += answer_place(site->store, &lesson->waiting[i].url,
				      &answer) == ERR_NONE &&
			 answer.cluster_pages >= site->rules.min_cluster_pages;
	}
	return 2 * count < lesson->change_count;
}

static void commit(struct lesson *lesson)
{
	enum error error =
		engine_commit(lesson->engine, lesson->changes,
			      lesson->change_count, clock_wall_ms(), NULL);

	if (error != ERR_NONE) {
		progress_clear(&lesson->progress);
		ctl_complain(lesson->ctl,
			     "the temporary store: %s; is there "
			     "room in TMPDIR?",
			     error_text(error));
		lesson->is_broken = true;
	}
	for (size_t i = 0; i < lesson->change_count; i++) {
		struct waiting *waiting = &lesson->waiting[i];

		if (lesson->changes[i].error == ERR_NONE)
			lesson->site->is_stored[waiting->input] =
				!lesson->is_broken;
		else if (!lesson->is_broken)
			skip(lesson, waiting->input, lesson->changes[i].error);
		buffer_free(&waiting->packed);
		buffer_free(&waiting->record);
	}
	if (lesson->rules.request != NULL &&
	    lesson->rules.request->format != FORMAT_EXPLAIN &&
	    !lesson->is_broken)
		lesson->is_answering = has_few_templates(lesson);
	lesson->change_count = 0;
	lesson->waiting_bytes = 0;
	lesson->max_changes = MAX_CHANGES;
}

/* A page under way. */
struct page_lesson {
	size_t input;
	bool is_kept;
	bool wants_answer;
	enum error error;
	struct url url;
	struct buffer body;
	struct buffer record;
	struct page *page;          /* that is kept; or NULL */
	struct text_answer *answer; /* detached; or NULL */
};

/* Whether another page is written to the same file; it is reported. */
static bool is_clash(struct lesson *lesson, size_t input)
{
	struct offline_site *site = lesson->site;
	const struct input *other = inputs_clash(&site->inputs, input);

	if (other == NULL)
		return false;
	progress_clear(&lesson->progress);
	ctl_complain(lesson->ctl, "%s: left out, %s has the same output",
		     site->inputs.items[input].path, other->path);
	site->skipped++;
	return true;
}

/* A page with a template is learned from and answered later; an answer takes
 * less room than a page. */
static bool is_to_keep(const struct lesson *lesson)
{
	const struct kept_pages *kept = lesson->site->kept;

	return kept != NULL &&
	       kept_pages_bytes(kept) < (lesson->is_answering ? FIRST_KEPT_BYTES
							      : MAX_KEPT_BYTES);
}

static bool next_lesson(void *context, void *place)
{
	struct lesson *lesson = context;
	struct page_lesson *one = place;
	size_t count = lesson->site->inputs.count;

	while (lesson->next < count && is_clash(lesson, lesson->next))
		lesson->next++;
	if (lesson->next == count)
		return false;
	progress_show(&lesson->progress, lesson->next, count, NULL);
	one->input = lesson->next++;
	one->is_kept = is_to_keep(lesson);
	one->wants_answer = !one->is_kept && lesson->is_answering &&
			    lesson->early_bytes < MAX_EARLY_BYTES;
	return true;
}

/* Read, parse and analyse a file. */
static enum error study(const struct lesson *lesson, struct page_lesson *one)
{
	const struct input *file = &lesson->site->inputs.items[one->input];
	const struct analyse_options options = {
		.measure = offline_measure(lesson->ctl),
		.width = offline_width(lesson->ctl),
	};
	const struct page_limits *limits = &lesson->site->rules.limits;
	struct page *page = NULL;
	struct slice body;
	enum error error = file_read(file->path, limits->max_bytes, &one->body);

	body = buffer_slice(&one->body);
	if (error == ERR_NONE)
		error = offline_url(file->name, &one->url);
	if (error == ERR_NONE)
		error = page_parse(&page, body, (struct slice){NULL, 0},
				   limits);
	if (error != ERR_NONE)
		return error;
	analyse_page(page, body, &one->url, &options, &one->record);
	if (one->is_kept)
		one->page = page;
	else if (one->wants_answer)
		one->answer =
			early_answer_make(&lesson->rules, &one->url, page);
	else
		page_destroy(page);
	return ERR_NONE;
}

static void work_on_lesson(void *context, void *place)
{
	struct page_lesson *one = place;

	one->error = study(context, one);
}

static void keep(struct lesson *lesson, const struct page_lesson *one)
{
	if (one->page != NULL)
		kept_pages_add(lesson->site->kept, one->input, &one->url,
			       one->page);
	if (one->answer == NULL)
		return;
	lesson->site->early[one->input] = one->answer;
	lesson->early_bytes += early_answer_bytes(one->answer);
}

/* Pack it and queue it for the commit, which takes its record. */
static void add_change(struct lesson *lesson, const struct page_lesson *one)
{
	struct waiting *waiting = &lesson->waiting[lesson->change_count];

	*waiting = (struct waiting){
		.url = one->url, .record = one->record, .input = one->input};
	packer_pack(lesson->packer, buffer_slice(&one->body), &waiting->packed);
	lesson->changes[lesson->change_count++] = (struct change){
		.kind = CHANGE_PAGE,
		.url = &waiting->url,
		.answer = {.outcome = {.http_status = HTTP_OK},
			   .page = {.packed = buffer_slice(&waiting->packed),
				    .body_bytes = (uint32_t)one->body.size,
				    .record = buffer_slice(&waiting->record)}},
	};
	lesson->waiting_bytes += waiting->packed.size + waiting->record.size;
}

static bool end_lesson(void *context, void *place)
{
	struct lesson *lesson = context;
	struct page_lesson *one = place;

	if (one->error == ERR_NONE) {
		keep(lesson, one);
		add_change(lesson, one);
	} else {
		skip(lesson, one->input, one->error);
	}
	buffer_free(&one->body);
	if (lesson->change_count == lesson->max_changes ||
	    lesson->waiting_bytes > MAX_WAITING_BYTES)
		commit(lesson);
	return !lesson->is_broken;
}

static void add_pages(struct lesson *lesson)
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
		commit(lesson);
	progress_clear(&lesson->progress);
}

static bool show_tree(void *context, uint64_t done, uint64_t total)
{
	progress_show(context, done, total, NULL);
	return true;
}

/* Choose the threshold, as the daemon does at the end of a crawl. */
static void select_threshold(struct lesson *lesson)
{
	const struct dendrogram_options watch = {
		.max_leaves = REPORT_MAX_LEAVES,
		.goes_on = show_tree,
		.context = &lesson->progress,
	};
	struct url seed;
	struct change change;
	struct choice choice;
	enum error error = offline_url("", &seed);

	lesson->progress = progress_begin("compare");
	if (error == ERR_NONE)
		error = snapshot_choose(lesson->site->store, seed.host, &watch,
					&choice);
	if (error == ERR_NONE) {
		change = choice_change(&choice, &seed);
		error = engine_commit(lesson->engine, &change, 1,
				      clock_wall_ms(), NULL);
	}
	progress_clear(&lesson->progress);
	if (error == ERR_NONE)
		ctl_complain(lesson->ctl, "threshold %.3f: %s",
			     choice.threshold / 1000.0, choice.reason);
	else
		ctl_complain(lesson->ctl, "no threshold can be chosen: %s",
			     error_text(error));
	lesson->is_broken |= error != ERR_NONE;
}

static void teach(struct lesson *lesson)
{
	struct offline_site *site = lesson->site;
	struct url seed;

	if (offline_url("", &seed) == ERR_NONE)
		kept_pages_teach(site->kept, site->store, &seed, &site->rules,
				 lesson->rules.request,
				 page_run_jobs(lesson->ctl));
}

static void learn(struct lesson *lesson)
{
	struct offline_site *site = lesson->site;

	site->is_stored = mem_alloc(site->inputs.count, sizeof(bool));
	site->early = mem_alloc(site->inputs.count, sizeof(void *));
	if (lesson->rules.request != NULL)
		site->kept = kept_pages_create(MAX_KEPT_BYTES);
	site->rules.learned = learned_cache_create(MAX_LEARNED_BYTES);
	site->rules.max_learned = MAX_LEARNED_BYTES;
	site->rules.min_cluster_pages = (uint32_t)option_whole(
		lesson->ctl, "min-pages", site->rules.min_cluster_pages);
	lesson->changes = mem_alloc(MAX_CHANGES, sizeof(*lesson->changes));
	lesson->waiting = mem_alloc(MAX_CHANGES, sizeof(*lesson->waiting));
	lesson->packer = packer_create((struct slice){NULL, 0}, FAST_LEVEL);
	lesson->is_broken = !open_engine(lesson);
	if (!lesson->is_broken)
		add_pages(lesson);
	if (!lesson->is_broken &&
	    offline_threshold(lesson->ctl) == THRESHOLD_AUTO)
		select_threshold(lesson);
	if (!lesson->is_broken && site->kept != NULL)
		teach(lesson);
	engine_destroy(lesson->engine);
	packer_destroy(lesson->packer);
	free(lesson->changes);
	free(lesson->waiting);
}

bool offline_site_learn(const struct ctl *ctl,
			const struct text_request *request,
			struct offline_site *site_out)
{
	struct lesson lesson = {
		.ctl = ctl,
		.site = site_out,
		.max_changes = FIRST_CHANGES,
		.rules = {&site_out->rules, request,
			  option_given(ctl, "only-with-metadata")},
		.is_answering =
			request != NULL && request->format != FORMAT_EXPLAIN,
	};

	*site_out = (struct offline_site){.rules = answer_rules_default};
	if (!inputs_collect(ctl, false, &site_out->inputs))
		return false;
	learn(&lesson);
	return !lesson.is_broken;
}

/* The request has the page's URL. */
static enum error answer_placed(struct offline_site *site, size_t input,
				const struct text_request *request,
				struct text_answer *answer_out)
{
	struct parsed_page parsed = {0};

	if (site->kept != NULL)
		parsed = kept_pages_take(site->kept, input);
	if (parsed.page != NULL)
		return answer_parsed(site->store, &site->rules, request, parsed,
				     answer_out);
	if (early_answer_take(site->early[input], site->store, &site->rules,
			      request, answer_out))
		return ERR_NONE;
	return answer_text(site->store, &site->rules, request, answer_out);
}

enum error offline_site_answer(struct offline_site *site, size_t input,
			       const struct text_request *request,
			       struct text_answer *answer_out)
{
	struct text_request placed = *request;
	struct url url;
	enum error error = offline_url(site->inputs.items[input].name, &url);

	placed.url = &url;
	if (error == ERR_NONE)
		error = answer_placed(site, input, &placed, answer_out);
	answer_out->fetched_ms = 0; /* it was not */
	return error;
}

void offline_site_close(struct offline_site *site)
{
	for (size_t i = 0; site->early != NULL && i < site->inputs.count; i++)
		early_answer_free(site->early[i]);
	free(site->early);
	kept_pages_destroy(site->kept);
	learned_cache_destroy(site->rules.learned);
	store_close(site->store);
	inputs_free(&site->inputs);
	free(site->is_stored);
	*site = (struct offline_site){0};
}
