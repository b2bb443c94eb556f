#include "daemon/answer/answer.h"

#include <stdlib.h>

#include "daemon/answer/stored_page.h"
#include "extract/text/fragment.h"
#include "store/arena.h"
#include "store/document_frequency.h"
#include "store/lower_bound.h"
#include "store/memory.h"
#include "store/rows_cluster.h"
#include "store/rows_site.h"

enum { MAX_SAMPLES = 16, MAX_SAMPLE_BYTES = 16 << 20 };

void template_answer_free(struct template_answer *answer)
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
 * The fragments of the cluster that stand in more than a third of its pages
 * (Gottron 2008, section 6), ascending by hash, as the table has them.
 */
static void find_fragments(struct txn *txn, uint32_t site, uint32_t cluster,
			   struct template_answer *answer)
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

static struct template_fragment *find_by_hash(struct template_answer *answer,
					      uint64_t hash)
{
	size_t at;

	LOWER_BOUND(at, answer->count, answer->fragments[at].hash < hash);
	return at < answer->count && answer->fragments[at].hash == hash
		       ? &answer->fragments[at]
		       : NULL;
}

static void learn_texts(const struct page *page, struct template_answer *answer)
{
	const struct fragment *fragments = fragments_of_page(page->arena, page);

	for (uint32_t i = 0; i < page->text_count; i++) {
		struct template_fragment *fragment =
			find_by_hash(answer, fragments[i].hash);
		struct slice text = page_text(page, i);
		char *copy;

		if (fragment == NULL || fragment->is_known)
			continue;
		copy = arena_alloc(answer->arena, text.size, 1);
		fragment->is_known = true;
		fragment->text =
			(struct slice){copy, text_collapse(text, copy)};
	}
}

static void find_texts(struct copied_page *packed, uint32_t count,
		       const struct page_limits *limits,
		       struct template_answer *answer)
{
	struct page *pages[MAX_SAMPLES];

	count = copied_sample_parse(packed, count, limits, pages);
	for (uint32_t i = 0; i < count; i++) {
		learn_texts(pages[i], answer);
		page_destroy(pages[i]);
	}
}

enum error answer_template(struct store *store,
			   const struct answer_rules *rules, const char *host,
			   uint32_t number, struct template_answer *answer_out)
{
	struct copied_page packed[MAX_SAMPLES];
	struct txn txn = txn_begin_read(store);
	struct cluster_row cluster;
	struct site_row site;
	uint32_t count = 0;
	enum error error = ERR_NOT_FOUND;

	*answer_out = (struct template_answer){.arena = arena_create()};
	if (site_get(&txn, slice_of(host), &site) &&
	    cluster_row_get(&txn, site.id, number, &cluster)) {
		answer_out->page_count = cluster.page_count;
		answer_out->generation = site.generation;
		find_fragments(&txn, site.id, number, answer_out);
		count = copied_sample_read(
			&(struct stored_pages){&txn, site.id, number,
					       &rules->limits},
			MAX_SAMPLES, MAX_SAMPLE_BYTES, packed);
		error = ERR_NONE;
	}
	if (txn.error != ERR_NONE)
		error = txn.error;
	txn_abort(&txn);
	find_texts(packed, count, &rules->limits, answer_out);
	if (answer_out->count > 1)
		qsort(answer_out->fragments, answer_out->count,
		      sizeof(*answer_out->fragments), highest_first);
	if (error != ERR_NONE) {
		template_answer_free(answer_out);
		*answer_out = (struct template_answer){0};
	}
	return error;
}
