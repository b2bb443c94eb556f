#include "daemon/query/stored_text.h"

#include <math.h>
#include <stdio.h>

#include "base/hash.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/worker_pool.h"
#include "daemon/query/stored_site.h"
#include "daemon/query/text_cache.h"
#include "store/content.h"
#include "store/document_frequency.h"
#include "store/key.h"
#include "store/rows.h"
#include "template/extraction.h"

/* Write to answer->reason why the page of `url` is not stored. */
static void explain_absence(struct txn *txn, const struct site_row *site,
			    const struct url *url,
			    struct extraction_result *answer)
{
	struct frontier_row row;

	if (site == NULL)
		snprintf(answer->reason, sizeof(answer->reason),
			 "the site %.150s is unknown; add it, or use "
			 "fetch=missing",
			 url->host);
	else if (!frontier_row_get(txn, site->id,
				   page_key_of(slice_of(url->text)), &row))
		snprintf(answer->reason, sizeof(answer->reason),
			 "the site is known, but not this page; use "
			 "fetch=missing");
	else if (row.state == FRONTIER_DENIED && row.error == ERR_BODY_EXPIRED)
		snprintf(answer->reason, sizeof(answer->reason),
			 "a client deleted the page; use fetch=missing");
	else if (row.state == FRONTIER_FAILED || row.state == FRONTIER_DENIED)
		snprintf(answer->reason, sizeof(answer->reason),
			 "the fetch failed: %s (HTTP status %u)",
			 error_text((enum error)row.error), row.http_status);
	else
		snprintf(answer->reason, sizeof(answer->reason),
			 "it is queued for fetching");
}

/*
 * Return since when the visits of the page return something else, which waits
 * to be judged; 0 = nothing waits.
 */
static uint64_t stored_page_waiting_ms(struct txn *txn,
				       const struct stored_page *stored)
{
	struct waiting_row row;

	return waiting_row_get(txn, stored->site.id, stored->key, &row) &&
			       row.kind != WAITING_FLIPPED
		       ? row.first_ms
		       : 0;
}

enum error stored_page_find(struct txn *txn, const struct url *url,
			    struct stored_page *stored_out,
			    struct extraction_result *answer)
{
	struct url here = *url;

	for (int hop = 0; hop <= MAX_REDIRECTS; hop++) {
		bool is_known =
			site_get(txn, slice_of(here.host), &stored_out->site);
		struct page_row *row = &stored_out->row;

		snprintf(answer->url, sizeof(answer->url), "%s", here.text);
		stored_out->key = page_key_of(slice_of(here.text));
		if (!is_known ||
		    !page_row_get(txn, stored_out->site.id, stored_out->key,
				  row) ||
		    !slice_equal(row->url, slice_of(here.text))) {
			if (txn->error != ERR_NONE)
				return txn->error;
			explain_absence(txn,
					is_known ? &stored_out->site : NULL,
					&here, answer);
			return ERR_NOT_FOUND;
		}
		if (row->redirect.size == 0) {
			stored_out->waiting_ms =
				stored_page_waiting_ms(txn, stored_out);
			return ERR_NONE;
		}
		if (url_parse(&here, row->redirect, NULL) != ERR_NONE)
			return ERR_CORRUPT;
	}
	snprintf(answer->reason, sizeof(answer->reason),
		 "more than %d redirects", MAX_REDIRECTS);
	return ERR_NOT_FOUND;
}

/*
 * Append the hashes of the page's fragments, then the document frequency of
 * each in the cluster of the page, if a worker will need them. If the record
 * cannot be read, append nothing; then the worker requests the data.
 */
static void stored_text_append_fragments(struct txn *txn,
					 const struct stored_page *stored,
					 struct copied_page *found)
{
	uint32_t cluster = stored->row.cluster;
	struct df_reader reader = {
		.txn = txn, .site = stored->site.id, .cluster = cluster};
	struct buffer bytes = {0};
	struct record record = {0};

