#include "daemon/query/page_answer.h"

#include <math.h>
#include <stdio.h>

#include "base/hash.h"
#include "daemon/privsep/item_list.h"
#include "daemon/privsep/pool.h"
#include "daemon/privsep/text_request.h"
#include "daemon/query/answer_cache.h"
#include "daemon/query/found_page.h"
#include "daemon/query/site_server.h"
#include "daemon/query/teaching.h"
#include "template/extraction.h"

enum {
	MAX_TRIES = 5,
	MAX_QUICK_BYTES = 256 << 10, /* copying and a checksum take 0.1 ms */
};

/* The result of a worker. */
struct taken {
	struct page_answer *answer;
	enum error error;
};

/* Copy a text for display; unprintable bytes become '?'. */
static void show(struct slice text, char *out, size_t room)
{
	size_t size = text.size < room - 1 ? text.size : room - 1;

	for (size_t i = 0; i < size; i++) {
		char byte = slice_byte(text, i);

		out[i] = '?';
		if ((unsigned char)byte >= ' ' && byte != 0x7f)
			out[i] = byte;
	}
	out[size] = '\0';
}

/* Return whether extraction can return this error. */
static bool is_error(int32_t error)
{
	switch (error) {
	case ERR_NONE:
	case ERR_NOT_HTML:
	case ERR_NOT_FOUND:
	case ERR_REFUSED:
	case ERR_MALFORMED:
	case ERR_CORRUPT:
	case ERR_BUSY:
	case ERR_NOT_KEPT:
	case ERR_IO:
	case ERR_TOO_LARGE:
	case ERR_VERSION:
		return true;
	default:
		return false;
	}
}

static bool take(void *context, struct slice head, struct slice body)
{
	struct taken *taken = context;
	struct page_answer *answer = taken->answer;
	struct text_task_answer row;

	if (!row_layout_decode(&text_task_answer_layout, head, &row) ||
	    !is_error(row.error) || row.quality >= QUALITY_COUNT)
		return false;
	taken->error = (enum error)row.error;
	answer->quality = (enum answer_quality)row.quality;
	answer->confidence = row.has_confidence != 0 ? row.confidence : NAN;
	show(row.method, answer->method, sizeof(answer->method));
	show(row.reason, answer->reason, sizeof(answer->reason));
	show(row.cluster, answer->cluster, sizeof(answer->cluster));
	answer->places = (struct generation_places){
		.at = {(size_t)row.generation_at, (size_t)row.version_at},
		.count = (size_t)(row.generation_at > 0) + (row.version_at > 0),
	};
	buffer_append_slice(&answer->body, body);
	return true;
}

/* Return a text with its NUL; empty for NULL and "". */
static struct slice with_end(const char *text)
{
	bool is_there = text != NULL && *text != '\0';

	return (struct slice){text, is_there ? strlen(text) + 1 : 0};
}

/* The place of a page: in a site, or in none. */
struct place {
	struct stored_site *site;       /* NULL = in no site */
	const struct known_page *known; /* NULL = not stored */
	const struct found_page *found; /* the same page, or NULL */
	const char *url;                /* of a stored page */
	uint64_t fetched_ms;
	struct slice body;
};

static void put_site(const struct place *place, struct text_task_request *row)
{
	const struct site_view *view = &place->site->view;

	row->site = hash64(view->host.data, view->host.size, place->site->id);
	row->site += row->site == 0;
	row->host = view->host;
	row->measure = (uint32_t)view->measure;
	row->width = view->width;
	row->threshold = view->threshold;
	row->generation = view->generation;
}

static void put_told(const struct found_page *found,
		     struct text_task_request *row)
{
	row->is_told = 1;
	row->page_bytes = found->page_bytes;
	row->told_count = found->told_count;
	row->told_cluster = found->known.cluster;
	row->told_pages = found->state.page_count;
	row->told_changes = found->state.changes;
}

static void put_lists(const struct text_request *request,
		      const struct known_page *known, struct buffer *parameters,
		      struct buffer *page)
{
	for (size_t i = 0;
	     request->parameters != NULL && request->parameters[i] != NULL; i++)
		item_append(parameters, with_end(request->parameters[i]));
	if (known != NULL) {
		const struct known_field field = known_to_field(known);

		*page = row_layout_encode(&known_field_layout, &field);
	}
}

