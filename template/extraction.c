#include "template/extraction.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/hash.h"
#include "extract/choose.h"
#include "extract/extractors.h"
#include "extract/text/fragment.h"
#include "template/classify.h"
#include "template/method_run.h"
#include "template/site_question.h"

/* Return the hashes of all texts of the page: [page->text_count]. */
static const uint64_t *page_text_hashes(const struct page *page)
{
	const struct fragment *fragments = fragments_of_page(page->arena, page);
	uint64_t *hashes = ARENA_ROOM(page->arena, uint64_t, page->text_count);

	for (uint32_t i = 0; i < page->text_count; i++)
		hashes[i] = fragments[i].hash;
	return hashes;
}

bool extraction_needs_counts(const struct text_request *request)
{
	const struct extractor *method = extractor_find(
		request->method == NULL ? DEFAULT_METHOD : request->method);

	return request->format == FORMAT_EXPLAIN ||
	       (method != NULL && reads_counts(method));
}

/*
 * Store the site's data about the page. ERR_BUSY: the known page is no longer
 * stored, or has changed.
 */
static enum error take_in(struct extraction *extraction,
			  struct site_query *question)
{
	const struct page *page = extraction->page;
	struct site_query_result answer = {
		.frequencies =
			ARENA_NEW(page->arena, uint32_t, page->text_count),
	};
	enum error error;

	if (extraction_needs_counts(extraction->request)) {
		question->fragments = page_text_hashes(page);
		question->count = page->text_count;
	}
	error = site_query_run(extraction->site, question, &answer);
	if (error == ERR_NONE && question->known != NULL && !answer.is_there)
		error = ERR_BUSY;
	if (error != ERR_NONE)
		return error;
	extraction->generation = answer.generation;
	extraction->cluster = answer.cluster;
	extraction->changes = answer.changes;
	if (answer.cluster != 0)
		extraction->counts = (struct template_counts){
			answer.page_count, answer.frequencies};
	return ERR_NONE;
}

static void name_cluster(const struct extraction *extraction,
			 struct extraction_result *answer)
{
	const struct site_view *site = extraction->site;

	answer->generation = extraction->generation;
	answer->cluster_pages = extraction->counts.page_count;
	if (extraction->cluster != 0)
		snprintf(answer->cluster, sizeof(answer->cluster), "%.*s/%u",
			 (int)site->host.size, (const char *)site->host.data,
			 extraction->cluster);
}

enum error extraction_of_known(struct extraction *extraction,
			       const struct page *page,
			       const struct known_page *known,
			       struct extraction_result *answer)
{
	enum error error;

	extraction->page = page;
	extraction->http_status = known->http_status;
	error = take_in(extraction, &(struct site_query){.known = known});
	if (error != ERR_NONE)
		return error;
	name_cluster(extraction, answer);
	return method_run(extraction, answer);
}

enum error extraction_of_page(struct extraction *extraction,
			      const struct page *page, unsigned http_status,
			      struct extraction_result *answer)
{
	extraction->page = page;
	extraction->http_status = http_status;
	return method_run(extraction, answer);
}

/* The stored page at the URL of the request. */
struct meeting {
	struct known_page known;
	bool is_known;
	bool is_same; /* its body is the same as the request's, with the same
			 parser input */
};

static struct meeting stored_match_find(const struct site_view *site,
					const struct text_request *request)
{
	struct meeting meeting = {0};
	const struct known_page *known = &meeting.known;
	struct slice body = request->body;

	if (site == NULL || request->url == NULL)
		return meeting;
	meeting.is_known = site_find(site, request->url, &meeting.known);
	meeting.is_same =
		meeting.is_known &&
		(request->charset.size == 0 ||
		 slice_equal(request->charset, known->charset)) &&
		hash64(body.data, body.size, 0) == known->content_hash;
	return meeting;
}

static enum error extraction_parse(const struct text_request *request,
				   const struct meeting *meeting,
				   const struct page_limits *limits,
				   struct page **page_out)
{
	return page_parse(page_out, request->body,
			  meeting->is_same ? meeting->known.charset
					   : request->charset,
			  limits);
}

static struct slice extraction_url_path(const struct text_request *request)
{
	const struct url *url = request->url;

	return slice_of(url == NULL ? NULL : url->text + url->path);
}

/* Extract a page that is not stored with this body. */
static enum error extraction_of_new_page(struct extraction *extraction,
					 const struct page *page,
					 struct extraction_result *answer)
{
	const struct text_request *request = extraction->request;
	const struct site_view *site = extraction->site;
	enum error error = ERR_NONE;

	extraction->page = page;
	if (site != NULL && !page->is_truncated)
		error = take_in(extraction,
				&(struct site_query){
					.own = classify_signature(
						site, page,
						extraction_url_path(request)),
					.url = request->url});
	if (error != ERR_NONE)
		return error;
	if (extraction->cluster != 0)
		name_cluster(extraction, answer);
	return method_run(extraction, answer);
}

enum error extraction_of_body(struct extraction *extraction,
			      struct extraction_result *answer)
{
	const struct text_request *request = extraction->request;
	const struct meeting meeting =
		stored_match_find(extraction->site, request);
	enum error error = extraction_parse(
		request, &meeting, &extraction->rules->limits, &answer->page);

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
			       : extraction_of_new_page(extraction,
							answer->page, answer);
}

static struct cluster_match
extraction_find_cluster(const struct site_view *site, const struct page *page,
			struct slice path)
{
	const struct signature own = classify_signature(site, page, path);
	struct cluster_match classed;

	if (site->source->begin != NULL)
		site->source->begin(site->context);
	classed = classify(site, own);
	if (site->source->end != NULL)
		site->source->end(site->context);
	return classed;
}

enum error extraction_class(const struct site_view *site,
			    const struct text_request *request,
			    const struct page_limits *limits,
			    struct cluster_match *classed_out)
{
	const struct meeting meeting = stored_match_find(site, request);
	struct page *page = NULL;
	enum error error = extraction_parse(request, &meeting, limits, &page);

	*classed_out = (struct cluster_match){0};
	if (error == ERR_NONE && meeting.is_same)
		classed_out->cluster = meeting.known.cluster;
	else if (error == ERR_NONE && site != NULL && !page->is_truncated)
		*classed_out = extraction_find_cluster(
			site, page, extraction_url_path(request));
	page_destroy(page);
	return error;
}