	found->page_bytes = found->body.size;
	found->state = stored_site_state(txn, stored->site.id, cluster);
	found->is_told = cluster == 0 || !found->wants_counts ||
			 content_record(txn, stored->site.id, stored->key,
					&bytes, &record) == ERR_NONE;
	if (!found->is_told)
		txn->error = ERR_NONE; /* ignore the error, because the page
					  itself was read */
	found->told_count = found->is_told ? record.fragment_count : 0;
	for (size_t i = 0; i < found->told_count; i++)
		buffer_append(&found->body, &record.fragments[i].hash,
			      sizeof(uint64_t));
	for (size_t i = 0; i < found->told_count; i++) {
		uint32_t pages = df_read(&reader, record.fragments[i].hash);

		buffer_append(&found->body, &pages, sizeof(pages));
	}
	buffer_free(&bytes);
}

static enum error copy_page(struct txn *txn, const struct stored_page *stored,
			    const struct extraction_options *rules,
			    struct copied_page *found,
			    struct extraction_result *answer)
{
	const struct stored_pages pages = {txn, stored->site.id,
					   stored->row.cluster, &rules->limits};
	enum error error = ERR_NONE;

	found->view = stored_site_open(&found->site, txn->store, &stored->site,
				       rules);
	if (found->view == NULL)
		return ERR_CORRUPT;
	if (found->wants_frame)
		error = stored_page_frame(&pages, stored->key, &stored->row,
					  &found->body, &found->dictionary);
	else if (!found->has_page)
		error = stored_page_body(&pages, stored->key, &stored->row,
					 &found->body);
	found->source_bytes = stored->row.body_bytes;
	if (error == ERR_BODY_EXPIRED)
		snprintf(answer->reason, sizeof(answer->reason),
			 "see retention.bodies_age, retention.bodies_count and "
			 "retention.bodies_bytes; use fetch=always");
	found->known = stored_site_own_page(
		&found->site,
		stored_site_known_page(stored->key, &stored->row));
	found->fetched_ms = stored->row.fetched_ms;
	found->waiting_ms = stored->waiting_ms;
	if (error == ERR_NONE && found->wants_told)
		stored_text_append_fragments(txn, stored, found);
	return error;
}

void copied_page_close(struct copied_page *found)
{
	buffer_free(&found->body);
	stored_site_close(&found->site);
}

static void text_key_append_numbers(struct buffer *out, const uint64_t *numbers,
				    size_t count)
{
	buffer_append(out, numbers, count * sizeof(*numbers));
}

static void text_key_append_page(const struct stored_page *stored, bool is_json,
				 struct buffer *out)
{
	const struct page_row *row = &stored->row;
	const uint64_t numbers[] = {
		stored->site.id,    stored->key,
		row->content_hash,  row->body_bytes,
		row->http_status,   is_json ? row->fetched_ms : 0,
		stored->waiting_ms,
	};

	text_key_append_numbers(out, numbers,
				sizeof(numbers) / sizeof(*numbers));
	item_append(out, row->url);
	item_append(out, row->charset);
}

static void text_key_append_template(struct txn *txn,
				     const struct stored_page *stored,
				     struct buffer *out)
{
	uint32_t number = stored->row.cluster;
	struct cluster_row row = {0};

	if (number != 0)
		cluster_row_get(txn, stored->site.id, number, &row);
	text_key_append_numbers(
		out, (uint64_t[]){number, row.page_count, row.changes}, 3);
}

/*
 * Append the texts of the request to the key; a missing text becomes an empty
 * one.
 */
static void text_key_append_texts(const struct extraction_options *rules,
				  const struct text_request *request,
				  struct buffer *out)
{
	item_append(out, slice_of(rules->models));
	item_append(out, slice_of(rules->settings));
	item_append(out, slice_of(request->url->text));
	item_append(out, slice_of(request->method));
	item_append(out, slice_of(request->include));
	item_append(out, slice_of(request->exclude));
	for (size_t i = 0;
	     request->parameters != NULL && request->parameters[i] != NULL; i++)
		item_append(out, slice_of(request->parameters[i]));
}

/*
 * This assertion fails if a field is added to the request. Add the field to the
 * key; otherwise the cache returns wrong texts.
 */
_Static_assert(sizeof(void *) != 8 || sizeof(struct text_request) == 88,
	       "the key has all fields but the page's own");

