#include "daemon/privsep/analyse_task.h"

#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cluster/signature.h"
#include "crawl/url/url.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/page_words.h"
#include "daemon/privsep/worker_process.h"
#include "extract/extractors.h"
#include "extract/text/fragment.h"
#include "page/page.h"
#include "page/page_class.h"
#include "page/page_kind.h"
#include "page/selector.h"
#include "page/xpath.h"
#include "store/record.h"
#include "store/rows.h"
#include "template/page_outline.h"
#include "template/replacement.h"
#include "template/version_json.h"

_Static_assert((int)RECORD_SIGNATURES == (int)MEASURE_CAS,
	       "a record has a place for each measure: signature_slot()");

enum { LINK_PATH_WIDTH = 4 };

#define NO_LINK       UINT32_MAX
#define RENDERED_SEED UINT64_C(0x72656e6465726564)

/* A hash table from URLs to links: open addressing, at most half full. */
struct seen {
	uint64_t *hashes; /* [slots], 0 = free */
	uint32_t *links;  /* [slots] */
	size_t slots;
};

static struct seen seen_create(struct arena *arena, size_t max)
{
	size_t slots = 2 * max + 1;

	return (struct seen){ARENA_NEW(arena, uint64_t, slots),
			     ARENA_ROOM(arena, uint32_t, slots), slots};
}

static uint32_t *seen_link(const struct seen *seen, struct slice url,
			   bool *is_first_out)
{
	uint64_t hash = hash64(url.data, url.size, 0) | 1;
	size_t slot = hash % seen->slots;

	while (seen->hashes[slot] != 0 && seen->hashes[slot] != hash)
		slot = (slot + 1) % seen->slots;
	*is_first_out = seen->hashes[slot] == 0;
	seen->hashes[slot] = hash;
	return &seen->links[slot];
}

/* Return `href` without its fragment. */
static struct slice without_fragment(struct slice href)
{
	const char *hash = memchr(href.data, '#', href.size);

	if (hash != NULL)
		href.size = (size_t)(hash - (const char *)href.data);
	return href;
}

struct record_link_list {
	struct arena *arena;
	struct url base;
	struct slice drop_parameters;
	struct record_link *links; /* [count] */
	uint32_t count;
	struct seen written;
	struct seen resolved;
};

/*
 * Return the index of the list's link to the target of `link`; add one if the
 * target is new. Return NO_LINK if the link has no target.
 */
static uint32_t page_link_resolve(struct record_link_list *list,
				  const struct link *link)
{
	struct slice href = without_fragment(link->href);
	uint32_t *written;
	uint32_t *resolved;
	struct url target;
	bool is_first;
	size_t size;

	if (href.size == 0)
		return NO_LINK;
	/* pages repeat most links with the same reference */
	written = seen_link(&list->written, href, &is_first);
	if (!is_first)
		return *written;
	*written = NO_LINK;
	if (url_parse(&target, href, &list->base) != ERR_NONE)
		return NO_LINK;
	parameters_drop(&target, list->drop_parameters);
	size = strlen(target.text);
	resolved = seen_link(&list->resolved, (struct slice){target.text, size},
			     &is_first);
	if (is_first) {
		*resolved = list->count++;
		list->links[*resolved] = (struct record_link){
			.url = {arena_copy(list->arena, target.text, size),
				size},
			.anchor = link->anchor,
			.flags = link->flags,
		};
	}
	*written = *resolved;
	return *resolved;
}

static bool link_is_same_page(const struct page *page, const struct link *link)
{
	uint16_t tag = page->nodes[link->node].tag;

	return tag == TAG_a || tag == TAG_area;
}

