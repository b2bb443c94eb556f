#include "store/rows.h"

#include <string.h>

#include "base/buffer.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/row_codec.h"
#include "store/store.h"

ROW_LAYOUT(cluster_row, page_count, 0, FIELD(cluster_row, page_count),
	   FIELD(cluster_row, changes), FIELD(cluster_row, created_ms),
	   FIELD(cluster_row, changed_ms), FIELD(cluster_row, interval_ms))

ROW_FUNCTIONS(cluster_row, TABLE_CLUSTERS, key_cluster(site, cluster),
	      uint32_t site, uint32_t cluster)

void member_put(struct txn *txn, uint32_t site, uint32_t cluster, uint64_t page,
		uint32_t set)
{
	txn_put(txn, TABLE_MEMBERS, KEY(key_member(site, cluster, page)),
		(struct slice){&set, sizeof(set)});
}

bool member_decode(struct slice value, uint32_t *set_out)
{
	if (value.size != sizeof(*set_out))
		return false;
	memcpy(set_out, value.data, sizeof(*set_out));
	return true;
}

void member_delete(struct txn *txn, uint32_t site, uint32_t cluster,
		   uint64_t page)
{
	txn_delete(txn, TABLE_MEMBERS, KEY(key_member(site, cluster, page)));
}

ROW_LAYOUT(dictionary_row, bodies, 2, FIELD(dictionary_row, created_ms),
	   FIELD(dictionary_row, cluster), FIELD(dictionary_row, body_bytes),
	   FIELD(dictionary_row, record_bytes))

ROW_FUNCTIONS(dictionary_row, TABLE_DICTIONARIES, key_cluster(site, dictionary),
	      uint32_t site, uint32_t dictionary)

struct buffer dictionary_row_encode(const struct dictionary_row *row)
{
	return row_codec_encode(&dictionary_row_layout, row);
}

ROW_LAYOUT(event_row, host, 3, FIELD(event_row, time_ms),
	   FIELD(event_row, kind), FIELD(event_row, flags),
	   FIELD(event_row, cluster), FIELD(event_row, other),
	   FIELD(event_row, guard), FIELD(event_row, pages))

const char *event_kind_name(uint16_t kind)
{
	switch ((enum event_kind)kind) {
#define X(name, value, text) \
	case name:           \
		return text;
		EVENT_LIST(X)
#undef X
	}
	return "unknown";
}

bool event_decode(struct slice value, struct event_row *row_out)
{
	return row_codec_decode(&event_row_layout, value, row_out);
}

bool event_get(struct txn *txn, uint64_t number, struct event_row *row_out)
{
	return row_get(txn, TABLE_EVENTS, KEY(key_number(number)),
		       &event_row_layout, row_out);
}

bool event_get_before(struct txn *txn, uint64_t *number,
		      struct event_row *row_out)
{
	struct slice before;
	struct slice value;

	if (!txn_get_before(txn, TABLE_EVENTS, KEY(key_number(*number)),
			    &before, &value) ||
	    before.size != sizeof(*number) || !event_decode(value, row_out))
		return false;
	*number = key_u64(before, 0);
	return true;
}

void event_put(struct txn *txn, uint64_t number, const struct event_row *row)
{
	row_put(txn, TABLE_EVENTS, KEY(key_number(number)), &event_row_layout,
		row);
}

uint64_t event_add(struct txn *txn, const struct event_row *row)
{
	/*
	 * encode the row first, because its slices may point into a page that
	 * writing the number changes
	 */
	struct buffer value = row_codec_encode(&event_row_layout, row);
	uint64_t number = store_next_event(txn, row->host);

	if (number != 0)
		txn_put(txn, TABLE_EVENTS, KEY(key_number(number)),
			buffer_slice(&value));
	buffer_free(&value);
	return number;
}

void outbox_put(struct txn *txn, uint32_t hook, uint64_t number,
		const struct event_row *row)
{
	row_put(txn, TABLE_OUTBOX, KEY(key_outbox(hook, number)),
		&event_row_layout, row);
}

