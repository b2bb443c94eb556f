#include "template/extraction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "extract/auto/auto.h"
#include "extract/core/trace.h"
#include "extract/explain/explain.h"
#include "extract/extractors.h"
#include "extract/methods/ridge.h"
#include "extract/render/render.h"
#include "extract/render/table.h"
#include "extract/text/fragment.h"
#include "template/request.h"

enum {
	REACH_FACTOR = 2,
	MAX_REACH = 500, /* permille; pages with a larger distance have little
			    in common */
	PERMILLE = 1000,
};

/*
 * Return the largest distance (permille) at which a new page can belong to a
 * cluster. Two linked pages of a cluster are not farther apart than the
 * threshold. But possibly the pages that would link the new page to its cluster
 * were not visited yet, so the page may be farther away.
 */
static unsigned reach_of(const struct site_view *site)
{
	unsigned reach = site->threshold * REACH_FACTOR;

	if (reach > MAX_REACH)
		reach = MAX_REACH;
	return reach > site->threshold ? reach : site->threshold;
}

/*
 * A search for the nearest set, and the nearest one until now. The similarity
 * of a set is common / larger.
 */
struct nearest_search {
	bool *is_own; /* [limit], by number of the shingle: whether the page has
			 it */
	size_t limit;
	struct found_shingles found;
	unsigned reach;
	uint32_t set;
	size_t common;
	size_t larger;
	bool is_found;
};

/*
 * Return whether a set is in reach and nearer than the nearest one until now.
 * `common` is the number of units that it has in common with the page; `larger`
 * is the number of units of the larger set.
 */
static bool nearest_search_is_nearer(const struct nearest_search *search,
				     size_t larger, size_t common)
{
	return signature_height(larger, common) <= search->reach &&
	       (!search->is_found ||
		common * search->larger > search->common * larger);
}

/* The units of a set, and those that it has in common with the page. */
struct set_units {
	size_t all;
	size_t common;
};

static struct set_units count_units(const struct nearest_search *search,
				    const struct site_signature *set)
{
	const uint32_t *units_of = search->found.units_of;
	struct set_units units = {set->count, 0};

	for (size_t i = 0; units_of == NULL && i < set->count &&
			   set->shingle_ids[i] < search->limit;
	     i++)
		units.common += search->is_own[set->shingle_ids[i]];
	if (units_of == NULL)
		return units;
	units.all = 0;
	for (size_t i = 0; i < set->count; i++) {
		uint32_t id = set->shingle_ids[i];

		units.all += units_of[id];
		if (id < search->limit && search->is_own[id])
			units.common += units_of[id];
	}
	return units;
}

static void nearest_search_visit(void *visitor,
				 const struct site_signature *set)
{
	struct nearest_search *search = visitor;
	size_t own = search->found.units;
	size_t larger = set->count > own ? set->count : own;
	struct set_units units;

	/* without weights, the sizes alone exclude most sets */
	if (search->found.units_of == NULL &&
	    !nearest_search_is_nearer(search, larger,
				      set->count < search->found.count
					      ? set->count
					      : search->found.count))
		return;
	units = count_units(search, set);
	larger = units.all > own ? units.all : own;
	if (!nearest_search_is_nearer(search, larger, units.common))
		return;
	search->set = set->number;
	search->common = units.common;
	search->larger = larger;
	search->is_found = true;
}

/* Set search->is_own for the shingles of the site that `own` contains. */
static void nearest_search_mark_shingles(const struct site_view *site,
					 struct signature own,
					 struct nearest_search *search)
{
	uint32_t *shingle_ids = mem_alloc(own.count + 1, sizeof(*shingle_ids));

	search->found =
		site->source->find_shingles(site->context, own, shingle_ids);
	if (search->found.count > 0)
		search->limit =
			(size_t)shingle_ids[search->found.count - 1] + 1;
	search->is_own = mem_alloc(search->limit + 1, sizeof(bool));
	for (size_t i = 0; i < search->found.count; i++)
		search->is_own[shingle_ids[i]] = true;
	free(shingle_ids);
}

/*
 * Compute the signature of a page for classify(), in the arena of the page.
 * `path` is the path of its URL, or empty if it is unknown.
 */