static struct buffer head_of(const struct answer_rules *rules,
			     const struct text_request *request,
			     const struct place *place)
{
	struct buffer parameters = {0};
	struct buffer known = {0};
	struct buffer head;
	struct text_task_request row = {
		.limits = limits_to_field(&rules->limits),
		.fetched_ms = place->fetched_ms,
		.max_learned = rules->max_learned,
		.is_stored = place->known != NULL,
		.min_cluster_pages = rules->min_cluster_pages,
		.has_models = rules->models != NULL && *rules->models != '\0',
		.format = (uint32_t)request->format,
		.scope = (uint32_t)request->preference.scope,
		.favor = (uint32_t)request->preference.favor,
		.extras = request->extras,
		.url = slice_of(request->url == NULL ? "" : request->url->text),
		.page_url = slice_of(place->url == NULL ? "" : place->url),
		.settings = with_end(rules->settings),
		.method = with_end(request->method),
		.include = with_end(request->include),
		.exclude = with_end(request->exclude),
		.charset = request->charset,
	};

	if (place->site != NULL)
		put_site(place, &row);
	if (place->found != NULL && place->found->is_told)
		put_told(place->found, &row);
	put_lists(request, place->known, &parameters, &known);
	row.parameters = buffer_slice(&parameters);
	row.known = buffer_slice(&known);
	head = row_layout_encode(&text_task_request_layout, &row);
	buffer_free(&parameters);
	buffer_free(&known);
	return head;
}

/* An extraction request and its environment. */
struct asking {
	struct pool *pool;
	struct store *store;
	const struct answer_rules *rules;
	const struct text_request *request;
	bool is_ahead;    /* build the models of all workers; no client waits */
	bool is_repeated; /* a retry after the site has changed */
};

static enum error run(const struct asking *asking, const struct place *place,
		      struct page_answer *answer)
{
	struct site_server server = {place->site, asking->rules,
				     asking->request, asking->is_ahead};
	struct buffer head = head_of(asking->rules, asking->request, place);
	struct taken taken = {.answer = answer};
	struct pool_task task = {
		.kind = TASK_TEXT,
		.head = buffer_slice(&head),
		.body = place->body,
		.site = place->site == NULL ? 0 : place->site->id,
		.serve = site_server_answer,
		.serve_context = &server,
		.take = take,
		.take_context = &taken,
	};
	enum error error = asking->is_ahead ? pool_run_each(asking->pool, &task)
					    : pool_run(asking->pool, &task);

	buffer_free(&head);
	if (place->site != NULL && !asking->is_ahead)
		teaching_note(asking->rules->teaching, asking->rules,
			      place->site->view.host);
	if (error == ERR_NONE)
		return taken.error;
	snprintf(answer->reason, sizeof(answer->reason), "%s", task.reason);
	return error;
}

/* Return ERR_BUSY if the page has changed between two transactions. */
static enum error answer_stored(const struct asking *asking,
				struct page_answer *answer)
{
	const struct text_request *request = asking->request;
	struct text_answer told = {0};
	struct found_page found = {
		/*
		 * data copied before a worker is free may be outdated then: on
		 * a retry the worker requests current data
		 */
		.wants_told = !asking->is_repeated,
		.wants_counts = extraction_needs_counts(request),
	};
	enum error error = found_page_read(asking->store, asking->rules,
					   request->url, &found, &told);

	if (error == ERR_NONE)
		error = run(asking,
			    &(struct place){.site = &found.site,
					    .known = &found.known,
					    .found = &found,
					    .url = told.url,
					    .fetched_ms = found.fetched_ms,
					    .body = buffer_slice(&found.body)},
			    answer);
	else
		snprintf(answer->reason, sizeof(answer->reason), "%s",
			 told.reason);
	found_page_close(&found);
	return error;
}

/* Like answer_stored(), for a submitted page. */
static enum error answer_given(const struct asking *asking,
			       struct page_answer *answer)
{
	const struct text_request *request = asking->request;
	struct place place = {.body = request->body};
	struct stored_site stored = {0};
	struct site_row row;
	enum error error = ERR_NONE;

