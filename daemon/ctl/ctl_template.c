#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "daemon/ctl/client.h"
#include "daemon/ctl/ctl.h"
#include "daemon/ctl/offline_run.h"
#include "daemon/runtime/terminal.h"
#include "template/bundle.h"
#include "template/version_json.h"

/*
 * The action templatectl export, which writes the templates of a site to a
 * file.
 */

/* A bundle that is being received. */
struct bundle_download {
	struct buffer bytes;
	struct progress progress;
};

static enum error bundle_download_append(void *context, struct slice bytes,
					 uint64_t total)
{
	struct bundle_download *arrival = context;

	if (bytes.size > BUNDLE_MAX_BYTES - arrival->bytes.size)
		return ERR_TOO_LARGE;
	buffer_append_slice(&arrival->bytes, bytes);
	progress_show_bytes(&arrival->progress, arrival->bytes.size, total);
	return ERR_NONE;
}

static enum ctl_status bundle_download_receive(const struct ctl *ctl,
					       struct buffer *bytes_out)
{
	struct bundle_download arrival = {.progress = progress_begin("export")};
	struct buffer target = {0};
	enum ctl_status status = action_target(ctl, NULL, &target);

	progress_show(&arrival.progress, 0, 1, "the daemon creates the bundle");
	if (status == CTL_DONE)
		status = client_receive(ctl,
					&(struct socket_request){
						.target = target.data,
						.sink = bundle_download_append,
						.context = &arrival,
					});
	progress_clear(&arrival.progress);
	buffer_free(&target);
	if (status == CTL_DONE)
		*bytes_out = arrival.bytes;
	else
		buffer_free(&arrival.bytes);
	return status;
}

/*
 * Open the bundle with the default limits, which its users have, too, and print
 * its contents.
 */
static enum ctl_status bundle_download_print(const struct ctl *ctl,
					     const char *path,
					     struct slice bytes)
{
	char reason[BUNDLE_REASON_BYTES];
	struct bundle *bundle;
	struct buffer copy = {0};
	enum error error;
	json_t *answer;

	buffer_append_slice(&copy, bytes);
	error = bundle_open(&bundle, &copy, &bundle_limits_default, reason);
	if (error != ERR_NONE) {
		ctl_print_error(ctl, "%s", reason);
		return CTL_FAILED;
	}
	answer = json_pack("{s:s, s:s, s:I, s:I, s:I}", "file", path, "site",
			   bundle_site_of(bundle)->host, "size_bytes",
			   (json_int_t)bytes.size, "pages",
			   (json_int_t)bundle_page_count(bundle), "templates",
			   (json_int_t)bundle_template_count(bundle));
	client_print(ctl, answer);
	bundle_close(bundle);
	return CTL_DONE;
}

/*
 * Write the bundle to the file of --out; without --out, to HOST.tpl. "-" is
 * standard output.
 */
static enum ctl_status bundle_download_write(const struct ctl *ctl,
					     struct slice bytes)
{
	const char *path = option_text(ctl, "out");
	char host[MAX_HOST_BYTES + 1];
	char name[MAX_HOST_BYTES + 8];

	if (path != NULL && strcmp(path, "-") == 0)
		return fwrite(bytes.data, 1, bytes.size, stdout) == bytes.size
			       ? CTL_DONE
			       : CTL_FAILED;
	if (path == NULL && client_host(ctl, ctl->operands[0], host)) {
		snprintf(name, sizeof(name), "%s.tpl", host);
		path = name;
	}
	return ctl_write_file(ctl, path, bytes, file_replace)
		       ? bundle_download_print(ctl, path, bytes)
		       : CTL_FAILED;
}

enum ctl_status run_export(const struct ctl *ctl)
{
	struct buffer bytes = {0};
	enum ctl_status status = bundle_download_receive(ctl, &bytes);

	if (status == CTL_DONE)
		status = bundle_download_write(ctl, buffer_slice(&bytes));
	buffer_free(&bytes);
	return status;
}

/* The actions templatectl template list and template pages. */

void template_arrange(json_t *answer)
{
	json_shorten_titles(json_object_get(answer, "templates"));
	json_shorten_titles(json_object_get(answer, "pages"));
}

/* The action templatectl guard. */

/*
 * The response to `guard add` has `examples`, the pages on which the new guard
 * was tried. Show them as the sample of the guard.
 */
void guard_arrange(json_t *answer)
{
	json_t *examples = json_object_get(answer, "examples");

	if (examples != NULL)
		json_object_set(answer, "sample", examples);
	json_object_del(answer, "examples");
}