/* Return the distinct links of the page to http or https URLs. */
static const struct record_link *resolve_links(const struct page *page,
					       const uint64_t *steps,
					       const struct url *url,
					       struct slice drop_parameters,
					       uint32_t *count_out)
{
	struct arena *arena = page->arena;
	uint32_t max =
		page->link_count < MAX_LINKS ? page->link_count : MAX_LINKS;
	struct record_link_list list = {
		.arena = arena,
		.base = url_base(url, page->base),
		.drop_parameters = drop_parameters,
		.links = ARENA_ROOM(arena, struct record_link, max),
		.written = seen_create(arena, page->link_count),
		.resolved = seen_create(arena, max),
	};

	for (uint32_t i = 0; i < page->link_count && list.count < max; i++) {
		const struct link *link = &page->links[i];
		uint32_t at = page_link_resolve(&list, link);

		/*
		 * a canonical link with the same target may precede the refresh
		 */
		if (at != NO_LINK)
			list.links[at].flags |= link->flags & LINK_IS_REFRESH;
		if (at != NO_LINK && list.links[at].path == 0 &&
		    link_is_same_page(page, link))
			list.links[at].path = path_shingle(
				page, steps, link->node, LINK_PATH_WIDTH);
	}
	*count_out = list.count;
	return list.links;
}

/*
 * Copy the fragments of the page into the store's struct, which has the same
 * fields.
 */
static const struct record_fragment *copy_fragments(const struct page *page,
						    uint32_t *count_out)
{
	struct arena *arena = page->arena;
	const struct fragment *distinct =
		fragments_distinct(arena, fragments_of_page(arena, page),
				   page->text_count, count_out);
	struct record_fragment *copies =
		ARENA_ROOM(arena, struct record_fragment, *count_out);

	for (uint32_t i = 0; i < *count_out; i++)
		copies[i] = (struct record_fragment){
			.hash = distinct[i].hash,
			.length = distinct[i].length,
			.flags = distinct[i].flags,
		};
	return copies;
}

/* Return whether a refresh of the page leads to another page. */
static bool page_has_refresh(const struct page *page, const struct url *url)
{
	const struct url base = url_base(url, page->base);

	for (uint32_t i = 0; i < page->link_count; i++) {
		const struct link *link = &page->links[i];
		struct url target;

		if ((link->flags & LINK_IS_REFRESH) != 0 &&
		    url_parse(&target, link->href, &base) == ERR_NONE &&
		    strcmp(target.text, url->text) != 0)
			return true;
	}
	return false;
}

static enum page_class
analysed_page_class(const struct page *page, const struct url *url,
		    const struct analyse_options *options)
{
	enum page_class page_class =
		page_class_of(page, options->http_status, options->is_cut);

	if (page_class == CLASS_STUB && !page_has_refresh(page, url))
		return page->text_count == 0 ? CLASS_EMPTY : CLASS_PAGE;
	return page_class;
}

static uint32_t analysed_page_flags(const struct page *page,
				    const struct url *url,
				    const struct analyse_options *options)
{
	enum page_class page_class = analysed_page_class(page, url, options);
	enum page_kind kind =
		page_kind_of(page, slice_of(url->text + url->path));
	uint32_t flags = (uint32_t)page_class << RECORD_CLASS_SHIFT |
			 (uint32_t)kind << RECORD_KIND_SHIFT;

	if (page->is_truncated || page_class == CLASS_TRUNCATED)
		flags |= RECORD_IS_TRUNCATED;
	if (page->is_nofollow || options->is_nofollow)
		flags |= RECORD_IS_NOFOLLOW;
	if (options->is_rendered)
		flags |= RECORD_IS_RENDERED;
	return flags;
}

/*
 * Return whether the record needs a signature by this measure: the measure of
 * the site, which never changes, and those that recognise template versions by
 * paths (template/version.h).
 */
static bool measure_is_needed(unsigned measure,
			      const struct analyse_options *options)
{
	return measure == options->measure ||
	       (!options->is_for_once &&
		(measure == MEASURE_CP || measure == MEASURE_CPC));
}

/*
 * Return a signature that has no shingle in common with that of a page that is
 * not rendered, so that the two are never in one cluster. The lowest bit of a
 * shingle has a meaning (cluster/shingle_weights.h).
 */
static struct signature rendered_signature(struct arena *arena,
					   struct signature signature)
{
	uint64_t *shingles = ARENA_ROOM(arena, uint64_t, signature.count);

