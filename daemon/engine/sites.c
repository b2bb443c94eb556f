#include "daemon/engine/sites.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "cluster/signature.h"
#include "daemon/query/query.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows.h"
#include "store/sets.h"

static void copy_strings(struct site *site, const struct site_row *row)
{
	struct slice *strings[] = {&site->row.host,
				   &site->row.seed,
				   &site->row.options.headers,
				   &site->row.options.proxy,
				   &site->row.options.include,
				   &site->row.options.exclude,
				   &site->row.options.render_wait,
				   &site->row.options.render_click,
				   &site->row.missing};

	site->row = *row;
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		strings[i]->data =
			mem_copy_text(strings[i]->data, strings[i]->size);
}

static void free_strings(struct site *site)
{
	free((void *)site->row.host.data);
	free((void *)site->row.seed.data);
	free((void *)site->row.options.headers.data);
	free((void *)site->row.options.proxy.data);
	free((void *)site->row.options.include.data);
	free((void *)site->row.options.exclude.data);
	free((void *)site->row.options.render_wait.data);
	free((void *)site->row.options.render_click.data);
	free((void *)site->row.missing.data);
}

void site_set_text(struct slice *text, struct slice value)
{
	char *copy = mem_copy_text(value.data, value.size);

	free((void *)text->data);
	*text = (struct slice){copy, value.size};
}

struct site *site_create(const struct site_row *row)
{
	struct site *site = mem_alloc(1, sizeof(*site));

	copy_strings(site, row);
	/* an interrupted crawl continues, so its end must be reported */
	site->is_explored = row->pending_count > 0;
	return site;
}

/* Free the linkage of the site. site_open() loads it again. */
static void site_close(struct site *site)
{
	linkage_destroy(site->linkage);
	site->linkage = NULL;
	free(site->known);
	site->known = NULL;
}

static void site_destroy(struct site *site)
{
	if (site == NULL)
		return;
	site_close(site);
	free_strings(site);
	counts_reset(&site->counts);
	free(site);
}

void site_reset(struct site *site, const struct site_row *row)
{
	site_close(site);
	free_strings(site);
	copy_strings(site, row);
	counts_reset(&site->counts);
	site->leased = site->leased_before;
	site->is_changed = false;
	site->is_deleted = false;
}

static void restore_shingles(struct site *site, struct txn *txn)
{
	struct scan scan = scan_site(txn, TABLE_SHINGLES, site->row.id);

	while (scan_next(&scan)) {
		uint32_t shingle_id = key_u32(scan.key, sizeof(uint32_t));
		uint64_t member;

		if (!shingle_decode(scan.value, &member))
			txn_fail(txn, ERR_CORRUPT);
		else
			txn_fail(txn,
				 linkage_restore_shingle(site->linkage,
							 shingle_id, member));
	}
	scan_end(&scan);
}

static void restore_sets(struct site *site, struct txn *txn)
{
	struct set_scan scan = set_scan_begin(txn, site->row.id);

	while (set_scan_next(&scan))
		txn_fail(txn,
			 linkage_restore_set(site->linkage, scan.set,
					     scan.shingle_ids, scan.count));
	set_scan_end(&scan);
}

static void restore_pages(struct site *site, struct txn *txn)
{
	struct scan scan = scan_site(txn, TABLE_MEMBERS, site->row.id);

	while (scan_next(&scan)) {
		uint32_t cluster = key_u32(scan.key, sizeof(uint32_t));
		uint64_t page = key_u64(scan.key, 2 * sizeof(uint32_t));
		uint32_t set;

		if (!member_decode(scan.value, &set))
			txn_fail(txn, ERR_CORRUPT);
		else
			txn_fail(txn, linkage_restore_page(site->linkage, page,
							   set, cluster));
	}
	scan_end(&scan);
}

void site_open(struct site *site, const struct engine_options *options,
	       struct txn *txn)
{
	struct shingle_weights weights;

