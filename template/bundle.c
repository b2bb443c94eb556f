#include "template/bundle.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/memory.h"
#include "extract/methods/ridge_model.h"
#include "template/bundle_parts.h"
#include "template/extraction.h"

const struct bundle_limits bundle_limits_default = {
	.max_bytes = BUNDLE_MAX_BYTES,
	.max_learned = (size_t)64 << 20,
	.max_page_bytes = (size_t)64 << 20,
	.max_page_nodes = 2000000,
};

void bundle_close(struct bundle *bundle)
{
	if (bundle == NULL)
		return;
	bundle_free_models(bundle);
	ridge_model_destroy(bundle->model);
	free(bundle->shingle_ids);
	free(bundle->sets);
	free(bundle->set_shingles.items);
	free(bundle->fragments);
	free(bundle->pages);
	free(bundle->page_fragments.items);
	free(bundle->clusters);
	free(bundle->rows);
	free(bundle->container.sections);
	arena_destroy(bundle->arena);
	buffer_free(&bundle->file);
	free(bundle);
}

static bool bundle_read_one_section(struct bundle *bundle,
				    const struct section *section, char *phrase)
{
	if (section->kind == SECTION_SAMPLES ||
	    section->kind == SECTION_VERSION)
		return bundle_read_cluster(bundle, section, phrase);
	if (section->number == 0)
		return bundle_read_section(bundle, section, phrase);
	snprintf(phrase, BUNDLE_REASON_BYTES, "it belongs to no cluster");
	return false;
}

static enum error bundle_fail(enum error error, const char *text, char *reason)
{
	snprintf(reason, BUNDLE_REASON_BYTES, "bundle: %s", text);
	return error;
}

/*
 * Read the sections in the order of their kinds, so that a section refers only
 * to earlier ones.
 */
static enum error bundle_read_sections(struct bundle *bundle, char *reason)
{
	const struct container *container = &bundle->container;
	char phrase[BUNDLE_REASON_BYTES];
	char name[64];
	bool has_clusters = false;

	for (uint32_t i = 0; i < container->count; i++) {
		const struct section *section = &container->sections[i];

		if (!has_clusters && section->kind > SECTION_PAGES) {
			bundle_make_clusters(bundle);
			has_clusters = true;
		}
		if (bundle_read_one_section(bundle, section, phrase))
			continue;
		section_name(section, name, sizeof(name));
		snprintf(reason, BUNDLE_REASON_BYTES, "bundle: %s: %.180s",
			 name, phrase);
		return ERR_CORRUPT;
	}
	if (!has_clusters)
		bundle_make_clusters(bundle);
	return ERR_NONE;
}

/* Check the consistency of several sections. */
static enum error check_whole(const struct bundle *bundle, char *reason)
{
	const struct page_limits *limits = &bundle->site.limits;

	if (bundle->site.host == NULL)
		return bundle_fail(ERR_CORRUPT, "the section site is missing",
				   reason);
	if (limits->max_bytes > bundle->limits.max_page_bytes ||
	    limits->max_nodes > bundle->limits.max_page_nodes)
		return bundle_fail(
			ERR_TOO_LARGE,
			"its pages may be larger than this program allows",
			reason);
	for (size_t i = 0; i < bundle->set_count; i++)
		if (bundle->sets[i].cluster != 0 &&
		    bundle_cluster(bundle, bundle->sets[i].cluster) == NULL)
			return bundle_fail(
				ERR_CORRUPT,
				"section sets: a cluster has no pages", reason);
	return ERR_NONE;
}

enum error bundle_open(struct bundle **bundle_out, struct buffer *file,
		       const struct bundle_limits *limits, char *reason)
{
	struct bundle *bundle = mem_alloc(1, sizeof(*bundle));
	enum error error;

	bundle->file = *file;
	*file = (struct buffer){0};
	bundle->arena = arena_create();
	bundle->limits = *limits;
	error = container_read(buffer_slice(&bundle->file), limits->max_bytes,
			       &bundle->container, reason);
	if (error == ERR_NONE)
		error = bundle_read_sections(bundle, reason);
	if (error == ERR_NONE)
		error = check_whole(bundle, reason);
	if (error == ERR_NONE) {
		bundle_make_view(bundle);
		*bundle_out = bundle;
		bundle = NULL;
	}
	bundle_close(bundle);
	return error;
}

const struct bundle_site *bundle_site_of(const struct bundle *bundle)
{
	return &bundle->site;
}

size_t bundle_size(const struct bundle *bundle)
{
	return bundle->file.size;
}

uint32_t bundle_page_count(const struct bundle *bundle)
{
	return (uint32_t)bundle->page_count;
}

/* Return whether the page may belong to the site. */
static bool bundle_has_host_of(const struct bundle *bundle,
			       const struct text_request *request)
{
	return request->url == NULL ||
	       slice_equal(slice_of(request->url->host), bundle->view.host);
}

static enum error bundle_extract_page(const struct bundle *bundle,
				      const struct site_view *view,
				      const struct text_request *request,
				      struct extraction_result *answer_out)
{
	const struct site_view *site =
		bundle_has_host_of(bundle, request) ? view : NULL;
	const struct extraction_options rules = {
		.limits = bundle->site.limits,
		.min_cluster_pages = bundle->site.min_cluster_pages,
		.settings = bundle->site.settings,
		.ridges = site == NULL ? NULL : bundle->model,
	};
	struct extraction extraction = {
		.rules = &rules, .request = request, .site = site};

	*answer_out = (struct extraction_result){0};
	return extraction_of_body(&extraction, answer_out);
}

enum error bundle_extract(struct bundle *bundle,
			  const struct text_request *request,
			  struct extraction_result *answer_out)
{
	return bundle_extract_page(bundle, &bundle->view, request, answer_out);
}

enum error bundle_extract_by(const struct bundle *bundle,
			     const struct bundle_learner *learner,
			     const struct text_request *request,
			     struct extraction_result *answer_out)
{
	struct bundle_view seen = {.bundle = bundle->seen.bundle,
				   .learner = learner};
	struct site_view view = bundle->view;

	view.context = &seen;
	return bundle_extract_page(bundle, &view, request, answer_out);
}

enum error bundle_classify(struct bundle *bundle,
			   const struct text_request *request,
			   struct cluster_match *classed_out)
{
	return extraction_class(
		bundle_has_host_of(bundle, request) ? &bundle->view : NULL,
		request, &bundle->site.limits, classed_out);
}