static struct signature classify_signature(const struct site_view *site,
					   const struct page *page,
					   struct slice path)
{
	const struct signature_rule rule = {
		.measure = site->measure, .width = site->width, .path = path};

	return signature_compute(page->arena, page, rule);
}

struct cluster_match classify(const struct site_view *site,
			      struct signature own)
{
	struct nearest_search search = {.reach = reach_of(site)};
	struct cluster_match classed = {.reach = (double)search.reach /
						 PERMILLE};

	nearest_search_mark_shingles(site, own, &search);
	site->source->each_set(site->context, nearest_search_visit, &search);
	free(search.is_own);
	if (!search.is_found)
		return classed;
	classed.cluster = site->source->cluster_of(site->context, search.set);
	if (search.larger > 0)
		classed.distance = (double)(search.larger - search.common) /
				   (double)search.larger;
	return classed;
}

static void page_titles_add(struct arena *arena, struct page_titles *titles,
			    struct slice title)
{
	if (title.size > 0 && title.size <= MAX_PAGE_TITLE &&
	    titles->count < MAX_PAGE_TITLES)
		titles->items[titles->count++] = arena_slice(arena, title);
}

/* Copy the titles of the model, because it is released before the page. */
static const struct page_titles *
model_titles_copy(struct arena *arena, const struct model_data *data)
{
	struct page_titles *titles = ARENA_NEW(arena, struct page_titles, 1);

	for (size_t i = 0; i < data->titles.count; i++)
		page_titles_add(arena, titles, data->titles.items[i]);
	return titles;
}

const struct model_data *
template_model_of_sample(const struct extractor *extractor,
			 const double *parameters, const struct sample *sample,
			 struct arena *arena)
{
	struct model_data *data = ARENA_NEW(arena, struct model_data, 1);

	data->knowledge = extractor->learn(
		sample, extractor->learned_parameters > 0 ? parameters : NULL,
		arena);
	for (uint32_t i = 0; i < sample->count; i++)
		page_titles_add(arena, &data->titles, sample->pages[i]->title);
	return data;
}

const struct model_data *template_model_build(const struct extractor *extractor,
					      const double *parameters,
					      struct page **pages,
					      uint32_t count,
					      struct arena *arena)
{
	const struct sample sample = {
		.pages = (const struct page *const *)pages,
		.count = count,
	};
	const struct model_data *data =
		template_model_of_sample(extractor, parameters, &sample, arena);

	for (uint32_t i = 0; i < count; i++)
		page_destroy(pages[i]);
	return data;
}

static void result_explain(const struct extraction *extraction,
			   const struct extractor *extractor,
			   const struct extractor_input *input,
			   const struct verdict *verdicts,
			   struct extraction_result *answer)
{
	char reason[sizeof(answer->reason) + 64];
	int size = snprintf(reason, sizeof(reason), "%s; quality %s",
			    answer->reason, text_quality_name(answer->quality));

	if (!isnan(answer->confidence))
		snprintf(reason + size, sizeof(reason) - (size_t)size,
			 ", confidence %.2f", (double)answer->confidence);
	render_explanation(
		extraction->page, verdicts, input->trace,
		&(struct explanation){
			.extractor = extractor,
			.parameters = input->parameters,
			.reason = reason,
			.url = answer->url,
			.cluster = answer->cluster,
			.template_counts = extraction->counts.page_count == 0
						   ? NULL
						   : &extraction->counts,
		},
		&answer->text);
}

/* Parse the URL of the page; return NULL if the page has none. */
static const struct url *result_page_url(const struct extraction_result *answer,
					 struct url *url_out)
{
	if (url_parse(url_out, slice_of(answer->url), NULL) != ERR_NONE ||
	    slice_equal(slice_of(url_out->host), slice_of(OFFLINE_HOST)))
		return NULL;
	return url_out;
}

/*
 * Make an address absolute. Do not change it if it is empty, or the URL of the
 * page is unknown.
 */
static void metadatum_make_absolute(struct metadatum *address,
				    const struct page *page,
				    const struct base_address *base)
{
	struct buffer absolute = {0};

	if (address->value.size > 0 && base->is_known &&
	    absolute_append(base, address->value, &absolute))
		address->value = (struct slice){
			arena_copy(page->arena, absolute.data, absolute.size),
			absolute.size};
	buffer_free(&absolute);
}

