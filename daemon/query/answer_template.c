#include "daemon/query/answer.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/privsep/item_list.h"
#include "daemon/privsep/pool.h"
#include "daemon/privsep/requests.h"
#include "daemon/query/stored_page.h"
#include "store/document_frequency.h"
#include "store/rows_cluster.h"
#include "store/rows_site.h"

enum { MAX_SAMPLES = 16, MAX_SAMPLE_BYTES = 16 << 20 };

void template_result_free(struct template_result *answer)
{
	free(answer->fragments);
	arena_destroy(answer->arena);
}

static int highest_first(const void *left, const void *right)
{
	const struct template_fragment *a = left;
	const struct template_fragment *b = right;

	if (a->document_frequency != b->document_frequency)
		return a->document_frequency > b->document_frequency ? -1 : 1;
	return (a->hash > b->hash) - (a->hash < b->hash);
}

/*
 * Find the fragments that occur in more than a third of the pages of the
 * cluster (Gottron 2008, section 6), ascending by hash, as in the table.
 */
static void find_fragments(struct txn *txn, uint32_t site, uint32_t cluster,
			   struct template_result *answer)
{
	struct df_scan scan = df_scan_begin(txn, site, cluster);
	size_t capacity = 0;

	while (df_scan_next(&scan)) {
		if (scan.now.pages == 0) {
			txn_fail(txn, ERR_CORRUPT);
			break;
		}
		if ((uint64_t)scan.now.pages * 3 <= answer->page_count)
			continue;
		answer->fragments =
			mem_grow(answer->fragments, answer->count, &capacity,
				 sizeof(*answer->fragments));
		answer->fragments[answer->count++] = (struct template_fragment){
			.hash = scan.now.fragment,
			.document_frequency = scan.now.pages,
		};
	}
	df_scan_end(&scan);
}

/* Read the texts that a worker has found; false if the list is invalid. */
static bool take_texts(void *context, struct slice head, struct slice body)
{
	struct template_result *answer = context;
	struct slice item;
	uint32_t index;

	(void)head;
	while (item_next(&body, &item)) {
		struct template_fragment *fragment;

		if (item.size != sizeof(index))
			return false;
		memcpy(&index, item.data, sizeof(index));
		if (index >= answer->count || !item_next(&body, &item))
			return false;
		fragment = &answer->fragments[index];
		fragment->is_known = true;
		fragment->text = (struct slice){
			arena_copy(answer->arena, item.data, item.size),
			item.size};
	}
	return body.size == 0;
}

/* Find the texts in the pages; unreadable ones remain unknown. */
static void find_texts(struct worker_pool *pool, const char *host,
		       const struct page_limits *limits, struct slice pages,
		       struct template_result *answer)
{
	const struct fragments_request request = {limits_to_field(limits),
						  answer->count};
	struct buffer head =
		row_codec_encode(&fragments_request_layout, &request);
	struct buffer body = {0};
	struct pool_task task = {
		.kind = TASK_FRAGMENTS,
		.head = buffer_slice(&head),
		.take = take_texts,
		.take_context = answer,
	};

	for (size_t i = 0; i < answer->count; i++)
		buffer_append(&body, &answer->fragments[i].hash,
			      sizeof(answer->fragments[i].hash));
	buffer_append_slice(&body, pages);
	task.body = buffer_slice(&body);
	if (worker_pool_run(pool, &task) != ERR_NONE)
		log_warn_limited_about(
			(struct log_subject){.site = slice_of(host)},
			"cannot read the texts of a template: %s", task.reason);
	buffer_free(&head);
	buffer_free(&body);
}

enum error query_template(struct worker_pool *pool, struct store *store,
			  const struct extraction_options *rules,
			  const struct template_name *name,
			  struct template_result *answer_out)
{
	struct buffer pages = {0};
	struct txn txn = txn_begin_read(store);
	struct cluster_row cluster;
	struct site_row site;
	enum error error = ERR_NOT_FOUND;

	*answer_out = (struct template_result){.arena = arena_create()};
	if (site_get(&txn, slice_of(name->host), &site) &&
	    cluster_row_get(&txn, site.id, name->cluster, &cluster)) {
		answer_out->page_count = cluster.page_count;
		answer_out->generation = site.generation;
		find_fragments(&txn, site.id, name->cluster, answer_out);
		stored_sample_append(&(struct stored_pages){&txn, site.id,
							    name->cluster,
							    &rules->limits},
				     MAX_SAMPLES, MAX_SAMPLE_BYTES, &pages);
		error = ERR_NONE;
	}
	if (txn.error != ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	if (error == ERR_NONE)
		find_texts(pool, name->host, &rules->limits,
			   buffer_slice(&pages), answer_out);
	buffer_free(&pages);
	if (answer_out->count > 1)
		qsort(answer_out->fragments, answer_out->count,
		      sizeof(*answer_out->fragments), highest_first);
	if (error != ERR_NONE) {
		template_result_free(answer_out);
		*answer_out = (struct template_result){0};
	}
	return error;
}