	if (site->linkage != NULL)
		return;
	weights = site_weights(txn, &site->row);
	site->linkage = linkage_create(&(struct linkage_options){
		.threshold = site->row.options.threshold,
		.weights = &weights,
		.max_shingles = options->max_signature,
		.max_sets = options->max_sets,
	});
	shingle_weights_free(&weights);
	restore_shingles(site, txn);
	restore_sets(site, txn);
	restore_pages(site, txn);
	site->known = mem_alloc(SITE_KNOWN, sizeof(*site->known));
	if (txn->error == ERR_NONE)
		txn_fail(txn, linkage_restore_end(site->linkage));
	if (txn->error != ERR_NONE)
		site_close(site);
}

void site_count(struct site *site, uint32_t cluster,
		const struct record *record, int32_t delta)
{
	if (cluster == 0)
		return;
	for (uint32_t i = 0; i < record->fragment_count; i++)
		counts_add(&site->counts, cluster, record->fragments[i].hash,
			   delta);
}

void site_flush_counts(struct site *site, struct txn *txn, size_t max)
{
	if (site->counts.used > max)
		counts_write(&site->counts, txn, site->row.id);
}

enum error stored_site_list_read(struct store *store,
				 struct stored_site_list *list)
{
	struct txn txn = txn_begin_read(store);
	struct scan scan = scan_begin(&txn, TABLE_SITES, slice_of(""));
	struct site_row row;

	while (scan_next(&scan))
		if (site_decode(scan.value, &row) &&
		    store_owns_site(store, row.id))
			stored_site_list_add(
				list,
				(struct listed_site){row.id, row.generation,
						     row.page_count});
	scan_end(&scan);
	if (list->count > 1)
		qsort(list->items, list->count, sizeof(*list->items),
		      order_u32);
	return txn_end(&txn);
}

void stored_site_list_add(struct stored_site_list *list,
			  struct listed_site site)
{
	list->items = mem_grow(list->items, list->count, &list->capacity,
			       sizeof(*list->items));
	list->items[list->count++] = site;
}

void stored_site_list_free(struct stored_site_list *list)
{
	free(list->items);
	*list = (struct stored_site_list){0};
}

#define MAX_WHOLE   1e15
#define MAX_SECONDS 1e9

#define FIELD(field)                          \
	offsetof(struct site_options, field), \
		sizeof(((struct site_options *)0)->field)
#define FLAG(name, bit, is_read_only)                                    \
	{                                                                \
		name, FIELD(flags), bit, 0, 1, OPTION_FLAG, is_read_only \
	}

const struct site_option site_option_table[SITE_OPTIONS] = {
	{"measure", FIELD(measure), 1, 0, 0, OPTION_MEASURE, false},
	{"shingle_width", FIELD(width), 1, 0, SIGNATURE_MAX_WIDTH, OPTION_WHOLE,
	 false},
	{"threshold", FIELD(threshold), 1, 0, 1, OPTION_THRESHOLD, false},
	{"max_pages", FIELD(max_pages), 1, 1, 100000000, OPTION_WHOLE, false},
	{"max_depth", FIELD(max_depth), 1, 0, 65535, OPTION_WHOLE, false},
	{"delay_ms", FIELD(delay_ms), 1, 0, 3600000, OPTION_WHOLE, false},
	{"revisit_interval_s", FIELD(revisit_ms), 1000, 0, MAX_SECONDS,
	 OPTION_WHOLE, false},
	{"pattern_stop_after", FIELD(saturation), 1, 0, 1000000, OPTION_WHOLE,
	 false},
	{"max_bytes", FIELD(max_bytes), 1, 0, MAX_WHOLE, OPTION_WHOLE, false},
	{"max_seconds", FIELD(max_time_ms), 1000, 0, MAX_SECONDS, OPTION_WHOLE,
	 false},
	{"headers", FIELD(headers), 1, 0, 0, OPTION_HEADERS, false},
	{"proxy", FIELD(proxy), 1, 0, 0, OPTION_TEXT, false},
	{"include", FIELD(include), 1, 0, 0, OPTION_URL_PATTERNS, false},
	{"exclude", FIELD(exclude), 1, 0, 0, OPTION_URL_PATTERNS, false},
	{"check_interval_s", FIELD(watch_ms), 1000, 0, MAX_SECONDS,
	 OPTION_WHOLE, false},
	FLAG("auto", SITE_IS_AUTO, true),
	FLAG("allow_private", SITE_IS_PRIVATE_OK, false),
	FLAG("sample", SITE_IS_SAMPLE, true),
	FLAG("offline", SITE_IS_OFFLINE, true),
	FLAG("sitemaps", SITE_HAS_SITEMAPS, false),
	FLAG("soft_404_probe", SITE_HAS_PROBE, false),
	FLAG("cookies", SITE_HAS_COOKIES, false),
	{"render", FIELD(flags), 1, 0, 0, OPTION_RENDER, false},
	{"render_wait", FIELD(render_wait), 1, 0, 0, OPTION_SELECTOR, false},
	{"render_click", FIELD(render_click), 1, 0, 0, OPTION_SELECTOR, false},
	FLAG("render_scroll", SITE_RENDER_SCROLLS, false),
	FLAG("stale", SITE_IS_STALE, true),
	FLAG("blocked", SITE_IS_BLOCKED, true),
};

