#include "daemon/engine/engine_internal.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "crawl/robots.h"
#include "crawl/sitemap.h"
#include "crawl/url/url.h"
#include "daemon/engine/commit.h"
#include "daemon/engine/commit_screenshot.h"
#include "page/page.h"
#include "page/robots_tag.h"
#include "store/encryption.h"
#include "store/journal.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows.h"

enum {
	PROBE_LETTERS = 16,
	/* maximum number of stored fragments: 8,176 bytes with the header */
	MAX_KNOWN = 510,
	/* maximum number of fragments that repeat the URL or a part of it */
	MAX_ECHOES = 3,
	MAX_ECHO = 512, /* maximum bytes of one such fragment */
	/* minimum number of fragments that the two pages share */
	MIN_SHARED = 2,
	/* the shared text must be this many times as long as the echoes */
	ECHO_RATIO = 2,
};

/*
 * The stored data about the probe's page. The header is followed by the page's
 * fragments, ascending by hash; if there are more than MAX_KNOWN, only the
 * fragments with the lowest hashes are stored. When two pages are compared,
 * only fragments with hashes up to `bound` are used. These are a random sample
 * of both pages (a bottom-k sketch: Broder 1997, On the resemblance and
 * containment of documents).
 */
struct soft_404_sample {
	uint32_t magic;
	uint32_t count;
	uint64_t bound; /* the highest hash of the stored fragments */
	uint64_t title; /* hash64() of the title */
};

static const uint32_t magic = 0x74343034; /* "t404" */

_Static_assert(sizeof(struct soft_404_sample) +
			       MAX_KNOWN * sizeof(struct record_fragment) <=
		       8192,
	       "the header promises 8 KiB");

static void append_letters(char *out, uint64_t number)
{
	for (int i = 0; i < PROBE_LETTERS / 2; i++) {
		out[i] = (char)('a' + number % 26);
		number /= 26;
	}
}

void soft_404_probe(const struct url *seed, uint64_t salt, struct url *out)
{
	char reference[PROBE_LETTERS + 2] = "/";
	char *letters = reference + 1;
	uint64_t hash;

	assert(seed->text != NULL);
	hash = hash64(seed->text, strlen(seed->text), salt);
	append_letters(letters, hash);
	append_letters(letters + PROBE_LETTERS / 2, hash_chain(hash, salt));
	if (url_parse(out, slice_of(letters), seed) != ERR_NONE &&
	    url_parse(out, slice_of(reference), seed) != ERR_NONE)
		*out = *seed; /* the probe's URL is too long: return the seed */
}

void soft_404_store_probe(const struct record *record, struct buffer *out)
{
	struct soft_404_sample known = {
		.magic = magic,
		.count = record->fragment_count,
		.bound = UINT64_MAX,
		.title = hash64(record->title.data, record->title.size, 0),
	};

	if (known.count > MAX_KNOWN) {
		known.count = MAX_KNOWN;
		known.bound = record->fragments[MAX_KNOWN - 1].hash;
	}
	buffer_append(out, &known, sizeof(known));
	buffer_append(out, record->fragments,
		      known.count * sizeof(*record->fragments));
}

/* Read the header of the stored data. `slice` need not be aligned. */
static bool read_known(struct slice slice, struct soft_404_sample *known_out)
{
	if (slice.size < sizeof(*known_out))
		return false;
	memcpy(known_out, slice.data, sizeof(*known_out));
	return known_out->magic == magic && known_out->count <= MAX_KNOWN &&
	       slice.size == sizeof(*known_out) +
				     known_out->count *
					     sizeof(struct record_fragment);
}

static struct record_fragment known_at(struct slice known, uint32_t index)
{
	struct record_fragment fragment;

	memcpy(&fragment,
	       (const char *)known.data + sizeof(struct soft_404_sample) +
		       index * sizeof(fragment),
	       sizeof(fragment));
	return fragment;
}

/* The fragments that only one of the two pages has. */
struct difference {
	uint32_t count;
	uint64_t bytes;
	uint32_t longest;
	/*
	 * one of the fragments is a link, so the fragments are no echo of the
	 * URL
	 */
	bool has_link;
};

