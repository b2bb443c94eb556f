#include "template/site_question.h"

#include "base/arena.h"
#include "base/sorted.h"
#include "template/classify.h"

static void begin_reading(const struct site_view *site)
{
	if (site->source->begin != NULL)
		site->source->begin(site->context);
}

static void end_reading(const struct site_view *site)
{
	if (site->source->end != NULL)
		site->source->end(site->context);
}

/* Return whether the page is still stored; update its cluster. */
static bool site_query_is_current(const struct site_view *site,
				  struct known_page *known)
{
	return site->source->is_current == NULL ||
	       site->source->is_current(site->context, known);
}

static void site_query_count_fragments(const struct site_view *site,
				       const struct site_query *question,
				       struct site_query_result *answer)
{
	const struct site_source *source = site->source;

	const struct cluster_state state =
		source->state(site->context, answer->cluster);

	answer->page_count = state.page_count;
	answer->changes = state.changes;
	for (uint32_t i = 0; i < question->count; i++)
		answer->frequencies[i] = source->frequency(
			site->context, answer->cluster, question->fragments[i]);
}

/*
 * Count the new page. If a page of the cluster is stored at its URL, exclude
 * the fragments of that page.
 */
static void count_in(const struct site_view *site,
		     const struct site_query *question,
		     struct site_query_result *answer)
{
	struct arena *arena = arena_create();
	const uint64_t *replaced = NULL;
	struct known_page known;
	uint32_t count = 0;

	if (question->url != NULL &&
	    site->source->find_page(site->context, question->url, &known) &&
	    known.cluster == answer->cluster)
		replaced = site->source->fragments(site->context, &known, arena,
						   &count);
	answer->page_count += replaced == NULL;
	for (uint32_t i = 0; i < question->count; i++)
		answer->frequencies[i] +=
			sorted_find(replaced, count, question->fragments[i]) ==
			count;
	arena_destroy(arena);
}

static void answer_known(const struct site_view *site,
			 const struct site_query *question,
			 struct site_query_result *answer)
{
	struct known_page now = *question->known;

	answer->is_there = site_query_is_current(site, &now);
	if (!answer->is_there)
		return;
	answer->cluster = now.cluster;
	if (answer->cluster != 0)
		site_query_count_fragments(site, question, answer);
}

static void site_query_new_page(const struct site_view *site,
				const struct site_query *question,
				struct site_query_result *answer)
{
	answer->cluster = classify(site, question->own).cluster;
	if (answer->cluster == 0)
		return;
	site_query_count_fragments(site, question, answer);
	count_in(site, question, answer);
}

enum error site_query_run(const struct site_view *site,
			  const struct site_query *question,
			  struct site_query_result *answer_out)
{
	uint32_t *frequencies = answer_out->frequencies;

	*answer_out = (struct site_query_result){.frequencies = frequencies};
	if (site->source->answer != NULL)
		return site->source->answer(site->context, question,
					    answer_out);
	begin_reading(site);
	if (question->known != NULL)
		answer_known(site, question, answer_out);
	else
		site_query_new_page(site, question, answer_out);
	end_reading(site);
	answer_out->generation = site->generation;
	return site->source->failure(site->context);
}

bool site_find(const struct site_view *site, const struct url *url,
	       struct known_page *page_out)
{
	bool is_found;

	begin_reading(site);
	is_found = site->source->find_page(site->context, url, page_out);
	end_reading(site);
	return is_found;
}