/*
 * Return whether the text is an address, such as "/terms"; "CC BY 4.0" is not
 * an address.
 */
static bool metadatum_is_address(struct slice text)
{
	return text.size > 0 && memchr(text.data, '/', text.size) != NULL &&
	       memchr(text.data, ' ', text.size) == NULL;
}

void result_read_metadata(struct extraction_result *answer)
{
	const struct page *page = answer->page;
	struct url own;
	const struct url *url = result_page_url(answer, &own);
	const struct base_address base = base_of_page(page, url);

	answer->metadata = metadata_read(
		page->arena, page, slice_of(url == NULL ? NULL : url->text),
		answer->titles);
	metadatum_make_absolute(&answer->metadata.image, page, &base);
	metadatum_make_absolute(&answer->metadata.canonical, page, &base);
	metadatum_make_absolute(&answer->metadata.favicon, page, &base);
	if (metadatum_is_address(answer->metadata.licence.value))
		metadatum_make_absolute(&answer->metadata.licence, page, &base);
}

bool result_is_citable(struct extraction_result *answer)
{
	const struct metadata *metadata = &answer->metadata;
	struct url own;

	if (answer->page == NULL)
		return answer->is_citable;
	if (metadata->title.source == NULL)
		result_read_metadata(answer);
	return metadata->title.source != NULL &&
	       metadata->published.source != NULL &&
	       (result_page_url(answer, &own) != NULL ||
		metadata->canonical.source != NULL);
}

/* Set the document of the result; `text` is the content as TXT. */
static void result_set_document(struct extraction_result *answer,
				struct slice text,
				const struct base_address *base)
{
	answer->blocks = content_blocks_make(answer->page->arena, answer->page,
					     answer->verdicts);
	answer->document = document_make(answer, text, answer->extras, base);
}

void result_compute_document(struct extraction_result *answer)
{
	struct url own;
	const struct base_address base =
		base_of_page(answer->page, result_page_url(answer, &own));
	struct buffer text = {0};

	result_read_metadata(answer);
	render_text(answer->page, answer->verdicts, &text);
	result_set_document(answer, buffer_slice(&text), &base);
	buffer_free(&text);
}

static void lay_out(const struct extraction *extraction,
		    const struct verdict *verdicts,
		    struct extraction_result *answer)
{
	const struct page *page = extraction->page;
	enum format format = extraction->request->format;
	bool is_preceded = format == FORMAT_MD &&
			   (answer->extras & EXTRA_FRONT_MATTER) != 0;
	bool is_headed = (format == FORMAT_MD || format == FORMAT_HTML) &&
			 !is_preceded && (answer->extras & EXTRA_NO_TITLE) == 0;
	struct url own;
	const struct url *url = result_page_url(answer, &own);
	const struct base_address base = base_of_page(page, url);
	struct render_request request = {
		.page = page,
		.verdicts = verdicts,
		.resolve = base.is_known ? absolute_append : NULL,
		.resolve_context = &base,
		.metadata = &answer->metadata,
		.url = slice_of(url == NULL ? NULL : url->text),
	};

	if (format == FORMAT_JSON || format == FORMAT_XML || is_preceded)
		result_read_metadata(answer);
	if (is_preceded)
		front_matter_append(answer, &answer->text);
	if (is_headed && heading_is_missing(&request)) {
		request.title =
			metadata_read_title(page->arena, page, request.url)
				.value;
		if (!title_is_missing(&request, request.title))
			request.title = slice_of("");
	}
	render(format, &request, &answer->text);
	if (format == FORMAT_JSON)
		result_set_document(answer, buffer_slice(&answer->text), &base);
}

/*
 * Write the text of the result. `input` contains the parameters, the template
 * and the trace of the method.
 */
static void result_present(const struct extraction *extraction,
			   const struct extractor *extractor,
			   const struct extractor_input *input,
			   const struct verdict *verdicts,
			   struct extraction_result *answer)
{
	if (extraction->request->format == FORMAT_EXPLAIN)
		result_explain(extraction, extractor, input, verdicts, answer);
	else if (extraction->request->format == FORMAT_COPY)
		page_copy(extraction->page, verdicts, answer->url,
			  &answer->text);
	else
		lay_out(extraction, verdicts, answer);
}