void hook_delete_events(struct txn *txn, struct slice hook)
{
	txn_delete_prefix(txn, TABLE_OUTBOX, hook);
	txn_delete_prefix(txn, TABLE_REFUSED, hook);
}

ROW_LAYOUT(frontier_row, url, 3, FIELD(frontier_row, found_ms),
	   FIELD(frontier_row, due_ms), FIELD(frontier_row, fetched_ms),
	   FIELD(frontier_row, answered_ms), FIELD(frontier_row, lastmod_ms),
	   FIELD(frontier_row, interval_ms), FIELD(frontier_row, pattern),
	   FIELD(frontier_row, coarse), FIELD(frontier_row, state),
	   FIELD(frontier_row, depth), FIELD(frontier_row, attempts),
	   FIELD(frontier_row, redirects), FIELD(frontier_row, http_status),
	   FIELD(frontier_row, error), FIELD(frontier_row, rule),
	   FIELD(frontier_row, flags))

ROW_LAYOUT(pattern_row, text, 1, FIELD(pattern_row, found),
	   FIELD(pattern_row, tried), FIELD(pattern_row, learned),
	   FIELD(pattern_row, quiet), FIELD(pattern_row, cluster),
	   FIELD(pattern_row, flags), FIELD(pattern_row, changed_ms))

ROW_LAYOUT(host_row, robots, 1, FIELD(host_row, robots_ms),
	   FIELD(host_row, next_ms), FIELD(host_row, failures),
	   FIELD(host_row, robots_status))

ROW_DECODE(frontier_row)
ROW_GET(frontier_row, TABLE_FRONTIER, key_page(site, url), uint32_t site,
	uint64_t url)

void frontier_row_put(struct txn *txn, uint32_t site, uint64_t url,
		      const struct frontier_row *row)
{
	struct key key = key_page(site, url);
	struct buffer value = row_codec_encode(&frontier_row_layout, row);
	struct frontier_row before;
	struct key due_before;

	/*
	 * `before` is zero if there is no row yet; a damaged row fails the
	 * transaction
	 */
	frontier_row_get(txn, site, url, &before);
	due_before = key_due(site, before.due_ms, url);
	if (before.due_ms != row->due_ms && before.due_ms != 0)
		txn_delete(txn, TABLE_DUE, key_slice(&due_before));
	if (before.due_ms != row->due_ms && row->due_ms != 0)
		txn_put(txn, TABLE_DUE, KEY(key_due(site, row->due_ms, url)),
			slice_of(""));
	txn_put(txn, TABLE_FRONTIER, key_slice(&key), buffer_slice(&value));
	buffer_free(&value);
}

ROW_FUNCTIONS(pattern_row, TABLE_PATTERNS, key_page(site, pattern),
	      uint32_t site, uint64_t pattern)

ROW_DECODE(host_row)

bool host_row_get(struct txn *txn, struct slice authority,
		  struct host_row *row_out)
{
	return row_get(txn, TABLE_HOSTS, authority, &host_row_layout, row_out);
}

void host_row_put(struct txn *txn, struct slice authority,
		  const struct host_row *row)
{
	row_put(txn, TABLE_HOSTS, authority, &host_row_layout, row);
}

ROW_LAYOUT(cookies_row, lines, 1, FIELD(cookies_row, saved_ms))

ROW_FUNCTIONS(cookies_row, TABLE_COOKIES, key_cluster(site, is_https),
	      uint32_t site, bool is_https)

ROW_LAYOUT(guard_row, name, 3, FIELD(guard_row, created_ms),
	   FIELD(guard_row, changed_ms), FIELD(guard_row, cluster),
	   FIELD(guard_row, minimum), FIELD(guard_row, maximum),
	   FIELD(guard_row, language), FIELD(guard_row, state),
	   FIELD(guard_row, checked), FIELD(guard_row, failing),
	   FIELD(guard_row, recent_count), FIELD(guard_row, recent_bad),
	   FIELD(guard_row, recent))

