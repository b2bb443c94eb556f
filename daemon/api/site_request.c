#include "daemon/api/site_request.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cluster/signature.h"
#include "crawl/fetch/address_filter.h"

enum { MAX_HEADERS = 8192 };

#define MAX_WHOLE 1e15

enum member_kind { MEMBER_NUMBER, MEMBER_FLAG };

#define FIELD(field)                          \
	offsetof(struct site_options, field), \
		sizeof(((struct site_options *)0)->field)

/* The members that are a number or a flag. */
static const struct member {
	const char *name;
	enum member_kind kind;
	size_t offset;
	size_t size;
	uint64_t factor; /* of the field's unit; of a flag: its bit */
	double minimum;
	double maximum;
} members[] = {
	{"max_pages", MEMBER_NUMBER, FIELD(max_pages), 1, 1, 100000000},
	{"max_depth", MEMBER_NUMBER, FIELD(max_depth), 1, 0, 65535},
	{"max_bytes", MEMBER_NUMBER, FIELD(max_bytes), 1, 0, MAX_WHOLE},
	{"max_seconds", MEMBER_NUMBER, FIELD(max_time_ms), 1000, 0, 1e9},
	{"delay_ms", MEMBER_NUMBER, FIELD(delay_ms), 1, 0, 3600000},
	{"revisit_s", MEMBER_NUMBER, FIELD(revisit_ms), 1000, 0, 1e9},
	{"watch_s", MEMBER_NUMBER, FIELD(watch_ms), 1000, 0, 1e9},
	{"saturation", MEMBER_NUMBER, FIELD(saturation), 1, 0, 1000000},
	{"width", MEMBER_NUMBER, FIELD(width), 1, 0, SIGNATURE_MAX_WIDTH},
	{"private", MEMBER_FLAG, FIELD(flags), SITE_IS_PRIVATE_OK, 0, 0},
	{"sitemaps", MEMBER_FLAG, FIELD(flags), SITE_HAS_SITEMAPS, 0, 0},
	{"probe", MEMBER_FLAG, FIELD(flags), SITE_HAS_PROBE, 0, 0},
	{"cookies", MEMBER_FLAG, FIELD(flags), SITE_HAS_COOKIES, 0, 0},
};

static bool complain(struct site_request *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool complain(struct site_request *out, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(out->message, sizeof(out->message), format, list);
	va_end(list);
	return false;
}

static bool set_number(const struct member *member, const json_t *value,
		       struct site_request *out)
{
	char *field = (char *)&out->options + member->offset;
	double number = json_number_value(value);
	uint64_t wide;
	uint32_t narrow;
	uint16_t small;

	if (!json_is_integer(value) ||
	    !(number >= member->minimum && number <= member->maximum))
		return complain(out, "%s: a whole number from %.16g to %.16g",
				member->name, member->minimum, member->maximum);
	wide = (uint64_t)number * member->factor;
	narrow = (uint32_t)wide;
	small = (uint16_t)wide;
	if (member->size == sizeof(wide))
		memcpy(field, &wide, sizeof(wide));
	else if (member->size == sizeof(narrow))
		memcpy(field, &narrow, sizeof(narrow));
	else
		memcpy(field, &small, sizeof(small));
	return true;
}

static bool set_flag(const struct member *member, const json_t *value,
		     struct site_request *out)
{
	if (!json_is_boolean(value))
		return complain(out, "%s: true or false", member->name);
	out->options.flags &= ~(uint32_t)member->factor;
	if (json_is_true(value))
		out->options.flags |= (uint32_t)member->factor;
	return true;
}

/* A name of RFC 9110's tokens, and a value without controls. */
static bool is_header(const char *name, const char *value)
{
	static const char token[] = "!#$%&'*+-.^_`|~0123456789"
				    "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (*name == '\0' || name[strspn(name, token)] != '\0')
		return false;
	for (; *value != '\0'; value++)
		if ((unsigned char)*value < ' ' || *value == 0x7f)
			return false;
	return true;
}

static bool read_headers(json_t *value, struct site_request *out)
{
	const char *name;
	json_t *text;

	buffer_append_text(&out->headers, ""); /* given, if only as {} */
	json_object_foreach(value, name, text)
	{
		if (!json_is_string(text) ||
		    !is_header(name, json_string_value(text)))
			return complain(out, "headers: %.64s is no header",
					name);
		buffer_printf(&out->headers, "%s: %s\n", name,
			      json_string_value(text));
	}
	if (!json_is_object(value) || out->headers.size > MAX_HEADERS)
		return complain(out,
				"headers: {\"Name\": \"value\"}, of %d "
				"bytes at most",
				MAX_HEADERS);
	out->options.headers.data =
		out->headers.size == 0 ? "" : out->headers.data;
	out->options.headers.size = out->headers.size;
	return true;
}

static bool read_proxy(const json_t *value, struct site_request *out)
{
	const char *text = json_string_value(value);

	if (text == NULL || strlen(text) >= MAX_CONFIG_TEXT)
		return complain(out, "proxy: a URL, or \"\"");
	buffer_append_text(&out->proxy, text);
	out->options.proxy.data = *text == '\0' ? "" : out->proxy.data;
	out->options.proxy.size = out->proxy.size;
	return true;
}

static bool read_measure(const json_t *value, struct site_request *out)
{
	return (json_is_string(value) &&
		measure_from_name(json_string_value(value),
				  &out->options.measure)) ||
	       complain(out, "measure: one of cp, cps, ctss, cpc, ccs");
}

static bool read_member(const char *name, json_t *value,
			struct site_request *out)
{
	if (strcmp(name, "url") == 0 || strcmp(name, "threshold") == 0)
		return true;
	if (strcmp(name, "headers") == 0)
		return read_headers(value, out);
	if (strcmp(name, "proxy") == 0)
		return read_proxy(value, out);
	if (strcmp(name, "measure") == 0)
		return read_measure(value, out);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (strcmp(members[i].name, name) != 0)
			continue;
		return members[i].kind == MEMBER_FLAG
			       ? set_flag(&members[i], value, out)
			       : set_number(&members[i], value, out);
	}
	return complain(out, "%.64s: unknown", name);
}

