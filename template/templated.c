/* libtemplated: bundles, and the template of a page. */
#include "template/templated.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/file.h"
#include "base/memory.h"
#include "template/json_value.h"
#include "template/templated_parts.h"

const char *templated_version(void)
{
	return TEMPLATED_VERSION;
}

/* Return the public code of `error`. */
static enum templated_code code_of(enum error error)
{
	switch (error) {
	case ERR_NONE:
		return TEMPLATED_OK;
	case ERR_NOT_FOUND:
		return TEMPLATED_NOT_FOUND;
	case ERR_TOO_LARGE:
		return TEMPLATED_TOO_LARGE;
	case ERR_CORRUPT:
		return TEMPLATED_CORRUPT;
	case ERR_VERSION:
		return TEMPLATED_OTHER_FORMAT;
	case ERR_NOT_HTML:
		return TEMPLATED_NOT_HTML;
	case ERR_ADDRESS_FORBIDDEN:
		return TEMPLATED_NO_TEMPLATE;
	case ERR_IO:
		return TEMPLATED_IO;
	default:
		return TEMPLATED_MALFORMED;
	}
}

void templated_set_error(struct templated_error *error_out, enum error error,
			 const char *message)
{
	if (error_out == NULL)
		return;
	error_out->code = code_of(error);
	snprintf(error_out->message, sizeof(error_out->message), "%s", message);
}

static struct bundle_limits limits_of(const struct templated_limits *given)
{
	struct bundle_limits limits = bundle_limits_default;

	if (given == NULL)
		return limits;
	if (given->max_unpacked_bytes != 0)
		limits.max_bytes = given->max_unpacked_bytes;
	if (given->max_page_bytes != 0)
		limits.max_page_bytes = given->max_page_bytes;
	if (given->max_page_nodes != 0)
		limits.max_page_nodes =
			given->max_page_nodes < UINT32_MAX
				? (uint32_t)given->max_page_nodes
				: UINT32_MAX;
	if (given->max_learned_bytes != 0)
		limits.max_learned = given->max_learned_bytes;
	return limits;
}

static json_t *template_json(const struct bundle *bundle,
			     const struct bundle_cluster *cluster)
{
	return json_pack("{s:o, s:I, s:b, s:o}", "id",
			 json_cluster_id(slice_of(bundle_site_of(bundle)->host),
					 cluster->number),
			 "pages", (json_int_t)cluster->page_count, "learned",
			 (int)(cluster->page_count >=
			       bundle_site_of(bundle)->min_cluster_pages),
			 "version",
			 cluster->version == 0
				 ? json_null()
				 : json_integer((json_int_t)cluster->version));
}

static char *describe_bundle(const struct bundle *bundle)
{
	const struct bundle_site *site = bundle_site_of(bundle);
	json_t *templates = json_array();
	const struct bundle_cluster *clusters;
	uint32_t count;
	json_t *object;
	char *text;

	clusters = bundle_clusters(bundle, &count);
	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(templates,
				      template_json(bundle, &clusters[i]));
	object = json_pack(
		"{s:o, s:o, s:s, s:f, s:I, s:o, s:o, s:I, s:I, s:o}", "site",
		json_text(slice_of(site->host)), "base",
		json_text(slice_of(site->base)), "measure",
		measure_name(site->measure), "threshold",
		(double)site->threshold / 1000, "generation",
		(json_int_t)site->generation, "made", json_time(site->made_ms),
		"program", json_text(slice_of(site->program)), "size_bytes",
		(json_int_t)bundle_size(bundle), "pages",
		(json_int_t)bundle_page_count(bundle), "templates", templates);
	text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6));
	json_decref(object);
	return text;
}

locale_t templated_locale(void)
{
	locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	if (locale == (locale_t)0)
		mem_exhausted("libc");
	return locale;
}

/*
 * Open the bundle with the locale "C", so that numbers have decimal points in
 * any locale of the program.
 */
