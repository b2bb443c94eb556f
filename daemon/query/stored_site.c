#include "daemon/query/stored_site.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/compress.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cluster/shingle_weights.h"
#include "cluster/signature_table.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/model_cache.h"
#include "daemon/query/query.h"
#include "daemon/query/text_cache.h"
#include "extract/methods/ridge.h"
#include "store/content.h"
#include "store/document_frequency.h"
#include "store/key.h"
#include "store/record.h"
#include "store/rows.h"
#include "store/sets.h"
#include "template/extraction.h"
#include "template/version_json.h"

enum { MAX_MODEL_BYTES = 4 << 20 };

enum error site_model_read(const char *folder, const char *host,
			   struct buffer *path, struct buffer *text)
{
	enum error error;

	if (folder == NULL || *folder == '\0')
		return ERR_NONE;
	buffer_printf(path, "%s/%s.model", folder, host);
	error = file_read(path->data, MAX_MODEL_BYTES, text);
	return error == ERR_NOT_FOUND ? ERR_NONE : error;
}

enum error site_model_load(void *context,
			   const struct extraction_options *rules,
			   const struct text_request *request,
			   struct ridge_model **model_out,
			   struct extraction_result *answer)
{
	struct buffer path = {0};
	struct buffer text = {0};
	enum error error = ERR_NONE;

	(void)context;
	*model_out = NULL;
	if (request->url != NULL)
		error = site_model_read(rules->models, request->url->host,
					&path, &text);
	if (error == ERR_NONE && text.data != NULL)
		error = ridge_model_read(model_out, buffer_slice(&text));
	if (error != ERR_NONE)
		snprintf(answer->reason, sizeof(answer->reason),
			 "%.150s: %s; train the model again or remove it",
			 path.data, file_error_text(error));
	buffer_free(&path);
	buffer_free(&text);
	return error;
}

struct site_model_stamp site_model_identity(const char *folder,
					    const char *host)
{
	struct site_model_stamp stamp = {0};
	struct buffer path = {0};
	struct stat status;

	if (folder == NULL || *folder == '\0')
		return stamp;
	buffer_printf(&path, "%s/%s.model", folder, host);
	if (stat(path.data, &status) == 0)
		stamp = (struct site_model_stamp){
			.inode = status.st_ino,
			.bytes = (uint64_t)status.st_size,
			.changed_ns =
				(uint64_t)status.st_ctim.tv_sec * 1000000000U +
				(uint64_t)status.st_ctim.tv_nsec,
		};
	buffer_free(&path);
	return stamp;
}

static bool site_service_find_page(const struct site_service *server,
				   struct slice text, struct message *answer)
{
	struct known_field row = {0};
	struct known_page page;
	struct url url;

	if (url_parse(&url, text, NULL) != ERR_NONE)
		return false;
	if (site_find(&server->site->view, &url, &page))
		row = known_to_field(&page);
	answer->head = row_codec_encode(&known_field_layout, &row);
	return true;
}

/* A request of a worker, with the data that it refers to. */
struct site_service_request {
	struct site_question_field row;
	struct known_field field;
	struct known_page known;
	struct url url;
	uint64_t *hashes; /* the hashes of the fragments, then the hashes of the
			     signature; owned */
	struct site_query question;
};

/*
 * Copy the hashes of the request, because the received bytes are not aligned.
 * Return false if their number is invalid.
 */
static bool site_service_read_hashes(const struct site_service *server,
				     struct slice body,
				     struct site_service_request *asked)
{
	uint64_t count = asked->row.fragment_count;
	size_t all = body.size / sizeof(uint64_t);