struct comparison {
	struct difference own;    /* fragments that only the visited page has */
	struct difference probes; /* fragments that only the probe's page has */
	uint32_t shared;
	uint64_t shared_bytes;
	bool is_damaged; /* the stored fragments are not ascending */
};

static void soft_404_difference_add(struct difference *difference,
				    uint32_t length, uint32_t flags)
{
	difference->count++;
	difference->bytes += length;
	if (difference->longest < length)
		difference->longest = length;
	difference->has_link |= (flags & TEXT_IS_LINK) != 0;
}

/*
 * Compare the fragments of both pages by merging two lists that are ascending
 * by hash.
 */
static struct comparison soft_404_compare(const struct record *record,
					  struct slice bytes,
					  const struct soft_404_sample *known)
{
	struct comparison comparison = {.shared = 0};
	uint32_t count = record->fragment_count;
	uint64_t last = 0;
	uint32_t i = 0;
	uint32_t j = 0;

	while (count > 0 && record->fragments[count - 1].hash > known->bound)
		count--;
	while (i < count || j < known->count) {
		uint64_t mine = i < count ? record->fragments[i].hash : 0;
		struct record_fragment theirs = {0};

		if (j < known->count) {
			theirs = known_at(bytes, j);
			comparison.is_damaged |= theirs.hash < last;
			last = theirs.hash;
		}
		if (j == known->count || (i < count && mine < theirs.hash)) {
			soft_404_difference_add(&comparison.own,
						record->fragments[i].length,
						record->fragments[i].flags);
			i++;
		} else if (i == count || theirs.hash < mine) {
			soft_404_difference_add(&comparison.probes,
						theirs.length, theirs.flags);
			j++;
		} else {
			comparison.shared++;
			comparison.shared_bytes += theirs.length;
			i++;
			j++;
		}
	}
	return comparison;
}

static bool is_echo(const struct difference *difference)
{
	return difference->count <= MAX_ECHOES && !difference->has_link &&
	       difference->longest <= MAX_ECHO;
}

bool soft_404_is(const struct record *record, struct slice known)
{
	struct soft_404_sample header;
	struct comparison comparison;

	/*
	 * real pages with the same frame and one different sentence each also
	 * differ in their titles, so compare the titles first
	 */
	if (!read_known(known, &header) ||
	    header.title != hash64(record->title.data, record->title.size, 0))
		return false;
	comparison = soft_404_compare(record, known, &header);
	return !comparison.is_damaged && is_echo(&comparison.own) &&
	       is_echo(&comparison.probes) &&
	       comparison.own.count == comparison.probes.count &&
	       comparison.shared >= MIN_SHARED &&
	       comparison.shared_bytes >=
		       ECHO_RATIO *
			       (comparison.own.bytes + comparison.probes.bytes);
}

/*
 * Auxiliary URLs of a site: its sitemaps, and the probe. The probe is a URL
 * that cannot exist and is used to detect soft 404s.
 */

/*
 * Return whether the daemon crawls the site. Otherwise it fetches only URLs
 * that clients request.
 */
static bool is_crawled(const struct site *site)
{
	return (site->row.options.flags & (SITE_IS_SAMPLE | SITE_IS_OFFLINE)) ==
	       0;
}

static bool has_sitemaps(const struct site *site)
{
	return is_crawled(site) &&
	       (site->row.options.flags & SITE_HAS_SITEMAPS) != 0;
}

static void discover_sitemap(struct commit *batch, struct site *site,
			     const struct url *url, unsigned depth)
{
	commit_discover(batch, site,
			&(struct discovery){
				.url = url,
				.how = ADMIT_SITEMAP,
				.depth = depth,
				.flags = FRONTIER_IS_SITEMAP,
			});
}

static void discover_probe(struct commit *batch, struct site *site,
			   const struct url *seed)
{
	struct url probe;

	soft_404_probe(seed, site->row.id, &probe);
	commit_discover(batch, site,
			&(struct discovery){
				.url = &probe,
				.how = ADMIT_PROBE,
				.flags = FRONTIER_IS_PROBE,
			});
}

