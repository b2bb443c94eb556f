#include "template/extraction.h"

#include <stdio.h>

#include "extract/text/fragment.h"
#include "store/arena.h"
#include "store/hash.h"
#include "template/classify.h"
#include "template/method_run.h"
#include "template/sorted.h"

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

/* Set the counts and the template of the page's cluster. */
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

/* Does the page stand there still? Its cluster is that of now, then. */
static bool is_current(const struct site_view *site, struct known_page *known)
{
	return site->source->is_current == NULL ||
	       site->source->is_current(site->context, known);
}

enum error extraction_of_known(struct extraction *extraction,
			       const struct page *page,
			       const struct known_page *known,
			       struct text_answer *answer)
{
	const struct fragment *fragments = fragments_of_page(page->arena, page);
	const struct site_view *site = extraction->site;
	struct known_page now = *known;
	bool is_there;
	enum error error;

	extraction->page = page;
	extraction->http_status = known->http_status;
	begin_reading(site);
	is_there = is_current(site, &now);
	if (is_there)
		join(extraction, now.cluster, fragments);
	end_reading(site);
	error = site->source->failure(site->context);
	if (error == ERR_NONE && !is_there)
		error = ERR_BUSY;
	if (error != ERR_NONE)
		return error;
	name_cluster(extraction, answer);
	return method_run(extraction, answer);
}

/* The fragments of what stands at the URL of a new page, when that is one of
 * its cluster: the new one comes in its place. */
struct replaced {
	const uint64_t *fragments; /* [count], or NULL */
	uint32_t count;
};

static struct replaced find_replaced(const struct extraction *extraction)
{
	const struct text_request *request = extraction->request;
	const struct site_view *site = extraction->site;
	struct replaced replaced = {0};
	struct known_page known;

	if (request->url != NULL &&
	    site->source->find_page(site->context, request->url, &known) &&
	    known.cluster == extraction->cluster)
		replaced.fragments = site->source->fragments(
			site->context, &known, extraction->page->arena,
			&replaced.count);
	return replaced;
}

static void count_in(struct extraction *extraction,
		     const struct replaced *replaced,
		     const struct fragment *fragments)
{
	const struct page *page = extraction->page;
	uint32_t *frequencies =
		ARENA_NEW(page->arena, uint32_t, page->text_count);
	const uint32_t *found = extraction->counts.document_frequency;

	if (replaced->fragments == NULL)
		extraction->counts.page_count++;
	for (uint32_t i = 0; i < page->text_count; i++)
		frequencies[i] =
			found[i] +
			(sorted_find(replaced->fragments, replaced->count,
				     fragments[i].hash) == replaced->count);
	extraction->counts.document_frequency = frequencies;
}

/* The stored page at the URL of the request. */
struct meeting {
	struct known_page known;
	bool is_known;
	bool is_same; /* its body is that of the request, and is parsed in the
			 same way */
};

static struct meeting meet(const struct site_view *site,
			   const struct text_request *request)
{
	struct meeting meeting = {0};
	const struct known_page *known = &meeting.known;
	struct slice body = request->body;

	if (site == NULL || request->url == NULL)
		return meeting;
	begin_reading(site);
	meeting.is_known = site->source->find_page(site->context, request->url,
						   &meeting.known);
	end_reading(site);
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

static struct slice path_of(const struct text_request *request)
{
	const struct url *url = request->url;

	return slice_of(url == NULL ? NULL : url->text + url->path);
}

/* Class the page, and read all that its site knows of it. */
static void take_in(struct extraction *extraction)
{
	const struct page *page = extraction->page;
	const struct site_view *site = extraction->site;
	const struct signature own =
		classify_signature(site, page, path_of(extraction->request));
	const struct fragment *fragments = fragments_of_page(page->arena, page);
	struct replaced replaced = {0};

	begin_reading(site);
	join(extraction, classify(site, own).cluster, fragments);
	if (extraction->cluster != 0)
		replaced = find_replaced(extraction);
	end_reading(site);
	if (extraction->cluster != 0)
		count_in(extraction, &replaced, fragments);
}

/* Answer a page that is not stored with this body. */
static enum error answer_new(struct extraction *extraction,
			     const struct page *page,
			     struct text_answer *answer)
{
	const struct site_view *site = extraction->site;
	enum error error = ERR_NONE;

	extraction->page = page;
	if (site != NULL && !page->is_truncated)
		take_in(extraction);
	if (site != NULL)
		error = site->source->failure(site->context);
	if (error != ERR_NONE)
		return error;
	if (extraction->cluster != 0)
		name_cluster(extraction, answer);
	return method_run(extraction, answer);
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
	return meeting.is_same ? extraction_of_known(extraction, answer->page,
						     &meeting.known, answer)
			       : answer_new(extraction, answer->page, answer);
}

static struct classed class_of(const struct site_view *site,
			       const struct page *page, struct slice path)
{
	const struct signature own = classify_signature(site, page, path);
	struct classed classed;

	begin_reading(site);
	classed = classify(site, own);
	end_reading(site);
	return classed;
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
	if (error == ERR_NONE && meeting.is_same)
		classed_out->cluster = meeting.known.cluster;
	else if (error == ERR_NONE && site != NULL && !page->is_truncated)
		*classed_out = class_of(site, page, path_of(request));
	page_destroy(page);
	return error;
}
