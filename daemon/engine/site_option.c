#include "daemon/engine/site_option.h"

#include <assert.h>
#include <string.h>

#include "cluster/signature.h"
#include "store/rows_event.h"
#include "store/rows_site.h"

#define MAX_WHOLE   1e15
#define MAX_SECONDS 1e9

#define FIELD(field)                          \
	offsetof(struct site_options, field), \
		sizeof(((struct site_options *)0)->field)
#define FLAG(name, bit)                                           \
	{                                                         \
		name, FIELD(flags), bit, 0, 1, OPTION_FLAG, false \
	}
#define SHOWN(name, bit)                                         \
	{                                                        \
		name, FIELD(flags), bit, 0, 1, OPTION_FLAG, true \
	}

const struct site_option site_option_table[SITE_OPTIONS] = {
	{"measure", FIELD(measure), 1, 0, 0, OPTION_MEASURE, false},
	{"shingle_width", FIELD(width), 1, 0, SIGNATURE_MAX_WIDTH, OPTION_WHOLE,
	 false},
	{"threshold", FIELD(threshold), 1, 0, 1, OPTION_THRESHOLD, false},
	{"max_pages", FIELD(max_pages), 1, 1, 100000000, OPTION_WHOLE, false},
	{"max_depth", FIELD(max_depth), 1, 0, 65535, OPTION_WHOLE, false},
	{"delay_ms", FIELD(delay_ms), 1, 0, 3600000, OPTION_WHOLE, false},
	{"revisit_interval_s", FIELD(revisit_ms), 1000, 0, MAX_SECONDS,
	 OPTION_WHOLE, false},
	{"pattern_stop_after", FIELD(saturation), 1, 0, 1000000, OPTION_WHOLE,
	 false},
	{"max_bytes", FIELD(max_bytes), 1, 0, MAX_WHOLE, OPTION_WHOLE, false},
	{"max_seconds", FIELD(max_time_ms), 1000, 0, MAX_SECONDS, OPTION_WHOLE,
	 false},
	{"headers", FIELD(headers), 1, 0, 0, OPTION_HEADERS, false},
	{"proxy", FIELD(proxy), 1, 0, 0, OPTION_TEXT, false},
	{"check_interval_s", FIELD(watch_ms), 1000, 0, MAX_SECONDS,
	 OPTION_WHOLE, false},
	SHOWN("auto", SITE_IS_AUTO),
	FLAG("allow_private", SITE_IS_PRIVATE_OK),
	SHOWN("sample", SITE_IS_SAMPLE),
	SHOWN("offline", SITE_IS_OFFLINE),
	FLAG("sitemaps", SITE_HAS_SITEMAPS),
	FLAG("soft_404_probe", SITE_HAS_PROBE),
	FLAG("cookies", SITE_HAS_COOKIES),
	SHOWN("stale", SITE_IS_STALE),
	SHOWN("blocked", SITE_IS_BLOCKED),
};

const struct site_option *site_option_of(const char *name)
{
	for (size_t i = 0; i < SITE_OPTIONS; i++)
		if (strcmp(site_option_table[i].name, name) == 0)
			return &site_option_table[i];
	return NULL;
}

/* Return the raw field of the struct. */
static uint64_t site_option_read_field(const struct site_option *option,
				       const struct site_options *options)
{
	const char *field = (const char *)options + option->offset;
	uint64_t wide;
	uint32_t narrow;
	uint16_t small;

	switch (option->size) {
	case sizeof(wide):
		memcpy(&wide, field, sizeof(wide));
		return wide;
	case sizeof(narrow):
		memcpy(&narrow, field, sizeof(narrow));
		return narrow;
	default:
		assert(option->size == sizeof(small));
		memcpy(&small, field, sizeof(small));
		return small;
	}
}

static void write_field(const struct site_option *option,
			struct site_options *options, uint64_t value)
{
	char *field = (char *)options + option->offset;
	uint32_t narrow = (uint32_t)value;
	uint16_t small = (uint16_t)value;

	switch (option->size) {
	case sizeof(value):
		memcpy(field, &value, sizeof(value));
		break;
	case sizeof(narrow):
		assert(narrow == value);
		memcpy(field, &narrow, sizeof(narrow));
		break;
	default:
		assert(option->size == sizeof(small) && small == value);
		memcpy(field, &small, sizeof(small));
	}
}

uint64_t site_option_get(const struct site_option *option,
			 const struct site_options *options)
{
	uint64_t value = site_option_read_field(option, options);

	if (option->kind == OPTION_FLAG)
		return (value & option->factor) != 0;
	return value / option->factor;
}

void site_option_set(const struct site_option *option,
		     struct site_options *options, uint64_t value)
{
	assert(option->kind != OPTION_WHOLE ||
	       ((double)value >= option->minimum &&
		(double)value <= option->maximum));
	if (option->kind != OPTION_FLAG)
		write_field(option, options, value * option->factor);
	else if (value != 0)
		options->flags |= (uint32_t)option->factor;
	else
		options->flags &= ~(uint32_t)option->factor;
}

struct slice site_option_text(const struct site_option *option,
			      const struct site_options *options)
{
	struct slice text;

	assert(option->size == sizeof(text));
	memcpy(&text, (const char *)options + option->offset, sizeof(text));
	return text;
}
