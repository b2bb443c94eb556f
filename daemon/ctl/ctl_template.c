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

/* Templatectl: export, the templates of a site as a file. */

enum { KIB = 1024 };

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
	progress_show(&arrival->progress, arrival->bytes.size / KIB,
		      total / KIB, "KiB");
	return ERR_NONE;
}

static enum ctl_status bundle_download_receive(const struct ctl *ctl,
					       const char *host,
					       struct buffer *bytes_out)
{
	struct bundle_download arrival = {.progress = progress_begin("export")};
	struct buffer target = {0};
	enum ctl_status status;

	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, host);
	buffer_append_text(&target, "/bundle");
	progress_show(&arrival.progress, 0, 1, "the daemon creates the bundle");
	status = client_receive(ctl, &(struct socket_download){
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
 * Open the bundle with the default limits, as its users do, and print its
 * contents.
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
	json_decref(answer);
	bundle_close(bundle);
	return CTL_DONE;
}

/* Write the bundle to the file of --out, to HOST.tpl, or to standard output. */
static enum ctl_status bundle_download_write(const struct ctl *ctl,
					     const char *host,
					     struct slice bytes)
{
	const char *path = option_text(ctl, "out");
	char default_value[MAX_HOST_BYTES + 8];
	enum error error;

	if (path != NULL && strcmp(path, "-") == 0)
		return fwrite(bytes.data, 1, bytes.size, stdout) == bytes.size
			       ? CTL_DONE
			       : CTL_FAILED;
	if (path == NULL) {
		snprintf(default_value, sizeof(default_value), "%s.tpl", host);
		path = default_value;
	}
	error = file_replace(path, bytes);
	if (error == ERR_NONE)
		return bundle_download_print(ctl, path, bytes);
	ctl_print_error(ctl, "%s: cannot write: %s", path,
			file_error_text(error));
	return CTL_FAILED;
}

static enum ctl_status run_export(const struct ctl *ctl)
{
	char host[MAX_HOST_BYTES + 1];
	struct buffer bytes = {0};
	enum ctl_status status = CTL_USAGE;

	if (client_host(ctl, ctl->operands[0], host)) {
		status = bundle_download_receive(ctl, host, &bytes);
		if (status == CTL_DONE)
			status = bundle_download_write(ctl, host,
						       buffer_slice(&bytes));
	}
	buffer_free(&bytes);
	return status;
}

static const struct verb_option export_options[] = {
	{.name = "out",
	 .letter = 'o',
	 .kind = OPTION_TEXT,
	 .value = "FILE",
	 .meaning = "write to FILE (default: HOST.tpl); -: standard output"},
	{.name = NULL},
};

const struct verb verb_export = {
	.name = "export",
	.group = VERBS_READ,
	.operands = "HOST",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Write a site's templates to a file, for `apply` and "
		   "libtemplated",
	.options = export_options,
	.run = run_export,
};

/* Templatectl: guard. */

/*
 * Set `target` to "/v1/sites/HOST/guards", and *cluster_out to the N of HOST/N,
 * or 0.
 */
static bool guards_target(const struct ctl *ctl, const char *operand,
			  struct buffer *target, uint64_t *cluster_out)
{
	const char *slash = strrchr(operand, '/');
	struct buffer name = {0};
	char host[MAX_HOST_BYTES + 1];
	bool is_right;

	*cluster_out = 0;
	if (slash != NULL && slash[1] != '\0' &&
	    slash[1 + strspn(slash + 1, "0123456789")] == '\0')
		*cluster_out = strtoull(slash + 1, NULL, 10);
	if (*cluster_out != 0)
		buffer_append(&name, operand, (size_t)(slash - operand));
	else
		buffer_append_text(&name, operand);
	buffer_append_byte(&name, '\0');
	is_right = client_host(ctl, name.data, host);
	buffer_free(&name);
	if (!is_right)
		return false;
	buffer_append_text(target, "/v1/sites/");
	client_append_escaped(target, host);
	buffer_append_text(target, "/guards");
	return true;
}

static const struct table_column guard_columns[] = {
	{.title = "ID", .is_number = true},
	{.title = "NAME"},
	{.title = "STATE"},
	{.title = "PAGES", .is_number = true},
	{.title = "FAILING", .is_number = true},
	{.title = "EXPECT"},
	{.title = "TEMPLATE"},
	{.title = "SELECTOR", .is_elastic = true},
};

static void guard_add_row(struct text_table *table, const json_t *guard)
{
	table_printf(table, "%" PRIu64, field_whole(guard, "id"));
	table_add_text(table, field_text(guard, "name"));
	table_add_text(table, field_text(guard, "state"));
	table_printf(table, "%" PRIu64, field_whole(guard, "pages"));
	table_printf(table, "%" PRIu64, field_whole(guard, "failing"));
	table_add_text(table, field_text(guard, "expect"));
	table_add_text(table, field_text(guard, "cluster"));
	table_add_text(table, field_text(guard, "selector"));
}

static const struct client_list guard_list = {
	"guards", guard_columns,
	sizeof(guard_columns) / sizeof(guard_columns[0]), guard_add_row};

static const struct table_column page_columns[] = {
	{.title = "MATCHES", .is_number = true},
	{.title = "LAST GOOD VALUE", .is_elastic = true},
	{.title = "PAGE", .is_elastic = true},
};

static void print_pages(const json_t *pages, const char *value)
{
	struct text_table *table = table_create(
		page_columns, sizeof(page_columns) / sizeof(page_columns[0]));
	const json_t *page;
	size_t i;

	json_array_foreach(pages, i, page)
	{
		table_printf(table, "%" PRIu64, field_whole(page, "matches"));
		table_add_text(table, field_text(page, value));
		table_add_text(table, field_text(page, "url"));
	}
	if (json_array_size(pages) > 0) {
		putchar('\n');
		table_print(table);
	}
	table_destroy(table);
}

static const struct table_column candidate_columns[] = {
	{.title = "SCORE", .is_number = true},
	{.title = "PAGES", .is_number = true},
	{.title = "CANDIDATE", .is_elastic = true},
	{.title = "EXAMPLE", .is_elastic = true},
};

static void print_candidates(const json_t *candidates)
{
	struct text_table *table = table_create(
		candidate_columns,
		sizeof(candidate_columns) / sizeof(candidate_columns[0]));
	const json_t *row;
	size_t i;

	json_array_foreach(candidates, i, row)
	{
		table_printf(table, "%.2f",
			     json_number_value(json_object_get(row, "score")));
		table_printf(table, "%" PRIu64, field_whole(row, "pages"));
		table_add_text(table, field_text(row, "selector"));
		table_add_text(table, field_text(row, "example"));
	}
	if (json_array_size(candidates) > 0) {
		putchar('\n');
		table_print(table);
	}
	table_destroy(table);
}

static void print_guard(const struct ctl *ctl, json_t *guard)
{
	static const char *const lists[] = {"sample", "candidates", "examples"};
	json_t *tables[3];

	if (ctl->is_json) {
		client_print_json(guard);
		return;
	}
	for (size_t i = 0; i < 3; i++) {
		tables[i] = json_incref(json_object_get(guard, lists[i]));
		json_object_del(guard, lists[i]);
	}
	client_print_object(guard);
	print_pages(tables[2] != NULL ? tables[2] : tables[0], "value");
	print_candidates(tables[1]);
	for (size_t i = 0; i < 3; i++)
		json_decref(tables[i]);
}

static enum ctl_status ctl_guard_add(const struct ctl *ctl, const char *target,
				     uint64_t cluster)
{
	static const char *const options[] = {"css", "xpath", "expect", "name"};
	json_t *body = json_object();
	json_t *answer;
	enum ctl_status status;

	for (size_t i = 0; i < 4; i++)
		if (option_given(ctl, options[i]))
			json_object_set_new(
				body, options[i],
				json_string(option_text(ctl, options[i])));
	if (cluster != 0)
		json_object_set_new(body, "cluster",
				    json_integer((json_int_t)cluster));
	status = client_ask_value(ctl, "POST", target, body, &answer);
	json_decref(body);
	if (status == CTL_DONE) {
		print_guard(ctl, answer);
		if (json_is_string(json_object_get(answer, "warning")))
			ctl_print_error(ctl, "%s",
					field_text(answer, "warning"));
	}
	json_decref(answer);
	return status;
}

/*
 * Return the number of a guard, given by number or name. If it does not exist,
 * print a message and return 0.
 */
static uint64_t find_guard(const struct ctl *ctl, const char *target,
			   const char *wanted, enum ctl_status *status_out)
{
	uint64_t number = 0;
	json_t *answer;
	const json_t *row;
	size_t i;

	*status_out = CTL_DONE;
	if (wanted[strspn(wanted, "0123456789")] == '\0')
		return strtoull(wanted, NULL, 10);
	*status_out = client_ask_value(ctl, NULL, target, NULL, &answer);
	json_array_foreach(json_object_get(answer, "guards"), i, row)
	{
		if (strcmp(field_text(row, "name"), wanted) == 0)
			number = field_whole(row, "id");
	}
	json_decref(answer);
	if (*status_out == CTL_DONE && number == 0) {
		ctl_print_error(ctl, "%s: no such guard", wanted);
		*status_out = CTL_FAILED;
	}
	return number;
}

static enum ctl_status with_guard(const struct ctl *ctl, const char *method,
				  struct buffer *target, const char *wanted)
{
	enum ctl_status status = CTL_DONE;
	uint64_t number = find_guard(ctl, target->data, wanted, &status);
	json_t *answer;

	if (status != CTL_DONE)
		return status;
	buffer_printf(target, "/%" PRIu64, number);
	status = client_ask_value(ctl, method, target->data, NULL, &answer);
	if (status == CTL_DONE)
		print_guard(ctl, answer);
	json_decref(answer);
	return status;
}

static enum ctl_status run_on_all(const struct ctl *ctl)
{
	json_t *answer;
	const json_t *site;
	size_t i;
	enum ctl_status status = client_ask_sites(ctl, &answer);

	json_array_foreach(json_object_get(answer, "sites"), i, site)
	{
		struct buffer target = {0};

		buffer_append_text(&target, "/v1/sites/");
		client_append_escaped(&target, field_text(site, "host"));
		buffer_append_text(&target, "/guards");
		if (!ctl->is_json)
			printf("%s%s\n", i == 0 ? "" : "\n",
			       field_text(site, "host"));
		if (status == CTL_DONE)
			status = client_print_list(ctl, target.data,
						   &guard_list);
		buffer_free(&target);
	}
	json_decref(answer);
	return status;
}

static enum ctl_status run_guard(const struct ctl *ctl)
{
	const char *action = ctl->operands[0];
	struct buffer target = {0};
	enum ctl_status status = CTL_USAGE;
	uint64_t cluster = 0;

	if (strcmp(action, "list") == 0 && ctl->operand_count == 1)
		return run_on_all(ctl);
	if (ctl->operand_count > 1 &&
	    !guards_target(ctl, ctl->operands[1], &target, &cluster))
		goto out;
	if (strcmp(action, "list") == 0)
		status = client_print_list(ctl, target.data, &guard_list);
	else if (strcmp(action, "add") == 0)
		status = ctl_guard_add(ctl, target.data, cluster);
	else
		status = with_guard(ctl,
				    strcmp(action, "rm") == 0 ? "DELETE" : NULL,
				    &target, ctl->operands[2]);
out:
	buffer_free(&target);
	return status;
}

static const struct verb_option guard_options[] = {
	{.name = "css",
	 .kind = OPTION_TEXT,
	 .value = "S",
	 .meaning = "a CSS selector that must match"},
	{.name = "xpath",
	 .kind = OPTION_TEXT,
	 .value = "X",
	 .meaning = "an XPath 1.0 expression instead"},
	{.name = "expect",
	 .kind = OPTION_TEXT,
	 .value = "N",
	 .meaning = "matches on a page: 1 (default), 1.., 0 or 2..5"},
	{.name = "name",
	 .kind = OPTION_TEXT,
	 .value = "W",
	 .meaning = "name of the guard"},
	{.name = NULL},
};

const struct verb verb_guard = {
	.name = "guard",
	.group = VERBS_WATCH,
	.operands = "add HOST[/N] | list [HOST] | show HOST GUARD | "
		    "rm HOST GUARD",
	.min_operands = 1,
	.max_operands = 3,
	.summary = "Manage selectors that must keep matching",
	.options = guard_options,
	.run = run_guard,
};

/* Templatectl: clusters, pages, text. */

/* Request `target` and print the rows of its array `name`, or all as JSON. */
static enum ctl_status print_rows(const struct ctl *ctl, const char *target,
				  const char *name, struct text_table *table,
				  void (*add)(struct text_table *table,
					      const json_t *row))
{
	json_t *answer = NULL;
	const json_t *row;
	size_t i;
	enum ctl_status status = client_ask_json(
		ctl,
		&(struct client_request){.target = target,
					 .timeout_ms = ASK_TIMEOUT_MS},
		&answer);

	if (status != CTL_DONE)
		return status;
	json_array_foreach(json_object_get(answer, name), i, row)
	{
		add(table, row);
	}
	if (ctl->is_json)
		client_print_json(answer);
	else
		table_print(table);
	json_decref(answer);
	return CTL_DONE;
}

static void template_add_row(struct text_table *table, const json_t *cluster)
{
	const json_t *example =
		json_array_get(json_object_get(cluster, "sample"), 0);

	table_add_text(table, field_text(cluster, "id"));
	table_printf(table, "%" PRIu64, field_whole(cluster, "pages"));
	table_add_text(table,
		       json_is_true(json_object_get(cluster, "has_template"))
			       ? "yes"
			       : "no");
	table_add_text(table, field_text(cluster, "changed"));
	table_add_text(table, field_text(example, "url"));
	table_add_text(table, field_text(example, "title"));
}

static enum ctl_status ctl_template_list(const struct ctl *ctl)
{
	static const struct table_column columns[] = {
		{.title = "TEMPLATE"},
		{.title = "PAGES", .is_number = true},
		{.title = "LEARNED"},
		{.title = "CHANGED"},
		{.title = "EXAMPLE", .is_elastic = true},
		{.title = "TITLE", .is_elastic = true},
	};
	struct buffer target = {0};
	char host[MAX_HOST_BYTES + 1];
	struct text_table *table;
	enum ctl_status status;

	if (!client_host(ctl, ctl->operands[1], host))
		return CTL_USAGE;
	buffer_append_text(&target, "/v1/sites/");
	client_append_escaped(&target, host);
	buffer_append_text(&target, "/templates");
	table = table_create(columns, sizeof(columns) / sizeof(*columns));
	status = print_rows(ctl, target.data, "templates", table,
			    template_add_row);
	table_destroy(table);
	buffer_free(&target);
	return status;
}

static void template_add_page_row(struct text_table *table, const json_t *page)
{
	table_add_text(table, field_text(page, "url"));
	table_printf(table, "%" PRIu64, field_whole(page, "bytes"));
	table_add_text(table, field_text(page, "fetched"));
	table_add_text(table, field_text(page, "title"));
}

static enum ctl_status ctl_template_pages(const struct ctl *ctl)
{
	static const struct table_column columns[] = {
		{.title = "URL", .is_elastic = true},
		{.title = "BYTES", .is_number = true},
		{.title = "FETCHED"},
		{.title = "TITLE", .is_elastic = true},
	};
	struct buffer target = {0};
	struct text_table *table;
	enum ctl_status status;

	if (!client_cluster_target(ctl, ctl->operands[1], "/pages", &target))
		return CTL_USAGE;
	buffer_printf(&target, "?limit=%" PRIu64,
		      option_whole(ctl, "limit", 1000));
	if (option_given(ctl, "after")) {
		buffer_append_text(&target, "&after=");
		client_append_escaped(&target, option_text(ctl, "after"));
	}
	table = table_create(columns, sizeof(columns) / sizeof(*columns));
	status = print_rows(ctl, target.data, "pages", table,
			    template_add_page_row);
	table_destroy(table);
	buffer_free(&target);
	return status;
}

static void page_append_argument(struct buffer *target, const char *name,
				 const char *value)
{
	if (value == NULL)
		return;
	buffer_printf(target, "&%s=", name);
	client_append_escaped(target, value);
}

static enum ctl_status run_text(const struct ctl *ctl)
{
	struct ctl_request asked;
	struct buffer target = {0};
	struct buffer answer = {0};
	enum ctl_status status;

	if (!ctl_request_read(ctl, &asked)) {
		ctl_request_free(&asked);
		return CTL_USAGE;
	}
	buffer_append_text(&target, "/v1/text?url=");
	client_append_escaped(&target, ctl->operands[0]);
	page_append_argument(&target, "format",
			     ctl->is_json ? "json"
					  : option_text(ctl, "format"));
	page_append_argument(&target, "fetch", option_text(ctl, "fetch"));
	page_append_argument(&target, "timeout_ms",
			     option_text(ctl, "timeout"));
	ctl_request_append(&asked, &target);
	ctl_request_free(&asked);
	/* no timeout: the daemon limits the time of the fetch */
	status = client_ask(
		ctl, &(struct client_request){.target = target.data}, &answer);
	if (status == CTL_DONE) {
		terminal_print(buffer_slice(&answer));
		if (answer.size > 0 && answer.data[answer.size - 1] != '\n')
			printf("\n");
	}
	buffer_free(&answer);
	buffer_free(&target);
	return status;
}

static const struct verb_option text_options[] = {
	OPTION_FORMAT_ROW,
	OPTION_METHOD_ROW,
	OPTION_PARAM_ROW,
	OPTION_FAVOR_ROW,
	OPTION_SCOPE_ROW,
	OPTION_WITH_ROW,
	OPTION_EXTRAS_ROWS,
	OPTION_INCLUDE_ROW,
	OPTION_EXCLUDE_ROW,
	{.name = "fetch",
	 .kind = OPTION_CHOICE,
	 .value = "never|missing|always",
	 .meaning = "when the daemon may fetch the page"},
	{.name = "timeout",
	 .kind = OPTION_WHOLE,
	 .value = "MS",
	 .minimum = 1,
	 .maximum = 3600000,
	 .meaning = "timeout of the fetch"},
	{.name = NULL},
};

const struct verb verb_text = {
	.name = "text",
	.group = VERBS_READ,
	.operands = "URL",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Print the content of a page",
	.options = text_options,
	.run = run_text,
};

/* Templatectl: template. */

enum { MAX_DIGITS = 9 };

/* "-" stands for an unknown ratio. */
static void add_ratio(struct text_table *table, const json_t *item)
{
	const json_t *ratio = json_object_get(item, "ratio");

	if (json_is_number(ratio))
		table_printf(table, "%.2f", json_number_value(ratio));
	else
		table_add_text(table, "-");
}

static void template_add_text(struct text_table *table, const json_t *item)
{
	const char *text = json_string_value(json_object_get(item, "text"));

	if (text != NULL)
		table_add_text(table, text);
	else
		table_printf(table, "(text not stored; hash %s)",
			     field_text(item, "hash"));
}

/* Print the history of the template; nothing if it has no version yet. */
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

static void print_versions(const json_t *answer)
{
	static const struct table_column columns[] = {
		{.title = "VERSION", .is_number = true},
		{.title = "PAGES", .is_number = true},
		{.title = "FIRST"},
		{.title = "LAST"},
	};
	const json_t *list = json_object_get(answer, "versions");
	const json_t *row;
	struct text_table *table;
	size_t i;

	if (json_array_size(list) == 0)
		return;
	table = table_create(columns, sizeof(columns) / sizeof(*columns));
	json_array_foreach(list, i, row)
	{
		table_printf(table, "%" PRIu64, field_whole(row, "version"));
		table_printf(table, "%" PRIu64, field_whole(row, "pages"));
		table_add_text(table, field_text(row, "first"));
		table_add_text(table, field_text(row, "last"));
	}
	table_print(table);
	table_destroy(table);
	printf("\n");
}

static void print_lineage(const json_t *answer)
{
	static const struct table_column columns[] = {
		{.title = "TIME"},
		{.title = "BECAME"},
		{.title = "OTHER"},
	};
	const json_t *list = json_object_get(answer, "lineage");
	const json_t *row;
	struct text_table *table;
	size_t i;

	if (json_array_size(list) == 0)
		return;
	table = table_create(columns, sizeof(columns) / sizeof(*columns));
	json_array_foreach(list, i, row)
	{
		table_add_text(table, field_text(row, "time"));
		table_add_text(table, field_text(row, "kind"));
		table_add_text(table, field_text(row, "other"));
	}
	table_print(table);
	table_destroy(table);
	printf("\n");
}

static void print_live(const json_t *answer)
{
	static const struct table_column columns[] = {
		{.title = "DF", .is_number = true},
		{.title = "RATIO", .is_number = true},
		{.title = "TEXT", .is_elastic = true},
	};
	struct text_table *table;
	const json_t *row;
	size_t i;

	print_state(answer);
	print_versions(answer);
	print_lineage(answer);
	table = table_create(columns, sizeof(columns) / sizeof(*columns));
	json_array_foreach(json_object_get(answer, "fragments"), i, row)
	{
		table_printf(table, "%" PRIu64, field_whole(row, "df"));
		add_ratio(table, row);
		template_add_text(table, row);
	}
	table_print(table);
	table_destroy(table);
}

/* Add rows of one kind, up to the limit. */
static void add_items(const struct ctl *ctl, struct text_table *table,
		      const char *const *heads, const json_t *list)
{
	uint64_t limit = option_whole(ctl, "limit", UINT32_MAX);
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if (i >= limit)
			break;
		for (const char *const *head = heads; *head != NULL; head++)
			table_add_text(table, *head);
		add_ratio(table, item);
		template_add_text(table, item);
	}
}