/*
 * Request the sitemap and the probe of a new site, or of a site whose options
 * have changed.
 */
static void commit_schedule_auxiliary(struct commit *batch, struct site *site,
				      const struct url *seed)
{
	struct url url;

	if (has_sitemaps(site) &&
	    url_parse(&url, slice_of("/sitemap.xml"), seed) == ERR_NONE)
		discover_sitemap(batch, site, &url, 0);
	if (is_crawled(site) &&
	    (site->row.options.flags & SITE_HAS_PROBE) != 0 &&
	    site->row.missing.size == 0)
		discover_probe(batch, site, seed);
}

void commit_robots_sitemaps(struct commit *batch, struct site *site,
			    const struct url *robots, struct slice file)
{
	struct arena *arena;
	const struct robots *rules;

	if (!has_sitemaps(site) || file.size == 0)
		return;
	arena = arena_create();
	rules = robots_parse(arena, file, ROBOTS_AGENT);
	for (size_t i = 0; i < robots_sitemap_count(rules); i++) {
		struct url url;

		if (url_parse(&url, robots_sitemap(rules, i), robots) ==
		    ERR_NONE)
			discover_sitemap(batch, site, &url, 0);
	}
	arena_destroy(arena);
}

void commit_sitemap_entries(struct commit *batch, struct site *site,
			    const struct change *change)
{
	uint64_t key = page_key_of(slice_of(change->url->text));
	struct slice listing = change->answer.listing;
	struct sitemap_entry entry;
	struct frontier_row row = {0};
	unsigned depth;

	frontier_row_get(batch->txn, site->row.id, key, &row);
	depth = row.depth;
	while (sitemap_entries_next(&listing, &entry)) {
		struct url url;

		if (url_parse(&url, entry.url, change->url) != ERR_NONE)
			continue;
		if (entry.is_sitemap)
			discover_sitemap(batch, site, &url, depth + 1);
		else
			commit_discover(batch, site,
					&(struct discovery){
						.url = &url,
						.how = ADMIT_SITEMAP,
						.depth = 1,
						.lastmod_ms = entry.lastmod_ms,
					});
	}
}

/*
 * Functions that correct stored times that are in the future because the clock
 * was ahead and then was set back.
 */

/* A page of the sample of a cluster. */
struct clamp_sample {
	uint32_t cluster;
	uint64_t page;
};

/* If the time is in the future, set it to 1 ms before now and return true. */
static bool clamp_future_time(uint64_t *time_ms, uint64_t now_ms)
{
	if (*time_ms <= now_ms)
		return false;
	/* so that visits from now on have a later time */
	*time_ms = now_ms - 1;
	return true;
}

/*
 * Clamp the times of the sample, of the stored page and of its visit in the
 * same way. Then a page that was not visited since it became a sample page
 * still counts as not visited, and a later visit is later than all of these
 * times.
 */
static void clamp_page(struct commit *batch, uint32_t site,
		       const struct clamp_sample *sampled)
{
	struct sample_page_row sample;
	struct frontier_row visit;
	struct page_row page;

	if (sample_page_row_get(batch->txn, site, sampled->cluster,
				sampled->page, &sample) &&
	    clamp_future_time(&sample.since_ms, batch->now_ms))
		sample_page_row_put(batch->txn, site, sampled->cluster,
				    sampled->page, &sample);
	if (page_row_get(batch->txn, site, sampled->page, &page) &&
	    clamp_future_time(&page.fetched_ms, batch->now_ms))
		page_row_put(batch->txn, site, sampled->page, &page);
	if (frontier_row_get(batch->txn, site, sampled->page, &visit) &&
	    clamp_future_time(&visit.answered_ms, batch->now_ms))
		frontier_row_put(batch->txn, site, sampled->page, &visit);
}