	/* no page has more fragments than this */
	if (body.size % sizeof(uint64_t) != 0 || count > all ||
	    count > 4 * (uint64_t)server->rules->limits.max_nodes + 1024)
		return false;
	asked->hashes = mem_alloc(all + 1, sizeof(uint64_t));
	if (body.size > 0)
		memcpy(asked->hashes, body.data, body.size);
	asked->question.fragments = asked->hashes;
	asked->question.count = (uint32_t)count;
	asked->question.own =
		(struct signature){asked->hashes + count, all - (size_t)count};
	for (size_t i = 1; i < asked->question.own.count; i++)
		if (asked->question.own.shingles[i - 1] >=
		    asked->question.own.shingles[i])
			return false;
	return true;
}

static bool read_question(const struct site_service *server,
			  const struct task_request *inquiry,
			  struct site_service_request *asked)
{
	*asked = (struct site_service_request){0};
	if (!row_codec_decode(&site_question_field_layout, inquiry->head,
			      &asked->row) ||
	    !site_service_read_hashes(server, inquiry->body, asked))
		return false;
	if (asked->row.is_known != 0) {
		if (!row_codec_decode(&known_field_layout, asked->row.known,
				      &asked->field))
			return false;
		asked->known = known_of_field(&asked->field);
		asked->question.known = &asked->known;
	}
	if (asked->row.url.size > 0) {
		if (url_parse(&asked->url, asked->row.url, NULL) != ERR_NONE)
			return false;
		asked->question.url = &asked->url;
	}
	return true;
}

static bool answer_site(const struct site_service *server,
			const struct task_request *inquiry,
			struct message *answer)
{
	struct site_service_request asked;
	bool is_right = read_question(server, inquiry, &asked);

	if (is_right) {
		uint32_t count = asked.question.count;
		struct site_query_result found = {
			.frequencies =
				mem_alloc(count, sizeof(*found.frequencies)),
		};
		enum error error = site_query_run(&server->site->view,
						  &asked.question, &found);
		const struct site_answer_field row = {
			.generation = found.generation,
			.error = error,
			.is_there = found.is_there,
			.cluster = found.cluster,
			.page_count = found.page_count,
			.changes = found.changes,
		};

		answer->head =
			row_codec_encode(&site_answer_field_layout, &row);
		if (error == ERR_NONE && found.cluster != 0)
			buffer_append(&answer->body, found.frequencies,
				      count * sizeof(*found.frequencies));
		free(found.frequencies);
	}
	free(asked.hashes);
	return is_right;
}

static bool give_sample(const struct site_service *server, struct slice head,
			struct message *answer)
{
	struct number_field asked;
	struct sample_field row = {0};

	if (!row_codec_decode(&number_field_layout, head, &asked) ||
	    asked.number > UINT32_MAX)
		return false;
	row.error = stored_site_sample(server->site, (uint32_t)asked.number,
				       &answer->body, &row.changes);
	answer->head = row_codec_encode(&sample_field_layout, &row);
	cache_warmer_count(server->rules->teaching, server->is_ahead);
	return true;
}

/* Send the dictionary that the source of a page was compressed with. */
static bool give_dictionary(const struct site_service *server,
			    struct slice head, struct message *answer)
{
	struct txn txn;
	struct number_field asked;
	struct sample_field row = {0};

	if (!row_codec_decode(&number_field_layout, head, &asked) ||
	    asked.number > UINT32_MAX)
		return false;
	txn = txn_begin_read(server->site->store);
	row.error = content_dictionary(&txn, TABLE_BODIES, server->site->id,
				       (uint32_t)asked.number, &answer->body);
	if (txn.error != ERR_NONE)
		row.error = txn.error;
	txn_abort(&txn);
	answer->head = row_codec_encode(&sample_field_layout, &row);
	return true;
}

static bool give_model(const struct site_service *server,
		       struct message *answer)
{
	const struct url *url = server->request->url;
	struct buffer path = {0};
	struct model_field row = {.error = ERR_NONE};

	if (url != NULL)
		row.error = site_model_read(server->rules->models, url->host,
					    &path, &answer->body);
	row.is_there = answer->body.data != NULL;
	row.path = buffer_slice(&path);
	answer->head = row_codec_encode(&model_field_layout, &row);
	buffer_free(&path);
	return true;
}

