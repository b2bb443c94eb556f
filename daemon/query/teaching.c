#include "daemon/query/teaching.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "crawl/url.h"
#include "daemon/query/page_answer.h"
#include "daemon/runtime/background.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/lock.h"
#include "store/key.h"
#include "store/rows_cluster.h"
#include "store/rows_page.h"
#include "store/rows_site.h"

enum {
	PERIOD_MS = 2000,
	REST_FACTOR = 10,
	MAX_SITES = 64,
	MAX_TEMPLATES = 8, /* per site: about as many as a worker can cache */
	FORGOTTEN_MS = 3600 * 1000,
};

struct noted_site {
	char host[MAX_HOST_BYTES + 1];
	uint64_t noted_ms;
};

/* A template in the state in which the workers have built its model. */
struct taught_template {
	uint32_t cluster;
	uint32_t changes;
	uint32_t page_count;
};

struct taught_site {
	char host[MAX_HOST_BYTES + 1];
	uint32_t id;
	uint64_t generation;
	size_t count;
	struct taught_template templates[MAX_TEMPLATES];
};

struct cache_warmer {
	struct worker_pool *pool;
	struct store *store;
	struct background *background;
	atomic_ullong ahead;
	atomic_ullong asked;
	/* owned by the thread */
	struct taught_site *taught; /* [MAX_SITES] */
	size_t taught_count;
	struct lock lock; /* guards the fields below */
	struct noted_site noted[MAX_SITES];
	size_t noted_count;
	struct extraction_options rules;
	char *settings; /* texts of the rules; or NULL */
	char *models;
};

static void cache_warmer_copy_text(char **to, const char *from)
{
	if (*to != NULL && from != NULL && strcmp(*to, from) == 0)
		return;
	free(*to);
	*to = from == NULL ? NULL : mem_copy_text(from, strlen(from));
}

static bool cache_warmer_is_host(const char *text, struct slice host)
{
	return slice_equal(slice_of(text), host);
}

/*
 * Return the entry of the host; a new host replaces the one noted longest ago.
 */
static struct noted_site *cache_warmer_host_entry(struct cache_warmer *teaching,
						  struct slice host)
{
	struct noted_site *oldest = &teaching->noted[0];

	assert(lock_is_held(&teaching->lock));
	for (size_t i = 0; i < teaching->noted_count; i++) {
		struct noted_site *site = &teaching->noted[i];

		if (cache_warmer_is_host(site->host, host))
			return site;
		if (site->noted_ms < oldest->noted_ms)
			oldest = site;
	}
	if (teaching->noted_count < MAX_SITES)
		oldest = &teaching->noted[teaching->noted_count++];
	memcpy(oldest->host, host.data, host.size);
	oldest->host[host.size] = '\0';
	oldest->noted_ms = 0;
	return oldest;
}

void cache_warmer_note(struct cache_warmer *teaching,
		       const struct extraction_options *rules,
		       struct slice host)
{
	struct noted_site *site;
	bool is_new;

	if (teaching == NULL || host.size > MAX_HOST_BYTES)
		return;
	lock_acquire(&teaching->lock);
	cache_warmer_copy_text(&teaching->settings, rules->settings);
	cache_warmer_copy_text(&teaching->models, rules->models);
	teaching->rules = *rules;
	teaching->rules.settings = teaching->settings;
	teaching->rules.models = teaching->models;
	site = cache_warmer_host_entry(teaching, host);
	is_new = site->noted_ms == 0;
	site->noted_ms = clock_steady_ms();
	lock_release(&teaching->lock);
	if (is_new)
		background_wake(teaching->background);
}

void cache_warmer_count(struct cache_warmer *teaching, bool is_ahead)
{
	if (teaching != NULL)
		atomic_fetch_add(is_ahead ? &teaching->ahead : &teaching->asked,
				 1);
}

struct teaching_stats cache_warmer_stats(struct cache_warmer *teaching)
{
	if (teaching == NULL)
		return (struct teaching_stats){0};
	return (struct teaching_stats){atomic_load(&teaching->ahead),
				       atomic_load(&teaching->asked)};
}