static void clamp_samples(struct commit *batch, uint32_t site)
{
	struct scan scan = scan_site(batch->txn, TABLE_SAMPLE_PAGES, site);
	struct clamp_sample *sampled = NULL;
	size_t count = 0;
	size_t capacity = 0;

	scan.is_keys_only = true;
	while (scan_next(&scan)) {
		sampled = mem_grow(sampled, count, &capacity, sizeof(*sampled));
		sampled[count++] = (struct clamp_sample){
			key_u32(scan.key, sizeof(site)),
			key_u64(scan.key, 2 * sizeof(site))};
	}
	scan_end(&scan);
	for (size_t i = 0; i < count; i++)
		clamp_page(batch, site, &sampled[i]);
	free(sampled);
}

void commit_clamp_site(struct commit *batch, struct site *site)
{
	bool was_ahead = clamp_future_time(&site->row.asked_ms, batch->now_ms);

	was_ahead |= clamp_future_time(&site->row.seen_ms, batch->now_ms);
	was_ahead |= clamp_future_time(&site->row.added_ms, batch->now_ms);
	/* safe, because the fetcher enforces the pause of the host itself */
	site->rests_until_ms = 0;
	frontier_clamp(batch->txn, &site->row, batch->now_ms);
	if (!was_ahead)
		return;
	site->is_changed = true;
	clamp_samples(batch, site->row.id);
}

/* Lease due URLs of a site, with the site's headers and proxy. */

enum {
	/* maximum time to fetch all URLs that are leased for a slow site */
	LOOKAHEAD_MS = 10000,
	MIN_RETRY_AFTER_S = 60,
	MAX_RETRY_AFTER_S = 24 * 60 * 60,
};

/*
 * Return how many more URLs of the site may be leased now. The caller checks
 * that the site does not rest.
 */
static size_t lease_room_of_site(const struct site *site,
				 const struct work_order *order)
{
	size_t window = order->max_per_site;
	uint32_t delay_ms = site->row.options.delay_ms;

	if (delay_ms < site->pace_ms)
		delay_ms = site->pace_ms;
	if (delay_ms > 0 && LOOKAHEAD_MS / delay_ms < window)
		window = LOOKAHEAD_MS / delay_ms;
	/*
	 * do not lease more URLs than are needed to notice that a pattern is
	 * saturated, because leased URLs are fetched in any case
	 */
	if (site->row.options.saturation > 0 &&
	    site->row.options.saturation < window)
		window = site->row.options.saturation;
	if (window == 0)
		window = 1;
	return site->leased < window ? window - site->leased : 0;
}

void work_free(struct work *work)
{
	free(work->headers);
	free(work->proxy);
	free(work->render_wait);
	free(work->render_click);
	work->headers = NULL;
	work->proxy = NULL;
	work->render_wait = NULL;
	work->render_click = NULL;
}

static char *copy_or_null(struct slice text)
{
	return text.size == 0 ? NULL : mem_copy_text(text.data, text.size);
}

/* Return the decrypted text; NULL if it is empty. */
static char *open_or_null(struct commit *batch, struct slice sealed)
{
	struct buffer text = {0};

	if (sealed.size > 0)
		secret_text_read(batch->txn->store, sealed, &text);
	return text.data;
}

bool commit_has_no_credentials(struct commit *batch, const struct site *site)
{
	const struct site_options *options = &site->row.options;

	return !secret_text_read(batch->txn->store, options->headers, NULL) ||
	       !secret_text_read(batch->txn->store, options->proxy, NULL);
}

/*
 * Return whether a response "not modified" would be usable for this lease. It
 * is usable if the page is stored, and, for a URL on demand, if its body is
 * stored too.
 */
static bool has_page(struct commit *batch, const struct site *site,
		     const struct lease *lease)
{
	struct page_row row;

	return (lease->flags & FRONTIER_IS_SITEMAP) != 0 ||
	       (page_row_get(batch->txn, site->row.id, lease->key, &row) &&
		row.redirect.size == 0 &&
		((row.flags & PAGE_ROW_HAS_NO_BODY) == 0 ||
		 (lease->flags & FRONTIER_IS_ON_DEMAND) == 0));
}

/*
 * Return the longest pause that a Retry-After with status 503 causes: a day or,
 * if the site is watched, the interval between its checks, but not less than a
 * minute.
 */