bool site_service_respond(void *context, const struct task_request *inquiry,
			  struct message *answer)
{
	const struct site_service *server = context;

	if (inquiry->kind == ASK_MODEL)
		return give_model(server, answer);
	if (server->site == NULL)
		return false;
	switch (inquiry->kind) {
	case ASK_FIND:
		return site_service_find_page(server, inquiry->head, answer);
	case ASK_SITE:
		return answer_site(server, inquiry, answer);
	case ASK_SAMPLE:
		return give_sample(server, inquiry->head, answer);
	case ASK_DICTIONARY:
		return give_dictionary(server, inquiry->head, answer);
	default:
		return false;
	}
}

json_t *stored_name_json(struct txn *txn, uint32_t site, uint32_t cluster)
{
	struct name_row row;

	return cluster != 0 && name_row_get(txn, site, cluster, &row)
		       ? json_text_or_null(row.name)
		       : json_null();
}

bool stored_name_is_given(struct txn *txn, uint32_t site, uint32_t cluster)
{
	struct name_row row;

	return name_row_get(txn, site, cluster, &row) &&
	       (row.flags & NAME_IS_GIVEN) != 0;
}

struct slice stored_page_title(struct arena *arena, struct txn *txn,
			       uint32_t site, uint64_t page)
{
	struct slice title = {NULL, 0};
	struct buffer bytes = {0};
	struct record record;

	if (content_record(txn, site, page, &bytes, &record) == ERR_NONE)
		title = (struct slice){record.title.size == 0
					       ? ""
					       : arena_copy(arena,
							    record.title.data,
							    record.title.size),
				       record.title.size};
	buffer_free(&bytes);
	return title;
}

/* Return the error of a page whose body cannot be read because of `error`. */
static enum error stored_page_error(const struct page_row *row,
				    enum error error)
{
	if (error != ERR_NOT_FOUND)
		return error;
	return (row->flags & PAGE_ROW_HAS_NO_BODY) != 0 ? ERR_BODY_EXPIRED
							: ERR_CORRUPT;
}

enum error stored_page_body(const struct stored_pages *from, uint64_t key,
			    const struct page_row *row, struct buffer *out)
{
	return stored_page_error(row, content_body(from->txn, from->site, key,
						   row->body_bytes, out));
}

enum error stored_page_frame(const struct stored_pages *from, uint64_t key,
			     const struct page_row *row, struct buffer *out,
			     uint32_t *dictionary_out)
{
	return stored_page_error(row,
				 content_body_frame(from->txn, from->site, key,
						    out, dictionary_out));
}

enum error stored_page_append(const struct stored_pages *from, uint64_t key,
			      const struct page_row *row, struct buffer *list)
{
	struct buffer body = {0};
	enum error error = stored_page_body(from, key, row, &body);

	if (error == ERR_NONE) {
		item_append(list, buffer_slice(&body));
		item_append(list, row->charset);
	}
	buffer_free(&body);
	return error;
}

/* A page of the cluster that may belong to the sample. */
struct sample_candidate {
	uint64_t key;
	struct page_row row;
};

static bool sample_candidate_precedes(const struct sample_candidate *a,
				      const struct sample_candidate *b)
{
	return a->row.content_hash != b->row.content_hash
		       ? a->row.content_hash < b->row.content_hash
		       : a->key < b->key;
}

/*
 * Insert the candidate into `first`, the sorted list of the best `count`
 * candidates, unless the list is full of better ones. Return the new count.
 */
static uint32_t
sample_candidate_insert(struct sample_candidate *first, uint32_t count,
			uint32_t max_count,
			const struct sample_candidate *candidate)
{
	uint32_t at = count;

	if (count == max_count) {
		if (count == 0 ||
		    !sample_candidate_precedes(candidate, &first[count - 1]))
			return count;
		at--;
	} else {
		count++;
	}
	for (; at > 0 && sample_candidate_precedes(candidate, &first[at - 1]);
	     at--)
		first[at] = first[at - 1];
	first[at] = *candidate;
	return count;
}

