/*
 * Decide whether a visited page has shown anything new, so that more pages of
 * its pattern are worth a visit.
 */
#include "daemon/engine/batch.h"
#include "store/document_frequency.h"
#include "store/rows_cluster.h"

/*
 * As in the extractor df: a fragment belongs to the template if more than a
 * third of the pages have it.
 */
enum { TEMPLATE_RATIO = 3, PERMILLE = 1000 };

static bool fragment_is_template(uint32_t df, uint32_t pages)
{
	return (uint64_t)df * TEMPLATE_RATIO > pages;
}

/*
 * Return the share of the page's text, by bytes in permille, that is classified
 * alike (template or content) before and after the page is counted: how well
 * extraction agrees with its previous state.
 */
static unsigned page_text_agreement(struct commit *batch, struct site *site,
				    uint32_t cluster, uint32_t pages,
				    const struct record *record)
{
	struct df_reader reader = {
		.txn = batch->txn, .site = site->row.id, .cluster = cluster};
	uint64_t all = 0;
	uint64_t same = 0;

	for (uint32_t i = 0; i < record->fragment_count; i++) {
		const struct record_fragment *fragment = &record->fragments[i];
		uint32_t df =
			counts_get(&site->counts, &reader, fragment->hash);

		if (df == 0)
			continue;
		all += fragment->length;
		if (fragment_is_template(df - 1, pages - 1) ==
		    fragment_is_template(df, pages))
			same += fragment->length;
	}
	return all == 0 ? PERMILLE : (unsigned)(same * PERMILLE / all);
}

void commit_note_novelty(struct commit *batch, struct site *site, uint64_t page,
			 const struct record *record, struct link_result linked)
{
	struct novelty novelty = {
		.cluster = linked.cluster,
		.is_novel = linked.is_news,
	};
	struct cluster_row row;

	if (cluster_row_get(batch->txn, site->row.id, linked.cluster, &row) &&
	    row.page_count >= QUIET_PAGES) {
		novelty.cluster_pages = row.page_count;
		novelty.agreement = page_text_agreement(
			batch, site, linked.cluster, row.page_count, record);
	}
	frontier_count_page(batch->txn, &site->row, page, &novelty,
			    batch->now_ms);
}
