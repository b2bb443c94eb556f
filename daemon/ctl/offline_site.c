#include "daemon/ctl/offline_site.h"

#include <stdlib.h>

#include "daemon/worker/learned.h"
#include "daemon/ctl/ctl_offline.h"
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
	MAX_CHANGES = 200,
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
	struct progress progress;
	bool is_broken; /* it cannot go on; the error was reported */
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
	lesson->change_count = 0;
	lesson->waiting_bytes = 0;
}

/* Analyse a file and queue it for the commit. */
static enum error add_page(struct lesson *lesson, size_t input)
{
	const struct input *file = &lesson->site->inputs.items[input];
	const struct page_limits *limits = &lesson->site->rules.limits;
	const struct analyse_options options = {
		.limits = limits,
		.measure = offline_measure(lesson->ctl),
		.width = offline_width(lesson->ctl),
	};
	struct waiting *waiting = &lesson->waiting[lesson->change_count];
	struct change *change = &lesson->changes[lesson->change_count];
	struct buffer body = {0};
	enum error error = file_read(file->path, limits->max_bytes, &body);

	*waiting = (struct waiting){.input = input};
	if (error == ERR_NONE)
		error = offline_url(file->name, &waiting->url);
	if (error == ERR_NONE)
		error = analyse(buffer_slice(&body), (struct slice){NULL, 0},
				&waiting->url, &options, &waiting->record);
	if (error == ERR_NONE) {
		compress(buffer_slice(&body), &waiting->packed);
		*change = (struct change){
			.kind = CHANGE_PAGE,
			.url = &waiting->url,
			.answer = {.outcome = {.http_status = 200},
				   .page = {.packed = buffer_slice(
						    &waiting->packed),
					    .body_bytes = (uint32_t)body.size,
					    .record = buffer_slice(
						    &waiting->record)}},
		};
		lesson->waiting_bytes +=
			waiting->packed.size + waiting->record.size;
		lesson->change_count++;
	}
	buffer_free(&body);
	return error;
}

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

static void add_pages(struct lesson *lesson)
{
	struct offline_site *site = lesson->site;

	lesson->progress = progress_begin("learn");
	for (size_t i = 0; i < site->inputs.count && !lesson->is_broken; i++) {
		enum error error = ERR_NONE;

		progress_show(&lesson->progress, i, site->inputs.count, NULL);
		if (!is_clash(lesson, i))
			error = add_page(lesson, i);
		if (error != ERR_NONE)
			skip(lesson, i, error);
		if (lesson->change_count == MAX_CHANGES ||
		    lesson->waiting_bytes > MAX_WAITING_BYTES)
			commit(lesson);
	}
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

bool offline_site_learn(const struct ctl *ctl, struct offline_site *site_out)
{
	struct lesson lesson = {.ctl = ctl, .site = site_out};

	*site_out = (struct offline_site){.rules = answer_rules_default};
	if (!inputs_collect(ctl, false, &site_out->inputs))
		return false;
	site_out->is_stored = mem_alloc(site_out->inputs.count, sizeof(bool));
	site_out->rules.learned = learned_cache_create(MAX_LEARNED_BYTES);
	lesson.changes = mem_alloc(MAX_CHANGES, sizeof(*lesson.changes));
	lesson.waiting = mem_alloc(MAX_CHANGES, sizeof(*lesson.waiting));
	lesson.is_broken = !open_engine(&lesson);
	if (!lesson.is_broken)
		add_pages(&lesson);
	if (!lesson.is_broken && offline_threshold(ctl) == THRESHOLD_AUTO)
		select_threshold(&lesson);
	engine_destroy(lesson.engine);
	free(lesson.changes);
	free(lesson.waiting);
	return !lesson.is_broken;
}

void offline_site_close(struct offline_site *site)
{
	learned_cache_destroy(site->rules.learned);
	store_close(site->store);
	inputs_free(&site->inputs);
	free(site->is_stored);
	*site = (struct offline_site){0};
}
