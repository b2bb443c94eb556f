/*
 * daemon/engine/findings.h - template updates: the results of a site check,
 * committed together. Plain data; the check owns everything.
 */
#ifndef DAEMON_ENGINE_FINDINGS_H
#define DAEMON_ENGINE_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/rows_event.h"
#include "store/rows_template.h"

struct sample_page_entry {
	uint64_t page;
	struct sample_page_row row;
};

struct template_update {
	uint32_t cluster;
	struct template_row row;
	bool has_version; /* version row.version, new or replaced */
	struct version_row version;
	bool has_sample;                        /* replaces the old sample */
	const struct sample_page_entry *sample; /* [sample_count] */
	size_t sample_count;
};

struct template_updates {
	uint16_t threshold; /* of the site when it was read */
	const struct template_update *templates; /* [template_count] */
	size_t template_count;
	const struct event_row
		*events; /* [event_count], without time and host */
	size_t event_count;
	const uint64_t *visits; /* [visit_count], pages to visit now */
	size_t visit_count;
	uint32_t set_flags; /* of SITE_FINDINGS */
	uint32_t clear_flags;
};

#endif