static uint32_t max_retry_after_s(const struct site *site)
{
	uint64_t interval_s = site->row.options.watch_ms / 1000;

	if (!commit_site_waits(site) || interval_s > MAX_RETRY_AFTER_S)
		return MAX_RETRY_AFTER_S;
	return interval_s < MIN_RETRY_AFTER_S ? MIN_RETRY_AFTER_S
					      : (uint32_t)interval_s;
}

/*
 * Return whether the page may have a screenshot. A page that was not rendered
 * before may: only then its template is known.
 */
static bool wants_screenshot(struct commit *batch, const struct site *site,
			     const struct lease *lease)
{
	struct page_row row;

	return (lease->flags & FRONTIER_IS_RENDERED) == 0 ||
	       !page_row_get(batch->txn, site->row.id, lease->key, &row) ||
	       screenshot_is_kept(batch->txn, site->row.id, row.cluster,
				  lease->key);
}

static struct work work_of(struct commit *batch, const struct site *site,
			   const struct lease *lease)
{
	const struct site_options *options = &site->row.options;
	/*
	 * credentials for the seed's origin must not be sent to another origin
	 */
	bool is_of_seed = slice_equal(url_origin(slice_of(lease->url)),
				      url_origin(site->row.seed));
	struct slice none = slice_of("");
	struct work work = {
		.lease = *lease,
		.site = site->row.id,
		.adoption = site->adoption,
		.delay_ms = options->delay_ms,
		.retry_pause_ms = frontier_retry_pause_ms(&site->row),
		.max_retry_after_s = max_retry_after_s(site),
		.measure = (enum measure)options->measure,
		.width = options->width,
		.site_flags = options->flags,
		.headers = open_or_null(batch,
					is_of_seed ? options->headers : none),
		.proxy =
			open_or_null(batch, is_of_seed ? options->proxy : none),
		.render_wait = copy_or_null(options->render_wait),
		.render_click = copy_or_null(options->render_click),
		.wants_screenshot = wants_screenshot(batch, site, lease),
	};
	bool is_conditional =
		lease->etag[0] != '\0' || lease->modified[0] != '\0';

	/* the data of a rendered page may change without its document */
	if (is_conditional && ((lease->flags & FRONTIER_IS_RENDERED) != 0 ||
			       !has_page(batch, site, lease))) {
		work.lease.etag[0] = '\0';
		work.lease.modified[0] = '\0';
	}
	return work;
}

void commit_lease(struct commit *batch, struct site *site,
		  struct work_order *order)
{
	uint32_t pending_count = site->row.pending_count;
	uint32_t tried_count = site->row.tried_count;
	size_t max = lease_room_of_site(site, order);
	struct lease *leases;
	size_t count;

	if (max > order->max - order->count)
		max = order->max - order->count;
	if (max == 0 || site->is_deleted || site->row.found_count == 0 ||
	    batch->now_ms < site->rests_until_ms ||
	    commit_has_no_credentials(batch, site))
		return;
	sites_touch(batch->sites, site);
	leases = mem_alloc(max, sizeof(*leases));
	count = frontier_lease(
		batch->txn, &site->row, &batch->options->rules,
		&(struct lease_request){
			.now_ms = batch->now_ms,
			.until_ms = batch->now_ms + order->lease_ms,
			.max = max,
		},
		leases);
	for (size_t i = 0; i < count; i++)
		order->work[order->count++] = work_of(batch, site, &leases[i]);
	free(leases);
	site->leased += count;
	site->is_explored |= site->row.tried_count != tried_count;
	/* frontier_lease() may have skipped some URLs */
	site->is_changed |=
		count > 0 || site->row.pending_count != pending_count;
}

uint64_t commit_wake_time(struct commit *batch, const struct site *site,
			  const struct work_order *order)
{
	uint64_t due;

	if (site->is_deleted || lease_room_of_site(site, order) == 0 ||
	    commit_has_no_credentials(batch, site))
		return UINT64_MAX;
	due = frontier_next_due(batch->txn, site->row.id);
	return due < site->rests_until_ms ? site->rests_until_ms : due;
}

/* Functions that add, change and delete a site. */

