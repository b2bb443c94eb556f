/*
 * daemon/ctl/ctl_ingest.c - templatectl: ingest, upload of archives to the
 * daemon.
 */
#include "daemon/ctl/ctl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/ctl/ctl_client.h"
#include "daemon/ctl/progress.h"
#include "daemon/runtime/table.h"

enum { KIB = 1024, SHOWN_HOSTS = 5 };

/* An archive that is being sent. */
struct archive_input {
	const char *name;
	int file;
	uint64_t size; /* 0 = unknown */
	uint64_t done;
	int failure; /* errno */
	struct progress progress;
};

static enum error read_input(void *context, char *out, size_t capacity,
			     size_t *size_out)
{
	struct archive_input *input = context;
	ssize_t size;

	do
		size = read(input->file, out, capacity);
	while (size < 0 && errno == EINTR);
	if (size < 0) {
		input->failure = errno;
		return ERR_IO;
	}
	*size_out = (size_t)size;
	input->done += *size_out;
	progress_show(&input->progress, input->done / KIB,
		      (input->size > input->done ? input->size : input->done) /
			      KIB,
		      "KiB");
	return ERR_NONE;
}

static bool archive_input_open(const struct ctl *ctl,
			       struct archive_input *input)
{
	struct stat status;

	input->file = strcmp(input->name, "-") == 0
			      ? dup(STDIN_FILENO)
			      : open(input->name, O_RDONLY | O_CLOEXEC);
	if (input->file < 0) {
		ctl_print_error(ctl, "%s: %s", input->name,
				strerrordesc_np(errno));
		return false;
	}
	if (fstat(input->file, &status) == 0 && S_ISREG(status.st_mode))
		input->size = (uint64_t)status.st_size;
	return true;
}

/* Append the target, with the options that select pages of the archives. */
static void write_target(const struct ctl *ctl, struct buffer *target)
{
	buffer_append_text(target, "/v1/ingest?replace=");
	buffer_append_text(target, option_given(ctl, "replace") ? "1" : "0");
	for (size_t i = 0; i < ctl->value_count; i++) {
		if (strcmp(ctl->values[i].option->name, "host") != 0)
			continue;
		buffer_append_text(target, "&host=");
		client_append_escaped(target, ctl->values[i].text);
	}
	buffer_append_byte(target, '\0');
}

static enum ctl_status send_input(const struct ctl *ctl, const char *target,
				  struct archive_input *input,
				  json_t **answer_out)
{
	const struct socket_upload upload = {
		.target = target,
		.media_type = "application/warc",
		.source = read_input,
		.context = input,
	};
	enum ctl_status status;

	input->progress = progress_begin("ingest");
	status = client_send(ctl, &upload, answer_out);
	progress_clear(&input->progress);
	if (input->failure != 0)
		ctl_print_error(ctl, "%s: %s", input->name,
				strerrordesc_np(input->failure));
	return status;
}

/* Append the first hosts whose pages were skipped for this reason. */
static void append_hosts(const json_t *answer, const char *error,
			 struct buffer *out)
{
	const json_t *row;
	size_t count = 0;
	size_t i;

	json_array_foreach(json_object_get(answer, "hosts"), i, row)
	{
		if (strcmp(field_text(row, "error"), error) != 0)
			continue;
		if (count++ == SHOWN_HOSTS) {
			buffer_append_text(out, ", ...");
			break;
		}
		buffer_printf(out, "%s%s (%" PRIu64 ")", count > 1 ? ", " : "",
			      field_text(row, "host"),
			      field_whole(row, "pages"));
	}
	buffer_append_byte(out, '\0');
}

/* Report skipped pages, and the option that includes them. */
static void complain_pages(const struct ctl *ctl, const char *name,
			   const json_t *answer)
{
	uint64_t strangers =
		field_whole(json_object_get(answer, "skipped"), "no-site");
	uint64_t kept = field_whole(answer, "kept");
	struct buffer unknown = {0};
	struct buffer over = {0};

	append_hosts(answer, "no_site", &unknown);
	append_hosts(answer, "too_large", &over);
	if (strangers > 0)
		ctl_print_error(
			ctl,
			"%s: skipped %" PRIu64
			" pages of unknown sites: %s; use --host HOST, or "
			"--host '*', to add the sites",
			name, strangers, unknown.data);
	if (over.size > 1)
		ctl_print_error(ctl,
				"%s: rejected: pages of new sites beyond "
				"crawl.max_sites: %s",
				name, over.data);
	if (kept > 0)
		ctl_print_error(
			ctl,
			"%s: kept %" PRIu64
			" pages that the daemon fetched itself; --replace "
			"replaces them by newer ones",
			name, kept);
	buffer_free(&unknown);
	buffer_free(&over);
}

