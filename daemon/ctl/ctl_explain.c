/*
 * daemon/ctl/ctl_explain.c - templatectl: explain, a page coloured by verdict.
 */
#include "daemon/ctl/ctl.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "daemon/ctl/ctl_client.h"
#include "daemon/ctl/ctl_offline.h"
#include "daemon/ctl/ctl_request.h"
#include "daemon/ctl/inputs.h"
#include "daemon/ctl/offline_site.h"
#include "daemon/runtime/terminal.h"

/* If the file of --out cannot be written, print a message and return false. */
static bool explain_write(const struct ctl *ctl, const struct buffer *picture)
{
	const char *path = option_text(ctl, "out");
	enum error error;

	if (path == NULL) {
		terminal_print(buffer_slice(picture));
		return true;
	}
	error = file_write(path, buffer_slice(picture));
	if (error != ERR_NONE)
		ctl_print_error(ctl, "%s: cannot write: %s", path,
				file_error_text(error));
	return error == ERR_NONE;
}

static enum ctl_status put_answer(const struct ctl *ctl, enum error error,
				  struct extraction_result *answer)
{
	enum ctl_status status = CTL_FAILED;
	struct buffer trouble = {0};

	if (error != ERR_NONE) {
		offline_trouble(error, answer, &trouble);
		ctl_print_error(ctl, "%s: %s", ctl->operands[0], trouble.data);
		buffer_free(&trouble);
	} else if (explain_write(ctl, &answer->text)) {
		status = CTL_DONE;
	}
	extraction_result_free(answer);
	return status;
}

static enum ctl_status explain_file(const struct ctl *ctl,
				    struct text_request request)
{
	const struct extraction_options *rules = &extraction_options_default;
	struct extraction_result answer = {0};
	struct buffer body = {0};
	enum ctl_status status;
	enum error error =
		file_read(ctl->operands[0], rules->limits.max_bytes, &body);

	request.body = buffer_slice(&body);
	if (error == ERR_NONE)
		error = query_extract(NULL, rules, &request, &answer);
	status = put_answer(ctl, error, &answer);
	buffer_free(&body);
	return status;
}

/* Find the page by its path below the folder, or by any path of its file. */
static const struct offline_page *
explain_find_page(const struct offline_site *site, const char *path)
{
	for (size_t i = 0; i < site->count; i++) {
		const struct offline_page *page = &site->pages[i];

		if (strcmp(page->output, path) == 0 ||
		    strcmp(page->path, path) == 0)
			return page;
	}
	return NULL;
}

static enum ctl_status explain_page(const struct ctl *ctl,
				    const struct offline_site *site,
				    struct text_request request)
{
	const struct offline_page *page =
		explain_find_page(site, ctl->operands[0]);
	struct extraction_result answer = {0};
	struct url url;
	enum error error;

	if (page == NULL) {
		ctl_print_error(
			ctl,
			"%s: %s has no such page; use its path in that folder",
			ctl->operands[0], option_text(ctl, "site"));
		return CTL_FAILED;
	}
	if (page->trouble != NULL) {
		ctl_print_error(ctl, "%s: %s", page->name, page->trouble);
		return CTL_FAILED;
	}
	error = url_parse(&url, slice_of(page->url), NULL);
	request.url = &url;
	if (error == ERR_NONE)
		error = query_text(site->store, &site->rules, &request,
				   &answer);
	return put_answer(ctl, error, &answer);
}

static enum ctl_status explain_in_site(const struct ctl *ctl,
				       const struct text_request *request)
{
	const char *folder = option_text(ctl, "site");
	const char *operands[] = {folder};
	struct ctl lesson = *ctl; /* as if the folder were the operand */
	struct offline_site site = {0};
	enum ctl_status status = CTL_FAILED;

	if (!is_folder(folder)) {
		ctl_print_error(ctl, "--site: %s: no such folder", folder);
		return CTL_FAILED;
	}
	lesson.operands = operands;
	lesson.operand_count = 1;
	if (offline_site_learn(&lesson, NULL, &site))
		status = explain_page(ctl, &site, *request);
	offline_site_close(&site);
	return status;
}

static enum ctl_status ask_daemon(const struct ctl *ctl,
				  const struct ctl_request *asked)
{
	struct buffer target = {0};
	struct buffer answer = {0};
	enum ctl_status status;

	buffer_append_text(&target, "/v1/text?format=explain&url=");
	client_append_escaped(&target, ctl->operands[0]);
	ctl_request_append(asked, &target);
	status = client_ask(
		ctl, &(struct client_request){.target = target.data}, &answer);
	if (status == CTL_DONE && !explain_write(ctl, &answer))
		status = CTL_FAILED;
	buffer_free(&answer);
	buffer_free(&target);
	return status;
}

static bool is_url(const char *operand)
{
	return strncasecmp(operand, "http://", 7) == 0 ||
	       strncasecmp(operand, "https://", 8) == 0;
}

static enum ctl_status ctl_explain_page(const struct ctl *ctl,
					const struct ctl_request *asked)
{
	bool has_site = option_given(ctl, "site");

	if (!is_url(ctl->operands[0]))
		return has_site ? explain_in_site(ctl, &asked->request)
				: explain_file(ctl, asked->request);
	if (!has_site)
		return ask_daemon(ctl, asked);
	ctl_print_error(ctl,
			"--site: use it with files only; the daemon uses its "
			"own pages for a URL");
	return CTL_USAGE;
}

static enum ctl_status run_explain(const struct ctl *ctl)
{
	struct ctl_request asked;
	enum ctl_status status = CTL_USAGE;

	if (ctl_request_read(ctl, &asked)) {
		asked.request.format = FORMAT_EXPLAIN;
		status = ctl_explain_page(ctl, &asked);
	}
	ctl_request_free(&asked);
	return status;
}

static const struct verb_option explain_options[] = {
	OPTION_METHOD_ROW,
	OPTION_PARAM_ROW,
	OPTION_FAVOR_ROW,
	OPTION_SCOPE_ROW,
	OPTION_WITH_ROW,
	OPTION_INCLUDE_ROW,
	OPTION_EXCLUDE_ROW,
	{.name = "site",
	 .kind = OPTION_TEXT,
	 .value = "DIR",
	 .meaning = "folder of pages that provide the template; PAGE is a path "
		    "in it"},
	{.name = "out",
	 .letter = 'o',
	 .kind = OPTION_TEXT,
	 .value = "FILE",
	 .meaning = "write the picture to FILE"},
	{.name = NULL},
};

const struct verb verb_explain = {
	.name = "explain",
	.group = VERBS_LOOK,
	.operands = "PAGE|URL",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Show as HTML why each text of a page is content or not",
	.options = explain_options,
	.run = run_explain,
};
