#include "daemon/query/answer_key.h"

#include "daemon/privsep/item_list.h"
#include "daemon/query/found_page.h"
#include "daemon/query/site_model.h"
#include "store/rows_cluster.h"

static void append_numbers(struct buffer *out, const uint64_t *numbers,
			   size_t count)
{
	buffer_append(out, numbers, count * sizeof(*numbers));
}

static void append_page(const struct stored *stored, bool is_json,
			struct buffer *out)
{
	const struct page_row *row = &stored->row;
	const uint64_t numbers[] = {
		stored->site.id,   stored->key,
		row->content_hash, row->body_bytes,
		row->http_status,  is_json ? row->fetched_ms : 0,
	};

	append_numbers(out, numbers, sizeof(numbers) / sizeof(*numbers));
	item_append(out, row->url);
	item_append(out, row->charset);
}

static void append_template(struct txn *txn, const struct stored *stored,
			    struct buffer *out)
{
	uint32_t number = stored->row.cluster;
	struct cluster_row row = {0};

	if (number != 0)
		cluster_row_get(txn, stored->site.id, number, &row);
	append_numbers(out, (uint64_t[]){number, row.page_count, row.changes},
		       3);
}

/* Write empty texts for missing ones. */
static void append_texts(const struct answer_rules *rules,
			 const struct text_request *request, struct buffer *out)
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

struct answer_key answer_key_of(const struct answer_rules *rules,
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
	struct answer_key key = {0};

	append_numbers(&key.asked, numbers, sizeof(numbers) / sizeof(*numbers));
	append_texts(rules, request, &key.asked);
	return key;
}

static void append_model(const struct answer_rules *rules,
			 const struct text_request *request, struct buffer *out)
{
	const struct site_model_stamp model =
		site_model_look(rules->models, request->url->host);
	const uint64_t numbers[] = {model.inode, model.bytes, model.changed_ns};

	append_numbers(out, numbers, sizeof(numbers) / sizeof(*numbers));
}

static enum error read_page(struct txn *txn, const struct text_request *request,
			    struct answer_key *key)
{
	bool is_json = request->format == FORMAT_JSON;
	struct text_answer scratch = {0};
	struct stored stored = {0};
	enum error error = stored_find(txn, request->url, &stored, &scratch);

	if (error == ERR_NONE && (stored.row.flags & PAGE_ROW_HAS_NO_BODY) != 0)
		error = ERR_NOT_FOUND;
	if (error == ERR_NONE)
		error = txn->error;
	if (error != ERR_NONE)
		return error;
	append_page(&stored, is_json, &key->state);
	append_template(txn, &stored, &key->state);
	key->generation = is_json ? stored.site.generation : 0;
	return txn->error;
}

enum error answer_key_read(struct answer_key *key, struct store *store,
			   const struct answer_rules *rules,
			   const struct text_request *request)
{
	struct txn txn = txn_begin_read(store);
	enum error error = txn.error;

	buffer_clear(&key->state);
	if (error == ERR_NONE)
		error = read_page(&txn, request, key);
	txn_abort(&txn);
	append_model(rules, request, &key->state);
	return error;
}

void answer_key_free(struct answer_key *key)
{
	buffer_free(&key->asked);
	buffer_free(&key->state);
}