	for (size_t i = 0; i < signature.count; i++)
		shingles[i] =
			(hash_chain(signature.shingles[i], RENDERED_SEED) &
			 ~UINT64_C(1)) |
			(signature.shingles[i] & 1);
	if (signature.count > 0)
		qsort(shingles, signature.count, sizeof(*shingles), order_u64);
	return (struct signature){shingles, signature.count};
}

/*
 * Compute the signatures by the needed measures, each with its number of names
 * per shingle.
 */
static void page_sign(const struct page *page, const struct path_table *paths,
		      const struct url *url,
		      const struct analyse_options *options,
		      struct record *record)
{
	for (unsigned m = 0; m < MEASURE_COUNT; m++) {
		struct signature_rule rule = {
			.measure = (enum measure)m,
			.width = m == options->measure ? options->width : 0,
			.path = slice_of(url->text + url->path),
		};
		struct signature signature;

		if (!measure_is_needed(m, options))
			continue;
		signature = signature_of_paths(page->arena, page, paths, rule);
		if (options->is_rendered && m == options->measure)
			signature = rendered_signature(page->arena, signature);
		record->signatures[signature_slot(m)] = signature.shingles;
		record->signature_counts[signature_slot(m)] =
			(uint32_t)signature.count;
	}
}

static void fill_record(const struct page *page, struct slice body,
			const struct url *url,
			const struct analyse_options *options,
			struct buffer *record_out)
{
	struct record record = {
		.content_hash = hash64(body.data, body.size, 0),
		.flags = analysed_page_flags(page, url, options),
		.text_count = page->text_count,
		.node_count = page->node_count,
		.title = page->title,
		.language = page->language,
		.description = page->description,
	};
	const struct path_table paths = path_table_make(page->arena, page);
	const uint64_t *steps = paths.steps[PATH_INNER_CLASSES];
	const struct record_link *links;
	struct buffer outline = {0};

	page_sign(page, &paths, url, options, &record);
	record.fragments = copy_fragments(page, &record.fragment_count);
	links = resolve_links(page, steps, url, options->drop_parameters,
			      &record.link_count);
	if (!options->is_for_once)
		outline_append(page, steps, &outline);
	record.outline = buffer_slice(&outline);
	record_encode(&record, links, record_out);
	buffer_free(&outline);
}

void analyse_page(const struct page *page, struct slice body,
		  const struct url *url, const struct analyse_options *options,
		  struct buffer *record_out)
{
	struct page copy = *page;

	copy.arena = arena_create(); /* the caller's page must not grow */
	if (options->refresh.size > 0)
		page_add_refresh(&copy, options->refresh);
	fill_record(&copy, body, url, options, record_out);
	arena_destroy(copy.arena);
}

enum error analyse(struct slice body, struct slice charset,
		   const struct url *url, const struct analyse_options *options,
		   struct buffer *record_out)
{
	struct page *page;
	enum error error = page_parse(&page, body, charset, options->limits);

	if (error != ERR_NONE)
		return error;
	if (options->refresh.size > 0)
		page_add_refresh(page, options->refresh);
	fill_record(page, body, url, options, record_out);
	page_destroy(page);
	return ERR_NONE;
}

/*
 * Some versions of glibc have the field of struct sigevent, but not this name.
 */
#ifdef sigev_notify_thread_id
#define THREAD_ID_FIELD sigev_notify_thread_id
#else
#define THREAD_ID_FIELD _sigev_un._tid
#endif

enum {
	EXPIRY_SIGNAL = SIGVTALRM,
	AGAIN_NS = 10 * 1000 * 1000,
	US_PER_S = 1000000,
	NS_PER_US = 1000,
};

/* Called from a signal handler when the CPU time is used up. */
typedef void cpu_timer_expiry(void *context);

/*
 * A timer of CPU time. It belongs to the thread that created it, and must not
 * be moved.
 */
