#include "base/arena.h"
#include "base/lower_bound.h"
#include "store/key.h"

#include <assert.h>

#include "base/sorted.h"
#include "template/bundle_parts.h"

static const struct bundle *bundle_of(const void *context)
{
	const struct bundle_view *seen = context;

	return seen->bundle;
}

static size_t bundle_view_find_shingles(void *context, struct signature own,
					uint32_t *shingles_out)
{
	const struct bundle *bundle = bundle_of(context);
	size_t count = 0;

	for (size_t i = 0; i < own.count; i++) {
		size_t shingle_id =
			sorted_find(bundle->shingle_ids, bundle->shingle_count,
				    own.shingles[i]);

		if (shingle_id < bundle->shingle_count)
			shingles_out[count++] = (uint32_t)shingle_id;
	}
	return count;
}

static void bundle_view_each_signature(
	void *context,
	void (*visit)(void *visitor, const struct site_signature *set),
	void *visitor)
{
	const struct bundle *bundle = bundle_of(context);

	for (size_t i = 0; i < bundle->set_count; i++) {
		const struct bundle_set *set = &bundle->sets[i];

		visit(visitor,
		      &(struct site_signature){
			      .number = (uint32_t)i,
			      .shingle_ids =
				      bundle->set_shingles.items + set->first,
			      .count = set->count,
		      });
	}
}

static uint32_t bundle_view_cluster_of(void *context, uint32_t set)
{
	const struct bundle *bundle = bundle_of(context);

	assert(set < bundle->set_count);
	return bundle->sets[set].cluster;
}

/* A bundle never changes. */
static struct cluster_state bundle_view_cluster_state(void *context,
						      uint32_t cluster)
{
	const struct bundle_cluster *row =
		bundle_cluster(bundle_of(context), cluster);

	return (struct cluster_state){
		.page_count = row == NULL ? 0 : row->page_count};
}

static uint32_t bundle_view_frequency(void *context, uint32_t cluster,
				      uint64_t fragment)
{
	const struct bundle *bundle = bundle_of(context);
	const struct bundle_cluster *row = bundle_cluster(bundle, cluster);
	size_t wanted = sorted_find(bundle->fragments, bundle->fragment_count,
				    fragment);
	const struct frequency_row *rows;
	size_t at;

	if (row == NULL || wanted == bundle->fragment_count)
		return 0;
	rows = bundle->rows + row->first_row;
	LOWER_BOUND(at, row->row_count, rows[at].fragment < wanted);
	return at < row->row_count && rows[at].fragment == wanted
		       ? rows[at].count
		       : 0;
}

/* Return the page with this key, or NULL. */
static const struct bundle_page *bundle_view_page(const struct bundle *bundle,
						  uint64_t key)
{
	size_t at;

	LOWER_BOUND(at, bundle->page_count, bundle->pages[at].known.key < key);
	return at < bundle->page_count && bundle->pages[at].known.key == key
		       ? &bundle->pages[at]
		       : NULL;
}

static bool bundle_view_find_page(void *context, const struct url *url,
				  struct known_page *page_out)
{
	const struct bundle_page *page = bundle_view_page(
		bundle_of(context), page_key_of(slice_of(url->text)));

	if (page != NULL)
		*page_out = page->known;
	return page != NULL;
}

static const uint64_t *bundle_view_fragments(void *context,
					     const struct known_page *known,
					     struct arena *arena,
					     uint32_t *count_out)
{
	const struct bundle *bundle = bundle_of(context);
	const struct bundle_page *page = bundle_view_page(bundle, known->key);
	uint64_t *hashes;

	if (page == NULL)
		return NULL;
	hashes = ARENA_NEW(arena, uint64_t, page->count);
	for (uint32_t i = 0; i < page->count; i++)
		hashes[i] = bundle->fragments[bundle->page_fragments
						      .items[page->first + i]];
	*count_out = page->count;
	return hashes;
}

static struct template_model
bundle_view_build_model(void *context, uint32_t cluster, uint32_t changes,
			const struct extractor *extractor,
			const double *parameters)
{
	const struct bundle_view *seen = context;
	const struct bundle_learner *learner = seen->learner;

	(void)changes;
	return learner == NULL ? bundle_learn(seen->bundle, cluster, extractor,
					      parameters)
			       : learner->learn(learner->context, cluster,
						extractor, parameters);
}

/* The bundle owns its template models. */
static void bundle_view_release_model(void *context,
				      struct template_model taught)
{
	const struct bundle_view *seen = context;

	if (seen->learner != NULL)
		seen->learner->release(seen->learner->context, taught);
}

/* Never fails: the bundle was checked when it was opened. */
static enum error bundle_view_failure(const void *context)
{
	(void)context;
	return ERR_NONE;
}

void bundle_make_view(struct bundle *bundle)
{
	static const struct site_source source = {
		.find_shingles = bundle_view_find_shingles,
		.each_set = bundle_view_each_signature,
		.cluster_of = bundle_view_cluster_of,
		.state = bundle_view_cluster_state,
		.frequency = bundle_view_frequency,
		.find_page = bundle_view_find_page,
		.fragments = bundle_view_fragments,
		.learn = bundle_view_build_model,
		.release = bundle_view_release_model,
		.failure = bundle_view_failure,
	};

	bundle->seen = (struct bundle_view){.bundle = bundle};
	bundle->view = (struct site_view){
		.host = slice_of(bundle->site.host),
		.measure = bundle->site.measure,
		.width = bundle->site.width,
		.threshold = bundle->site.threshold,
		.generation = bundle->site.generation,
		.source = &source,
		.context = &bundle->seen,
	};
}