/* Create the key of a request; its state is still empty. */
static struct text_key text_key_of(const struct extraction_options *rules,
				   const struct text_request *request)
{
	const uint64_t numbers[] = {
		rules->limits.max_bytes,
		rules->limits.max_nodes,
		rules->limits.max_depth,
		rules->limits.max_attributes,
		rules->min_cluster_pages,
		(uint64_t)request->format,
		(uint64_t)request->preference.scope,
		(uint64_t)request->preference.favor,
		request->extras,
	};
	struct text_key key = {0};

	text_key_append_numbers(&key.asked, numbers,
				sizeof(numbers) / sizeof(*numbers));
	text_key_append_texts(rules, request, &key.asked);
	return key;
}

static void append_model(const struct extraction_options *rules,
			 const struct url *url, struct buffer *out)
{
	const struct site_model_stamp model =
		site_model_identity(rules->models, url->host);
	const uint64_t numbers[] = {model.inode, model.bytes, model.changed_ns};

	text_key_append_numbers(out, numbers,
				sizeof(numbers) / sizeof(*numbers));
}

/* Append the state of the page and of its template to the key. */
static void text_key_append_state(struct txn *txn,
				  const struct stored_page *stored,
				  bool is_json, struct text_key *key)
{
	text_key_append_page(stored, is_json, &key->state);
	text_key_append_template(txn, stored, &key->state);
	key->generation = is_json ? stored->site.generation : 0;
}

static enum error text_key_read_page(struct txn *txn,
				     const struct text_request *request,
				     struct text_key *key)
{
	struct extraction_result scratch = {0};
	struct stored_page stored = {0};
	enum error error =
		stored_page_find(txn, request->url, &stored, &scratch);

	if (error == ERR_NONE && (stored.row.flags & PAGE_ROW_HAS_NO_BODY) != 0)
		error = ERR_NOT_FOUND;
	if (error == ERR_NONE)
		error = txn->error;
	if (error != ERR_NONE)
		return error;
	text_key_append_state(txn, &stored, request->format == FORMAT_JSON,
			      key);
	return txn->error;
}

/*
 * Read the state of the key, in one transaction that reads four rows. The key
 * may already have a state. ERR_NOT_FOUND: the page is not stored, or its body
 * is not, so there is no text.
 */
static enum error text_key_read(struct text_key *key, struct store *store,
				const struct extraction_options *rules,
				const struct text_request *request)
{
	struct txn txn = txn_begin_read(store);
	enum error error = txn.error;

	buffer_clear(&key->state);
	if (error == ERR_NONE)
		error = text_key_read_page(&txn, request, key);
	txn_abort(&txn);
	append_model(rules, request->url, &key->state);
	return error;
}

void text_key_free(struct text_key *key)
{
	buffer_free(&key->asked);
	buffer_free(&key->state);
}

enum error copied_page_read(struct store *store,
			    const struct extraction_options *rules,
			    const struct url *url, struct copied_page *found,
			    struct extraction_result *answer)
{
	struct txn txn = txn_begin_read(store);
	struct stored_page stored = {0};
	enum error error = stored_page_find(&txn, url, &stored, answer);

	if (error == ERR_NONE && txn.error == ERR_NONE)
		error = copy_page(&txn, &stored, rules, found, answer);
	if (error == ERR_NONE && found->key != NULL)
		text_key_append_state(&txn, &stored, found->has_generation,
				      found->key);
	if (error == ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	if (found->key != NULL)
		append_model(rules, url, &found->key->state);
	return error;
}

enum {
	MAX_TRIES = 5,
	MAX_QUICK_BYTES = 256 << 10, /* copying this much and computing its
					checksum take 0.1 ms */
};

/* Receives the result of a worker. */
struct text_task_result {
	struct text_result *answer;
	enum error error;
};

/* Copy a text for display. Unprintable bytes become '?'. */
static void stored_text_copy_printable(struct slice text, char *out,
				       size_t room)
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

/*
 * Return whether `error`, a number from an untrusted worker, is one that
 * extraction can return.
 */
static bool extraction_error_is_valid(int32_t error)
{
	switch (error) {
	case ERR_NONE:
	case ERR_NOT_HTML:
	case ERR_NOT_FOUND:
	case ERR_ADDRESS_FORBIDDEN:
	case ERR_MALFORMED:
	case ERR_CORRUPT:
	case ERR_BUSY:
	case ERR_BODY_EXPIRED:
	case ERR_IO:
	case ERR_TOO_LARGE:
	case ERR_VERSION:
		return true;
	default:
		return false;
	}
}

static bool text_task_store_result(void *context, struct slice head,
				   struct slice body)
{
	struct text_task_result *taken = context;
	struct text_result *answer = taken->answer;
	struct text_task_answer row;