/*
 * Encrypt `text`, and replace the encrypted text *sealed of the row by the
 * result. The commit wipes the old secret.
 */
static void commit_replace_secret(struct commit *batch, struct slice *sealed,
				  redaction *redact, struct slice text)
{
	struct buffer fresh = {0};

	txn_drop_secret_text(batch->txn, *sealed);
	txn_store_secret_text(batch->txn, redact, text, &fresh);
	site_set_text(sealed, buffer_slice(&fresh));
	buffer_free(&fresh);
}

/* Delete the stored cookies of an origin of the site. */
static void delete_cookies(struct commit *batch, const struct site *site,
			   bool is_https)
{
	struct cookies_row row;

	if (!cookies_row_get(batch->txn, site->row.id, is_https, &row))
		return;
	txn_drop_secret_text(batch->txn, row.lines);
	txn_delete(batch->txn, TABLE_COOKIES,
		   KEY(key_cluster(site->row.id, is_https)));
}

/*
 * Set the options of the site. The threshold is not set here but by
 * commit_threshold(). Options that the daemon computes, and options that are
 * missing in `options`, keep their values.
 */
static void commit_set_site_options(struct commit *batch, struct site *site,
				    const struct site_options *options)
{
	struct site_options *own = &site->row.options;
	const struct site_options before = *own;

	*own = *options;
	own->measure = before.measure;
	own->threshold = before.threshold;
	own->width = before.width;
	own->flags |= before.flags & SITE_FINDINGS;
	own->headers = before.headers;
	own->proxy = before.proxy;
	own->include = before.include;
	own->exclude = before.exclude;
	own->render_wait = before.render_wait;
	own->render_click = before.render_click;
	if (options->headers.data != NULL)
		commit_replace_secret(batch, &own->headers, redact_headers,
				      options->headers);
	if (options->proxy.data != NULL)
		commit_replace_secret(batch, &own->proxy, redact_proxy,
				      options->proxy);
	if (options->include.data != NULL)
		site_set_text(&own->include, options->include);
	if (options->exclude.data != NULL)
		site_set_text(&own->exclude, options->exclude);
	if (options->render_wait.data != NULL)
		site_set_text(&own->render_wait, options->render_wait);
	if (options->render_click.data != NULL)
		site_set_text(&own->render_click, options->render_click);
	if ((own->flags & SITE_HAS_COOKIES) == 0) {
		delete_cookies(batch, site, false);
		delete_cookies(batch, site, true);
	}
	site->is_changed = true;
}

enum error commit_cookies(struct commit *batch, struct change *change)
{
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));
	struct cookies_row row = {.saved_ms = batch->now_ms};
	struct buffer sealed = {0};

	if (site == NULL)
		return ERR_NOT_FOUND;
	delete_cookies(batch, site, change->url->is_https);
	if (change->cookies.size == 0 ||
	    (site->row.options.flags & SITE_HAS_COOKIES) == 0 ||
	    !txn_may_store_secret_text(batch->txn, redact_all, change->cookies))
		return ERR_NONE;
	txn_store_secret_text(batch->txn, redact_all, change->cookies, &sealed);
	row.lines = buffer_slice(&sealed);
	cookies_row_put(batch->txn, site->row.id, change->url->is_https, &row);
	buffer_free(&sealed);
	return ERR_NONE;
}

struct site *commit_new_site(struct commit *batch, const struct url *seed,
			     const struct site_options *options)
{
	struct site_row row = {
		.next_cluster = 1,
		.added_ms = batch->now_ms,
		.options = *options,
		.host = slice_of(seed->host),
		.seed = slice_of(seed->text),
	};
	struct buffer headers = {0};
	struct buffer proxy = {0};
	struct site *site;

	if (batch->sites->all.count >= batch->options->max_sites ||
	    !commit_owns_host(batch, row.host))
		return NULL;
	row.id = store_next_site(batch->txn, row.host);
	txn_store_secret_text(batch->txn, redact_headers, options->headers,
			      &headers);
	txn_store_secret_text(batch->txn, redact_proxy, options->proxy, &proxy);
	row.options.headers = buffer_slice(&headers);
	row.options.proxy = buffer_slice(&proxy);
	site = site_create(&row);
	buffer_free(&headers);
	buffer_free(&proxy);
	site->is_new = true;
	sites_add(batch->sites, site);
	commit_event(
		batch, site,
		&(struct event_row){.kind = EVENT_SITE_ADDED, .url = row.seed});
	return site;
}