/* Copy the current hosts and the rules, whose texts the caller frees. */
static size_t take_noted(struct cache_warmer *teaching,
			 char hosts[MAX_SITES][MAX_HOST_BYTES + 1],
			 struct extraction_options *rules_out,
			 char *texts_out[2])
{
	uint64_t now_ms = clock_steady_ms();
	size_t count = 0;

	lock_acquire(&teaching->lock);
	for (size_t i = 0; i < teaching->noted_count; i++)
		if (teaching->noted[i].noted_ms + FORGOTTEN_MS > now_ms)
			teaching->noted[count++] = teaching->noted[i];
	teaching->noted_count = count;
	for (size_t i = 0; i < count; i++)
		memcpy(hosts[i], teaching->noted[i].host,
		       sizeof(teaching->noted[i].host));
	*rules_out = teaching->rules;
	cache_warmer_copy_text(&texts_out[0], teaching->settings);
	cache_warmer_copy_text(&texts_out[1], teaching->models);
	rules_out->settings = texts_out[0];
	rules_out->models = texts_out[1];
	lock_release(&teaching->lock);
	return count;
}

/* Insert it into the sorted list of the largest templates. */
static void cache_warmer_insert_template(struct taught_site *site,
					 const struct taught_template *template)
{
	size_t at = site->count;

	if (at == MAX_TEMPLATES) {
		at--;
		if (site->templates[at].page_count >= template->page_count)
			return;
	} else {
		site->count++;
	}
	for (; at > 0 &&
	       site->templates[at - 1].page_count < template->page_count;
	     at--)
		site->templates[at] = site->templates[at - 1];
	site->templates[at] = *template;
}

/*
 * Read the current largest templates. Return false if the site is missing or
 * unchanged.
 */
static bool cache_warmer_read_site(struct txn *txn,
				   const struct extraction_options *rules,
				   const struct taught_site *before,
				   struct taught_site *now_out)
{
	struct site_row row;
	struct key prefix;
	struct scan scan;

	if (!site_get(txn, slice_of(before->host), &row) ||
	    row.generation == before->generation)
		return false;
	memcpy(now_out->host, before->host, sizeof(now_out->host));
	now_out->id = row.id;
	now_out->generation = row.generation;
	prefix = key_site(row.id);
	scan = scan_begin(txn, TABLE_CLUSTERS, key_slice(&prefix));
	while (scan_next(&scan)) {
		struct cluster_row cluster;

		if (cluster_row_decode(scan.value, &cluster) &&
		    cluster.page_count >= rules->min_cluster_pages)
			cache_warmer_insert_template(
				now_out,
				&(struct taught_template){
					.cluster = key_u32(scan.key,
							   sizeof(uint32_t)),
					.changes = cluster.changes,
					.page_count = cluster.page_count,
				});
	}
	scan_end(&scan);
	return true;
}

static bool is_taught(const struct taught_site *site,
		      const struct taught_template *template)
{
	for (size_t i = 0; i < site->count; i++)
		if (site->templates[i].cluster == template->cluster)
			return site->templates[i].changes == template->changes;
	return false;
}

/*
 * Find a page of the cluster whose body is stored; false if there is no such
 * page.
 */
static bool cache_warmer_find_page(struct txn *txn, uint32_t site,
				   uint32_t cluster, struct url *url_out)
{
	struct key prefix = key_cluster(site, cluster);
	struct scan scan = scan_begin(txn, TABLE_MEMBERS, key_slice(&prefix));
	bool is_found = false;

	while (!is_found && scan_next(&scan)) {
		uint64_t page = key_u64(scan.key, 2 * sizeof(uint32_t));
		struct page_row row;

		is_found = page_row_get(txn, site, page, &row) &&
			   (row.flags & PAGE_ROW_HAS_NO_BODY) == 0 &&
			   url_parse(url_out, row.url, NULL) == ERR_NONE;
	}
	scan_end(&scan);
	return is_found;
}