static void print_version(const struct ctl *ctl, const json_t *answer)
{
	static const struct table_column columns[] = {
		{.title = "WHAT"},
		{.title = "RATIO", .is_number = true},
		{.title = "TEXT", .is_elastic = true},
	};
	static const char *const path[] = {"path", NULL};
	static const char *const fragment[] = {"fragment", NULL};
	struct text_table *table =
		table_create(columns, sizeof(columns) / sizeof(*columns));
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(answer, "samples"), i, item)
	{
		table_add_text(table, "page");
		table_add_text(table, "");
		table_add_text(table, json_string_value(item));
	}
	json_array_foreach(json_object_get(answer, "regions"), i, item)
	{
		table_add_text(table, "content");
		add_ratio(table, item);
		table_add_text(table, field_text(item, "path"));
	}
	add_items(ctl, table, path, json_object_get(answer, "paths"));
	if (option_given(ctl, "version"))
		add_items(ctl, table, fragment,
			  json_object_get(answer, "fragments"));
	table_print(table);
	table_destroy(table);
}

/*
 * Print the fragments by their current counts, and the paths of the newest
 * version.
 */
static void template_print(const struct ctl *ctl, const json_t *answer)
{
	struct buffer target = {0};
	json_t *version = NULL;

	print_live(answer);
	if (field_whole(answer, "version") == 0 ||
	    !client_cluster_target(ctl, ctl->operands[1], "/versions/",
				   &target))
		return;
	buffer_printf(&target, "%" PRIu64, field_whole(answer, "version"));
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
	static const struct table_column columns[] = {
		{.title = ""},
		{.title = "WHAT"},
		{.title = "RATIO", .is_number = true},
		{.title = "TEXT", .is_elastic = true},
	};
	static const struct {
		const char *list;
		const char *turn;
		const char *heads[3];
	} parts[] = {
		{"paths", "gone", {"-", "path", NULL}},
		{"paths", "come", {"+", "path", NULL}},
		{"fragments", "gone", {"-", "fragment", NULL}},
		{"fragments", "come", {"+", "fragment", NULL}},
	};
	struct text_table *table =
		table_create(columns, sizeof(columns) / sizeof(*columns));

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const json_t *part = json_object_get(answer, parts[i].list);

		if (i % 2 == 0)
			printf("%s moved: %.0f %%\n", parts[i].list,
			       100 * json_number_value(
					     json_object_get(part, "moved")));
		add_items(ctl, table, parts[i].heads,
			  json_object_get(part, parts[i].turn));
	}
	table_print(table);
	table_destroy(table);
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