enum error commit_no_site_error(const struct commit *batch)
{
	return batch->sites->all.count >= batch->options->max_sites
		       ? ERR_TOO_LARGE
		       : ERR_BUSY;
}

static bool has_other_text(struct slice before, struct slice text)
{
	return text.data != NULL && !slice_equal(before, text);
}

/*
 * Return whether the changed limits may allow visits to URLs that were skipped.
 */
static bool has_other_limits(const struct site_options *before,
			     const struct site_options *options)
{
	return before->max_pages != options->max_pages ||
	       before->max_bytes != options->max_bytes ||
	       before->max_time_ms != options->max_time_ms ||
	       has_other_text(before->include, options->include) ||
	       has_other_text(before->exclude, options->exclude) ||
	       before->saturation != options->saturation;
}

bool commit_reads_site(struct commit *batch, const struct url *seed,
		       const struct site_options *options)
{
	const struct site *site =
		sites_find(batch->sites, slice_of(seed->host));

	return site != NULL &&
	       (has_other_limits(&site->row.options, options) ||
		((options->flags & SITE_IS_AUTO) == 0 &&
		 site->row.options.threshold != options->threshold));
}

/*
 * Set another seed. Headers and proxy are only sent to the seed's origin. If
 * the origin changes, the old headers and proxy are deleted, and only new ones
 * that come with the seed are stored.
 */
static void move_seed(struct commit *batch, struct site *site,
		      const struct url *seed)
{
	struct site_options *own = &site->row.options;

	if (!slice_equal(url_origin(site->row.seed),
			 slice_of(seed->authority))) {
		commit_replace_secret(batch, &own->headers, redact_headers,
				      slice_of(""));
		commit_replace_secret(batch, &own->proxy, redact_proxy,
				      slice_of(""));
	}
	site_set_text(&site->row.seed, slice_of(seed->text));
}

/*
 * Change the options of a site. A threshold that the operator sets takes effect
 * immediately. With "auto" the site keeps its threshold until a new one is
 * chosen.
 */
static void change_options(struct commit *batch, struct site *site,
			   const struct url *seed,
			   const struct site_options *options)
{
	bool is_unnamed = (site->row.options.flags &
			   (SITE_IS_SAMPLE | SITE_IS_OFFLINE)) != 0;
	bool is_elsewhere = !slice_equal(url_origin(site->row.seed),
					 slice_of(seed->authority));

	/*
	 * the seed of a sample or offline site is only its first page, which no
	 * user chose
	 */
	if (is_unnamed || (is_elsewhere && (options->headers.data != NULL ||
					    options->proxy.data != NULL)))
		move_seed(batch, site, seed);
	if (has_other_limits(&site->row.options, options)) {
		frontier_revive(batch->txn, &site->row, 0);
		site->row.options.flags &= ~(uint32_t)SITE_IS_EXHAUSTED;
	}
	commit_set_site_options(batch, site, options);
	if ((options->flags & SITE_IS_AUTO) != 0)
		site->row.threshold_generation = 0;
	else
		commit_threshold(batch, site,
				 &(struct threshold_update){
					 options->threshold,
					 slice_of("set by the operator"),
					 NULL});
}

/*
 * Add a site, or change a known one. A known site keeps its measure and its
 * shingle width, because its signatures depend on them, and a watched site
 * never becomes a sample. `redirects` is the number of redirects that led to
 * the seed.
 */