enum ctl_status run_guard_list(const struct ctl *ctl)
{
	struct ctl one = *ctl;
	json_t *answer;
	const json_t *site;
	size_t i;
	enum ctl_status status;

	if (ctl->operand_count > 0)
		return action_run(ctl);
	status = client_ask_sites(ctl, &answer);
	json_array_foreach(json_object_get(answer, "sites"), i, site)
	{
		const char *host = field_text(site, "host");

		if (!ctl->is_json)
			printf("%s%s\n", i == 0 ? "" : "\n", host);
		one.operands = &host;
		one.operand_count = 1;
		if (status == CTL_DONE)
			status = action_run(&one);
	}
	json_decref(answer);
	return status;
}

/* The action templatectl text. */

enum ctl_status run_text(const struct ctl *ctl)
{
	struct ctl_request asked;
	struct buffer target = {0};
	struct buffer answer = {0};
	enum ctl_status status = CTL_USAGE;

	if (ctl_request_read(ctl, &asked))
		status = action_target(ctl, NULL, &target);
	if (status == CTL_DONE) {
		client_append_query(&target, "format",
				    ctl->is_json ? "json"
						 : option_text(ctl, "format"));
		ctl_request_append(&asked, &target);
		status = client_ask(
			ctl, &(struct client_request){.target = target.data},
			&answer);
	}
	if (status == CTL_DONE) {
		terminal_print(buffer_slice(&answer));
		if (answer.size > 0 && answer.data[answer.size - 1] != '\n')
			printf("\n");
	}
	ctl_request_free(&asked);
	buffer_free(&answer);
	buffer_free(&target);
	return status;
}

/* The action templatectl template show. */

enum { MAX_DIGITS = 9 };

/*
 * Add a row. Its text is the page, the path of a region, or the text of the
 * item.
 */
static void rows_add(json_t *rows, const char *sign, const char *what,
		     const json_t *item)
{
	json_t *row = json_pack("{s:s, s:s, s:b}", "sign", sign, "what", what,
				"is_page", json_is_string(item));
	const json_t *text = json_object_get(item, "text");

	if (json_is_string(item))
		text = item;
	else if (json_object_get(item, "path") != NULL)
		text = json_object_get(item, "path");
	json_object_update(row, (json_t *)item);
	if (json_is_string(text))
		json_object_set(row, "text", (json_t *)text);
	else
		json_object_set_new(row, "text",
				    json_sprintf("(text not stored; hash %s)",
						 field_text(item, "hash")));
	json_array_append_new(rows, row);
}

/* Add the items of one kind, at most `limit`. */
static void rows_add_list(json_t *rows, const char *sign, const char *what,
			  const json_t *list, uint64_t limit)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if (i < limit)
			rows_add(rows, sign, what, item);
	}
}

static void rows_print(const char *columns, json_t *rows)
{
	table_print_rows(columns, rows);
	json_decref(rows);
}

/* Print the state of the template; nothing if it has no version yet. */
static void print_state(const json_t *answer)
{
	const char *state = json_string_value(json_object_get(answer, "state"));
	struct buffer line = {0};

	if (state == NULL)
		return;
	buffer_printf(&line, "%s: %s", field_text(answer, "id"), state);
	if (json_is_string(json_object_get(answer, "other")))
		buffer_printf(&line, ", %s", field_text(answer, "other"));
	buffer_printf(&line, "; version %" PRIu64 ", last seen %s\n\n",
		      field_whole(answer, "version"),
		      field_text(answer, "seen"));
	terminal_print(buffer_slice(&line));
	buffer_free(&line);
}

/* Print a table and an empty line; nothing if there are no rows. */
static void template_print_list(const json_t *rows, const char *columns)
{
	if (json_array_size(rows) == 0)
		return;
	table_print_rows(columns, rows);
	printf("\n");
}

static void print_live(const json_t *answer)
{
	json_t *rows = json_array();

	print_state(answer);
	template_print_list(json_object_get(answer, "versions"),
			    "VERSION#=version, PAGES#=pages, FIRST=first, "
			    "LAST=last");
	template_print_list(json_object_get(answer, "lineage"),
			    "TIME=time, BECAME=kind, OTHER=other");
	rows_add_list(rows, "", "", json_object_get(answer, "fragments"),
		      UINT64_MAX);
	rows_print("DF#=df, RATIO#=ratio:.2, TEXT~=text", rows);
}