ROW_FUNCTIONS(guard_row, TABLE_GUARDS, key_cluster(site, guard), uint32_t site,
	      uint32_t guard)

ROW_LAYOUT(guarded_row, url, 4, FIELD(guarded_row, checked_ms),
	   FIELD(guarded_row, good_ms), FIELD(guarded_row, matches),
	   FIELD(guarded_row, cluster))

ROW_FUNCTIONS(guarded_row, TABLE_GUARDED, key_member(site, guard, page),
	      uint32_t site, uint32_t guard, uint64_t page)

ROW_LAYOUT(hook_row, target, 5, FIELD(hook_row, created_ms),
	   FIELD(hook_row, next_ms), FIELD(hook_row, delivered_ms),
	   FIELD(hook_row, delivered), FIELD(hook_row, dropped),
	   FIELD(hook_row, waiting), FIELD(hook_row, failures),
	   FIELD(hook_row, http_status), FIELD(hook_row, flags))

ROW_FUNCTIONS(hook_row, TABLE_HOOKS, key_small(hook), uint32_t hook)

struct buffer hook_row_encode(const struct hook_row *row)
{
	return row_codec_encode(&hook_row_layout, row);
}

ROW_LAYOUT(refused_row, answer, 2, FIELD(refused_row, refused_ms),
	   FIELD(refused_row, http_status))

ROW_FUNCTIONS(refused_row, TABLE_REFUSED, key_outbox(hook, number),
	      uint32_t hook, uint64_t number)

size_t hook_count_refused(struct txn *txn, uint32_t hook)
{
	struct scan scan = scan_begin(txn, TABLE_REFUSED, KEY(key_small(hook)));
	size_t count = 0;

	scan.is_keys_only = true;
	while (scan_next(&scan))
		count += store_owns_event(txn->store,
					  key_u64(scan.key, sizeof(hook)));
	scan_end(&scan);
	return count;
}

bool event_decode_of(enum table table, struct slice value,
		     struct event_row *row_out)
{
	struct refused_row refused = {.event = value};

	return (table != TABLE_REFUSED ||
		refused_row_decode(value, &refused)) &&
	       event_decode(refused.event, row_out);
}

ROW_LAYOUT(silence_row, host, 1, FIELD(silence_row, created_ms),
	   FIELD(silence_row, kind), FIELD(silence_row, cluster),
	   FIELD(silence_row, guard), FIELD(silence_row, event))

ROW_FUNCTIONS(silence_row, TABLE_SILENCES, key_small(silence), uint32_t silence)

ROW_LAYOUT(page_row, url, 3, FIELD(page_row, fetched_ms),
	   FIELD(page_row, changed_ms), FIELD(page_row, stored_ms),
	   FIELD(page_row, content_hash), FIELD(page_row, cluster),
	   FIELD(page_row, body_bytes), FIELD(page_row, http_status),
	   FIELD(page_row, flags), FIELD(page_row, page_class))

ROW_FUNCTIONS(page_row, TABLE_PAGES, key_page(site, page), uint32_t site,
	      uint64_t page)

ROW_LAYOUT(quarantine_row, url, 4, FIELD(quarantine_row, time_ms),
	   FIELD(quarantine_row, content_hash),
	   FIELD(quarantine_row, body_bytes))

ROW_FUNCTIONS(quarantine_row, TABLE_QUARANTINE, key_page(site, page),
	      uint32_t site, uint64_t page)

ROW_LAYOUT(waiting_row, url, 6, FIELD(waiting_row, first_ms),
	   FIELD(waiting_row, time_ms), FIELD(waiting_row, flip_ms),
	   FIELD(waiting_row, retry_ms), FIELD(waiting_row, looks),
	   FIELD(waiting_row, flips), FIELD(waiting_row, turns),
	   FIELD(waiting_row, body_bytes), FIELD(waiting_row, error),
	   FIELD(waiting_row, kind), FIELD(waiting_row, http_status),
	   FIELD(waiting_row, page_class))

