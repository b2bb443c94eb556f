#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/signature.h"
#include "daemon/ctl/client.h"
#include "daemon/runtime/terminal.h"

/* Tables of JSON objects; ctl.h describes the text of their columns. */

enum { MAX_COLUMNS = 12, CELL_BYTES = 128 };

/* Return the value at a path such as "example.0.url". Changes `path`. */
static const json_t *value_at(const json_t *value, char *path)
{
	for (char *name; (name = strsep(&path, ".")) != NULL;)
		value = json_is_array(value)
				? json_array_get(value,
						 strtoull(name, NULL, 10))
				: json_object_get(value, name);
	return value;
}

/*
 * Add the number `value` in a format, such as ".2". Return false if it is not a
 * number, or if the format shows only positive numbers.
 */
static bool cell_add_number(struct text_table *table, const json_t *row,
			    const json_t *value, const char *format)
{
	double number = json_number_value(value);
	bool is_auto = json_is_true(json_object_get(row, "auto"));

	if (!json_is_number(value) || (*format == '-' && number <= 0))
		return false;
	if (*format == '-')
		table_printf(table, "%.0f", number);
	else if (strcmp(format, ".2") == 0)
		table_printf(table, "%.2f", number);
	else if (strcmp(format, "auto") == 0)
		table_printf(table, "%g%s", number, is_auto ? " auto" : "");
	else if (*format == '+')
		table_printf(table, "%+.1f s", number / 1000);
	else
		table_printf(table, "%.1f s", number / 1000);
	return true;
}

/*
 * Add one alternative of a cell. Return false if the row does not have its
 * value.
 */
static bool cell_add_choice(struct text_table *table, const json_t *row,
			    char *choice, bool is_number)
{
	char *mark = choice + strcspn(choice, "?:");
	char kind = *mark;
	const json_t *value;

	if (*choice == '\'') {
		table_add_text(table, choice + 1);
		return true;
	}
	*mark = '\0';
	value = value_at(row, choice);
	if (kind == ':')
		return cell_add_number(table, row, value, mark + 1);
	if (kind == '?' ? !json_is_true(value)
			: !is_number && !json_is_string(value))
		return false;
	if (kind == '?')
		table_add_text(table, mark + 1);
	else if (is_number)
		table_printf(table, "%" PRIu64, whole_of(value));
	else
		table_add_text(table, json_string_value(value));
	return true;
}

static void cell_add(struct text_table *table, const json_t *row,
		     const char *choices, bool is_number)
{
	char text[CELL_BYTES];
	char *rest = text;

	snprintf(text, sizeof(text), "%s", choices);
	for (char *choice; (choice = strsep(&rest, "|")) != NULL;)
		if (cell_add_choice(table, row, choice, is_number))
			return;
	table_add_text(table, "-");
}

/*
 * Split the text of the columns into titles and cells, in place. Return the
 * number of columns.
 */
static size_t columns_read(char *text, struct table_column *columns,
			   const char **cells)
{
	size_t count = 0;

	for (char *title; (title = strsep(&text, ",")) != NULL; count++) {
		char *cell = strchr(title, '=');

		title += *title == ' ';
		*cell = '\0';
		cells[count] = cell + 1;
		columns[count] = (struct table_column){
			.title = *title == '-' ? NULL : title,
			.is_number = cell > title && cell[-1] == '#',
			.is_elastic = cell > title && cell[-1] == '~',
		};
		if (columns[count].is_number || columns[count].is_elastic)
			cell[-1] = '\0';
	}
	return count;
}

void table_print_rows(const char *columns_text, const json_t *rows)
{
	struct table_column columns[MAX_COLUMNS];
	const char *cells[MAX_COLUMNS];
	char *text = strdup(columns_text);
	size_t count = columns_read(text, columns, cells);
	struct text_table *table = table_create(columns, count);
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		for (size_t c = 0; c < count; c++)
			cell_add(table, row, cells[c], columns[c].is_number);
	}
	table_print(table);
	table_destroy(table);
	free(text);
}

/* Building and sending the request of an action. */

static bool append_host(const struct ctl *ctl, const char *operand,
			struct buffer *target)
{
	char host[MAX_HOST_BYTES + 1];

	if (!client_host(ctl, operand, host))
		return false;
	client_append_escaped(target, host);
	return true;
}