/* Have every worker build the template's model. */
static bool cache_warmer_build_model(struct cache_warmer *teaching,
				     const struct extraction_options *rules,
				     uint32_t site, uint32_t cluster)
{
	struct txn txn = txn_begin_read(teaching->store);
	struct text_request request = {.format = FORMAT_TXT};
	struct url url;
	bool is_found = cache_warmer_find_page(&txn, site, cluster, &url);
	enum error error = txn_end(&txn);

	request.url = &url;
	if (is_found && error == ERR_NONE)
		error = stored_text_build_models(
			teaching->pool, teaching->store, rules, &request);
	return is_found && error == ERR_NONE;
}

/*
 * Build the models of changed templates. After a failure, retry when the
 * template has changed again or a client needs it.
 */
static void teach_site(struct cache_warmer *teaching,
		       const struct extraction_options *rules,
		       struct taught_site *site)
{
	struct taught_site now = {0};
	struct txn txn = txn_begin_read(teaching->store);
	bool has_changed = cache_warmer_read_site(&txn, rules, site, &now);
	size_t known = 0;

	if (txn_end(&txn) != ERR_NONE || !has_changed)
		return;
	if (site->id != now.id)
		site->count = 0; /* another site has the host now */
	for (size_t i = 0; i < now.count; i++) {
		const struct taught_template *template = &now.templates[i];

		if (background_is_ended(teaching->background))
			return;
		if (is_taught(site, template) ||
		    cache_warmer_build_model(teaching, rules, now.id,
					     template->cluster))
			now.templates[known++] = *template;
	}
	now.count = known;
	*site = now;
}

/* Keep the state of these sites and add new ones. */
static void cache_warmer_set_sites(struct cache_warmer *teaching,
				   char hosts[MAX_SITES][MAX_HOST_BYTES + 1],
				   size_t count)
{
	struct taught_site *sites = mem_alloc(MAX_SITES, sizeof(*sites));

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < teaching->taught_count; k++)
			if (strcmp(teaching->taught[k].host, hosts[i]) == 0)
				sites[i] = teaching->taught[k];
		memcpy(sites[i].host, hosts[i], sizeof(sites[i].host));
	}
	free(teaching->taught);
	teaching->taught = sites;
	teaching->taught_count = count;
}

static struct thread_schedule
cache_warmer_check_sites(struct background *background, void *context)
{
	struct cache_warmer *teaching = context;
	char(*hosts)[MAX_HOST_BYTES + 1] = mem_alloc(MAX_SITES, sizeof(*hosts));
	uint64_t begin_ms = clock_steady_ms();
	struct extraction_options rules;
	char *texts[2] = {NULL, NULL}; /* texts of the rules */
	size_t count = take_noted(teaching, hosts, &rules, texts);
	uint64_t rest_ms;

	cache_warmer_set_sites(teaching, hosts, count);
	for (size_t i = 0; i < count && !background_is_ended(background); i++)
		teach_site(teaching, &rules, &teaching->taught[i]);
	free(hosts);
	free(texts[0]);
	free(texts[1]);
	/* the work of the workers does not load this thread */
	rest_ms = (clock_steady_ms() - begin_ms) * REST_FACTOR;
	if (count == 0)
		return (struct thread_schedule){0};
	return (struct thread_schedule){
		.within_ms = rest_ms < PERIOD_MS ? PERIOD_MS : rest_ms};
}

enum error cache_warmer_start(struct cache_warmer **teaching_out,
			      struct worker_pool *pool, struct store *store)
{
	struct cache_warmer *teaching = mem_alloc(1, sizeof(*teaching));
	enum error error;

	teaching->pool = pool;
	teaching->store = store;
	lock_init(&teaching->lock, LOCK_CACHE_WARMER);
	*teaching_out = teaching;
	error = background_start(&teaching->background,
				 cache_warmer_check_sites, teaching);
	if (error != ERR_NONE) {
		*teaching_out = NULL;
		lock_destroy(&teaching->lock);
		free(teaching);
	}
	return error;
}

void cache_warmer_stop(struct cache_warmer *teaching)
{
	if (teaching == NULL)
		return;
	background_stop(teaching->background);
	lock_destroy(&teaching->lock);
	free(teaching->taught);
	free(teaching->settings);
	free(teaching->models);
	free(teaching);
}