/*
 * Find the `max_count` candidates with the lowest content hashes. Write them to
 * `first`, ascending, and return their number.
 */
static uint32_t find_first(const struct stored_pages *from, uint32_t max_count,
			   struct sample_candidate *first)
{
	struct key prefix = key_cluster(from->site, from->cluster);
	struct scan scan =
		scan_begin(from->txn, TABLE_MEMBERS, key_slice(&prefix));
	uint32_t count = 0;

	while (scan_next(&scan)) {
		struct sample_candidate candidate = {
			.key = key_u64(scan.key, 2 * sizeof(uint32_t))};

		if (page_row_get(from->txn, from->site, candidate.key,
				 &candidate.row) &&
		    (candidate.row.flags & PAGE_ROW_HAS_NO_BODY) == 0)
			count = sample_candidate_insert(first, count, max_count,
							&candidate);
	}
	scan_end(&scan);
	return count;
}

uint32_t stored_pages_find(const struct stored_pages *from, uint32_t max_count,
			   uint64_t max_bytes, uint64_t *keys_out)
{
	struct sample_candidate *first = mem_alloc(max_count, sizeof(*first));
	uint32_t found = find_first(from, max_count, first);
	uint64_t bytes = 0;
	uint32_t count = 0;

	for (; count < found && (count < 2 || bytes <= max_bytes); count++) {
		keys_out[count] = first[count].key;
		bytes += first[count].row.body_bytes;
	}
	free(first);
	return count;
}

enum error stored_sample_append(const struct stored_pages *from,
				uint32_t max_count, uint64_t max_bytes,
				struct buffer *list)
{
	struct sample_candidate *first = mem_alloc(max_count, sizeof(*first));
	uint32_t found = find_first(from, max_count, first);
	uint64_t bytes = 0;
	uint32_t count = 0;
	enum error failure = ERR_BODY_EXPIRED;

	for (uint32_t i = 0; i < found && (count < 2 || bytes <= max_bytes);
	     i++) {
		enum error error = stored_page_append(from, first[i].key,
						      &first[i].row, list);

		if (error != ERR_NONE) {
			failure = error;
			continue;
		}
		bytes += first[i].row.body_bytes;
		count++;
	}
	free(first);
	if (count == 0 && from->txn->error != ERR_NONE)
		failure = from->txn->error;
	return count == 0 ? failure : ERR_NONE;
}

enum { MAX_VERSION_BYTES = 64 << 20 };

enum error stored_version_read(struct txn *txn, struct version_name name,
			       struct arena *arena, struct version_row *row_out,
			       struct version **version_out)
{
	struct buffer json = {0};
	enum error error;

	if (!version_row_get(txn, name.site, name.cluster, name.version,
			     row_out))
		return txn->error != ERR_NONE ? txn->error : ERR_NOT_FOUND;
	error = decompress_slice(row_out->packed, MAX_VERSION_BYTES, &json);
	if (error == ERR_NONE)
		error = version_decode(arena, buffer_slice(&json), version_out);
	buffer_free(&json);
	return error == ERR_NONE ? ERR_NONE : ERR_CORRUPT;
}

enum { FIRST_MEMBERS = 16 };

/* Return false if the weights are damaged. */
static bool weights_read(struct txn *txn, uint32_t site, enum measure measure,
			 struct shingle_weights *weights_out)
{
	struct slice bytes = weights_get(txn, site);

	*weights_out = shingle_weights_default(measure);
	return bytes.data == NULL || !measure_has_weights(measure) ||
	       shingle_weights_decode(bytes, weights_out);
}

bool site_weights_read(struct txn *txn, const struct site_row *row,
		       struct shingle_weights *weights_out)
{
	return weights_read(txn, row->id, (enum measure)row->options.measure,
			    weights_out);
}

struct shingle_weights site_weights(struct txn *txn, const struct site_row *row)
{
	struct shingle_weights weights;