ROW_FUNCTIONS(waiting_row, TABLE_WAITING, key_page(site, page), uint32_t site,
	      uint64_t page)

uint64_t waiting_row_bytes(const struct waiting_row *row)
{
	return (uint64_t)row->record.size + row->guarded.size +
	       row->packed.size;
}

ROW_LAYOUT(health_row, reason, 1, FIELD(health_row, since_ms),
	   FIELD(health_row, told_ms), FIELD(health_row, asked_ms),
	   FIELD(health_row, closed_ms), FIELD(health_row, retry_ms),
	   FIELD(health_row, pause_ms), FIELD(health_row, waiting_bytes),
	   FIELD(health_row, waiting_count), FIELD(health_row, checks),
	   FIELD(health_row, state))

ROW_FUNCTIONS(health_row, TABLE_HEALTH, key_site(site), uint32_t site)

const char *site_state_name(unsigned state)
{
	static const char *const names[SITE_STATES] = {
#define X(name, value, text) [value] = (text),
		SITE_STATE_LIST(X)
#undef X
	};

	return state < SITE_STATES ? names[state] : "unknown";
}

static const struct row_field site_row_fields[] = {
	FIELD(site_row, id),
	FIELD(site_row, next_cluster),
	FIELD(site_row, added_ms),
	FIELD(site_row, generation),
	FIELD(site_row, threshold_generation),
	FIELD(site_row, threshold_pages),
	FIELD(site_row, options.revisit_ms),
	FIELD(site_row, options.watch_ms),
	FIELD(site_row, seen_ms),
	FIELD(site_row, asked_ms),
	FIELD(site_row, options.max_bytes),
	FIELD(site_row, options.max_time_ms),
	FIELD(site_row, spent_bytes),
	FIELD(site_row, spent_ms),
	FIELD(site_row, options.max_pages),
	FIELD(site_row, options.saturation),
	FIELD(site_row, options.max_depth),
	FIELD(site_row, options.delay_ms),
	FIELD(site_row, options.measure),
	FIELD(site_row, options.threshold),
	FIELD(site_row, options.width),
	FIELD(site_row, options.flags),
	FIELD(site_row, page_count),
	FIELD(site_row, found_count),
	FIELD(site_row, pending_count),
	FIELD(site_row, fetched_count),
	FIELD(site_row, failed_count),
	FIELD(site_row, skipped_count),
	FIELD(site_row, tried_count),
	FIELD(site_row, sitemap_count),
	FIELD(site_row, coarse_count),
	FIELD(site_row, class_counts),
};

static const size_t site_row_slices[] = {
	offsetof(struct site_row, host),
	offsetof(struct site_row, seed),
	offsetof(struct site_row, options.headers),
	offsetof(struct site_row, options.proxy),
	offsetof(struct site_row, missing),
	offsetof(struct site_row, options.include),
	offsetof(struct site_row, options.exclude),
	offsetof(struct site_row, options.render_wait),
	offsetof(struct site_row, options.render_click),
};

static const struct row_codec site_row_layout =
	LAYOUT_APART(site_row, site_row_fields, site_row_slices);

/*
 * Return whether the values of the row are valid. Code that uses the thresholds
 * relies on this.
 */
static bool is_sound(const struct site_row *row)
{
	return row->options.threshold <= SITE_MAX_THRESHOLD;
}

bool site_decode(struct slice value, struct site_row *row_out)
{
	return row_codec_decode(&site_row_layout, value, row_out) &&
	       is_sound(row_out);
}

bool site_get(struct txn *txn, struct slice host, struct site_row *row_out)
{
	if (!row_get(txn, TABLE_SITES, host, &site_row_layout, row_out))
		return false;
	if (is_sound(row_out))
		return true;
	*row_out = (struct site_row){0};
	txn_fail(txn, ERR_CORRUPT);
	return false;
}

