/*
 * daemon/ctl/ctl_batch.c - templatectl: batch, the daemon's pipeline on a
 * folder.
 */
#include "daemon/ctl/ctl.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

#include "daemon/ctl/ctl_offline.h"
#include "daemon/ctl/ctl_request.h"
#include "daemon/ctl/inputs.h"
#include "daemon/ctl/offline_site.h"
#include "daemon/ctl/page_run.h"
#include "daemon/ctl/page_stream.h"
#include "daemon/runtime/clock.h"

struct offline_batch {
	const struct ctl *ctl;
	struct offline_site site;
	uint64_t started_ms;
	atomic_size_t by_template; /* pages */
	size_t next;               /* next page */
	size_t missing;            /* pages that were not added to the site */
};

static void give_text(const char *text, struct buffer *out)
{
	if (text != NULL)
		buffer_append_text(out, text);
}

static bool offline_batch_next(void *context, struct page_item *item_out)
{
	struct offline_batch *run = context;
	const struct offline_page *page = &run->site.pages[run->next];

	if (run->next == run->site.count)
		return false;
	give_text(page->name, &item_out->name);
	give_text(page->output, &item_out->output);
	give_text(page->trouble, &item_out->trouble);
	run->missing += page->trouble != NULL;
	item_out->index = run->next++;
	return true;
}

static enum error offline_batch_extract(void *context,
					const struct page_item *item,
					const struct text_request *request,
					struct extraction_result *answer_out)
{
	struct offline_batch *run = context;
	enum error error = offline_site_answer(&run->site, item->index, request,
					       answer_out);

	if (error == ERR_NONE && answer_out->has_template)
		atomic_fetch_add(&run->by_template, 1);
	return error;
}

static void offline_batch_print_summary(struct offline_batch *run,
					const struct page_run_counts *counts)
{
	size_t by_template = atomic_load(&run->by_template);
	size_t answered = counts->done + counts->left_out;
	struct store_usage usage = {0};

	if (store_usage(run->site.store, &usage) != ERR_NONE)
		return;
	fprintf(stderr,
		"%zu pages in %" PRIu64 " clusters: %zu by template, %zu "
		"without; %zu skipped; %.1f s\n",
		answered, usage.rows[TABLE_CLUSTERS], by_template,
		answered - by_template, counts->failed,
		(double)(clock_steady_ms() - run->started_ms) / 1000);
}

static enum ctl_status run_all(struct offline_batch *run,
			       const struct text_request *request)
{
	struct page_run pages = {
		.ctl = run->ctl,
		.jobs = page_run_jobs(run->ctl),
		.request = *request,
		.answer = offline_batch_extract,
		.context = run,
		.next = offline_batch_next,
	};
	struct page_run_counts counts;
	enum ctl_status status;

	if (!offline_site_learn(run->ctl, request, &run->site))
		return CTL_FAILED;
	pages.count = run->site.count;
	status = page_run(&pages, &counts);
	if (status == CTL_DONE)
		offline_batch_print_summary(run, &counts);
	return status == CTL_DONE && run->missing > 0 ? CTL_PARTLY : status;
}

static enum ctl_status ctl_batch_run(const struct ctl *ctl)
{
	struct ctl_request asked;
	struct offline_batch run = {
		.ctl = ctl,
		.started_ms = clock_steady_ms(),
	};
	enum ctl_status status = CTL_USAGE;

	bool is_right = ctl_request_read(ctl, &asked);

	if (is_right && page_run_format(ctl, true, &asked.request.format))
		status = run_all(&run, &asked.request);
	ctl_request_free(&asked);
	offline_site_close(&run.site);
	return status;
}

static const struct verb_option batch_options[] = {
	OPTION_OUT_ROW,
	OPTION_JOBS_ROW,
	OPTION_WARC_ROW,
	OPTION_URLS_ROW,
	OPTION_CITABLE_ROW,
	OPTION_METHOD_ROW,
	OPTION_PARAM_ROW,
	OPTION_FAVOR_ROW,
	OPTION_SCOPE_ROW,
	OPTION_WITH_ROW,
	OPTION_EXTRAS_ROWS,
	OPTION_INCLUDE_ROW,
	OPTION_EXCLUDE_ROW,
	OPTION_FORMAT_ROW,
	OPTION_MEASURE_ROW,
	OPTION_THRESHOLD_ROW,
	OPTION_WIDTH_ROW,
	{.name = "min-pages",
	 .kind = OPTION_WHOLE,
	 .value = "N",
	 .minimum = 2,
	 .maximum = UINT32_MAX,
	 .meaning = "minimum pages of a template (default: 3)"},
	{.name = NULL},
};

const struct verb verb_batch = {
	.name = "batch",
	.group = VERBS_READ,
	.operands = "[FILE|DIR|ARCHIVE|URL|-]...",
	.max_operands = SIZE_MAX,
	.summary = "Learn the templates of pages, and extract the content of "
		   "each page",
	.options = batch_options,
	.run = ctl_batch_run,
};