	if (!site_weights_read(txn, row, &weights))
		txn_fail(txn, ERR_CORRUPT);
	return weights;
}

/* Store the number of units of a shingle in site->units. */
static void stored_site_add_units(struct stored_site *site, uint32_t id,
				  uint32_t units)
{
	while (site->unit_count <= id) {
		site->units =
			mem_grow(site->units, site->unit_count,
				 &site->unit_capacity, sizeof(*site->units));
		site->units[site->unit_count++] = 0;
	}
	site->units[id] = units;
}

static struct found_shingles stored_site_find_shingles(void *context,
						       struct signature own,
						       uint32_t *shingles_out)
{
	struct stored_site *site = context;
	struct shingle_weights weights;
	struct found_shingles found = {0};
	struct scan scan;
	bool is_weighted;

	if (!weights_read(&site->txn, site->id, site->view.measure, &weights))
		txn_fail(&site->txn, ERR_CORRUPT);
	is_weighted = weights.heavy_units > 0;
	found.units = signature_units(&weights, own);
	scan = scan_site(&site->txn, TABLE_SHINGLES, site->id);

	while (scan_next(&scan) && (is_weighted || found.count < own.count)) {
		uint32_t id = key_u32(scan.key, sizeof(uint32_t));
		uint64_t shingle;

		if (id >= DICTIONARY_MAX_SHINGLES ||
		    !shingle_decode(scan.value, &shingle)) {
			txn_fail(&site->txn, ERR_CORRUPT);
			break;
		}
		if (is_weighted)
			stored_site_add_units(site, id,
					      shingle_units(&weights, shingle));
		if (sorted_find(own.shingles, own.count, shingle) >= own.count)
			continue;
		if (found.count == own.count) { /* one shingle with two ids */
			txn_fail(&site->txn, ERR_CORRUPT);
			break;
		}
		shingles_out[found.count++] = id;
	}
	scan_end(&scan);
	shingle_weights_free(&weights);
	found.units_of = is_weighted ? site->units : NULL;
	return found;
}

static void stored_site_each_signature(
	void *context,
	void (*visit)(void *visitor, const struct site_signature *set),
	void *visitor)
{
	struct stored_site *site = context;
	struct set_scan scan = set_scan_begin(&site->txn, site->id);

	while (set_scan_next(&scan)) {
		/* the visitor reads the units of the shingles */
		if (site->units != NULL && scan.count > 0 &&
		    scan.shingle_ids[scan.count - 1] >= site->unit_count) {
			txn_fail(&site->txn, ERR_CORRUPT);
			break;
		}
		visit(visitor, &(struct site_signature){
				       scan.set, scan.shingle_ids, scan.count});
	}
	set_scan_end(&scan);
}

/*
 * Search one cluster, the cluster of the first member from *from on, for a page
 * with the signature `set`; read at most `max` members. Return the cluster if
 * it has such a page, otherwise 0. *from moves to the next cluster;
 * *is_end_out: there is no next cluster.
 */
static uint32_t find_set(struct stored_site *site, uint32_t set, size_t max,
			 struct key *from, bool *is_end_out)
{
	struct scan scan = scan_begin_at(&site->txn, TABLE_MEMBERS,
					 key_slice(from), sizeof(uint32_t));
	uint32_t found = 0;
	uint32_t cluster = 0;
	size_t count = 0;
	uint32_t other;

	while (found == 0 && count < max) {
		*is_end_out = !scan_next(&scan);
		if (*is_end_out)
			break;
		count = key_u32(scan.key, sizeof(uint32_t)) == cluster
				? count + 1
				: 1;
		cluster = key_u32(scan.key, sizeof(uint32_t));
		if (member_decode(scan.value, &other) && other == set)
			found = cluster;
	}
	scan_end(&scan);
	*is_end_out |= cluster == UINT32_MAX;
	*from = key_member(site->id, cluster + 1, 0);
	return found;
}