bool site_of_old_schema(struct slice value, struct buffer *out)
{
	static const size_t slice_counts[] = {7, 5}; /* of schemas 3 and 2 */
	struct row_codec layout = site_row_layout;

	for (size_t i = 0; i < 2; i++) {
		struct site_row row = {0};

		layout.slice_count = slice_counts[i];
		if (!row_codec_decode(&layout, value, &row))
			continue;
		*out = row_codec_encode(&site_row_layout, &row);
		return true;
	}
	return false;
}

struct buffer site_encode(const struct site_row *row)
{
	return row_codec_encode(&site_row_layout, row);
}

void site_put(struct txn *txn, const struct site_row *row)
{
	struct buffer value = site_encode(row);
	struct site_row copy;

	/*
	 * use the copy of the host, because the host of `row` may be in a page
	 * that txn_put() moves
	 */
	if (row_codec_decode(&site_row_layout, buffer_slice(&value), &copy))
		txn_put(txn, TABLE_SITES, copy.host, buffer_slice(&value));
	buffer_free(&value);
}

ROW_LAYOUT(template_row, lineage, 1, FIELD(template_row, created_ms),
	   FIELD(template_row, seen_ms), FIELD(template_row, ended_ms),
	   FIELD(template_row, round_ms), FIELD(template_row, asked_ms),
	   FIELD(template_row, asked_for), FIELD(template_row, round),
	   FIELD(template_row, version), FIELD(template_row, other),
	   FIELD(template_row, state), FIELD(template_row, threshold),
	   FIELD(template_row, flags))

ROW_FUNCTIONS(template_row, TABLE_TEMPLATES, key_cluster(site, cluster),
	      uint32_t site, uint32_t cluster)

ROW_LAYOUT(name_row, name, 2, FIELD(name_row, page_count),
	   FIELD(name_row, kind), FIELD(name_row, flags))

ROW_LAYOUT(fields_row, sets, 4, FIELD(fields_row, learned_ms),
	   FIELD(fields_row, healed_ms), FIELD(fields_row, pending_ms),
	   FIELD(fields_row, pages), FIELD(fields_row, changes))

ROW_FUNCTIONS(fields_row, TABLE_FIELDS, key_cluster(site, cluster),
	      uint32_t site, uint32_t cluster)

bool fields_row_find(struct txn *txn, uint32_t site, uint32_t cluster,
		     struct fields_row *row_out)
{
	struct slice value =
		txn_get(txn, TABLE_FIELDS, KEY(key_cluster(site, cluster)));

	return value.data != NULL && fields_row_decode(value, row_out);
}

struct buffer fields_row_encode(const struct fields_row *row)
{
	return row_codec_encode(&fields_row_layout, row);
}

ROW_LAYOUT(field_values_row, record, 3, FIELD(field_values_row, stored_ms),
	   FIELD(field_values_row, read_ms),
	   FIELD(field_values_row, pending_ms))

ROW_FUNCTIONS(field_values_row, TABLE_FIELD_VALUES,
	      key_member(site, cluster, page), uint32_t site, uint32_t cluster,
	      uint64_t page)

ROW_LAYOUT(render_row, signatures, 1, FIELD(render_row, asked_ms),
	   FIELD(render_row, decided_ms), FIELD(render_row, moved_ms),
	   FIELD(render_row, page), FIELD(render_row, version),
	   FIELD(render_row, words_before), FIELD(render_row, words_after),
	   FIELD(render_row, words_new), FIELD(render_row, decision),
	   FIELD(render_row, attempts))

ROW_FUNCTIONS(render_row, TABLE_RENDERS, key_cluster(site, cluster),
	      uint32_t site, uint32_t cluster)

ROW_LAYOUT(incident_row, detail, 2, FIELD(incident_row, begin_ms),
	   FIELD(incident_row, last_ms), FIELD(incident_row, since_ms),
	   FIELD(incident_row, sent_ms), FIELD(incident_row, changed_ms),
	   FIELD(incident_row, end_ms), FIELD(incident_row, alert),
	   FIELD(incident_row, events), FIELD(incident_row, kind),
	   FIELD(incident_row, state), FIELD(incident_row, flags))