struct cpu_timer {
	timer_t timer;
	bool is_created; /* false = the kernel has no such timer, so the
			    function is never called */
	cpu_timer_expiry *expiry;
	void *context;
};

static void cpu_timer_on_signal(int number, siginfo_t *info, void *state)
{
	const struct cpu_timer *timer = info->si_value.sival_ptr;

	(void)number;
	(void)state;
	if (info->si_code == SI_TIMER)
		timer->expiry(timer->context);
}

static void cpu_timer_create(struct cpu_timer *timer, cpu_timer_expiry *expiry,
			     void *context)
{
	struct sigaction action = {
		.sa_sigaction = cpu_timer_on_signal,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = EXPIRY_SIGNAL,
		.sigev_value = {.sival_ptr = timer},
	};
	sigset_t signals;

	*timer = (struct cpu_timer){.expiry = expiry, .context = context};
	event.THREAD_ID_FIELD = gettid();
	sigemptyset(&action.sa_mask);
	sigemptyset(&signals);
	sigaddset(&signals, EXPIRY_SIGNAL);
	timer->is_created = sigaction(EXPIRY_SIGNAL, &action, NULL) == 0 &&
			    pthread_sigmask(SIG_UNBLOCK, &signals, NULL) == 0 &&
			    timer_create(CLOCK_THREAD_CPUTIME_ID, &event,
					 &timer->timer) == 0;
}

static void cpu_timer_destroy(struct cpu_timer *timer)
{
	if (timer->is_created)
		timer_delete(timer->timer);
	timer->is_created = false;
}

/*
 * Call the function of the timer after the calling thread has used `time_us`
 * more of CPU time, and then every 10 ms until cpu_timer_stop().
 */
static void cpu_timer_start(struct cpu_timer *timer, uint64_t time_us)
{
	uint64_t us = time_us == 0 ? 1 : time_us; /* 0 would stop the timer */
	const struct itimerspec times = {
		.it_interval = {.tv_nsec = AGAIN_NS},
		.it_value = {.tv_sec = (time_t)(us / US_PER_S),
			     .tv_nsec = (long)(us % US_PER_S) * NS_PER_US},
	};

	if (timer->is_created)
		timer_settime(timer->timer, 0, &times, NULL);
}

static void cpu_timer_stop(struct cpu_timer *timer)
{
	const struct itimerspec none = {{0}, {0}};

	if (timer->is_created)
		timer_settime(timer->timer, 0, &none, NULL);
}

uint64_t cpu_time_us(void)
{
	struct timespec time = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * US_PER_S +
	       (uint64_t)time.tv_nsec / NS_PER_US;
}

enum { US_PER_MS = 1000 };

/* A page and the state of evaluating guards on it. */
struct guarded_page {
	const struct page *page;
	struct xpath_tree *tree; /* created when needed; NULL until then */
	bool has_no_tree;        /* creating the tree has failed */
	struct cpu_timer timer;  /* stops an XPath expression or a search for
				    replacements */
	volatile sig_atomic_t is_over; /* the timer has expired */
	uint64_t guard_us;             /* limit of each guard */
	uint64_t page_us;              /* limit of all guards */
	uint64_t end_us; /* CPU time at which all guards must be done */
};

static uint64_t guards_time_us(uint32_t limit_ms)
{
	return limit_ms == 0 ? UINT64_MAX / 2 : (uint64_t)limit_ms * US_PER_MS;
}

/* Return the remaining CPU time of all guards; 0 = it is used up. */
static uint64_t guards_left_us(const struct guarded_page *guarded)
{
	uint64_t now_us = cpu_time_us();

	return now_us < guarded->end_us ? guarded->end_us - now_us : 0;
}

static void guards_stop(void *context)
{
	struct guarded_page *guarded = context;

	guarded->is_over = 1;
	if (guarded->tree != NULL)
		xpath_stop(guarded->tree);
}

/*
 * Start the timer, which stops the evaluation after `time_us`, or earlier if
 * the time of all guards is over. Return false if there is no timer.
 */