/*
 * Append the host in the operand HOST[/N] to the target; if there is an N, add
 * it to the body as the member "cluster".
 */
static bool append_host_of_guard(const struct ctl *ctl, const char *operand,
				 json_t *body, struct buffer *target)
{
	const char *slash = strrchr(operand, '/');
	struct buffer host = {0};
	uint64_t cluster = 0;
	bool is_right;

	if (slash != NULL && slash[1 + strspn(slash + 1, DIGITS)] == '\0')
		cluster = strtoull(slash + 1, NULL, 10);
	if (cluster != 0)
		json_object_set_new(body, "cluster",
				    json_integer((json_int_t)cluster));
	buffer_append(&host, operand,
		      cluster != 0 ? (size_t)(slash - operand)
				   : strlen(operand));
	is_right = append_host(ctl, host.size == 0 ? "" : host.data, target);
	buffer_free(&host);
	return is_right;
}

/*
 * Append the number of the template of the host that has the name `wanted`.
 * `target` without its end "/N" lists the templates. If none has the name,
 * print an error.
 */
static enum ctl_status append_named_template(const struct ctl *ctl,
					     const char *wanted,
					     struct buffer *target)
{
	const char *number = NULL;
	json_t *answer = NULL;
	enum ctl_status status =
		client_ask_value(ctl, NULL, target->data, NULL, &answer);
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(answer, "templates"), i, row)
	{
		if (strcmp(field_text(row, "name"), wanted) == 0)
			number = strrchr(field_text(row, "id"), '/');
	}
	if (status == CTL_DONE && number == NULL) {
		ctl_print_error(ctl,
				"\"%s\": no template has this name; see "
				"templatectl template list",
				wanted);
		status = CTL_FAILED;
	}
	buffer_append_text(target, number == NULL ? "" : number);
	json_decref(answer);
	return status;
}

/*
 * Append the host and the number of the template in the operand HOST/N or
 * HOST/NAME.
 */
static enum ctl_status append_template(const struct ctl *ctl,
				       const char *operand,
				       struct buffer *target)
{
	const char *slash = strchr(operand, '/');
	char host[MAX_HOST_BYTES + 1];

	if (slash == NULL || slash == operand ||
	    slash - operand > MAX_HOST_BYTES || slash[1] == '\0') {
		ctl_print_error(
			ctl,
			"\"%s\" is not a template's HOST/N, for example "
			"example.org/3; see templatectl template list",
			operand);
		return CTL_USAGE;
	}
	snprintf(host, sizeof(host), "%.*s", (int)(slash - operand), operand);
	if (!append_host(ctl, host, target))
		return CTL_USAGE;
	buffer_append_text(target, "/templates");
	if (strlen(slash + 1) > 10 ||
	    slash[1 + strspn(slash + 1, DIGITS)] != '\0')
		return append_named_template(ctl, slash + 1, target);
	buffer_append_text(target, slash);
	return CTL_DONE;
}

static bool is_number(const struct ctl *ctl, const char *operand)
{
	size_t length = strlen(operand);

	if (length > 0 && length <= 10 && strspn(operand, DIGITS) == length)
		return true;
	ctl_print_error(ctl, "\"%s\" is not a number", operand);
	return false;
}

/*
 * Append the number of the guard `wanted`, which is its number or its name.
 * `target` without its last slash lists the guards. If the guard does not
 * exist, print an error.
 */
static enum ctl_status append_guard(const struct ctl *ctl, const char *wanted,
				    struct buffer *target)
{
	uint64_t number = 0;
	json_t *answer = NULL;
	enum ctl_status status;
	const json_t *row;
	size_t i;

	if (wanted[strspn(wanted, DIGITS)] == '\0') {
		buffer_printf(target, "%llu", strtoull(wanted, NULL, 10));
		return CTL_DONE;
	}
	target->data[--target->size] = '\0';
	status = client_ask_value(ctl, NULL, target->data, NULL, &answer);
	json_array_foreach(json_object_get(answer, "guards"), i, row)
	{
		if (strcmp(field_text(row, "name"), wanted) == 0)
			number = field_whole(row, "id");
	}
	json_decref(answer);
	buffer_printf(target, "/%" PRIu64, number);
	if (status != CTL_DONE || number != 0)
		return status;
	ctl_print_error(ctl, "%s: no such guard", wanted);
	return CTL_FAILED;
}