static struct templated_bundle *
open_buffer(struct buffer *file, const struct templated_limits *limits,
	    struct templated_error *error_out)
{
	struct templated_bundle *handle = mem_alloc(1, sizeof(*handle));
	const struct bundle_limits bundle_limits = limits_of(limits);
	char reason[BUNDLE_REASON_BYTES] = "";
	enum error error = ERR_IO;
	locale_t before;

	handle->locale = templated_locale();
	before = uselocale(handle->locale);
	error = bundle_open(&handle->bundle, file, &bundle_limits, reason);
	if (error == ERR_NONE)
		handle->description = describe_bundle(handle->bundle);
	uselocale(before);
	templated_set_error(error_out, error, reason);
	if (error == ERR_NONE)
		return handle;
	templated_close(handle);
	return NULL;
}

struct templated_bundle *templated_open(const char *path,
					const struct templated_limits *limits,
					struct templated_error *error_out)
{
	struct buffer file = {0};
	char message[256];
	enum error error = file_read(path, limits_of(limits).max_bytes, &file);

	if (error == ERR_NONE)
		return open_buffer(&file, limits, error_out);
	snprintf(message, sizeof(message), "%.180s: %s", path,
		 file_error_text(error));
	templated_set_error(error_out, error, message);
	buffer_free(&file);
	return NULL;
}

struct templated_bundle *
templated_open_memory(const void *bytes, size_t size,
		      const struct templated_limits *limits,
		      struct templated_error *error_out)
{
	struct buffer file = {0};

	buffer_append(&file, bytes, size);
	return open_buffer(&file, limits, error_out);
}

void templated_close(struct templated_bundle *handle)
{
	if (handle == NULL)
		return;
	bundle_close(handle->bundle);
	freelocale(handle->locale);
	free(handle->description);
	free(handle);
}

const char *templated_describe(const struct templated_bundle *handle)
{
	return handle->description;
}

const char *templated_template(const struct templated_bundle *handle,
			       const char *id)
{
	const char *host = bundle_site_of(handle->bundle)->host;
	size_t length = strlen(host);
	const struct bundle_cluster *cluster;
	unsigned long number;
	char *end;

	if (strncmp(id, host, length) != 0 || id[length] != '/' ||
	    id[length + 1] < '1' || id[length + 1] > '9')
		return NULL;
	number = strtoul(id + length + 1, &end, 10);
	if (*end != '\0' || number > UINT32_MAX)
		return NULL;
	cluster = bundle_cluster(handle->bundle, (uint32_t)number);
	return cluster == NULL ? NULL : cluster->json.data;
}

bool templated_prepare_page(const struct templated_page *page,
			    struct templated_page_input *placed,
			    struct templated_error *error_out)
{
	placed->request = (struct text_request){
		.body = {page->bytes, page->size},
		.charset = slice_of(page->charset),
	};
	if (page->url == NULL)
		return true;
	if (url_parse(&placed->url, slice_of(page->url), NULL) != ERR_NONE) {
		templated_set_error(
			error_out, ERR_MALFORMED,
			"the URL of the page is not an http or https address");
		return false;
	}
	placed->request.url = &placed->url;
	return true;
}

bool templated_classify(struct templated_bundle *handle,
			const struct templated_page *page,
			struct templated_class *class_out,
			struct templated_error *error_out)
{
	const struct bundle_cluster *cluster;
	struct cluster_match classed;
	struct templated_page_input placed;
	enum error error;

	*class_out = (struct templated_class){0};
	if (!templated_prepare_page(page, &placed, error_out))
		return false;
	error = bundle_classify(handle->bundle, &placed.request, &classed);
	templated_set_error(error_out, error,
			    error == ERR_NONE ? "" : error_text(error));
	if (error != ERR_NONE)
		return false;
	class_out->reach = classed.reach;
	cluster = bundle_cluster(handle->bundle, classed.cluster);
	if (cluster == NULL)
		return true;
	snprintf(class_out->id, sizeof(class_out->id), "%s/%u",
		 bundle_site_of(handle->bundle)->host, classed.cluster);
	class_out->pages = cluster->page_count;
	class_out->distance = classed.distance;
	class_out->confidence =
		classed.reach > 0 ? 1 - classed.distance / classed.reach : 1;
	return true;
}