static void print_version(const struct ctl *ctl, const json_t *answer)
{
	uint64_t limit = option_whole(ctl, "limit", UINT32_MAX);
	json_t *rows = json_array();

	rows_add_list(rows, "", "page", json_object_get(answer, "samples"),
		      UINT64_MAX);
	rows_add_list(rows, "", "content", json_object_get(answer, "regions"),
		      UINT64_MAX);
	rows_add_list(rows, "", "path", json_object_get(answer, "paths"),
		      limit);
	if (option_given(ctl, "version"))
		rows_add_list(rows, "", "fragment",
			      json_object_get(answer, "fragments"), limit);
	rows_print("WHAT=what, RATIO#=ratio:.2|is_page?, TEXT~=text", rows);
}

/*
 * Print the fragments with their current counts, and then the paths of the
 * newest version.
 */
static void template_print(const struct ctl *ctl, const json_t *answer)
{
	struct buffer target = {0};
	json_t *version = NULL;

	print_live(answer);
	if (field_whole(answer, "version") == 0 ||
	    action_target(ctl, NULL, &target) != CTL_DONE)
		return;
	buffer_printf(&target, "/versions/%" PRIu64,
		      field_whole(answer, "version"));
	if (client_ask_value(ctl, NULL, target.data, NULL, &version) ==
	    CTL_DONE) {
		printf("\n");
		print_version(ctl, version);
	}
	json_decref(version);
	buffer_free(&target);
}

static void print_diff(const struct ctl *ctl, const json_t *answer)
{
	static const struct {
		const char *list;
		const char *what;
	} parts[] = {{"paths", "path"}, {"fragments", "fragment"}};
	uint64_t limit = option_whole(ctl, "limit", UINT32_MAX);
	json_t *rows = json_array();

	for (size_t i = 0; i < 2; i++) {
		const json_t *part = json_object_get(answer, parts[i].list);

		printf("%s moved: %.0f %%\n", parts[i].list,
		       100 * json_number_value(json_object_get(part, "moved")));
		rows_add_list(rows, "-", parts[i].what,
			      json_object_get(part, "gone"), limit);
		rows_add_list(rows, "+", parts[i].what,
			      json_object_get(part, "come"), limit);
	}
	rows_print("=sign, WHAT=what, RATIO#=ratio:.2, TEXT~=text", rows);
}

static enum ctl_status print_answer(const struct ctl *ctl, const char *target,
				    void (*print)(const struct ctl *ctl,
						  const json_t *answer))
{
	json_t *answer = NULL;
	enum ctl_status status =
		client_ask_value(ctl, NULL, target, NULL, &answer);

	if (status != CTL_DONE)
		return status;
	if (ctl->is_json)
		client_print_json(answer);
	else
		print(ctl, answer);
	json_decref(answer);
	return CTL_DONE;
}

/*
 * Check that the command line has two versions with --diff, and none without
 * it. Otherwise print an error and return false.
 */
static bool check_operands(const struct ctl *ctl)
{
	bool is_diff = option_given(ctl, "diff");

	if (is_diff && option_given(ctl, "version")) {
		ctl_print_error(ctl, "use --diff or --version, not both");
		return false;
	}
	if (ctl->operand_count != (is_diff ? 3U : 1U)) {
		ctl_print_error(ctl, is_diff ? "--diff needs two versions"
					     : "name one template, HOST/N");
		return false;
	}
	for (size_t i = 1; i < ctl->operand_count; i++)
		if (ctl->operands[i][0] == '0' ||
		    strlen(ctl->operands[i]) - 1 >= MAX_DIGITS ||
		    ctl->operands[i][strspn(ctl->operands[i], DIGITS)] !=
			    '\0') {
			ctl_print_error(ctl, "%s: not the number of a version",
					ctl->operands[i]);
			return false;
		}
	return true;
}

enum ctl_status run_template_show(const struct ctl *ctl)
{
	void (*print)(const struct ctl *, const json_t *) = template_print;
	struct buffer target = {0};
	enum ctl_status status;

	if (!check_operands(ctl))
		return CTL_USAGE;
	status = action_target(ctl, NULL, &target);
	if (option_given(ctl, "diff")) {
		print = print_diff;
		buffer_printf(&target, "/diff?from=%s&to=%s", ctl->operands[1],
			      ctl->operands[2]);
	} else if (option_given(ctl, "version")) {
		print = print_version;
		buffer_printf(&target, "/versions/%s",
			      option_text(ctl, "version"));
	} else {
		buffer_append_text(&target, "/versions/current");
		client_append_query(&target, "limit",
				    option_text(ctl, "limit"));
	}
	if (status == CTL_DONE)
		status = print_answer(ctl, target.data, print);
	buffer_free(&target);
	return status;
}
