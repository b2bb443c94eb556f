#include "tests/unit/daemon/world.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/compress.h"
#include "daemon/engine/invariants.h"
#include "daemon/engine/threshold_report.h"
#include "daemon/privsep/analyse_task.h"

/* The log of a node group with one node: it accepts all. */
static enum error append(void *context, struct txn *txn,
			 struct journal *journal)
{
	(void)context;
	(void)txn;
	(void)journal;
	return ERR_NONE;
}

static void settle(void *context, enum error error)
{
	(void)context;
	(void)error;
}

static const struct commit_log lone_log = {append, settle, NULL};

static void open_both(struct world *world)
{
	const struct store_options options = {
		.max_map_bytes = world->max_bytes,
		.is_temporary = true,
		.partition_of = world->partition_of,
	};
	const struct engine_options engine_options = {
		.max_neighbours = 30,
		.max_sites = world->max_sites,
		.max_signature = world->max_signature,
		.log = world->partition_of == NULL ? NULL : &lone_log,
	};

	ck_assert_int_eq(store_open(&world->store, world->path, &options),
			 ERR_NONE);
	ck_assert_int_eq(engine_create(&world->engine, world->store,
				       &engine_options, world->now_ms),
			 ERR_NONE);
}

static void close_both(struct world *world)
{
	engine_destroy(world->engine);
	store_close(world->store);
}

static void open_new(struct world *world)
{
	world->max_sites = WORLD_MAX_SITES;
	world->now_ms = 1000000;
	snprintf(world->path, sizeof(world->path), "/tmp/test_world.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(world->path));
	open_both(world);
}

void world_open(struct world *world, size_t max_bytes)
{
	*world = (struct world){.max_bytes = max_bytes};
	open_new(world);
}

void world_open_parted(struct world *world,
		       unsigned (*partition_of)(struct slice host))
{
	*world = (struct world){.partition_of = partition_of};
	open_new(world);
}

void world_reopen(struct world *world)
{
	close_both(world);
	open_both(world);
}

void world_close(struct world *world)
{
	static const char *const names[] = {"data.mdb", "lock.mdb", "lock",
					    "secrets"};

	close_both(world);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[96];

		snprintf(path, sizeof(path), "%s/%s", world->path, names[i]);
		unlink(path);
	}
	rmdir(world->path);
}

/* The menus and the wrapping of the four templates have nothing in common. */
void world_page(struct buffer *out, unsigned kind, unsigned seed)
{
	static const char *const before[] = {
		"<ul class=menu><li>Home<li>News</ul><div class=art><h1>",
		"<table class=grid><tr><td>Shop<td>Cart<tr><td><b>",
		"<nav><a href=/x>Forum</a></nav><section><dl><dt>",
		"<center><font>Old</font></center><blockquote><pre>",
	};
	static const char *const middle[] = {"</h1><p>", "</b><td><i>",
					     "</dt><dd>", "</pre><tt>"};

	buffer_printf(out,
		      "<html lang=en><head><title>Page %u</title></head>"
		      "<body>%s Heading %u %s The text of page %u stands "
		      "here.<p>Printed by template %u</p></body></html>",
		      seed, before[kind % 4], seed, middle[kind % 4], seed,
		      kind % 4);
}

void world_blocks(struct buffer *out, uint32_t mask)
{
	buffer_append_text(out, "<html><head><title>Blocks</title></head>"
				"<body>");
	for (unsigned i = 0; i < 32; i++)
		if ((mask >> i & 1U) != 0)
			buffer_printf(out, "<div class=%c%c>Block %u</div>",
				      'p' + (int)(i / 8), 'a' + (int)(i % 8),
				      i);
	buffer_append_text(out, "</body></html>");
}

static enum error commit(struct world *world, struct change *change,
			 const char *text)
{
	struct url url;

	ck_assert_int_eq(url_parse(&url, slice_of(text), NULL), ERR_NONE);
	change->url = &url;
	engine_commit(world->engine, change, 1, ++world->now_ms, NULL);
	return change->error;
}

static enum error commit_for(struct world *world, struct change *change,
			     const char *host)
{
	char url[256];

	snprintf(url, sizeof(url), "http://%s/", host);
	return commit(world, change, url);
}

enum error world_add_site(struct world *world, const char *host)
{
	return world_set_threshold(world, host, 250);
}

enum error world_set_threshold(struct world *world, const char *host,
			       unsigned threshold)
{
	struct change change = {
		.kind = CHANGE_SITE_ADD,
		.site_add = {.measure = (uint16_t)(world->measure == MEASURE_CP
							   ? MEASURE_CPC
							   : world->measure),
			     .max_pages = 1000000,
			     .max_depth = 10,
			     .flags = SITE_IS_OFFLINE},
	};

	options_set_threshold(&change.site_add, threshold);
	return commit_for(world, &change, host);
}