/* Append the name of a node; if `name` is NULL, of the node that responds. */
static enum ctl_status append_node(const struct ctl *ctl, const char *name,
				   struct buffer *target)
{
	enum ctl_status status = CTL_DONE;
	json_t *facts = NULL;

	if (name == NULL) {
		status = client_ask_value(ctl, NULL, "/v1/nodes", NULL, &facts);
		name = field_text(facts, "name");
	}
	client_append_escaped(target, name);
	json_decref(facts);
	return status;
}

static enum ctl_status append_operand(const struct ctl *ctl, char kind,
				      const char *operand, json_t *body,
				      struct buffer *target)
{
	bool is_right = true;

	/* every operand is required, except the name of a node */
	assert(operand != NULL || kind == 'o');
	switch (kind) {
	case 'h':
		is_right = append_host(ctl, operand, target);
		break;
	case 'c':
		is_right = append_host_of_guard(ctl, operand, body, target);
		break;
	case 't':
		return append_template(ctl, operand, target);
	case 'n':
		is_right = is_number(ctl, operand);
		buffer_append_text(target, operand);
		break;
	case 'g':
		return append_guard(ctl, operand, target);
	case 'o':
		return append_node(ctl, operand, target);
	default:
		client_append_escaped(target, operand);
		break;
	}
	return is_right ? CTL_DONE : CTL_USAGE;
}

/* Return the value of an option as a member of a body. */
static json_t *option_json(const struct ctl *ctl,
			   const struct verb_option *option)
{
	const char *text = option_text(ctl, option->name);

	switch (option->kind) {
	case OPTION_FLAG:
		return json_true();
	case OPTION_WHOLE:
		return json_integer(
			(json_int_t)option_whole(ctl, option->name, 0));
	case OPTION_AUTO_THRESHOLD:
		return strcmp(text, "auto") == 0
			       ? json_string(text)
			       : json_real(option_threshold(ctl, option->name,
							    0) /
					   1000.0);
	case OPTION_CHOICE:
		if (strcmp(option->value, "yes|no") == 0)
			return json_boolean(strcmp(text, "yes") == 0);
		return json_string(text);
	case OPTION_TEXT:
		break;
	}
	return json_string(text); /* NULL, so that there is no member, if the
				     text is not UTF-8 */
}

void client_append_query(struct buffer *target, const char *name,
			 const char *value)
{
	const char *before = target->data == NULL ? "" : target->data;

	if (value == NULL)
		return;
	buffer_printf(target, "%c%s=", strchr(before, '?') == NULL ? '?' : '&',
		      name);
	client_append_escaped(target, value);
}

/*
 * Add the options of the command to the query, or to the body of a POST
 * request.
 */
static void add_options(const struct ctl *ctl, bool has_body, json_t *body,
			struct buffer *target)
{
	const struct verb_option *option = ctl->action->options;

	for (; option != NULL && option->name != NULL; option++) {
		if (option->member == NULL || !option_given(ctl, option->name))
			continue;
		if (has_body)
			json_object_set_new(body, option->member,
					    option_json(ctl, option));
		else
			client_append_query(
				target, option->member,
				option->kind == OPTION_FLAG
					? "1"
					: option_text(ctl, option->name));
	}
}

/*
 * Add the operand as a member of the body; a '#' before the name of the member
 * means that it is a number. Return false after an error message.
 */
static bool add_member(const struct ctl *ctl, const char *member,
		       const char *operand, json_t *body)
{
	if (*member != '#') {
		json_object_set_new(body, member, json_string(operand));
		return true;
	}
	json_object_set_new(
		body, member + 1,
		json_integer((json_int_t)strtoull(operand, NULL, 10)));
	return is_number(ctl, operand);
}

enum ctl_status action_target(const struct ctl *ctl, json_t *body,
			      struct buffer *target)
{
	const char *request = ctl->action->request;
	const char *rest = strchr(request, ' ') + 1;
	const char *const *operand = (const char *const *)ctl->operands;
	enum ctl_status status = CTL_DONE;

	while (status == CTL_DONE && *rest != '\0') {
		size_t size = strcspn(rest, "%");

		buffer_append(target, rest, size);
		rest += size;
		if (*rest == '\0')
			break;
		status = append_operand(ctl, rest[1], *operand, body, target);
		operand += *operand != NULL;
		rest += 2;
	}
	if (status == CTL_DONE && ctl->action->member != NULL &&
	    *operand != NULL &&
	    !add_member(ctl, ctl->action->member, *operand, body))
		status = CTL_USAGE;
	add_options(ctl, strncmp(request, "POST ", 5) == 0, body, target);
	return status;
}

