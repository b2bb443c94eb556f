#include "daemon/watch/render_samples.h"

#include "base/arena.h"
#include "daemon/engine/sites.h"
#include "page/page_class.h"
#include "store/key.h"

/* Return whether the visit of the sample is awaited. */
static bool render_sample_is_awaited(const struct render_row *row,
				     uint64_t now_ms)
{
	return row->asked_ms != 0 && row->asked_ms <= now_ms &&
	       now_ms < row->asked_ms + RENDER_SAMPLE_MS;
}

bool render_sample_is_due(const struct site_row *site,
			  const struct template_row *template,
			  const struct render_row *row, uint64_t now_ms)
{
	if (row == NULL)
		return true;
	if (render_sample_is_awaited(row, now_ms) ||
	    site_render_rests(site, row, now_ms))
		return false;
	return row->version != template->version ||
	       (row->decided_ms != 0 && row->attempts == 0 &&
		row->decided_ms + RENDER_DAYS * UINT64_C(86400000) <= now_ms) ||
	       (row->attempts > 0 && row->attempts < MAX_RENDER_ATTEMPTS);
}

/*
 * Return whether the page can be the sample of its template. A template of
 * pages that are rendered, because they are empty without scripts, needs none;
 * it has no row.
 */
static bool render_sample_is_page(struct txn *txn, uint32_t site,
				  const struct template_view *subject,
				  const struct render_row *row, uint64_t page)
{
	struct page_row stored;

	return page_row_get(txn, site, page, &stored) &&
	       stored.redirect.size == 0 && stored.page_class == CLASS_PAGE &&
	       stored.cluster == subject->cluster &&
	       (stored.flags & PAGE_ROW_IS_INGESTED) == 0 &&
	       (row != NULL || (stored.flags & PAGE_ROW_IS_RENDERED) == 0);
}

/* Find a sample of the template. Return false without one. */
static bool render_sample_find(struct txn *txn, uint32_t site,
			       const struct template_view *subject,
			       const struct render_row *row, uint64_t *page_out)
{
	struct scan scan =
		scan_cluster(txn, TABLE_SAMPLE_PAGES, site, subject->cluster);
	uint64_t pages[MAX_TEMPLATE_SAMPLE];
	const uint32_t turn = row == NULL ? 0 : row->attempts;
	uint32_t count = 0;

	*page_out = 0;
	while (count < MAX_TEMPLATE_SAMPLE && scan_next(&scan))
		pages[count++] = key_u64(scan.key, 2 * sizeof(uint32_t));
	scan_end(&scan);
	for (uint32_t i = 0; i < count; i++) {
		*page_out = pages[(turn + i) % count];
		if (render_sample_is_page(txn, site, subject, row, *page_out))
			return true;
	}
	return false;
}

/* Return the number of awaited samples. */
static uint32_t render_samples_awaited(const struct watch_plan *plan,
				       uint64_t *next_ms)
{
	uint32_t count = 0;

	for (size_t i = 0; i < plan->render_count; i++) {
		const struct render_row *row = &plan->renders[i].row;

		if (!render_sample_is_awaited(row, plan->now_ms))
			continue;
		count++;
		if (row->asked_ms + RENDER_SAMPLE_MS < *next_ms)
			*next_ms = row->asked_ms + RENDER_SAMPLE_MS;
	}
	return count;
}

enum error render_samples_make(struct store *store,
			       const struct watch_plan *plan,
			       struct arena *arena,
			       struct template_updates *findings,
			       uint64_t *next_ms)
{
	const struct site_row *site = plan->site;
	uint32_t awaited = render_samples_awaited(plan, next_ms);
	struct render_sample *requests =
		ARENA_NEW(arena, struct render_sample, MAX_AWAITED_SAMPLES);
	struct txn txn;

	findings->renders = requests;
	if ((site->options.flags & SITE_IS_OFFLINE) != 0 ||
	    site_render_of(site->options.flags) != SITE_RENDER_AUTO ||
	    plan_is_moving(plan, 0))
		return ERR_NONE;
	txn = txn_begin_read(store);
	for (size_t i = 0;
	     i < plan->subject_count && awaited < MAX_AWAITED_SAMPLES; i++) {
		const struct template_view *subject =
			&plan->subjects[i].subject;
		const struct render_row *row =
			plan_render_row(plan, subject->cluster);
		uint64_t page;

		if (!subject->has_row || !subject->has_cluster ||
		    subject->row.state != TEMPLATE_LIVE ||
		    !render_sample_is_due(site, &subject->row, row,
					  plan->now_ms) ||
		    !render_sample_find(&txn, site->id, subject, row, &page))
			continue;
		requests[findings->render_count++] =
			(struct render_sample){subject->cluster, page};
		awaited++;
	}
	return txn_end(&txn);
}
