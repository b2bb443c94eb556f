#include "daemon/api/site_request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cluster/signature.h"
#include "crawl/address_filter.h"
#include "daemon/engine/site_option.h"

enum { MAX_HEADERS = 8192 };

static bool site_request_set_error(struct site_request *out, const char *format,
				   ...) __attribute__((format(printf, 2, 3)));

static bool site_request_set_error(struct site_request *out, const char *format,
				   ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(out->message, sizeof(out->message), format, list);
	va_end(list);
	return false;
}

static bool site_request_read_whole(const struct site_option *option,
				    json_t *value, struct site_request *out)
{
	double number = json_number_value(value);

	if (!json_is_integer(value) ||
	    !(number >= option->minimum && number <= option->maximum))
		return site_request_set_error(
			out, "%s: must be a whole number from %.16g to %.16g",
			option->name, option->minimum, option->maximum);
	site_option_set(option, &out->options, (uint64_t)number);
	return true;
}

static bool read_flag(const struct site_option *option, json_t *value,
		      struct site_request *out)
{
	if (!json_is_boolean(value))
		return site_request_set_error(out, "%s: must be true or false",
					      option->name);
	site_option_set(option, &out->options, json_is_true(value));
	return true;
}

/*
 * Return whether `name` is an RFC 9110 token and `value` has no control
 * character.
 */
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

static bool site_request_read_headers(const struct site_option *option,
				      json_t *value, struct site_request *out)
{
	const char *name;
	json_t *text;

	buffer_append_text(&out->headers,
			   ""); /* not NULL: headers were given */
	json_object_foreach(value, name, text)
	{
		if (!json_is_string(text) ||
		    !is_header(name, json_string_value(text)))
			return site_request_set_error(
				out, "%s: %.64s is not a header", option->name,
				name);
		buffer_printf(&out->headers, "%s: %s\n", name,
			      json_string_value(text));
	}
	if (!json_is_object(value) || out->headers.size > MAX_HEADERS)
		return site_request_set_error(
			out,
			"%s: must be {\"Name\": \"value\"}, at most %d bytes",
			option->name, MAX_HEADERS);
	out->options.headers.data =
		out->headers.size == 0 ? "" : out->headers.data;
	out->options.headers.size = out->headers.size;
	return true;
}

/* The only text option is the proxy. */
static bool site_request_read_text(const struct site_option *option,
				   json_t *value, struct site_request *out)
{
	const char *text = json_string_value(value);

	if (text == NULL || strlen(text) >= MAX_CONFIG_TEXT)
		return site_request_set_error(out, "%s: must be a URL, or \"\"",
					      option->name);
	buffer_append_text(&out->proxy, text);
	out->options.proxy.data = *text == '\0' ? "" : out->proxy.data;
	out->options.proxy.size = out->proxy.size;
	return true;
}

static bool read_measure(const struct site_option *option, json_t *value,
			 struct site_request *out)
{
	enum measure measure;

	if (!json_is_string(value) ||
	    !measure_from_name(json_string_value(value), &measure))
		return site_request_set_error(
			out, "%s: must be cp, cps, ctss, cpc, ccs or cas",
			option->name);
	out->options.measure = (uint16_t)measure;
	return true;
}

/* site_request_read_threshold() reads it, when the measure is known. */
static bool read_later(const struct site_option *option, json_t *value,
		       struct site_request *out)
{
	(void)option;
	(void)value;
	(void)out;
	return true;
}

static bool site_request_read_member(const char *name, json_t *value,
				     struct site_request *out)
{
	static bool (*const readers[OPTION_KINDS])(
		const struct site_option *option, json_t *value,
		struct site_request *out) = {
		[OPTION_WHOLE] = site_request_read_whole,
		[OPTION_FLAG] = read_flag,
		[OPTION_MEASURE] = read_measure,
		[OPTION_THRESHOLD] = read_later,
		[OPTION_HEADERS] = site_request_read_headers,
		[OPTION_TEXT] = site_request_read_text,
	};
	const struct site_option *option = site_option_of(name);

	if (strcmp(name, "url") == 0)
		return true;
	if (option == NULL || option->is_read_only)
		return site_request_set_error(out, "%.64s: unknown", name);
	return readers[option->kind](option, value, out);
}

/* Parse a number from 0 to 1, or "auto", to permille, or THRESHOLD_AUTO. */
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
 * Read the threshold, once the measure is known. The default threshold and
 * width apply only with the default measure.
 */
static bool site_request_read_threshold(json_t *request, unsigned default_value,
					struct site_request *out)
{
	const json_t *value = json_object_get(request, "threshold");
	struct site_options *options = &out->options;
	unsigned threshold = THRESHOLD_AUTO;

	if (value != NULL && !read_threshold(value, &threshold))
		return site_request_set_error(
			out,
			"threshold: must be \"auto\", or a number from 0 to 1");
	if (value != NULL || options->measure != default_value)
		options_set_threshold(options, threshold);
	if (options->measure != default_value &&
	    json_object_get(request, "shingle_width") == NULL)
		options->width = 0;
	return true;
}

static struct site_options default_options(const struct config *config,
					   const struct url *url,
					   const struct site_options *known)
{
	uint32_t flags = SITE_IS_PORT_OK | SITE_IS_NETWORK_OK;
	struct site_options default_value = {
		.measure = (uint16_t)config->measure,
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
	if ((known->flags & (SITE_IS_SAMPLE | SITE_IS_OFFLINE)) != 0) {
		/* the limits of a sample are not an operator's choice */
		default_value.measure = known->measure;
		default_value.width = known->width;
		default_value.threshold = known->threshold;
		return default_value;
	}
	/* a page may have led to the site; now the operator has named it */
	default_value = *known;
	if ((known->flags & SITE_IS_PORT_OK) == 0)
		default_value.flags |=
			flags & (SITE_IS_PRIVATE_OK | SITE_IS_PORT_OK |
				 SITE_IS_NETWORK_OK);
	default_value.headers = (struct slice){NULL, 0};
	default_value.proxy = (struct slice){NULL, 0};
	return default_value;
}

bool site_options_find(struct txn *txn, const char *host,
		       struct site_options *options_out)
{
	struct site_row row;

	if (!site_get(txn, slice_of(host), &row))
		return false;
	*options_out = row.options;
	options_out->headers = (struct slice){NULL, 0};
	options_out->proxy = (struct slice){NULL, 0};
	return true;
}

bool site_request_read(struct site_request *out, json_t *request,
		       const struct config *config, const struct url *url,
		       const struct site_options *known)
{
	unsigned default_value;
	const char *name;
	json_t *value;

	*out = (struct site_request){
		.options = default_options(config, url, known)};
	default_value = out->options.measure;
	json_object_foreach(request, name, value)
	{
		if (!site_request_read_member(name, value, out))
			return false;
	}
	if (!site_request_read_threshold(request, default_value, out))
		return false;
	if (known == NULL || (out->options.measure == known->measure &&
			      out->options.width == known->width))
		return true;
	return site_request_set_error(
		out,
		"the site has signatures of %s with width %u; delete "
		"the site first",
		measure_name(known->measure), known->width);
}

void site_request_free(struct site_request *request)
{
	buffer_free(&request->headers);
	buffer_free(&request->proxy);
}