static const char *const render_names[] = {
	[SITE_RENDER_AUTO] = "auto",
	[SITE_RENDER_ALWAYS] = "always",
	[SITE_RENDER_NEVER] = "never",
};

const char *site_render_name(enum site_render render)
{
	return render_names[render];
}

bool site_render_from_name(const char *name, enum site_render *render_out)
{
	for (size_t i = 0; i < sizeof(render_names) / sizeof(*render_names);
	     i++) {
		*render_out = (enum site_render)i;
		if (strcmp(render_names[i], name) == 0)
			return true;
	}
	return false;
}

enum site_render site_render_of(uint32_t flags)
{
	if ((flags & SITE_RENDERS_ALWAYS) != 0)
		return SITE_RENDER_ALWAYS;
	return (flags & SITE_RENDERS_NEVER) != 0 ? SITE_RENDER_NEVER
						 : SITE_RENDER_AUTO;
}

bool site_render_rests(const struct site_row *site,
		       const struct render_row *row, uint64_t now_ms)
{
	enum { RENDER_REST_ROUNDS = 24, RENDER_REST_MS = 24 * 60 * 60 * 1000 };
	const uint64_t rounds_ms = RENDER_REST_ROUNDS * site->options.watch_ms;
	const uint64_t rest_ms = rounds_ms != 0 && rounds_ms < RENDER_REST_MS
					 ? rounds_ms
					 : RENDER_REST_MS;

	return row->decided_ms != 0 && row->moved_ms >= row->decided_ms &&
	       row->decided_ms <= now_ms && now_ms < row->decided_ms + rest_ms;
}

uint32_t site_render_set(uint32_t flags, enum site_render render)
{
	flags &= ~(uint32_t)(SITE_RENDERS_ALWAYS | SITE_RENDERS_NEVER);
	if (render == SITE_RENDER_ALWAYS)
		flags |= SITE_RENDERS_ALWAYS;
	if (render == SITE_RENDER_NEVER)
		flags |= SITE_RENDERS_NEVER;
	return flags;
}

const struct site_option *site_option_of(const char *name)
{
	for (size_t i = 0; i < SITE_OPTIONS; i++)
		if (strcmp(site_option_table[i].name, name) == 0)
			return &site_option_table[i];
	return NULL;
}

/* Return the value of the option's field in the unit of the struct. */
static uint64_t site_option_read_field(const struct site_option *option,
				       const struct site_options *options)
{
	const char *field = (const char *)options + option->offset;
	uint64_t wide;
	uint32_t narrow;
	uint16_t small;

	switch (option->size) {
	case sizeof(wide):
		memcpy(&wide, field, sizeof(wide));
		return wide;
	case sizeof(narrow):
		memcpy(&narrow, field, sizeof(narrow));
		return narrow;
	default:
		assert(option->size == sizeof(small));
		memcpy(&small, field, sizeof(small));
		return small;
	}
}

static void write_field(const struct site_option *option,
			struct site_options *options, uint64_t value)
{
	char *field = (char *)options + option->offset;
	uint32_t narrow = (uint32_t)value;
	uint16_t small = (uint16_t)value;