/* Report rejected records, and where reading stopped if not at the end. */
static void complain_records(const struct ctl *ctl, const char *name,
			     const json_t *answer)
{
	const json_t *errors = json_object_get(answer, "errors");
	const json_t *row;
	size_t i;

	json_array_foreach(errors, i, row)
	{
		ctl_print_error(ctl, "%s: record at %" PRIu64 ": %s: %s", name,
				field_whole(row, "offset"),
				field_text(row, "message"),
				field_text(row, "url"));
	}
	if (field_whole(answer, "rejected") > json_array_size(errors))
		ctl_print_error(
			ctl, "%s: %" PRIu64 " more records were rejected", name,
			field_whole(answer, "rejected") -
				json_array_size(errors));
	if (!json_is_true(json_object_get(answer, "complete")))
		ctl_print_error(ctl,
				"%s: stopped before the end of the archive: %s",
				name, field_text(answer, "reason"));
}

static void archive_add_row(struct text_table *table, const char *name,
			    const json_t *answer)
{
	static const char *const columns[] = {"records", "pages", "kept",
					      "revisits", "redirects"};
	const json_t *skipped = json_object_get(answer, "skipped");

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		table_printf(table, "%" PRIu64,
			     field_whole(answer, columns[i]));
	table_printf(table, "%" PRIu64,
		     field_whole(skipped, "not-html") +
			     field_whole(skipped, "error-status") +
			     field_whole(skipped, "other") +
			     field_whole(skipped, "other-host") +
			     field_whole(skipped, "no-site"));
	table_printf(table, "%" PRIu64, field_whole(answer, "rejected"));
	table_add_text(table, json_is_true(json_object_get(answer, "complete"))
				      ? "yes"
				      : "no");
	table_add_text(table, name);
}

/* Send one archive; print the result or add it up. */
static enum ctl_status ingest_file(const struct ctl *ctl, const char *name,
				   struct text_table *table)
{
	struct archive_input input = {.name = name};
	enum ctl_status status = CTL_FAILED;
	struct buffer target = {0};
	json_t *answer = NULL;

	if (!archive_input_open(ctl, &input))
		return status;
	write_target(ctl, &target);
	status = send_input(ctl, target.data, &input, &answer);
	buffer_free(&target);
	close(input.file);
	if (status != CTL_DONE)
		return status;
	if (ctl->is_json) {
		json_object_set_new(answer, "file", json_string(name));
		client_print_json(answer);
	} else {
		complain_records(ctl, name, answer);
		complain_pages(ctl, name, answer);
		archive_add_row(table, name, answer);
	}
	if (!json_is_true(json_object_get(answer, "complete")))
		status = CTL_FAILED;
	json_decref(answer);
	return status;
}

static enum ctl_status run_ingest(const struct ctl *ctl)
{
	static const struct table_column columns[] = {
		{.title = "RECORDS", .is_number = true},
		{.title = "PAGES", .is_number = true},
		{.title = "KEPT", .is_number = true},
		{.title = "REVISITS", .is_number = true},
		{.title = "REDIRECTS", .is_number = true},
		{.title = "SKIPPED", .is_number = true},
		{.title = "REFUSED", .is_number = true},
		{.title = "WHOLE"},
		{.title = "FILE", .is_elastic = true},
	};
	struct text_table *table =
		table_create(columns, sizeof(columns) / sizeof(columns[0]));
	enum ctl_status worst = CTL_DONE;

	for (size_t i = 0; i < ctl->operand_count; i++) {
		enum ctl_status status =
			ingest_file(ctl, ctl->operands[i], table);

		worst = status > worst ? status : worst;
		if (status == CTL_NO_DAEMON)
			break;
	}
	if (!ctl->is_json && worst != CTL_NO_DAEMON)
		table_print(table);
	table_destroy(table);
	return worst;
}

static const struct verb_option ingest_options[] = {
	{.name = "host",
	 .kind = OPTION_TEXT,
	 .value = "GLOB",
	 .meaning = "only pages of these hosts, and add their sites; * means "
		    "any characters; may be repeated"},
	{.name = "replace",
	 .kind = OPTION_FLAG,
	 .meaning =
		 "also replace pages that the daemon fetched itself, if newer"},
	{.name = NULL},
};

const struct verb verb_ingest = {
	.name = "ingest",
	.group = VERBS_CRAWL,
	.operands = "FILE|-...",
	.min_operands = 1,
	.max_operands = SIZE_MAX,
	.options = ingest_options,
	.summary =
		"Import pages from web archives: WARC or ARC, also compressed",
	.run = run_ingest,
};
