#include "template/extraction.h"

#include <stdio.h>

#include "extract/text/fragment.h"
#include "store/arena.h"
#include "store/hash.h"
#include "template/classify.h"
#include "template/method_run.h"
#include "template/sorted.h"

/* The document frequency of every text node: [page->text_count]. */
static uint32_t *count_fragments(const struct extraction *extraction,
				 const struct fragment *fragments)
{
	const struct page *page = extraction->page;
	const struct site_view *site = extraction->site;
	uint32_t *counts = ARENA_NEW(page->arena, uint32_t, page->text_count);

	for (uint32_t i = 0; i < page->text_count; i++)
		counts[i] = site->source->frequency(
			site->context, extraction->cluster, fragments[i].hash);
	return counts;
}

/* Take over what the site knows of the page's cluster. */
static void join(struct extraction *extraction, uint32_t cluster,
		 const struct fragment *fragments)
{
	const struct site_view *site = extraction->site;

	extraction->cluster = cluster;
	if (cluster == 0)
		return;
	extraction->counts = (struct template_counts){
		.page_count = site->source->page_count(site->context, cluster),
		.document_frequency = count_fragments(extraction, fragments),
	};
}

static void name_cluster(const struct extraction *extraction,
			 struct text_answer *answer)
{
	const struct site_view *site = extraction->site;

	answer->generation = site->generation;
	answer->cluster_pages = extraction->counts.page_count;
	if (extraction->cluster != 0)
		snprintf(answer->cluster, sizeof(answer->cluster), "%.*s/%u",
			 (int)site->host.size, (const char *)site->host.data,
			 extraction->cluster);
}

/* Go on when the site could be read. */
static enum error finish(const struct extraction *extraction,
			 struct text_answer *answer)
{
	const struct site_view *site = extraction->site;
	enum error error =
		site == NULL ? ERR_NONE : site->source->failure(site->context);

	return error == ERR_NONE ? method_run(extraction, answer) : error;
}

enum error extraction_of_known(struct extraction *extraction,
			       const struct page *page,
			       const struct known_page *known,
			       struct text_answer *answer)
{
	extraction->page = page;
	extraction->http_status = known->http_status;
	join(extraction, known->cluster, fragments_of_page(page->arena, page));
	name_cluster(extraction, answer);
	return finish(extraction, answer);
}

/* Count the page in: `known` is what stands at its URL, or NULL. */
static void count_in(struct extraction *extraction,
		     const struct known_page *known,
		     const struct fragment *fragments)
{
	const struct site_view *site = extraction->site;
	const struct page *page = extraction->page;
	uint32_t *frequencies =
		ARENA_NEW(page->arena, uint32_t, page->text_count);
	const uint32_t *found = extraction->counts.document_frequency;
	const uint64_t *old = NULL;
	uint32_t old_count = 0;

	if (known != NULL && known->cluster == extraction->cluster)
		old = site->source->fragments(site->context, known, page->arena,
					      &old_count);
	if (old == NULL)
		extraction->counts.page_count++;
	for (uint32_t i = 0; i < page->text_count; i++)
		frequencies[i] = found[i] +
				 (sorted_find(old, old_count,
					      fragments[i].hash) == old_count);
	extraction->counts.document_frequency = frequencies;
}

/* What the site has at the URL of the request. */
struct meeting {
	struct known_page known;
	bool is_known;
	bool is_same; /* that very page, to be read in the same way */
};

static struct meeting meet(const struct site_view *site,
			   const struct text_request *request)
{
	struct meeting meeting = {0};
	const struct known_page *known = &meeting.known;
	struct slice body = request->body;

	if (site == NULL || request->url == NULL)
		return meeting;
	meeting.is_known = site->source->find_page(site->context, request->url,
						   &meeting.known);
	meeting.is_same =
		meeting.is_known &&
		(request->charset.size == 0 ||
		 slice_equal(request->charset, known->charset)) &&
		hash64(body.data, body.size, 0) == known->content_hash;
	return meeting;
}

static enum error parse(const struct text_request *request,
			const struct meeting *meeting,
			const struct page_limits *limits,
			struct page **page_out)
{
	return page_parse(page_out, request->body,
			  meeting->is_same ? meeting->known.charset
					   : request->charset,
			  limits);
}

static struct classed class_of(const struct site_view *site,
			       const struct text_request *request,
			       const struct meeting *meeting,
			       const struct page *page)
{
	const struct url *url = request->url;
	const char *path = url == NULL ? NULL : url->text + url->path;

	if (meeting->is_same)
		return (struct classed){.cluster = meeting->known.cluster};
	if (site == NULL || page->is_truncated)
		return (struct classed){0};
	return classify(site, page, slice_of(path));
}

/* A page that is not known as it is. */
static enum error answer_new(struct extraction *extraction,
			     const struct meeting *meeting,
			     const struct page *page,
			     struct text_answer *answer)
{
	struct classed classed =
		class_of(extraction->site, extraction->request, meeting, page);
	const struct fragment *fragments;

	extraction->page = page;
	if (classed.cluster != 0) {
		fragments = fragments_of_page(page->arena, page);
		join(extraction, classed.cluster, fragments);
		count_in(extraction, meeting->is_known ? &meeting->known : NULL,
			 fragments);
		name_cluster(extraction, answer);
	}
	return finish(extraction, answer);
}

enum error extraction_of_body(struct extraction *extraction,
			      struct text_answer *answer)
{
	const struct text_request *request = extraction->request;
	const struct meeting meeting = meet(extraction->site, request);
	enum error error = parse(request, &meeting, &extraction->rules->limits,
				 &answer->page);

	if (request->url != NULL)
		snprintf(answer->url, sizeof(answer->url), "%s",
			 request->url->text);
	if (error != ERR_NONE) {
		snprintf(answer->reason, sizeof(answer->reason), "the page: %s",
			 error_text(error));
		return error;
	}
	return meeting.is_same
		       ? extraction_of_known(extraction, answer->page,
					     &meeting.known, answer)
		       : answer_new(extraction, &meeting, answer->page, answer);
}

enum error extraction_class(const struct site_view *site,
			    const struct text_request *request,
			    const struct page_limits *limits,
			    struct classed *classed_out)
{
	const struct meeting meeting = meet(site, request);
	struct page *page = NULL;
	enum error error = parse(request, &meeting, limits, &page);

	*classed_out = (struct classed){0};
	if (error == ERR_NONE)
		*classed_out = class_of(site, request, &meeting, page);
	page_destroy(page);
	return error;
}