	switch (option->size) {
	case sizeof(value):
		memcpy(field, &value, sizeof(value));
		break;
	case sizeof(narrow):
		assert(narrow == value);
		memcpy(field, &narrow, sizeof(narrow));
		break;
	default:
		assert(option->size == sizeof(small) && small == value);
		memcpy(field, &small, sizeof(small));
	}
}

uint64_t site_option_get(const struct site_option *option,
			 const struct site_options *options)
{
	uint64_t value = site_option_read_field(option, options);

	if (option->kind == OPTION_FLAG)
		return (value & option->factor) != 0;
	return value / option->factor;
}

void site_option_set(const struct site_option *option,
		     struct site_options *options, uint64_t value)
{
	assert(option->kind != OPTION_WHOLE ||
	       ((double)value >= option->minimum &&
		(double)value <= option->maximum));
	if (option->kind != OPTION_FLAG)
		write_field(option, options, value * option->factor);
	else if (value != 0)
		options->flags |= (uint32_t)option->factor;
	else
		options->flags &= ~(uint32_t)option->factor;
}

struct slice site_option_text(const struct site_option *option,
			      const struct site_options *options)
{
	struct slice text;

	assert(option->size == sizeof(text));
	memcpy(&text, (const char *)options + option->offset, sizeof(text));
	return text;
}

static void set_later(struct site_queue *queue, size_t at, struct site *site)
{
	queue->later[at] = site;
	site->place = at;
}