static bool is_version(const char *text)
{
	size_t length = strlen(text);

	return length > 0 && length <= MAX_DIGITS &&
	       strspn(text, "0123456789") == length && text[0] != '0';
}

/* Check that the command has versions if and only if it has --diff. */
static bool check_operands(const struct ctl *ctl)
{
	bool is_diff = option_given(ctl, "diff");

	if (is_diff && option_given(ctl, "version")) {
		ctl_print_error(ctl, "use --diff or --version, not both");
		return false;
	}
	if (ctl->operand_count != (is_diff ? 4U : 2U)) {
		ctl_print_error(ctl, is_diff ? "--diff needs two versions"
					     : "give one template");
		return false;
	}
	for (size_t i = 2; i < ctl->operand_count; i++)
		if (!is_version(ctl->operands[i])) {
			ctl_print_error(ctl, "%s: not a version",
					ctl->operands[i]);
			return false;
		}
	return true;
}

static enum ctl_status ctl_template_show(const struct ctl *ctl)
{
	const char *ending = option_given(ctl, "diff") ? "/diff" : "/versions/";
	struct buffer target = {0};
	enum ctl_status status;

	if (!check_operands(ctl) ||
	    !client_cluster_target(ctl, ctl->operands[1], ending, &target))
		return CTL_USAGE;
	if (option_given(ctl, "diff")) {
		buffer_printf(&target, "?from=%s&to=%s", ctl->operands[2],
			      ctl->operands[3]);
		status = print_answer(ctl, target.data, print_diff);
	} else if (option_given(ctl, "version")) {
		buffer_printf(&target, "%" PRIu64,
			      option_whole(ctl, "version", 0));
		status = print_answer(ctl, target.data, print_version);
	} else {
		buffer_append_text(&target, "current");
		if (option_given(ctl, "limit"))
			buffer_printf(&target, "?limit=%" PRIu64,
				      option_whole(ctl, "limit", 0));
		status = print_answer(ctl, target.data, template_print);
	}
	buffer_free(&target);
	return status;
}