	if (request->url != NULL) {
		struct txn txn = txn_begin_read(asking->store);

		if (site_get(&txn, slice_of(request->url->host), &row) &&
		    stored_site_open(&stored, asking->store, &row,
				     asking->rules) != NULL)
			place.site = &stored;
		error = txn.error;
		txn_abort(&txn);
	}
	if (error == ERR_NONE)
		error = run(asking, &place, answer);
	stored_site_close(&stored);
	return error;
}

/* Retry while the site changes during the computation. */
static enum error answer_by(enum error (*try)(const struct asking *asking,
					      struct page_answer *answer),
			    const struct asking *asking,
			    struct page_answer *answer_out)
{
	struct asking again = *asking;
	enum error error = ERR_BUSY;

	*answer_out = (struct page_answer){.confidence = NAN};
	for (int i = 0; i < MAX_TRIES && error == ERR_BUSY; i++) {
		again.is_repeated = i > 0;
		buffer_clear(&answer_out->body);
		error = try(&again, answer_out);
	}
	if (error == ERR_BUSY)
		snprintf(answer_out->reason, sizeof(answer_out->reason),
			 "the site changed during each of %d attempts; retry",
			 MAX_TRIES);
	return error;
}

static bool read_key(const struct asking *asking, struct answer_key *key)
{
	return answer_key_read(key, asking->store, asking->rules,
			       asking->request) == ERR_NONE;
}

/*
 * Compute the text of the key, and cache it if the state is unchanged
 * afterwards: then all data read meanwhile was of that state.
 */
static enum error compute_and_keep(const struct asking *asking,
				   const struct answer_key *key,
				   struct page_answer *answer_out)
{
	struct answer_cache *answers = asking->rules->answers;
	enum error error = answer_by(answer_stored, asking, answer_out);
	struct answer_key now = {0};

	if (error == ERR_NONE && read_key(asking, &now) &&
	    now.generation == key->generation &&
	    slice_equal(buffer_slice(&now.state), buffer_slice(&key->state)))
		answer_cache_put(answers, key, answer_out);
	answer_key_free(&now);
	return error;
}

/* Return the cached text; if another thread is computing it, wait for that. */
static enum error compute_once(const struct asking *asking,
			       const struct answer_key *key,
			       struct page_answer *answer_out)
{
	struct answer_cache *answers = asking->rules->answers;
	struct answer_computing computing;
	enum error error;

	while (!answer_cache_get(answers, key, answer_out)) {
		if (!answer_cache_begin(answers, key, &computing))
			continue;
		error = compute_and_keep(asking, key, answer_out);
		answer_cache_end(answers, &computing);
		return error;
	}
	return ERR_NONE;
}

bool page_answer_kept(struct store *store, const struct answer_rules *rules,
		      const struct text_request *request,
		      struct page_answer *answer_out)
{
	struct answer_key key = answer_key_of(rules, request);
	bool is_kept =
		answer_cache_knows(rules->answers, &key, MAX_QUICK_BYTES) &&
		answer_key_read(&key, store, rules, request) == ERR_NONE &&
		answer_cache_get(rules->answers, &key, answer_out);

	answer_key_free(&key);
	return is_kept;
}

enum error page_answer_stored(struct pool *pool, struct store *store,
			      const struct answer_rules *rules,
			      const struct text_request *request,
			      struct page_answer *answer_out)
{
	const struct asking asking = {pool,    store, rules,
				      request, false, false};
	struct answer_key key;
	enum error error = ERR_NONE;

	if (rules->answers == NULL)
		return answer_by(answer_stored, &asking, answer_out);
	key = answer_key_of(rules, request);
	if (!read_key(&asking, &key))
		error = answer_by(answer_stored, &asking, answer_out);
	else
		error = compute_once(&asking, &key, answer_out);
	answer_key_free(&key);
	return error;
}

enum error page_answer_given(struct pool *pool, struct store *store,
			     const struct answer_rules *rules,
			     const struct text_request *request,
			     struct page_answer *answer_out)
{
	return answer_by(
		answer_given,
		&(struct asking){pool, store, rules, request, false, false},
		answer_out);
}

enum error page_answer_teach(struct pool *pool, struct store *store,
			     const struct answer_rules *rules,
			     const struct text_request *request)
{
	struct page_answer answer;
	enum error error = answer_by(
		answer_stored,
		&(struct asking){pool, store, rules, request, true, false},
		&answer);

	buffer_free(&answer.body);
	return error;
}