/* The inputs of a method except the page. */
struct tools {
	double parameters[MAX_PARAMETERS];
	struct selection selection;
	struct ridge_model *own; /* the ridge model of the site */
	struct template_model taught;
};

/*
 * Set the parameters of the method that runs. The parameters of the request
 * apply only to the method that the request names. If another method runs
 * instead, it gets only the parameters of the settings and of the preference.
 */
static bool take_parameters(const struct extraction *extraction,
			    const struct method_selection *choice,
			    double *parameters, char *error_out)
{
	const char *settings = extraction->rules->settings;
	struct text_request request = *extraction->request;

	if (!request_parameters(&request, choice->named, settings, parameters,
				error_out))
		return false;
	if (choice->named == choice->extractor)
		return true;
	request.parameters = NULL;
	return request_parameters(&request, choice->extractor, settings,
				  parameters, error_out);
}

/*
 * Prepare the inputs in *tools_out. The caller must release them, even if this
 * function fails.
 */
static enum error take_tools(const struct extraction *extraction,
			     const struct method_selection *choice,
			     struct extraction_result *answer,
			     struct tools *tools_out)
{
	const struct text_request *request = extraction->request;
	const struct site_view *site = extraction->site;
	enum error error = ERR_NONE;

	*tools_out = (struct tools){0};
	if (!take_parameters(extraction, choice, tools_out->parameters,
			     answer->reason) ||
	    !request_selection(request, extraction->page->arena,
			       &tools_out->selection, answer->reason))
		return ERR_MALFORMED;
	if (choice->extractor->reads_ridges && extraction->load_model != NULL)
		error = extraction->load_model(extraction->load_context,
					       extraction->rules, request,
					       &tools_out->own, answer);
	if (error != ERR_NONE || !choice->has_template ||
	    !extractor_builds_model(choice->extractor))
		return error;
	tools_out->taught = site->source->learn(
		site->context, extraction->cluster, extraction->changes,
		choice->extractor, tools_out->parameters);
	error = tools_out->taught.error;
	if (error == ERR_BODY_EXPIRED)
		snprintf(answer->reason, sizeof(answer->reason),
			 "%s needs pages of the cluster, but no body is "
			 "stored: see retention.bodies_age, "
			 "retention.bodies_count and retention.bodies_bytes",
			 choice->extractor->name);
	return error;
}

/*
 * Apply the selectors of the request to the texts that the method has selected.
 */
static void select_texts(const struct extraction *extraction,
			 const struct selection *asked,
			 const struct extractor_input *input,
			 struct verdict *verdicts,
			 struct extraction_result *answer)
{
	const struct text_request *request = extraction->request;
	const struct page *page = extraction->page;
	struct selection selection = *asked;

	if (request_separates_comments(request))
		answer->comments = auto_comments(page->arena, page);
	selection.apart = answer->comments;
	selection_apply(&selection, page, verdicts, input->trace);
	if ((request->extras & EXTRA_NO_TABLES) != 0)
		tables_leave_out(page->arena, page, verdicts);
}

/*
 * Run the method, apply the selectors of the request to the selected texts, and
 * write the text of the result.
 */
static void method_run_extract(const struct extraction *extraction,
			       const struct method_selection *choice,
			       const struct tools *tools,
			       struct extraction_result *answer)
{
	const struct page *page = extraction->page;
	const struct model_data *data = tools->taught.data;
	struct assessment assessment = {.confidence = NAN};
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);
	struct extractor_input input = {
		.page = page,
		.template_counts =
			choice->has_template ? &extraction->counts : NULL,
		.learned = data == NULL ? NULL : data->knowledge,
		.prepared = extraction->prepared,
		.ridges = tools->own == NULL ? extraction->rules->ridges
					     : tools->own,
		.parameters = tools->parameters,
		.arena = page->arena,
		.assessment = &assessment,
	};

	if (extraction->request->format == FORMAT_EXPLAIN)
		input.trace = trace_create(page->arena, page->text_count);
	choice->extractor->run(&input, verdicts);
	select_texts(extraction, &tools->selection, &input, verdicts, answer);
	answer->verdicts = verdicts;
	if (data != NULL)
		answer->titles = model_titles_copy(page->arena, data);
	answer->is_truncated = page->is_truncated;
	answer->extras = extraction->request->extras;
	answer->has_template = choice->has_template;
	answer->preference = extraction->request->preference;
	answer->confidence = assessment.confidence;
	answer->quality = text_quality_of(page, verdicts, assessment.is_unsure,
					  extraction->http_status);
	result_present(extraction, choice->extractor, &input, verdicts, answer);
}