	if (!row_codec_decode(&text_task_answer_layout, head, &row) ||
	    !extraction_error_is_valid(row.error) ||
	    row.quality >= QUALITY_COUNT)
		return false;
	taken->error = (enum error)row.error;
	answer->quality = (enum text_quality)row.quality;
	answer->confidence = row.has_confidence != 0 ? row.confidence : NAN;
	stored_text_copy_printable(row.method, answer->method,
				   sizeof(answer->method));
	stored_text_copy_printable(row.reason, answer->reason,
				   sizeof(answer->reason));
	stored_text_copy_printable(row.cluster, answer->cluster,
				   sizeof(answer->cluster));
	answer->places = (struct generation_places){
		.at = {(size_t)row.generation_at, (size_t)row.version_at},
		.count = (size_t)(row.generation_at > 0) + (row.version_at > 0),
	};
	buffer_clear(&answer->body);
	buffer_append_slice(&answer->body, body);
	return true;
}

/* Return the text including its NUL; empty for NULL and "". */
static struct slice with_end(const char *text)
{
	bool is_there = text != NULL && *text != '\0';

	return (struct slice){text, is_there ? strlen(text) + 1 : 0};
}

/* The page of a request: where it belongs, and its bytes. */
struct text_task_page {
	struct stored_site *site; /* NULL if the page belongs to no site */
	const struct known_page *known; /* NULL if the page is not stored */
	/* the copy of the same page, or NULL */
	const struct copied_page *found;
	const char *url; /* of a stored page; otherwise NULL */
	uint64_t fetched_ms;
	uint64_t waiting_ms;
	struct slice body;
};

static void text_task_put_site(const struct text_task_page *place,
			       struct text_task_request *row)
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

static void put_source(const struct copied_page *found,
		       struct text_task_request *row)
{
	row->is_packed = found->wants_frame;
	row->dictionary = found->dictionary;
	row->source_bytes = found->source_bytes;
}

static void put_told(const struct copied_page *found,
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

		*page = row_codec_encode(&known_field_layout, &field);
	}
}

static bool has_models(const struct extraction_options *rules)
{
	return rules->models != NULL && *rules->models != '\0';
}

