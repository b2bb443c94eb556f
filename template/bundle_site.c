#include "template/bundle_site.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/limit.h"
#include "crawl/url.h"
#include "extract/core/extractor.h"
#include "extract/settings.h"
#include "template/json_value.h"

enum { MAX_REASON = 256, MAX_TEXT = LIMIT(4096, 256) };

void bundle_site_write(const struct bundle_site *site, struct buffer *out)
{
	const struct page_limits *limits = &site->limits;
	json_t *object = json_pack(
		"{s:o, s:o, s:s, s:I, s:I, s:I, s:I, s:o, s:o, "
		"s:{s:I, s:I, s:I, s:I}, s:I, s:o}",
		"host", json_text(slice_of(site->host)), "base",
		json_text(slice_of(site->base)), "measure",
		measure_name(site->measure), "width", (json_int_t)site->width,
		"threshold", (json_int_t)site->threshold, "generation",
		(json_int_t)site->generation, "made_ms",
		(json_int_t)site->made_ms, "made", json_time(site->made_ms),
		"program", json_text(slice_of(site->program)), "limits",
		"bytes", (json_int_t)limits->max_bytes, "nodes",
		(json_int_t)limits->max_nodes, "depth",
		(json_int_t)limits->max_depth, "attributes",
		(json_int_t)limits->max_attributes, "min_cluster_pages",
		(json_int_t)site->min_cluster_pages, "settings",
		json_text(slice_of(site->settings)));
	char *text = json_dumps(object, JSON_COMPACT);

	buffer_append_text(out, text == NULL ? "{}" : text);
	free(text);
	json_decref(object);
}

/* The JSON reader; keeps the first error. */
struct bundle_site_reader {
	const json_t *object;
	struct arena *arena;
	char *reason; /* "" until an error */
};

static void bundle_site_reject(struct bundle_site_reader *reading,
			       const char *name, const char *why)
{
	if (reading->reason[0] == '\0')
		snprintf(reading->reason, MAX_REASON, "%s: %.200s", name, why);
}

static uint64_t bundle_site_read_number(struct bundle_site_reader *reading,
					const char *name, uint64_t low,
					uint64_t high)
{
	const json_t *value = json_object_get(reading->object, name);
	json_int_t number = json_integer_value(value);

	if (!json_is_integer(value) || number < 0 || (uint64_t)number < low ||
	    (uint64_t)number > high) {
		bundle_site_reject(reading, name,
				   "not a number within its range");
		return low;
	}
	return (uint64_t)number;
}

static const char *bundle_site_read_text(struct bundle_site_reader *reading,
					 const char *name)
{
	const json_t *value = json_object_get(reading->object, name);

	if (!json_is_string(value) || json_string_length(value) > MAX_TEXT) {
		bundle_site_reject(reading, name, "not a text, or too long");
		return "";
	}
	return arena_copy(reading->arena, json_string_value(value),
			  json_string_length(value));
}

static void read_limits(struct bundle_site_reader *reading,
			struct page_limits *limits)
{
	struct bundle_site_reader inner = *reading;

	inner.object = json_object_get(reading->object, "limits");
	/* The ranges of the daemon's configuration. */
	limits->max_bytes =
		(size_t)bundle_site_read_number(&inner, "bytes", 1024, 1 << 30);
	limits->max_nodes = (uint32_t)bundle_site_read_number(&inner, "nodes",
							      100, 10000000);
	limits->max_depth =
		(uint32_t)bundle_site_read_number(&inner, "depth", 16, 4096);
	limits->max_attributes = (uint32_t)bundle_site_read_number(
		&inner, "attributes", 1, 4096);
}

/* Check that the host is the host of the base, in canonical form. */
static void check_address(struct bundle_site_reader *reading,
			  const struct bundle_site *site)
{
	struct url url;

	if (url_parse(&url, slice_of(site->base), NULL) != ERR_NONE ||
	    strcmp(url.text, site->base) != 0)
		bundle_site_reject(reading, "base", "not a canonical address");
	else if (strcmp(url.host, site->host) != 0)
		bundle_site_reject(reading, "host", "not the host of the base");
}

static void bundle_site_read_fields(struct bundle_site_reader *reading,
				    struct bundle_site *site)
{
	char error[MAX_REASON];

	site->host = bundle_site_read_text(reading, "host");
	site->base = bundle_site_read_text(reading, "base");
	if (!measure_from_name(bundle_site_read_text(reading, "measure"),
			       &site->measure))
		bundle_site_reject(reading, "measure",
				   "there is no such measure");
	site->width = (unsigned)bundle_site_read_number(reading, "width", 0,
							SIGNATURE_MAX_WIDTH);
	site->threshold = (unsigned)bundle_site_read_number(
		reading, "threshold", 0, 1000);
	site->generation =
		bundle_site_read_number(reading, "generation", 0, INT64_MAX);
	site->made_ms =
		bundle_site_read_number(reading, "made_ms", 0, INT64_MAX);
	site->program = bundle_site_read_text(reading, "program");
	site->min_cluster_pages = (uint32_t)bundle_site_read_number(
		reading, "min_cluster_pages", 1, UINT32_MAX);
	site->settings = bundle_site_read_text(reading, "settings");
	read_limits(reading, &site->limits);
	check_address(reading, site);
	if (!settings_apply(site->settings, NULL, NULL, error))
		bundle_site_reject(reading, "settings", error);
}

enum error bundle_site_read(struct arena *arena, struct slice json,
			    struct bundle_site *site_out, char *reason)
{
	json_t *object = json_loadb(json.size == 0 ? "" : json.data, json.size,
				    JSON_REJECT_DUPLICATES, NULL);
	struct bundle_site_reader reading = {object, arena, reason};

	*site_out = (struct bundle_site){0};
	reason[0] = '\0';
	if (json_is_object(object))
		bundle_site_read_fields(&reading, site_out);
	else
		bundle_site_reject(&reading, "site", "not a JSON object");
	json_decref(object);
	return reason[0] == '\0' ? ERR_NONE : ERR_CORRUPT;
}