static bool guards_start(struct guarded_page *guarded, uint64_t time_us)
{
	uint64_t left_us = guards_left_us(guarded);

	guarded->is_over = 0;
	cpu_timer_start(&guarded->timer, left_us < time_us ? left_us : time_us);
	return guarded->timer.is_created;
}

/*
 * Create the XPath tree when the first XPath guard needs it. All guards share
 * it, so its time counts neither for this guard nor for the time of all guards.
 */
static void guards_make_tree(struct guarded_page *guarded,
			     const struct wanted_guard *guard)
{
	uint64_t begin_us = cpu_time_us();

	if (guard->language == GUARD_CSS || guarded->tree != NULL ||
	    guarded->has_no_tree)
		return;
	guarded->tree = xpath_tree_create(guarded->page);
	guarded->has_no_tree = guarded->tree == NULL;
	guarded->end_us += cpu_time_us() - begin_us;
}

static void find_xpath(struct guarded_page *guarded, const char *selector,
		       struct xpath_result *result)
{
	enum error error = ERR_TOO_LARGE;

	if (guarded->tree != NULL && guards_start(guarded, guarded->guard_us)) {
		error = xpath_evaluate(guarded->tree, selector, result);
		cpu_timer_stop(&guarded->timer);
	}
	if (error != ERR_NONE)
		*result = (struct xpath_result){.matches = UINT32_MAX,
						.node = NO_NODE};
}

static void find_css(const struct guarded_page *guarded, const char *selector,
		     struct xpath_result *result)
{
	const struct page *page = guarded->page;
	struct arena *arena = arena_create();
	char error[256];
	const struct selector *compiled =
		selector_compile(arena, selector, error);
	const bool *is_selected;

	*result = (struct xpath_result){.node = NO_NODE};
	if (compiled == NULL) {
		result->matches = UINT32_MAX;
		arena_destroy(arena);
		return;
	}
	is_selected = selector_match(compiled, page, arena);
	for (uint32_t i = 0; i < page->node_count; i++) {
		if (is_selected[i] && result->node == NO_NODE)
			result->node = i;
		result->matches += is_selected[i];
	}
	if (result->node != NO_NODE)
		result->value_size =
			element_value(page, result->node, result->value);
	arena_destroy(arena);
}

static json_t *path_json(const struct page *page,
			 const struct xpath_result *result)
{
	struct buffer path = {0};
	json_t *value;

	if (result->node != NO_NODE)
		element_path(page, result->node, &path);
	if (result->attribute != NULL)
		buffer_printf(&path, "/@%s", result->attribute);
	else if (result->is_text)
		buffer_append_text(&path, "/text()");
	value = json_text(buffer_slice(&path));
	buffer_free(&path);
	return value;
}

/* Evaluate the selector of the guard if time remains. */
static void guards_find(struct guarded_page *guarded,
			const struct wanted_guard *guard,
			struct xpath_result *result)
{
	char selector[MAX_SELECTOR_BYTES + 1] = "";

	*result = (struct xpath_result){.matches = UINT32_MAX, .node = NO_NODE};
	if (guards_left_us(guarded) == 0)
		return;
	if (guard->selector.size <= MAX_SELECTOR_BYTES)
		memcpy(selector, guard->selector.data, guard->selector.size);
	if (guard->language == GUARD_CSS)
		find_css(guarded, selector, result);
	else
		find_xpath(guarded, selector, result);
}

static json_t *guards_replacements_json(struct arena *arena,
					const struct guarded_page *guarded,
					const struct wanted_guard *known)
{
	const struct lost_element lost = {
		.is_stopped = &guarded->is_over,
		.value = known->value,
		.path = known->path,
		.minimum = known->minimum,
		.maximum = known->maximum,
	};
	const struct replacement *candidates;
	uint32_t count =
		replacements_find(arena, guarded->page, &lost, &candidates);
	json_t *list = json_array();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(
			list,
			json_pack("{s:o, s:f, s:I, s:o}", "selector",
				  json_text(slice_of(candidates[i].selector)),
				  "score", candidates[i].score, "node",
				  (json_int_t)candidates[i].node, "value",
				  json_text(slice_of(candidates[i].value))));
	return list;
}

