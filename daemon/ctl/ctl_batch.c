/* daemon/ctl/ctl_batch.c - templatectl: batch, the daemon's work on a folder.
 */
#include "daemon/ctl/ctl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/ctl/ctl_offline.h"
#include "daemon/ctl/ctl_request.h"
#include "daemon/ctl/inputs.h"
#include "daemon/ctl/offline_site.h"
#include "daemon/ctl/progress.h"
#include "daemon/runtime/clock.h"

struct batch_run {
	const struct ctl *ctl;
	const char *folder; /* of the output */
	struct offline_site site;
	struct text_request request;
	struct progress progress;
	/* the summary */
	uint64_t started_ms;
	size_t by_template;
	size_t by_page; /* alone */
	bool is_broken; /* it cannot go on; the error was reported */
};

static void extract_page(struct batch_run *run, size_t input)
{
	const struct input *file = &run->site.inputs.items[input];
	struct text_request request = run->request;
	struct text_answer answer = {0};
	struct buffer out = {0};
	struct url url;
	enum error error = offline_url(file->name, &url);

	request.url = &url;
	if (error == ERR_NONE)
		error = answer_text(run->site.store, &run->site.rules, &request,
				    &answer);
	if (error == ERR_NONE) {
		if (answer.has_template)
			run->by_template++;
		else
			run->by_page++;
		offline_render(&answer, request.format, &out);
		run->is_broken =
			!offline_write(run->ctl, run->folder, file->name,
				       request.format, buffer_slice(&out));
	} else {
		progress_clear(&run->progress);
		offline_complain(run->ctl, file->path, error, &answer);
		run->site.skipped++;
	}
	buffer_free(&out);
	text_answer_free(&answer);
}

static void extract_pages(struct batch_run *run)
{
	const struct offline_site *site = &run->site;

	run->progress = progress_begin("extract");
	for (size_t i = 0; i < site->inputs.count && !run->is_broken; i++) {
		progress_show(&run->progress, i, site->inputs.count, NULL);
		if (site->is_stored[i])
			extract_page(run, i);
	}
	progress_clear(&run->progress);
}

static void summarise(const struct batch_run *run)
{
	struct store_usage usage = {0};

	if (store_usage(run->site.store, &usage) != ERR_NONE)
		return;
	fprintf(stderr,
		"%zu pages in %" PRIu64
		" clusters: %zu by template, %zu without; %zu left out; "
		"%.1f s\n",
		run->by_template + run->by_page, usage.rows[TABLE_CLUSTERS],
		run->by_template, run->by_page, run->site.skipped,
		(double)(clock_steady_ms() - run->started_ms) / 1000);
}

static enum ctl_status run_all(struct batch_run *run)
{
	if (!offline_site_learn(run->ctl, &run->site))
		return CTL_FAILED;
	run->site.rules.min_cluster_pages = (uint32_t)option_whole(
		run->ctl, "min-pages", run->site.rules.min_cluster_pages);
	extract_pages(run);
	if (!run->is_broken)
		summarise(run);
	return run->is_broken || run->by_template + run->by_page == 0
		       ? CTL_FAILED
		       : CTL_DONE;
}

static bool check_operands(const struct ctl *ctl)
{
	if (!is_folder(ctl->operands[0]))
		ctl_complain(ctl, "%s: no such folder", ctl->operands[0]);
	else if (option_text(ctl, "out") == NULL)
		ctl_complain(ctl, "--out DIR is missing: where to write");
	else
		return true;
	return false;
}

static enum ctl_status run_batch(const struct ctl *ctl)
{
	struct ctl_request asked;
	struct batch_run run = {
		.ctl = ctl,
		.folder = option_text(ctl, "out"),
		.started_ms = clock_steady_ms(),
	};
	enum ctl_status status = CTL_USAGE;

	if (ctl_request_read(ctl, &asked) && check_operands(ctl)) {
		run.request = asked.request;
		run.request.format = offline_format(ctl);
		status = run_all(&run);
	}
	offline_site_close(&run.site);
	ctl_request_free(&asked);
	return status;
}

static const struct verb_option batch_options[] = {
	{.name = "out",
	 .kind = OPTION_TEXT,
	 .value = "DIR",
	 .meaning = "write a file a page into DIR"},
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
	 .meaning = "a smaller cluster has no template (default: 3)"},
	{.name = NULL},
};

const struct verb verb_batch = {
	.name = "batch",
	.operands = "DIR",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Learn the templates of a folder of HTML files, and extract "
		   "the content of each",
	.options = batch_options,
	.run = run_batch,
};