static uint32_t stored_site_find_cluster(struct stored_site *site, uint32_t set,
					 size_t max)
{
	struct key from = key_member(site->id, 0, 0);
	bool is_end = false;
	uint32_t cluster = 0;

	while (cluster == 0 && !is_end)
		cluster = find_set(site, set, max, &from, &is_end);
	return cluster;
}

/*
 * Return the cluster that has a page with the signature `set`; 0 if there is
 * none. Most clusters have few unique signatures, so search the first members
 * of each cluster before all members.
 */
static uint32_t stored_site_cluster_of(void *context, uint32_t set)
{
	struct stored_site *site = context;
	uint32_t cluster = stored_site_find_cluster(site, set, FIRST_MEMBERS);

	return cluster != 0 ? cluster
			    : stored_site_find_cluster(site, set, SIZE_MAX);
}

struct cluster_state stored_site_state(struct txn *txn, uint32_t site,
				       uint32_t cluster)
{
	struct cluster_row row = {0};

	if (cluster != 0)
		cluster_row_get(txn, site, cluster, &row);
	return (struct cluster_state){row.page_count, row.changes};
}

static struct cluster_state stored_site_view_state(void *context,
						   uint32_t cluster)
{
	struct stored_site *site = context;

	return stored_site_state(&site->txn, site->id, cluster);
}

static uint32_t stored_site_frequency(void *context, uint32_t cluster,
				      uint64_t fragment)
{
	struct stored_site *site = context;

	return df_get(&site->txn, site->id, cluster, fragment);
}

struct known_page stored_site_known_page(uint64_t key,
					 const struct page_row *row)
{
	return (struct known_page){
		.key = key,
		.content_hash = row->content_hash,
		.cluster = row->cluster,
		.http_status = row->http_status,
		.charset = row->charset,
	};
}

struct known_page stored_site_own_page(struct stored_site *site,
				       struct known_page page)
{
	page.charset.data =
		arena_copy(site->arena, page.charset.data, page.charset.size);
	return page;
}

static bool stored_site_read_page(struct stored_site *site, uint64_t key,
				  struct page_row *row_out)
{
	return page_row_get(&site->txn, site->id, key, row_out) &&
	       row_out->redirect.size == 0;
}

static bool stored_site_find_page(void *context, const struct url *url,
				  struct known_page *page_out)
{
	struct stored_site *site = context;
	uint64_t key = page_key_of(slice_of(url->text));
	struct page_row row;

	if (!stored_site_read_page(site, key, &row))
		return false;
	*page_out =
		stored_site_own_page(site, stored_site_known_page(key, &row));
	return true;
}

static bool stored_site_page_is_current(void *context, struct known_page *page)
{
	struct page_row row;

	if (!stored_site_read_page(context, page->key, &row) ||
	    row.content_hash != page->content_hash)
		return false;
	page->cluster = row.cluster;
	return true;
}

enum error stored_site_sample(void *context, uint32_t cluster,
			      struct buffer *list, uint32_t *changes_out)
{
	const struct stored_site *site = context;
	struct txn txn = txn_begin_read(site->store);
	const struct stored_pages pages = {&txn, site->id, cluster,
					   &site->rules->limits};
	struct cluster_row state = {0};
	struct site_row row;
	enum error error = ERR_BUSY;

	/*
	 * the cluster existed when the caller read its number, so now the site
	 * has changed if it does not
	 */
	if (site_get(&txn, site->view.host, &row) && row.id == site->id &&
	    cluster_row_get(&txn, site->id, cluster, &state))
		error = stored_sample_append(&pages, MAX_SAMPLE_PAGES,
					     MAX_SAMPLE_BYTES, list);
	else if (txn.error != ERR_NONE)
		error = txn.error;
	*changes_out = state.changes;
	txn_abort(&txn);
	return error;
}

/*
 * Return a copy of the page's record; NULL if the record is damaged or missing.
 */
static void *load_record(struct stored_site *site, uint64_t page,
			 struct record *record_out)
{
	struct buffer bytes = {0};

