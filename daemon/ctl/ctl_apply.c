/*
 * daemon/ctl/ctl_apply.c - templatectl: apply, extraction with a bundle instead
 * of the daemon.
 */
#include "daemon/ctl/ctl.h"

#include "base/file.h"
#include "daemon/ctl/ctl_offline.h"
#include "daemon/ctl/ctl_request.h"
#include "daemon/ctl/inputs.h"
#include "daemon/ctl/page_run.h"
#include "daemon/ctl/page_stream.h"
#include "daemon/privsep/item_list.h"
#include "daemon/privsep/learned.h"
#include "template/bundle.h"

enum { MAX_LEARNED_BYTES = 64 << 20 };

struct bundle_run {
	struct bundle *bundle;
	const char *base; /* base URL of several files */
	struct model_cache *learned;
	struct bundle_learner learner; /* any thread; uses the cache above */
};

static void bundle_append_page(void *visitor, struct slice charset,
			       struct slice body)
{
	item_append(visitor, body);
	item_append(visitor, charset);
}

/* A sample_reader. */
static enum error bundle_run_read_sample(void *context, uint32_t cluster,
					 struct buffer *list,
					 uint32_t *changes_out)
{
	const struct bundle_run *application = context;

	bundle_each_sample(application->bundle, cluster, bundle_append_page,
			   list);
	*changes_out = 0; /* a bundle never changes */
	return list->size > 0 ? ERR_NONE : ERR_BODY_EXPIRED;
}

static struct template_model
bundle_run_build_model(void *context, uint32_t cluster,
		       const struct extractor *extractor,
		       const double *parameters)
{
	const struct bundle_run *application = context;
	struct cached_model *learned;
	enum error error = model_cache_get(
		application->learned,
		&(struct model_query){
			.extractor = extractor,
			.parameters = parameters,
			.read = bundle_run_read_sample,
			.context = context,
			.cluster = cluster,
			.limits = &bundle_site_of(application->bundle)->limits,
		},
		&learned);

	return (struct template_model){cached_model_template(learned), learned,
				       error};
}

static void bundle_run_release_model(void *context,
				     struct template_model taught)
{
	const struct bundle_run *application = context;

	model_cache_release(application->learned, taught.holder);
}

static bool open_bundle(const struct ctl *ctl, const char *path,
			struct bundle **bundle_out)
{
	struct bundle_limits limits = bundle_limits_default;
	char reason[BUNDLE_REASON_BYTES];
	struct buffer file = {0};
	enum error error = file_read(path, BUNDLE_MAX_BYTES, &file);

	if (error == ERR_TOO_LARGE || error == ERR_CORRUPT) {
		ctl_print_error(ctl, "%s: not a bundle: %s", path,
				file_error_text(error));
		buffer_free(&file);
		return false;
	}
	if (error != ERR_NONE) {
		input_print_error(ctl, path, error, BUNDLE_MAX_BYTES);
		return false;
	}
	error = bundle_open(bundle_out, &file, &limits, reason);
	if (error != ERR_NONE)
		ctl_print_error(ctl, "%s: %s", path, reason);
	return error == ERR_NONE;
}

static enum error bundle_run_extract(void *context,
				     const struct page_item *item,
				     const struct text_request *request,
				     struct extraction_result *answer_out)
{
	const struct bundle_run *application = context;

	(void)item;
	return bundle_extract_by(application->bundle, &application->learner,
				 request, answer_out);
}

static enum error bundle_run_url(void *context, const char *name,
				 struct url *url_out)
{
	const struct bundle_run *application = context;

	return offline_url_below(application->base, name, url_out);
}

static enum ctl_status bundle_run_start(const struct ctl *ctl,
					const struct page_run *asked)
{
	struct page_run run = *asked;
	struct bundle_run application = {.learner = {bundle_run_build_model,
						     bundle_run_release_model,
						     &application}};
	struct page_run_counts counts;
	struct ctl files = *ctl;
	enum ctl_status status = CTL_FAILED;

	files.operands++;
	files.operand_count--;
	run.ctl = &files;
	run.context = &application;
	run.jobs = page_run_jobs(ctl);
	if (!open_bundle(ctl, ctl->operands[0], &application.bundle))
		return CTL_FAILED;
	run.max_bytes = bundle_site_of(application.bundle)->limits.max_bytes;
	application.learned = model_cache_create(MAX_LEARNED_BYTES);
	application.base = run.request.url != NULL
				   ? run.request.url->text
				   : bundle_site_of(application.bundle)->base;
	status = page_run_format(&files, page_run_is_many(&files),
				 &run.request.format)
			 ? page_run(&run, &counts)
			 : CTL_USAGE;
	model_cache_destroy(application.learned);
	bundle_close(application.bundle);
	return status;
}

static enum ctl_status run_apply(const struct ctl *ctl)
{
	struct ctl_request asked;
	struct page_run run = {.answer = bundle_run_extract,
			       .place = bundle_run_url};
	enum ctl_status status = CTL_USAGE;
	bool is_right = ctl_request_read(ctl, &asked);
	struct url url;

	run.request = asked.request;
	run.request.charset = slice_of(option_text(ctl, "charset"));
	if (is_right && page_run_url(ctl, &run.request, &url))
		status = bundle_run_start(ctl, &run);
	ctl_request_free(&asked);
	return status;
}

static const struct verb_option apply_options[] = {
	OPTION_METHOD_ROW,
	OPTION_FORMAT_ROW,
	{.name = "url",
	 .kind = OPTION_TEXT,
	 .value = "U",
	 .meaning = "URL of the page; with --out, URL of the folder of the "
		    "pages (default: the site)"},
	{.name = "charset",
	 .kind = OPTION_TEXT,
	 .value = "C",
	 .meaning = "charset in the Content-Type of the pages"},
	OPTION_PARAM_ROW,
	OPTION_FAVOR_ROW,
	OPTION_SCOPE_ROW,
	OPTION_WITH_ROW,
	OPTION_EXTRAS_ROWS,
	OPTION_INCLUDE_ROW,
	OPTION_EXCLUDE_ROW,
	OPTION_OUT_ROW,
	OPTION_JOBS_ROW,
	OPTION_WARC_ROW,
	OPTION_URLS_ROW,
	OPTION_CITABLE_ROW,
	{.name = NULL},
};

const struct verb verb_apply = {
	.name = "apply",
	.group = VERBS_READ,
	.operands = "BUNDLE [FILE|DIR|ARCHIVE|URL|-]...",
	.min_operands = 1,
	.max_operands = SIZE_MAX,
	.summary = "Print the content of pages, with templates that "
		   "`templatectl export` wrote",
	.options = apply_options,
	.run = run_apply,
};