/* Evaluate one guard; return its result as JSON. */
static json_t *guards_check_one(struct guarded_page *guarded,
				const struct wanted_guard *guard)
{
	struct xpath_result result;
	uint64_t begin_us;
	uint64_t used_us;
	json_t *found;

	guards_make_tree(guarded, guard);
	begin_us = cpu_time_us();
	guards_find(guarded, guard, &result);
	used_us = cpu_time_us() - begin_us;
	found = json_pack(
		"{s:I, s:I, s:o, s:o, s:I}", "guard", (json_int_t)guard->number,
		"matches",
		result.matches == UINT32_MAX ? (json_int_t)-1
					     : (json_int_t)result.matches,
		"value",
		json_text((struct slice){result.value, result.value_size}),
		"path", path_json(guarded->page, &result), "us",
		(json_int_t)used_us);
	if (used_us >= guarded->guard_us)
		json_object_set_new(found, "over", json_string("guard"));
	else if (result.matches == UINT32_MAX &&
		 (guards_left_us(guarded) == 0 || !guarded->timer.is_created))
		json_object_set_new(found, "skipped", json_true());
	return found;
}

/*
 * When the time of all guards is over, mark the guard that took the longest,
 * unless it took less than half of an equal share, or a guard has exceeded
 * guard_ms.
 */
static void guards_blame(const struct guarded_page *guarded, json_t *list)
{
	json_t *longest = NULL;
	json_int_t longest_us = -1;
	uint64_t evaluated = 1; /* 1 for the guard that was stopped */
	json_t *found;
	size_t i;

	json_array_foreach(list, i, found)
	{
		json_int_t us =
			json_integer_value(json_object_get(found, "us"));

		if (json_object_get(found, "over") != NULL)
			return;
		evaluated += json_object_get(found, "skipped") == NULL;
		if (us > longest_us) {
			longest = found;
			longest_us = us;
		}
	}
	if (longest == NULL ||
	    (uint64_t)longest_us < guarded->page_us / (2 * evaluated))
		return;
	json_object_del(longest, "skipped");
	json_object_set_new(longest, "over", json_string("page"));
}

/* Search for replacements of failed guards while time remains. */
static void guards_add_candidates(struct guarded_page *guarded,
				  struct arena *arena, struct slice guards,
				  json_t *list)
{
	struct slice item;
	size_t i = 0;

	while (item_next(&guards, &item) && guards_left_us(guarded) > 0) {
		struct wanted_guard guard;
		json_t *found;
		json_int_t matches;

		if (!row_codec_decode(&wanted_guard_layout, item, &guard))
			continue;
		found = json_array_get(list, i++);
		matches = json_integer_value(json_object_get(found, "matches"));
		if (guard.is_known == 0 || matches < 0 ||
		    (matches >= guard.minimum && matches <= guard.maximum))
			continue;
		if (guards_start(guarded, guarded->page_us))
			json_object_set_new(found, "candidates",
					    guards_replacements_json(
						    arena, guarded, &guard));
		cpu_timer_stop(&guarded->timer);
	}
}

void guards_check(struct page *page, struct slice guards,
		  const struct guard_limits *limits, struct buffer *out)
{
	struct guarded_page guarded = {
		.page = page,
		.guard_us = guards_time_us(limits->guard_ms),
		.page_us = guards_time_us(limits->page_ms),
		.end_us = cpu_time_us() + guards_time_us(limits->page_ms),
	};
	json_t *list = json_array();
	struct slice rest = guards;
	struct slice item;
	char *text;

	cpu_timer_create(&guarded.timer, guards_stop, &guarded);
	while (item_next(&rest, &item)) {
		struct wanted_guard guard;

		if (row_codec_decode(&wanted_guard_layout, item, &guard))
			json_array_append_new(
				list, guards_check_one(&guarded, &guard));
	}
	if (guards_left_us(&guarded) == 0)
		guards_blame(&guarded, list);
	guards_add_candidates(&guarded, page->arena, guards, list);
	text = json_dumps(list, JSON_COMPACT);
	if (text != NULL)
		buffer_append_text(out, text);
	free(text);
	json_decref(list);
	cpu_timer_destroy(&guarded.timer);
	xpath_tree_destroy(guarded.tree);
}

