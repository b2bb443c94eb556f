/* The alerts of a site as an Atom feed. */
#include "daemon/api/api_call.h"

#include <stdio.h>

#include "daemon/api/atom.h"
#include "daemon/query/event_json.h"
#include "daemon/query/event_query.h"

enum {
	MAX_ENTRIES = 100,
	WINDOW = 10000, /* events per read, from the newest backwards */
};

struct feed_entry {
	json_t *event;
	uint64_t time_ms;
};

/* The newest entries, in a ring. */
struct window {
	struct feed_entry ring[MAX_ENTRIES];
	size_t count;   /* number of entries ever added */
	size_t room;    /* capacity, at least 1 */
	uint64_t until; /* events from this number on were read before */
};

static bool keep_entry(void *context, uint64_t number,
		       const struct event_row *event)
{
	struct window *window = context;
	struct feed_entry *entry = &window->ring[window->count % window->room];

	if (number >= window->until)
		return false;
	json_decref(entry->event);
	*entry = (struct feed_entry){event_json(number, event), event->time_ms};
	window->count++;
	return true;
}

/* Move the entries, newest first, to the end of `entries` [*count]. */
static void take_entries(struct window *window, struct feed_entry *entries,
			 size_t *count)
{
	while (window->count > 0) {
		struct feed_entry *entry =
			&window->ring[--window->count % window->room];

		if (entry->event == NULL)
			return; /* the ring has overwritten the older ones */
		entries[(*count)++] = *entry;
		*entry = (struct feed_entry){0};
	}
}

/* Read the newest entries of the site: [*count_out <= MAX_ENTRIES]. */
static enum error feed_read_entries(struct call *call,
				    struct feed_entry *entries,
				    size_t *count_out)
{
	uint64_t until = event_last_number(call->api->store) + 1;
	enum error error = ERR_NONE;

	*count_out = 0;
	while (error == ERR_NONE && until > 1 && *count_out < MAX_ENTRIES) {
		uint64_t from = until > WINDOW ? until - WINDOW : 1;
		struct event_query query = {.kinds = kind_set_alerts(),
					    .since = from - 1,
					    .limit = UINT64_MAX};
		struct window window = {.room = MAX_ENTRIES - *count_out,
					.until = until};

		snprintf(query.host, sizeof(query.host), "%s", call->host);
		error = event_query_run(&query, call->api->store, keep_entry,
					&window);
		take_entries(&window, entries, count_out);
		until = from;
	}
	return error;
}

static void append_feed(const struct atom_site *site,
			const struct feed_entry *entries, size_t count,
			struct buffer *out)
{
	atom_begin(site, out);
	for (size_t i = 0; i < count; i++)
		atom_entry(site, entries[i].event, entries[i].time_ms, out);
	atom_end(out);
}

/* Read the URL of the site and the time when it was added. */
static bool feed_read_site(struct call *call, struct buffer *seed,
			   struct atom_site *site_out)
{
	struct txn txn = txn_begin_read(call->api->store);
	struct site_row row;
	bool is_known = site_get(&txn, slice_of(call->host), &row);

	if (is_known)
		buffer_append_slice(seed, row.seed);
	txn_abort(&txn);
	*site_out = (struct atom_site){.host = slice_of(call->host),
				       .seed = buffer_slice(seed),
				       .updated_ms = row.added_ms};
	return is_known;
}

enum http_verdict api_get_feed(struct call *call)
{
	struct feed_entry entries[MAX_ENTRIES];
	struct buffer seed = {0};
	struct buffer body = {0};
	struct atom_site site;
	bool is_known = feed_read_site(call, &seed, &site);
	enum error error = ERR_NOT_FOUND;
	size_t count = 0;

	if (is_known)
		error = feed_read_entries(call, entries, &count);
	if (count > 0)
		site.updated_ms = entries[0].time_ms;
	if (error == ERR_NONE)
		append_feed(&site, entries, count, &body);
	for (size_t i = 0; i < count; i++)
		json_decref(entries[i].event);
	buffer_free(&seed);
	if (error != ERR_NONE)
		return call_fail_with(call, error, call->host);
	http_reply(call->exchange, 200, "application/atom+xml; charset=utf-8",
		   &body);
	return HTTP_ANSWERED;
}