enum error world_choose_threshold(struct world *world, const char *host,
				  unsigned threshold, uint64_t generation)
{
	struct change change = {
		.kind = CHANGE_SITE_THRESHOLD,
		.site_select_threshold = {.threshold = (uint16_t)threshold,
					  .generation = generation},
	};
	struct txn txn = txn_begin_read(world->store);
	struct site_row row = {0};

	site_get(&txn, slice_of(host), &row);
	txn_abort(&txn);
	change.site_select_threshold.site = row.id;
	return commit_for(world, &change, host);
}

enum error world_commit_choice(struct world *world, const char *host,
			       const struct threshold_choice *choice)
{
	struct change change = threshold_choice_change(choice, NULL);

	return commit_for(world, &change, host);
}

bool world_choose(struct world *world, const char *host, size_t max_leaves)
{
	const struct dendrogram_options watch = {.max_leaves = max_leaves};
	struct threshold_choice choice;
	bool has_weights;

	ck_assert_int_eq(site_snapshot_choose_threshold(world->store, host,
							&watch, &choice),
			 ERR_NONE);
	has_weights = choice.has_weights;
	ck_assert_int_eq(world_commit_choice(world, host, &choice), ERR_NONE);
	threshold_choice_free(&choice);
	return has_weights;
}

struct site_row world_site(struct world *world, const char *host)
{
	struct txn txn = txn_begin_read(world->store);
	struct site_row row;

	ck_assert(site_get(&txn, slice_of(host), &row));
	txn_abort(&txn);
	row.host = (struct slice){NULL, 0};
	row.seed = (struct slice){NULL, 0};
	return row;
}

enum error world_put(struct world *world, const char *text, struct slice html)
{
	struct change change = {.kind = CHANGE_PAGE,
				.answer.outcome = {.http_status = 200}};
	struct analysis *page = &change.answer;
	struct buffer packed = {0};
	struct buffer record = {0};
	struct url url;
	enum error error;

	ck_assert_int_eq(url_parse(&url, slice_of(text), NULL), ERR_NONE);
	ck_assert_int_eq(analyse(html, slice_of(""), &url,
				 &(struct analyse_options){
					 .limits = &page_limits_default,
					 .measure = world->measure},
				 &record),
			 ERR_NONE);
	compress_slice(html, &packed);
	page->body_bytes = (uint32_t)html.size;
	page->packed = buffer_slice(&packed);
	page->record = buffer_slice(&record);
	error = commit(world, &change, text);
	buffer_free(&packed);
	buffer_free(&record);
	return error;
}

void world_put_blocks(struct world *world, const char *text, uint32_t mask)
{
	struct buffer html = {0};

	world_blocks(&html, mask);
	ck_assert_int_eq(world_put(world, text, buffer_slice(&html)), ERR_NONE);
	buffer_free(&html);
}

/* Of 20,000 classes, spelled without digits, which would count as one. */
static void put_random(struct world *world, const char *url, uint64_t *state)
{
	struct buffer html = {0};

	for (unsigned i = 0; i < 100; i++) {
		uint32_t name = world_random(state) % 20000;

		buffer_append_text(&html, "<i class=");
		for (unsigned c = 0; c < 4; c++, name /= 12)
			buffer_printf(&html, "%c", 'a' + (int)(name % 12));
		buffer_append_text(&html, ">x</i>");
	}
	ck_assert_int_eq(world_put(world, url, buffer_slice(&html)), ERR_NONE);
	buffer_free(&html);
}

void world_put_many(struct world *world, const char *host, unsigned count)
{
	uint64_t state = 1;

	ck_assert_int_eq(world_add_site(world, host), ERR_NONE);
	for (unsigned i = 0; i < count; i++) {
		char url[256];

		snprintf(url, sizeof(url), "http://%s/%u", host, i);
		put_random(world, url, &state);
	}
}

void world_remove(struct world *world, const char *url)
{
	struct change change = {
		.kind = CHANGE_FAILED,
		.answer.outcome = {.error = ERR_NOT_FOUND, .http_status = 404}};

	commit(world, &change, url);
}

uint64_t world_problems(struct world *world)
{
	struct verify_report report = {0};
	uint64_t problems;

	ck_assert_int_eq(invariants_verify(world->store, NULL, &report),
			 ERR_NONE);
	problems = report.problems;
	if (problems > 0)
		fprintf(stderr, "%s", report.text.data);
	buffer_free(&report.text);
	return problems;
}

uint32_t world_random(uint64_t *state)
{
	*state = *state * 6364136223846793005U + 1442695040888963407U;
	return (uint32_t)(*state >> 33);
}