/* A number from 0 to 1, or "auto": permille, or THRESHOLD_AUTO. */
static bool read_threshold(const json_t *value, unsigned *threshold_out)
{
	double number = json_number_value(value);

	*threshold_out = THRESHOLD_AUTO;
	if (json_is_string(value))
		return strcmp(json_string_value(value), "auto") == 0;
	if (!json_is_number(value) || !(number >= 0 && number <= 1))
		return false;
	*threshold_out = (unsigned)(number * 1000.0 + 0.5);
	return true;
}

/*
 * Read the threshold, once the measure is known; a default one belongs to the
 * default measure, and so does a default width.
 */
static bool read_cut(json_t *request, enum measure default_value,
		     struct site_request *out)
{
	const json_t *value = json_object_get(request, "threshold");
	struct site_options *options = &out->options;
	unsigned threshold = THRESHOLD_AUTO;

	if (value != NULL && !read_threshold(value, &threshold))
		return complain(out,
				"threshold: \"auto\", or a number from 0 to 1");
	if (value != NULL || options->measure != default_value)
		options_set_threshold(options, threshold);
	if (options->measure != default_value &&
	    json_object_get(request, "width") == NULL)
		options->width = 0;
	return true;
}

static struct site_options default_options(const struct config *config,
					   const struct url *url,
					   const struct site_row *known)
{
	uint32_t flags = SITE_IS_PORT_OK;
	struct site_options default_value = {
		.measure = config->measure,
		.width = (uint16_t)config->width,
		.max_pages = config->max_pages,
		.max_depth = config->max_depth,
		.max_bytes = config->max_bytes,
		.max_time_ms = config->max_time_ms,
		.saturation = config->saturation,
		.delay_ms = config->delay_ms,
		.revisit_ms = config->revisit_ms,
		.watch_ms = config->watch_ms,
	};

	flags |= address_filter_is_private_name(url->host) ? SITE_IS_PRIVATE_OK
							   : 0;
	flags |= config->no_sitemaps ? 0 : SITE_HAS_SITEMAPS;
	flags |= config->no_probe ? 0 : SITE_HAS_PROBE;
	flags |= config->no_cookies ? 0 : SITE_HAS_COOKIES;
	default_value.flags = flags;
	options_set_threshold(&default_value, config->threshold);
	if (known == NULL)
		return default_value;
	default_value.measure = (enum measure)known->measure;
	default_value.width = known->width;
	default_value.threshold = known->threshold;
	if ((known->flags & (SITE_IS_SAMPLE | SITE_IS_OFFLINE)) != 0)
		return default_value; /* nobody chose the limits of a sample */
	default_value.max_pages = known->max_pages;
	default_value.max_depth = known->max_depth;
	default_value.max_bytes = known->max_bytes;
	default_value.max_time_ms = known->max_time_ms;
	default_value.saturation = known->saturation;
	default_value.delay_ms = known->delay_ms;
	default_value.revisit_ms = known->revisit_ms;
	default_value.watch_ms = known->watch_ms;
	default_value.flags = known->flags;
	return default_value;
}

bool site_request_read(struct site_request *out, json_t *request,
		       const struct config *config, const struct url *url,
		       const struct site_row *known)
{
	enum measure default_value;
	const char *name;
	json_t *value;

	*out = (struct site_request){
		.options = default_options(config, url, known)};
	default_value = out->options.measure;
	json_object_foreach(request, name, value)
	{
		if (!read_member(name, value, out))
			return false;
	}
	if (!read_cut(request, default_value, out))
		return false;
	if (known == NULL ||
	    (out->options.measure == (enum measure)known->measure &&
	     out->options.width == known->width))
		return true;
	return complain(out,
			"the signatures of the site were made by %s, width %u; "
			"delete it first",
			measure_name(known->measure), known->width);
}

void site_request_free(struct site_request *request)
{
	buffer_free(&request->headers);
	buffer_free(&request->proxy);
}