/*
 * Set the method, reason, text and metadata of the result; its cluster and
 * generation must be set. ERR_NOT_FOUND: no such method; ERR_ADDRESS_FORBIDDEN:
 * the method needs a template; ERR_MALFORMED: parameters or model are invalid;
 * errors of struct template_model.
 */
static enum error method_run(const struct extraction *extraction,
			     struct extraction_result *answer)
{
	struct method_selection choice = {0};
	struct tools tools = {0};
	enum error error = method_select(
		extraction->request->method, extraction->counts.page_count,
		extraction->rules->min_cluster_pages, &choice);

	snprintf(answer->reason, sizeof(answer->reason), "%s", choice.reason);
	if (error != ERR_NONE)
		return error;
	snprintf(answer->method, sizeof(answer->method), "%s",
		 choice.extractor->name);
	error = take_tools(extraction, &choice, answer, &tools);
	if (error == ERR_NONE)
		method_run_extract(extraction, &choice, &tools, answer);
	if (tools.taught.holder != NULL)
		extraction->site->source->release(extraction->site->context,
						  tools.taught);
	ridge_model_destroy(tools.own);
	return error;
}

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
 * Count the new page as a page of its cluster. If the cluster already contains
 * a page with the same URL, the new page replaces it, so subtract the fragments
 * of that page.
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

	answer->is_there = site->source->is_current == NULL ||
			   site->source->is_current(site->context, &now);
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

bool extraction_needs_counts(const struct text_request *request)
{
	const struct extractor *method = extractor_find(
		request->method == NULL ? DEFAULT_METHOD : request->method);

	return request->format == FORMAT_EXPLAIN ||
	       (method != NULL && reads_counts(method));
}

/*
 * Set the fields of `extraction` that come from the site. ERR_BUSY: the known
 * page is no longer stored, or has changed.
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
		const struct fragment *fragments =
			fragments_of_page(page->arena, page);
		uint64_t *hashes =
			ARENA_ROOM(page->arena, uint64_t, page->text_count);

		for (uint32_t i = 0; i < page->text_count; i++)
			hashes[i] = fragments[i].hash;
		question->fragments = hashes;
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

/* The stored page with the URL of the request. */
struct meeting {
	struct known_page known;
	bool is_known;
	bool is_same; /* its body is that of the request; so is its charset if
			 the request has one */
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
	enum error error = page_parse(page_out, request->body,
				      meeting->is_same ? meeting->known.charset
						       : request->charset,
				      limits);

	if (error == ERR_NONE && request->url != NULL &&
	    !slice_equal(slice_of(request->url->host), slice_of(OFFLINE_HOST)))
		page_set_url(*page_out, slice_of(request->url->text));
	return error;
}

static struct slice extraction_url_path(const struct text_request *request)
{
	const struct url *url = request->url;

	return slice_of(url == NULL ? NULL : url->text + url->path);
}

/* Extract a page whose body is not the stored one. */
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
			    struct page **page_out,
			    struct cluster_match *classed_out)
{
	const struct meeting meeting = stored_match_find(site, request);
	enum error error;

	*page_out = NULL;
	error = extraction_parse(request, &meeting, limits, page_out);
	*classed_out = (struct cluster_match){0};
	if (error == ERR_NONE && meeting.is_same)
		classed_out->cluster = meeting.known.cluster;
	else if (error == ERR_NONE && site != NULL &&
		 !(*page_out)->is_truncated)
		*classed_out = extraction_find_cluster(
			site, *page_out, extraction_url_path(request));
	return error;
}