enum error commit_add_site(struct commit *batch, const struct url *seed,
			   const struct site_options *options,
			   unsigned redirects)
{
	struct site *site = sites_find(batch->sites, slice_of(seed->host));

	if (!txn_may_store_secret_text(batch->txn, redact_headers,
				       options->headers) ||
	    !txn_may_store_secret_text(batch->txn, redact_proxy,
				       options->proxy))
		return ERR_NO_ENCRYPTION_KEY;
	if (site == NULL)
		site = commit_new_site(batch, seed, options);
	else
		change_options(batch, site, seed, options);
	if (site == NULL)
		return commit_no_site_error(batch);
	if ((options->flags & SITE_IS_OFFLINE) != 0)
		return ERR_NONE;
	commit_discover(batch, site,
			&(struct discovery){
				.url = seed,
				.how = ADMIT_SEED,
				.redirects = redirects,
				.flags = FRONTIER_IS_ON_DEMAND,
			});
	commit_schedule_auxiliary(batch, site, seed);
	return ERR_NONE;
}

/*
 * Apply a threshold and weights that were chosen from the pages of the site.
 * Pages may have changed since then, but the next choice will follow soon. If
 * the operator has set a threshold, it stays: apply only the weights, and only
 * if the site may still have any.
 */
enum error commit_set_site_threshold(struct commit *batch,
				     struct change *change)
{
	const struct site_select_threshold *select_threshold =
		&change->site_select_threshold;
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));
	struct threshold_update update = {select_threshold->threshold,
					  select_threshold->reason,
					  select_threshold->weights};
	bool is_current;

	if (site == NULL || site->row.id != select_threshold->site)
		return ERR_NOT_FOUND;
	if ((site->row.options.flags & SITE_IS_AUTO) == 0) {
		update.threshold = site->row.options.threshold;
		update.reason = slice_of("new weights of the shingles");
		if (!site_may_have_weights(&site->row))
			update.weights = NULL;
	}
	is_current = site->row.generation == select_threshold->generation;
	commit_threshold(batch, site, &update);
	site->row.threshold_generation = is_current
						 ? site->row.generation
						 : select_threshold->generation;
	site->row.threshold_pages = site->row.page_count;
	return ERR_NONE;
}

/* Delete the row with the robots.txt and the pause of the host. */
static void delete_robots(struct commit *batch, const char *scheme,
			  struct slice host)
{
	struct buffer authority = {0};

	buffer_append_text(&authority, scheme);
	buffer_append_slice(&authority, host);
	txn_delete(batch->txn, TABLE_HOSTS, buffer_slice(&authority));
	buffer_free(&authority);
}

/*
 * Delete the silences that are for one template of the site: if the site is
 * added again, its templates get new numbers. Silences of the whole site stay.
 */
static void delete_silences(struct commit *batch, struct slice host)
{
	struct scan scan = scan_begin(batch->txn, TABLE_SILENCES, slice_of(""));
	struct silence_row row;

	if (!store_owns(batch->txn->store, JOURNAL_COMMON))
		scan_end(&scan); /* the silences belong to another node */
	while (scan_next(&scan))
		if (silence_row_decode(scan.value, &row) &&
		    (row.cluster != 0 || row.guard != 0) &&
		    slice_equal(row.host, host))
			scan_delete(&scan);
	scan_end(&scan);
	subscriptions_reset(batch->audience);
}

void commit_remove_site(struct commit *batch, struct site *site)
{
	static const enum table tables[] = TABLES_OF_SITES;

	delete_cookies(batch, site, false);
	delete_cookies(batch, site, true);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		txn_delete_prefix(batch->txn, tables[i],
				  KEY(key_site(site->row.id)));
	txn_delete(batch->txn, TABLE_SITES, site->row.host);
	txn_drop_secret_text(batch->txn, site->row.options.headers);
	txn_drop_secret_text(batch->txn, site->row.options.proxy);
	delete_silences(batch, site->row.host);
	delete_robots(batch, "http://", site->row.host);
	delete_robots(batch, "https://", site->row.host);
	commit_event(batch, site,
		     &(struct event_row){.kind = EVENT_SITE_DELETED,
					 .pages = site->row.page_count});
	site->is_deleted = true;
}

enum error commit_delete_site(struct commit *batch, struct change *change)
{
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));

	if (site == NULL)
		return ERR_NOT_FOUND;
	commit_remove_site(batch, site);
	return ERR_NONE;
}
