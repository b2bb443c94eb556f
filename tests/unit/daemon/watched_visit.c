/* How the site answers. */
#include "tests/unit/daemon/watched_parts.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compress.h"
#include "base/hash.h"
#include "daemon/privsep/analyse_task.h"
#include "store/rows.h"

void visit_read_page(const struct watched *watched, struct visit *visit)
{
	const struct analyse_options options = {
		.limits = &page_limits_default,
		.measure = watched->options.measure,
		.http_status = 200,
	};

	ck_assert_int_eq(analyse(buffer_slice(&visit->html), slice_of("utf-8"),
				 &visit->url, &options, &visit->record),
			 ERR_NONE);
	compress_slice(buffer_slice(&visit->html), &visit->packed);
	visit->change.answer.record = buffer_slice(&visit->record);
	visit->change.answer.packed = buffer_slice(&visit->packed);
	visit->change.answer.body_bytes = (uint32_t)visit->html.size;
}

void visit_free(struct visit *visit)
{
	buffer_free(&visit->html);
	buffer_free(&visit->record);
	buffer_free(&visit->packed);
}

/* Section and number of "/article/3"; false for others. */
static bool find_page(const struct watched *watched, const char *path,
		      unsigned *section_out, unsigned *number_out)
{
	for (unsigned s = 0; s < watched->section_count; s++) {
		size_t length = strlen(watched->sections[s].name);

		if (strncmp(path + 1, watched->sections[s].name, length) != 0 ||
		    path[1 + length] != '/')
			continue;
		*section_out = s;
		*number_out = (unsigned)strtoul(path + 2 + length, NULL, 10);
		return *number_out < watched->sections[s].count;
	}
	return false;
}

static void refuse(struct visit *visit, unsigned status, enum error error)
{
	visit->change.kind = CHANGE_FAILED;
	visit->change.answer.outcome.http_status = (uint16_t)status;
	visit->change.answer.outcome.error = error;
}

/* 200 with an ETag, or 304. */
static void bring(const struct watched *watched, const struct work *work,
		  struct visit *visit)
{
	struct change *change = &visit->change;

	snprintf(visit->etag, sizeof(visit->etag), "\"%016llx\"",
		 (unsigned long long)hash64(visit->html.data, visit->html.size,
					    0));
	change->answer.outcome.etag = slice_of(visit->etag);
	change->answer.outcome.http_status = 200;
	change->kind = CHANGE_PAGE;
	if (strcmp(visit->etag, work->lease.etag) == 0) {
		change->kind = CHANGE_NOT_MODIFIED;
		change->answer.outcome.http_status = 304;
		return;
	}
	visit_read_page(watched, visit);
}

static void lead(const struct watched *watched, unsigned section,
		 unsigned number, struct visit *visit)
{
	char url[64];

	watched_write_url(watched, section, number, url);
	ck_assert_int_eq(url_parse(&visit->target, slice_of(url), NULL),
			 ERR_NONE);
	visit->change.kind = CHANGE_REDIRECT;
	visit->change.answer.target = &visit->target;
	visit->change.answer.outcome.http_status = 301;
}

void visit_answer(struct watched *watched, const struct work *work,
		  struct visit *visit)
{
	struct watched_page *page;
	unsigned section;
	unsigned number;
	const char *path;

	*visit = (struct visit){0};
	watched->visits++;
	url_parse(&visit->url, slice_of(work->lease.url), NULL);
	path = visit->url.text + visit->url.path;
	visit->change.url = &visit->url;
	visit->change.answer.site = work->site;
	if (strcmp(path, "/") == 0 && !watched->is_seed_gone) {
		watched_write_index(watched, &visit->html);
		bring(watched, work, visit);
		return;
	}
	if (!find_page(watched, path, &section, &number)) {
		refuse(visit, 404, ERR_NOT_FOUND);
		return;
	}
	page = watched_page(watched, section, number);
	page->asked++;
	if (page->manner == MANNER_GONE) {
		refuse(visit, 404, ERR_NOT_FOUND);
	} else if (page->manner == MANNER_ERROR) {
		refuse(visit, 500, ERR_NETWORK);
	} else if (page->manner == MANNER_LEAD) {
		lead(watched, page->target, number, visit);
	} else {
		watched_write_page(watched, section, number, &visit->html);
		bring(watched, work, visit);
		page->fresh += visit->change.kind == CHANGE_NOT_MODIFIED;
	}
}