/*
 * The task of a worker that analyses a page: it computes the record of the page
 * and the results of guards.
 */

/* A decoded request, and its page. */
struct analyse_task_input {
	struct analyse_request request;
	struct url url;
	struct slice body;
	struct slice guards;
	struct page *page;
};

/*
 * Decode the request and parse the page. The result of page_parse() is written
 * to the response. ERR_MALFORMED: the request is invalid.
 */
static enum error analyse_task_begin(const struct task *task,
				     struct analyse_task_input *given,
				     struct analyse_answer *answer)
{
	struct slice rest = task->body;

	if (!row_codec_decode(&analyse_request_layout, task->head,
			      &given->request) ||
	    !item_cut(&rest, given->request.page_bytes, &given->body))
		return ERR_MALFORMED;
	given->guards = rest;
	answer->error =
		page_parse(&given->page, given->body, given->request.charset,
			   &given->request.limits);
	return ERR_NONE;
}

static void analyse_given(const struct analyse_task_input *given,
			  struct analyse_answer *row, struct message *answer)
{
	const struct analyse_request *request = &given->request;
	const struct analyse_options options = {
		.measure = (enum measure)request->measure,
		.width = request->width,
		.http_status = request->http_status,
		.is_cut = request->is_cut != 0,
		.is_nofollow = request->is_nofollow != 0,
		.is_rendered = request->is_rendered != 0,
		.refresh = request->refresh,
		.drop_parameters = request->drop_parameters,
	};
	struct buffer *body = &answer->body;

	analyse_page(given->page, given->body, &given->url, &options, body);
	row->record_bytes = body->size;
	if (given->guards.size > 0)
		guards_check(given->page, given->guards, &request->guard_limits,
			     body);
	row->guarded_bytes = body->size - row->record_bytes;
	if (request->wants_words != 0)
		page_words_append(given->page, body);
	row->word_bytes = body->size - row->record_bytes - row->guarded_bytes;
	row->is_shell = request->is_rendered == 0 && page_is_shell(given->page);
}

enum error analyse_task(struct task *task, struct message *answer)
{
	struct analyse_answer row = {0};
	struct analyse_task_input given = {0};
	enum error error = analyse_task_begin(task, &given, &row);

	if (error == ERR_NONE)
		error = url_parse(&given.url, given.request.url, NULL);
	if (error == ERR_NONE && (given.request.measure >= MEASURE_COUNT ||
				  given.request.width > SIGNATURE_MAX_WIDTH))
		error = ERR_MALFORMED;
	if (error == ERR_NONE && row.error == ERR_NONE)
		analyse_given(&given, &row, answer);
	if (error == ERR_NONE)
		answer->head = row_codec_encode(&analyse_answer_layout, &row);
	page_destroy(given.page);
	return error;
}

enum error guard_task(struct task *task, struct message *answer)
{
	struct analyse_answer row = {0};
	struct analyse_task_input given = {0};
	enum error error = analyse_task_begin(task, &given, &row);

	if (error == ERR_NONE && row.error == ERR_NONE)
		guards_check(given.page, given.guards,
			     &given.request.guard_limits, &answer->body);
	row.guarded_bytes = answer->body.size;
	if (error == ERR_NONE)
		answer->head = row_codec_encode(&analyse_answer_layout, &row);
	page_destroy(given.page);
	return error;
}

enum error xpath_task(struct task *task, struct message *answer)
{
	char *text = mem_copy_text(task->head.data, task->head.size);
	char error[256] = "";

	if (!xpath_check(text, error))
		buffer_append_text(&answer->head,
				   *error == '\0'
					   ? "it is not a valid expression"
					   : error);
	free(text);
	return ERR_NONE;
}