static enum ctl_status run_template(const struct ctl *ctl)
{
	const char *action = ctl->operands[0];

	if (strcmp(action, "list") == 0)
		return ctl_template_list(ctl);
	if (strcmp(action, "pages") == 0)
		return ctl_template_pages(ctl);
	return ctl_template_show(ctl);
}

static const struct verb_option ctl_template_options[] = {
	{.name = "version",
	 .kind = OPTION_WHOLE,
	 .value = "V",
	 .minimum = 1,
	 .maximum = UINT32_MAX,
	 .meaning = "show: the state at that version: paths, texts, position "
		    "of the content"},
	{.name = "diff",
	 .kind = OPTION_FLAG,
	 .meaning = "show: what version V2 added and removed since V1"},
	{.name = "limit",
	 .kind = OPTION_WHOLE,
	 .value = "N",
	 .minimum = 1,
	 .maximum = 100000,
	 .meaning = "show: at most this many fragments, or paths; pages: "
		    "pages (default: 1000)"},
	{.name = "after",
	 .kind = OPTION_TEXT,
	 .value = "URL",
	 .meaning = "pages: start after this page"},
	{.name = NULL},
};

const struct verb verb_template = {
	.name = "template",
	.group = VERBS_LOOK,
	.operands = "list HOST | show HOST/N [V1 V2] | pages HOST/N",
	.min_operands = 2,
	.max_operands = 4,
	.summary = "Show templates: list, show what pages share, list pages",
	.options = ctl_template_options,
	.run = run_template,
};
