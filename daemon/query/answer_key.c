#include "daemon/query/answer_key.h"

#include "daemon/privsep/item_list.h"
#include "daemon/query/found_page.h"
#include "daemon/query/site_model.h"
#include "store/rows_cluster.h"

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
		stored->site.id,   stored->key,
		row->content_hash, row->body_bytes,
		row->http_status,  is_json ? row->fetched_ms : 0,
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

/* Write empty texts for missing ones. */
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
 * If you add a field, add it to the key; otherwise the cache returns wrong
 * texts.
 */
_Static_assert(sizeof(void *) != 8 || sizeof(struct text_request) == 88,
	       "the key has all fields but the page's own");

struct text_key text_key_of(const struct extraction_options *rules,
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
			 const struct text_request *request, struct buffer *out)
{
	const struct site_model_stamp model =
		site_model_identity(rules->models, request->url->host);
	const uint64_t numbers[] = {model.inode, model.bytes, model.changed_ns};

	text_key_append_numbers(out, numbers,
				sizeof(numbers) / sizeof(*numbers));
}

static enum error text_key_read_page(struct txn *txn,
				     const struct text_request *request,
				     struct text_key *key)
{
	bool is_json = request->format == FORMAT_JSON;
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
	text_key_append_page(&stored, is_json, &key->state);
	text_key_append_template(txn, &stored, &key->state);
	key->generation = is_json ? stored.site.generation : 0;
	return txn->error;
}

enum error text_key_read(struct text_key *key, struct store *store,
			 const struct extraction_options *rules,
			 const struct text_request *request)
{
	struct txn txn = txn_begin_read(store);
	enum error error = txn.error;

	buffer_clear(&key->state);
	if (error == ERR_NONE)
		error = text_key_read_page(&txn, request, key);
	txn_abort(&txn);
	append_model(rules, request, &key->state);
	return error;
}

void text_key_free(struct text_key *key)
{
	buffer_free(&key->asked);
	buffer_free(&key->state);
}