ROW_FUNCTIONS(incident_row, TABLE_INCIDENTS, key_page(site, incident),
	      uint32_t site, uint64_t incident)

ROW_LAYOUT(screenshot_row, picture, 2, FIELD(screenshot_row, taken_ms),
	   FIELD(screenshot_row, before_ms), FIELD(screenshot_row, changed_ms))

ROW_FUNCTIONS(screenshot_row, TABLE_SCREENSHOTS, key_page(site, page),
	      uint32_t site, uint64_t page)

ROW_LAYOUT(incident_screenshots_row, url, 3,
	   FIELD(incident_screenshots_row, before_ms),
	   FIELD(incident_screenshots_row, after_ms))

ROW_FUNCTIONS(incident_screenshots_row, TABLE_INCIDENT_SCREENSHOTS,
	      key_page(site, incident), uint32_t site, uint64_t incident)

ROW_LAYOUT(incident_comments_row, list, 1, FIELD(incident_comments_row, count))

ROW_FUNCTIONS(incident_comments_row, TABLE_INCIDENT_COMMENTS,
	      key_page(site, incident), uint32_t site, uint64_t incident)

ROW_LAYOUT(site_days_row, last, 0, FIELD(site_days_row, last),
	   FIELD(site_days_row, days))

ROW_FUNCTIONS(site_days_row, TABLE_SITE_DAYS, key_site(site), uint32_t site)

void site_days_add(struct site_days_row *row, uint64_t time_ms,
		   const struct site_day *more)
{
	uint32_t today = (uint32_t)(time_ms / SITE_DAY_MS);
	struct site_day *day = &row->days[SITE_DAYS - 1];
	uint32_t passed = today > row->last ? today - row->last : 0;

	if (passed >= SITE_DAYS || row->last > today + 1)
		*row = (struct site_days_row){.last = today};
	else if (passed > 0)
		memmove(row->days, row->days + passed,
			(SITE_DAYS - passed) * sizeof(*day));
	for (uint32_t i = 0; i < passed && passed < SITE_DAYS; i++)
		row->days[SITE_DAYS - 1 - i] = (struct site_day){0};
	row->last += passed < SITE_DAYS ? passed : 0;
	day->visits += more->visits;
	day->failed += more->failed;
	day->changed += more->changed;
}

struct site_day site_days_get(const struct site_days_row *row, uint64_t day)
{
	uint64_t back = row->last - day;

	return day <= row->last && back < SITE_DAYS
		       ? row->days[SITE_DAYS - 1 - back]
		       : (struct site_day){0};
}

ROW_LAYOUT(text_change_row, parts, 2, FIELD(text_change_row, changed_ms),
	   FIELD(text_change_row, before_ms), FIELD(text_change_row, quiet),
	   FIELD(text_change_row, visits))

ROW_FUNCTIONS(text_change_row, TABLE_TEXT_CHANGES, key_page(site, page),
	      uint32_t site, uint64_t page)

ROW_FUNCTIONS(name_row, TABLE_NAMES, key_cluster(site, cluster), uint32_t site,
	      uint32_t cluster)

ROW_LAYOUT(version_row, packed, 1, FIELD(version_row, first_ms),
	   FIELD(version_row, last_ms), FIELD(version_row, page_count))

ROW_FUNCTIONS(version_row, TABLE_VERSIONS, key_version(site, cluster, version),
	      uint32_t site, uint32_t cluster, uint32_t version)

struct buffer version_row_encode(const struct version_row *row)
{
	return row_codec_encode(&version_row_layout, row);
}

ROW_LAYOUT(sample_page_row, url, 2, FIELD(sample_page_row, since_ms))

ROW_FUNCTIONS(sample_page_row, TABLE_SAMPLE_PAGES,
	      key_member(site, cluster, page), uint32_t site, uint32_t cluster,
	      uint64_t page)

struct buffer sample_page_row_encode(const struct sample_page_row *row)
{
	return row_codec_encode(&sample_page_row_layout, row);
}