enum ctl_status action_ask_bytes(const struct ctl *ctl, json_t *more,
				 struct buffer *answer_out)
{
	const char *request = ctl->action->request;
	int timeout_s = ctl->action->timeout_s;
	struct buffer target = {0};
	char method[8];
	json_t *body = json_object();
	enum ctl_status status = action_target(ctl, body, &target);

	snprintf(method, sizeof(method), "%.*s", (int)strcspn(request, " "),
		 request);
	if (timeout_s == 0)
		timeout_s = DEFAULT_TIMEOUT_S;
	json_object_update(body, more);
	if (status == CTL_DONE)
		status = client_ask(
			ctl,
			&(struct client_request){
				.method = method,
				.target = target.data,
				.body = json_object_size(body) > 0 &&
							method[0] == 'P'
						? body
						: NULL,
				.timeout_ms =
					timeout_s == UNLIMITED_S
						? 0
						: (uint32_t)timeout_s * 1000},
			answer_out);
	json_decref(body);
	buffer_free(&target);
	return status;
}

enum ctl_status action_ask(const struct ctl *ctl, json_t *more,
			   json_t **answer_out)
{
	struct buffer answer = {0};
	enum ctl_status status = action_ask_bytes(ctl, more, &answer);

	*answer_out = NULL;
	return status == CTL_DONE ? client_read_json(ctl, &answer, answer_out)
				  : status;
}

/* Printing the result of an action. */

/* Print the object without its lists, and then each list as a table. */
static void print_with_tables(const struct ctl *ctl, json_t *answer)
{
	const struct result_table *tables = ctl->action->tables;
	json_t *object = json_copy(answer);

	for (size_t i = 0; i < 3 && tables[i].member != NULL; i++)
		json_object_del(object, tables[i].member);
	client_print_object(object);
	json_decref(object);
	for (size_t i = 0; i < 3 && tables[i].member != NULL; i++) {
		json_t *rows = json_object_get(answer, tables[i].member);

		if (json_array_size(rows) == 0)
			continue;
		putchar('\n');
		table_print_rows(tables[i].columns, rows);
	}
}

void action_print(const struct ctl *ctl, json_t *answer)
{
	const struct verb_action *action = ctl->action;
	json_t *warning;

	if (action->result == RESULT_NONE)
		return;
	warning = json_incref(json_object_get(answer, "warning"));
	if (ctl->is_json) {
		client_print_json(answer);
	} else if (action->result != RESULT_SILENT) {
		json_object_del(answer, "warning"); /* it is printed below */
		if (action->arrange != NULL)
			action->arrange(answer);
		if (action->result == RESULT_ROWS)
			table_print_rows(
				action->tables[0].columns,
				json_object_get(answer,
						action->tables[0].member));
		else
			print_with_tables(ctl, answer);
	}
	if (json_is_string(warning))
		ctl_print_error(ctl, "%s", json_string_value(warning));
	json_decref(warning);
}

static enum ctl_status action_run_once(const struct ctl *ctl)
{
	struct buffer bytes = {0};
	json_t *answer = NULL;
	enum ctl_status status = action_ask_bytes(ctl, NULL, &bytes);

	if (status == CTL_DONE && ctl->action->result == RESULT_BYTES) {
		fwrite(bytes.data, 1, bytes.size, stdout);
		buffer_free(&bytes);
	} else if (status == CTL_DONE) {
		status = client_read_json(ctl, &bytes, &answer);
	}
	if (answer != NULL)
		action_print(ctl, answer);
	json_decref(answer);
	return status;
}

enum ctl_status action_run(const struct ctl *ctl)
{
	size_t length = strlen(ctl->action->usage);
	enum ctl_status status = CTL_DONE;
	struct ctl one = *ctl;

	if (length == 0 || ctl->action->usage[length - 1] != '.')
		return action_run_once(ctl);
	for (size_t i = 0; i < ctl->operand_count && status != CTL_NO_DAEMON;
	     i++) {
		enum ctl_status last;

		one.operands = ctl->operands + i;
		one.operand_count = 1;
		last = action_run_once(&one);
		if (last != CTL_DONE)
			status = last;
	}
	return status;
}
