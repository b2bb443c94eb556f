/* Write the results of a check of a site's templates. */
#include "daemon/engine/batch.h"

#include "daemon/engine/findings.h"
#include "store/key.h"
#include "store/rows_template.h"

/* End the previous version at the time when it was last seen. */
static void end_version(struct commit *batch, uint32_t site,
			const struct template_update *found)
{
	uint32_t number = found->row.version - 1;
	struct version_row row;

	if (number == 0 ||
	    !version_row_get(batch->txn, site, found->cluster, number, &row))
		return;
	row.last_ms = found->version.first_ms > found->row.seen_ms
			      ? found->row.seen_ms
			      : found->version.first_ms;
	if (row.last_ms < row.first_ms)
		row.last_ms = row.first_ms;
	version_row_put(batch->txn, site, found->cluster, number, &row);
}

static bool has_version(struct commit *batch, uint32_t site,
			const struct template_update *found)
{
	struct version_row row;

	return version_row_get(batch->txn, site, found->cluster,
			       found->row.version, &row);
}

static void commit_put_version(struct commit *batch, uint32_t site,
			       const struct template_update *found)
{
	if (!has_version(batch, site, found))
		end_version(batch, site, found);
	version_row_put(batch->txn, site, found->cluster, found->row.version,
			&found->version);
}

static void put_sample(struct commit *batch, uint32_t site,
		       const struct template_update *found)
{
	struct key prefix = key_cluster(site, found->cluster);

	txn_delete_prefix(batch->txn, TABLE_SAMPLE_PAGES, key_slice(&prefix));
	for (size_t i = 0; i < found->sample_count; i++)
		sample_page_row_put(batch->txn, site, found->cluster,
				    found->sample[i].page,
				    &found->sample[i].row);
}

/*
 * Apply template updates. Their input may have changed since; the next check
 * corrects that. Reject them if the site was deleted or added again, or its
 * threshold has changed.
 */
enum error commit_template_updates(struct commit *batch, struct change *change)
{
	const struct template_updates *findings = change->templates.findings;
	struct site *site =
		sites_find(batch->sites, slice_of(change->url->host));

	if (site == NULL || site->row.id != change->templates.site)
		return ERR_NOT_FOUND;
	if (site->row.options.threshold != findings->threshold)
		return ERR_BUSY; /* pages are in other clusters now */
	for (size_t i = 0; i < findings->template_count; i++) {
		const struct template_update *found = &findings->templates[i];

		if (found->has_version)
			commit_put_version(batch, site->row.id, found);
		if (found->has_sample)
			put_sample(batch, site->row.id, found);
		template_row_put(batch->txn, site->row.id, found->cluster,
				 &found->row);
	}
	for (size_t i = 0; i < findings->event_count; i++)
		commit_event(batch, site, &findings->events[i]);
	for (size_t i = 0; i < findings->visit_count; i++)
		frontier_make_due(batch->txn, site->row.id, findings->visits[i],
				  batch->now_ms);
	site->row.options.flags &= ~findings->clear_flags;
	site->row.options.flags |= findings->set_flags;
	site->is_changed = true;
	return ERR_NONE;
}