static struct buffer
text_task_encode_head(const struct extraction_options *rules,
		      const struct text_request *request,
		      const struct text_task_page *place)
{
	struct buffer parameters = {0};
	struct buffer known = {0};
	struct buffer head;
	struct text_task_request row = {
		.limits = rules->limits,
		.fetched_ms = place->fetched_ms,
		.waiting_ms = place->waiting_ms,
		.max_learned = rules->max_learned,
		.is_stored = place->known != NULL,
		.min_cluster_pages = rules->min_cluster_pages,
		.has_models = has_models(rules),
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
		text_task_put_site(place, &row);
	if (place->found != NULL)
		put_source(place->found, &row);
	if (place->found != NULL && place->found->is_told)
		put_told(place->found, &row);
	put_lists(request, place->known, &parameters, &known);
	row.parameters = buffer_slice(&parameters);
	row.known = buffer_slice(&known);
	head = row_codec_encode(&text_task_request_layout, &row);
	buffer_free(&parameters);
	buffer_free(&known);
	return head;
}

/* A copy of the page of a request for a worker. */
struct text_source {
	struct copied_page found;
	struct extraction_result told;
	enum error error;
};

/* A request for a text, and what is needed to compute it. */
struct text_task_input {
	struct worker_pool *pool;
	struct store *store;
	const struct extraction_options *rules;
	const struct text_request *request;
	struct text_source *source; /* used for the first attempt; NULL = not
				       copied yet */
	bool is_ahead; /* every worker builds the models in advance; no client
			  waits */
	bool is_repeated; /* this is a retry, because the site has changed */
};

static enum error text_task_run(const struct text_task_input *asking,
				const struct text_task_page *place,
				struct text_result *answer)
{
	struct site_service server = {place->site, asking->rules,
				      asking->request, asking->is_ahead};
	struct buffer head =
		text_task_encode_head(asking->rules, asking->request, place);
	struct text_task_result taken = {.answer = answer};
	struct pool_task task = {
		.kind = TASK_TEXT,
		.head = buffer_slice(&head),
		.body = place->body,
		.source_bytes =
			place->found == NULL ? 0 : place->found->source_bytes,
		.is_quick = !asking->is_ahead,
		.site = place->site == NULL ? 0 : place->site->id,
		.serve = site_service_respond,
		.serve_context = &server,
		.take = text_task_store_result,
		.take_context = &taken,
	};
	enum error error = asking->is_ahead
				   ? worker_pool_run_each(asking->pool, &task)
				   : worker_pool_run(asking->pool, &task);

	buffer_free(&head);
	if (place->site != NULL && !asking->is_ahead)
		cache_warmer_note(asking->rules->teaching, asking->rules,
				  place->site->view.host);
	if (error == ERR_NONE)
		return taken.error;
	snprintf(answer->reason, sizeof(answer->reason), "%s", task.reason);
	return error;
}

/* Copy the page. If `key` is not NULL, also read the state of the key. */
static void text_source_read(const struct text_task_input *asking,
			     struct text_key *key, struct text_source *source)
{
	const struct text_request *request = asking->request;

	source->found = (struct copied_page){
		/*
		 * The data that is copied here may be outdated when a worker
		 * becomes free. Therefore it is not copied for a retry: then
		 * the worker requests current data.
		 */
		.wants_frame = true,
		.wants_told = !asking->is_repeated,
		.wants_counts = extraction_needs_counts(request),
		.key = key,
		.has_generation = request->format == FORMAT_JSON,
	};
	source->error =
		copied_page_read(asking->store, asking->rules, request->url,
				 &source->found, &source->told);
}

/*
 * Compute the text of a stored page. Return ERR_BUSY if the page has changed
 * between two transactions.
 */
static enum error answer_stored(const struct text_task_input *asking,
				struct text_result *answer)
{
	struct text_source own = {0};
	struct text_source *source = asking->source;
	struct copied_page *found;
	enum error error;

	if (source == NULL || asking->is_repeated) {
		source = &own;
		text_source_read(asking, NULL, source);
	}
	found = &source->found;
	error = source->error;
	if (error == ERR_NONE)
		error = text_task_run(
			asking,
			&(struct text_task_page){
				.site = &found->site,
				.known = &found->known,
				.found = found,
				.url = source->told.url,
				.fetched_ms = found->fetched_ms,
				.waiting_ms = found->waiting_ms,
				.body = buffer_slice(&found->body),
			},
			answer);
	else
		snprintf(answer->reason, sizeof(answer->reason), "%.*s",
			 (int)sizeof(answer->reason) - 1, source->told.reason);
	answer->waiting_ms = found->waiting_ms;
	copied_page_close(&own.found);
	return error;
}

/*
 * Compute the text of a submitted page. Return ERR_BUSY if the site has changed
 * between two transactions.
 */
static enum error answer_given(const struct text_task_input *asking,
			       struct text_result *answer)
{
	const struct text_request *request = asking->request;
	struct text_task_page place = {.body = request->body};
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
		error = text_task_run(asking, &place, answer);
	stored_site_close(&stored);
	return error;
}

/* Call `try` again while it returns ERR_BUSY, at most MAX_TRIES times. */
static enum error
text_task_retry(enum error (*try)(const struct text_task_input *asking,
				  struct text_result *answer),
		const struct text_task_input *asking,
		struct text_result *answer_out)
{
	struct text_task_input again = *asking;
	enum error error = ERR_BUSY;

	*answer_out = (struct text_result){.confidence = NAN};
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

/*
 * Return whether the state of the key is still current; `commits` is from
 * before it was read.
 */
static bool text_key_is_current(const struct text_task_input *asking,
				const struct text_key *key, uint64_t commits)
{
	struct text_key now = {0};
	bool is_current;

	/* a commit does not change the files of models */
	if (store_is_same(asking->store, commits) && !has_models(asking->rules))
		return true;
	is_current = text_key_read(&now, asking->store, asking->rules,
				   asking->request) == ERR_NONE &&
		     now.generation == key->generation &&
		     slice_equal(buffer_slice(&now.state),
				 buffer_slice(&key->state));
	text_key_free(&now);
	return is_current;
}

/*
 * Return the text from the cache. If it is not there, compute it; if another
 * thread is already computing it, wait for that thread and look again. Store it
 * in the cache if the state is unchanged after the computation: then all data
 * that was read belongs to that state.
 */
static enum error compute_once(const struct text_task_input *asking,
			       const struct text_key *key, uint64_t commits,
			       struct text_result *answer_out)
{
	struct text_cache *answers = asking->rules->answers;
	struct text_computation computing;
	enum error error;

	while (!text_cache_get(answers, key, answer_out)) {
		if (!text_cache_begin(answers, key, &computing))
			continue;
		error = text_task_retry(answer_stored, asking, answer_out);
		if (error == ERR_NONE &&
		    text_key_is_current(asking, key, commits))
			text_cache_put(answers, key, answer_out);
		text_cache_end(answers, &computing);
		return error;
	}
	return ERR_NONE;
}

/* Get the text of the key from the cache, if it has at most `max_bytes`. */
static bool stored_text_look_up(const struct text_task_input *asking,
				size_t max_bytes, struct text_key *key,
				struct text_result *answer_out)
{
	struct text_cache *answers = asking->rules->answers;

	return text_cache_has(answers, key, max_bytes) &&
	       text_key_read(key, asking->store, asking->rules,
			     asking->request) == ERR_NONE &&
	       text_cache_get(answers, key, answer_out);
}

bool stored_text_get_cached(struct store *store,
			    const struct extraction_options *rules,
			    const struct text_request *request,
			    struct text_result *answer_out)
{
	struct text_key key = text_key_of(rules, request);
	bool is_kept = stored_text_look_up(
		&(struct text_task_input){
			.store = store, .rules = rules, .request = request},
		MAX_QUICK_BYTES, &key, answer_out);

	text_key_free(&key);
	return is_kept;
}

/* Compute the text, which the cache does not have. */
static enum error stored_text_compute(const struct text_task_input *given,
				      struct text_key *key,
				      struct text_result *answer_out)
{
	const uint64_t commits = store_commits(given->store);
	struct text_source source = {0};
	struct text_task_input asking = *given;
	enum error error;

	buffer_clear(&key->state);
	text_source_read(&asking, key, &source);
	asking.source = &source;
	if (asking.rules->answers == NULL || source.error != ERR_NONE)
		error = text_task_retry(answer_stored, &asking, answer_out);
	else
		error = compute_once(&asking, key, commits, answer_out);
	copied_page_close(&source.found);
	return error;
}

enum error stored_text_get(struct worker_pool *pool, struct store *store,
			   const struct extraction_options *rules,
			   const struct text_request *request,
			   struct text_result *answer_out)
{
	const struct text_task_input asking = {.pool = pool,
					       .store = store,
					       .rules = rules,
					       .request = request};
	struct text_key key = {0};
	enum error error = ERR_NONE;

	if (rules->answers != NULL)
		key = text_key_of(rules, request);
	/* a large text may be there, for which the page need not be copied */
	if (!stored_text_look_up(&asking, SIZE_MAX, &key, answer_out))
		error = stored_text_compute(&asking, &key, answer_out);
	text_key_free(&key);
	return error;
}

enum error submitted_text_get(struct worker_pool *pool, struct store *store,
			      const struct extraction_options *rules,
			      const struct text_request *request,
			      struct text_result *answer_out)
{
	return text_task_retry(answer_given,
			       &(struct text_task_input){.pool = pool,
							 .store = store,
							 .rules = rules,
							 .request = request},
			       answer_out);
}

enum error stored_text_build_models(struct worker_pool *pool,
				    struct store *store,
				    const struct extraction_options *rules,
				    const struct text_request *request)
{
	struct text_result answer;
	enum error error =
		text_task_retry(answer_stored,
				&(struct text_task_input){.pool = pool,
							  .store = store,
							  .rules = rules,
							  .request = request,
							  .is_ahead = true},
				&answer);

	buffer_free(&answer.body);
	return error;
}