static void sift_up(struct site_queue *queue, size_t at, struct site *site)
{
	while (at > 0 && queue->later[(at - 1) / 2]->wake_ms > site->wake_ms) {
		set_later(queue, at, queue->later[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	set_later(queue, at, site);
}

static void site_queue_sift_down(struct site_queue *queue, size_t at,
				 struct site *site)
{
	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < queue->later_count &&
		    queue->later[child + 1]->wake_ms <
			    queue->later[child]->wake_ms)
			child++;
		if (child >= queue->later_count ||
		    queue->later[child]->wake_ms >= site->wake_ms)
			break;
		set_later(queue, at, queue->later[child]);
		at = child;
	}
	set_later(queue, at, site);
}

static void remove_later(struct site_queue *queue, size_t at)
{
	struct site *last = queue->later[--queue->later_count];

	if (at == queue->later_count)
		return;
	if (at > 0 && queue->later[(at - 1) / 2]->wake_ms > last->wake_ms)
		sift_up(queue, at, last);
	else
		site_queue_sift_down(queue, at, last);
}

static void site_queue_remove(struct site_queue *queue, struct site *site)
{
	if (site->waits == SITE_WAITS_LATER) {
		assert(queue->later[site->place] == site);
		remove_later(queue, site->place);
	} else if (site->waits == SITE_WAITS_READY) {
		assert(queue->ready[site->place] == site);
		queue->ready[site->place] = queue->ready[--queue->ready_count];
		queue->ready[site->place]->place = site->place;
	}
	site->waits = SITE_WAITS_NOT;
}

static void put_ready(struct site_queue *queue, struct site *site)
{
	queue->ready = mem_grow(queue->ready, queue->ready_count,
				&queue->ready_capacity, sizeof(struct site *));
	site->place = queue->ready_count;
	site->waits = SITE_WAITS_READY;
	queue->ready[queue->ready_count++] = site;
}

void site_queue_put(struct site_queue *queue, struct site *site,
		    uint64_t wake_ms, uint64_t now_ms)
{
	/* a site that is already ready keeps its position */
	if (site->waits == SITE_WAITS_READY && wake_ms <= now_ms) {
		site->wake_ms = wake_ms;
		return;
	}
	site_queue_remove(queue, site);
	site->wake_ms = wake_ms;
	if (wake_ms == UINT64_MAX)
		return;
	if (wake_ms <= now_ms) {
		put_ready(queue, site);
		return;
	}
	queue->later = mem_grow(queue->later, queue->later_count,
				&queue->later_capacity, sizeof(struct site *));
	site->waits = SITE_WAITS_LATER;
	sift_up(queue, queue->later_count++, site);
}

void site_queue_wake(struct site_queue *queue, uint64_t now_ms)
{
	while (queue->later_count > 0 && queue->later[0]->wake_ms <= now_ms) {
		struct site *site = queue->later[0];

		site_queue_remove(queue, site);
		put_ready(queue, site);
	}
}

uint64_t site_queue_next(const struct site_queue *queue)
{
	if (queue->ready_count > 0)
		return queue->ready[0]->wake_ms;
	return queue->later_count > 0 ? queue->later[0]->wake_ms : UINT64_MAX;
}

void site_queue_free(struct site_queue *queue)
{
	free(queue->ready);
	free(queue->later);
}

enum {
	MIN_PAGES = 20
}; /* while a smaller site grows, no threshold is chosen */

bool site_may_have_weights(const struct site_row *site)
{
	return site->options.measure == MEASURE_WCAS ||
	       (site->options.measure == MEASURE_CAS &&
		(site->options.flags & SITE_IS_AUTO) != 0);
}

/* Return whether the site has doubled since the last choice. */
static bool site_has_doubled(const struct site_row *site)
{
	return site->page_count / 2 >= site->threshold_pages;
}

bool site_wants_threshold(const struct site_row *site)
{
	if (site->threshold_generation == site->generation ||
	    ((site->options.flags & SITE_IS_AUTO) == 0 &&
	     !site_may_have_weights(site)))
		return false;
	if (site->page_count >= MIN_PAGES && site_has_doubled(site))
		return true;
	return site->pending_count == 0 &&
	       (site->options.flags & SITE_IS_CHANGING) == 0;
}

/* Return how long the site must be unchanged before a threshold is chosen. */
static uint64_t site_quiet_ms(const struct site_row *site)
{
	enum {
		SMALL_PAGES = 100,
		LARGE_PAGES = 6000,
		QUIET_MS = 3000,
		OFFLINE_QUIET_MS = 2000
	};
	const uint64_t pages_ms = 3 * (uint64_t)site->page_count;

	/* ten times as long as a choice for as many pages takes */
	if (site->page_count > LARGE_PAGES)
		return site->page_count / 2;
	/* more uploads may follow; a crawl has its end */
	if ((site->options.flags & SITE_IS_OFFLINE) != 0)
		return site->page_count < MIN_PAGES ? 0 : OFFLINE_QUIET_MS;
	if (site->page_count < SMALL_PAGES)
		return 0;
	return pages_ms < QUIET_MS ? pages_ms : QUIET_MS;
}

bool site_threshold_is_due(const struct site_row *site, uint64_t waiting_ms,
			   uint64_t quiet_ms)
{
	enum { MAX_WAIT_MS = 60000, LARGE_PAGES = 20000 };
	/* a choice costs about 0.05 ms for each page */
	const uint64_t wait_ms = site->page_count <= LARGE_PAGES
					 ? MAX_WAIT_MS
					 : MAX_WAIT_MS / LARGE_PAGES *
						   (uint64_t)site->page_count;

	return site_has_doubled(site) || waiting_ms >= wait_ms ||
	       quiet_ms >= site_quiet_ms(site);
}

enum { MIN_BUCKETS = 64 };

static struct site **sites_bucket(const struct sites *sites, struct slice host)
{
	uint64_t hash = hash64(host.data, host.size, 0);

	return &sites->buckets[hash & (sites->bucket_count - 1)];
}

static void site_array_push(struct site_array *list, struct site *site)
{
	list->items = mem_grow(list->items, list->count, &list->capacity,
			       sizeof(struct site *));
	list->items[list->count++] = site;
}

static void list_once(struct site_array *list, struct site *site,
		      enum site_array_flags which)
{
	if ((site->lists & which) != 0)
		return;
	site->lists |= which;
	site_array_push(list, site);
}

static void site_array_remove(struct site_array *list, struct site *site,
			      enum site_array_flags which)
{
	size_t i = list->count;

	if ((site->lists & which) == 0)
		return;
	/* callers walk from the end, so that many removals take linear time */
	do
		i--;
	while (list->items[i] != site);
	list->items[i] = list->items[--list->count];
	site->lists &= ~(unsigned)which;
}

void sites_touch(struct sites *sites, struct site *site)
{
	if ((site->lists & SITE_IN_TOUCHED) == 0) {
		site->leased_before = site->leased;
		site->pending_before = site->row.pending_count;
		site->is_crawled = false;
		site->day = (struct site_day){0};
	}
	list_once(&sites->touched, site, SITE_IN_TOUCHED);
	sites_mark_unqueued(sites, site);
}

void sites_mark_unqueued(struct sites *sites, struct site *site)
{
	list_once(&sites->unplaced, site, SITE_IN_UNPLACED);
}

struct site *sites_find(struct sites *sites, struct slice host)
{
	if (sites->bucket_count == 0)
		return NULL;
	for (struct site *site = *sites_bucket(sites, host); site != NULL;
	     site = site->next) {
		if (site->is_deleted || !slice_equal(site->row.host, host))
			continue;
		sites_touch(sites, site);
		return site;
	}
	return NULL;
}

static void hang_up(struct sites *sites, struct site *site)
{
	struct site **bucket = sites_bucket(sites, site->row.host);

	site->next = *bucket;
	*bucket = site;
}

static void grow_buckets(struct sites *sites)
{
	sites->bucket_count = sites->bucket_count == 0
				      ? MIN_BUCKETS
				      : 2 * sites->bucket_count;
	free(sites->buckets);
	sites->buckets = mem_alloc(sites->bucket_count, sizeof(struct site *));
	for (size_t i = 0; i < sites->all.count; i++)
		hang_up(sites, sites->all.items[i]);
}

void sites_add(struct sites *sites, struct site *site)
{
	if (sites->all.count >= sites->bucket_count)
		grow_buckets(sites);
	site->index = sites->all.count;
	site_array_push(&sites->all, site);
	hang_up(sites, site);
	sites_touch(sites, site);
}

static void open_sites_remove(struct open_sites *open, struct site *site)
{
	if (site->open_bytes == 0)
		return;
	if (site->newer == NULL)
		open->newest = site->older;
	else
		site->newer->older = site->older;
	if (site->older == NULL)
		open->oldest = site->newer;
	else
		site->older->newer = site->newer;
	open->count--;
	open->bytes -= site->open_bytes;
	site->newer = NULL;
	site->older = NULL;
	site->open_bytes = 0;
}

void sites_drop(struct sites *sites, struct site *site)
{
	struct site **link = sites_bucket(sites, site->row.host);
	struct site *last = sites->all.items[--sites->all.count];

	assert(site->waits == SITE_WAITS_NOT);
	while (*link != site)
		link = &(*link)->next;
	*link = site->next;
	sites->all.items[site->index] = last;
	last->index = site->index;
	site_array_remove(&sites->touched, site, SITE_IN_TOUCHED);
	site_array_remove(&sites->unplaced, site, SITE_IN_UNPLACED);
	open_sites_remove(&sites->open, site);
	site_destroy(site);
}

void sites_mark_open(struct sites *sites, struct site *site)
{
	struct open_sites *open = &sites->open;

	if (site->linkage == NULL)
		return;
	open_sites_remove(open, site);
	site->open_bytes = linkage_size(site->linkage).bytes +
			   SITE_KNOWN * sizeof(*site->known);
	site->older = open->newest;
	if (open->newest == NULL)
		open->oldest = site;
	else
		open->newest->newer = site;
	open->newest = site;
	open->count++;
	open->bytes += site->open_bytes;
}

void sites_close_idle(struct sites *sites, size_t max, size_t max_bytes)
{
	struct open_sites *open = &sites->open;

	while (open->count > max && open->bytes > max_bytes) {
		struct site *oldest = open->oldest;

		open_sites_remove(open, oldest);
		site_close(oldest);
	}
}

void sites_clear(struct site_array *list, enum site_array_flags which)
{
	for (size_t i = 0; i < list->count; i++)
		list->items[i]->lists &= ~(unsigned)which;
	list->count = 0;
}

void sites_free(struct sites *sites)
{
	for (size_t i = 0; i < sites->all.count; i++)
		site_destroy(sites->all.items[i]);
	free(sites->all.items);
	free(sites->touched.items);
	free(sites->unplaced.items);
	free(sites->buckets);
}