	if (content_record(&site->txn, site->id, page, &bytes, record_out) ==
	    ERR_NONE)
		return bytes.data;
	buffer_free(&bytes);
	return NULL;
}

static const uint64_t *stored_site_fragments(void *context,
					     const struct known_page *page,
					     struct arena *arena,
					     uint32_t *count_out)
{
	struct record record;
	void *bytes = load_record(context, page->key, &record);
	uint64_t *hashes;

	if (bytes == NULL)
		return NULL;
	hashes = ARENA_NEW(arena, uint64_t, record.fragment_count);
	for (uint32_t i = 0; i < record.fragment_count; i++)
		hashes[i] = record.fragments[i].hash;
	*count_out = record.fragment_count;
	free(bytes);
	return hashes;
}

static struct template_model
stored_site_build_model(void *context, uint32_t cluster, uint32_t changes,
			const struct extractor *extractor,
			const double *parameters)
{
	struct stored_site *site = context;
	struct cached_model *learned;
	enum error error;

	assert(!site->is_read);
	error = model_cache_get(site->rules->learned,
				&(struct model_query){
					.extractor = extractor,
					.parameters = parameters,
					.read = stored_site_sample,
					.context = site,
					.site = site->id,
					.cluster = cluster,
					.limits = &site->rules->limits,
					.changes = changes,
				},
				&learned);
	return (struct template_model){cached_model_template(learned), learned,
				       error};
}

static void stored_site_release_model(void *context,
				      struct template_model taught)
{
	const struct stored_site *site = context;

	model_cache_release(site->rules->learned, taught.holder);
}

/*
 * Open the transaction, and read the row of the site again, because the site
 * may have been deleted or changed.
 */
static void stored_site_begin(void *context)
{
	struct stored_site *site = context;
	struct site_row row;

	assert(!site->is_read);
	site->txn = txn_begin_read(site->store);
	site->is_read = true;
	if (!site_get(&site->txn, site->view.host, &row) ||
	    row.id != site->id) {
		txn_fail(&site->txn, ERR_BUSY);
		return;
	}
	site->view.threshold = row.options.threshold;
	site->view.generation = row.generation;
}

static void stored_site_end(void *context)
{
	struct stored_site *site = context;
	enum error error;

	assert(site->is_read);
	site->is_read = false;
	error = txn_end(&site->txn);
	if (site->error == ERR_NONE)
		site->error = error;
}

static enum error stored_site_error(const void *context)
{
	const struct stored_site *site = context;

	assert(!site->is_read);
	return site->error;
}

const struct site_view *stored_site_open(struct stored_site *site,
					 struct store *store,
					 const struct site_row *row,
					 const struct extraction_options *rules)
{
	static const struct site_source source = {
		.begin = stored_site_begin,
		.end = stored_site_end,
		.is_current = stored_site_page_is_current,
		.find_shingles = stored_site_find_shingles,
		.each_set = stored_site_each_signature,
		.cluster_of = stored_site_cluster_of,
		.state = stored_site_view_state,
		.frequency = stored_site_frequency,
		.find_page = stored_site_find_page,
		.fragments = stored_site_fragments,
		.learn = stored_site_build_model,
		.release = stored_site_release_model,
		.failure = stored_site_error,
	};

	*site = (struct stored_site){.arena = arena_create()};
	if (row->options.measure >= MEASURE_COUNT)
		return NULL;
	site->view = (struct site_view){
		.host = {arena_copy(site->arena, row->host.data,
				    row->host.size),
			 row->host.size},
		.measure = (enum measure)row->options.measure,
		.width = row->options.width,
		.threshold = row->options.threshold,
		.generation = row->generation,
		.source = &source,
		.context = site,
	};
	site->store = store;
	site->id = row->id;
	site->rules = rules;
	return &site->view;
}

void stored_site_close(struct stored_site *site)
{
	assert(!site->is_read);
	free(site->units);
	arena_destroy(site->arena);
}
