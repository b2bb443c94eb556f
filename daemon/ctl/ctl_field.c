#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/client.h"
#include "daemon/ctl/ctl.h"
#include "daemon/query/text_export.h"
#include "template/version_json.h"

/* The action templatectl field add. */

/* Return the example of the URL, which is added if it is missing. */
static json_t *example_of(json_t *list, const char *url)
{
	json_t *example;
	size_t i;

	json_array_foreach(list, i, example)
	{
		const char *other =
			json_string_value(json_object_get(example, "url"));

		if (other != NULL && strcmp(other, url) == 0)
			return example;
	}
	example = json_pack("{s:s, s:[]}", "url", url, "values");
	json_array_append_new(list, example);
	return example;
}

/*
 * Return the examples: the URLs of the options --example, each with the next
 * VALUE operand. A URL that occurs again has several values. NULL after
 * printing an error.
 */
static json_t *read_examples(const struct ctl *ctl)
{
	json_t *list = json_array();
	size_t value = 2; /* after the template and the name */
	bool is_short = false;

	for (size_t i = 0; i < ctl->value_count && !is_short; i++) {
		const struct option_value *option = &ctl->values[i];

		if (strcmp(option->option->name, "example") != 0)
			continue;
		is_short = value == ctl->operand_count;
		if (!is_short)
			json_array_append_new(
				json_object_get(example_of(list, option->text),
						"values"),
				json_string(ctl->operands[value++]));
	}
	if (json_array_size(list) > 0 && !is_short &&
	    value == ctl->operand_count)
		return list;
	ctl_print_error(ctl, "give one VALUE for each --example URL");
	json_decref(list);
	return NULL;
}

/* Remove the other fields from the answer, unless it is for a program. */
static void keep_field(const struct ctl *ctl, json_t *answer, const char *name)
{
	json_t *fields = json_object_get(answer, "fields");

	for (size_t i = json_array_size(fields); i-- > 0 && !ctl->is_json;) {
		const json_t *item = json_array_get(fields, i);
		const char *other =
			json_string_value(json_object_get(item, "name"));

		if (other == NULL || strcmp(other, name) != 0)
			json_array_remove(fields, i);
	}
}

/* Return the texts of the options --not; NULL if there are none. */
static json_t *read_excluded(const struct ctl *ctl)
{
	json_t *list = NULL;

	for (size_t i = 0; i < ctl->value_count; i++) {
		const struct option_value *option = &ctl->values[i];

		if (strcmp(option->option->name, "not") != 0)
			continue;
		if (list == NULL)
			list = json_array();
		json_array_append_new(list, json_string(option->text));
	}
	return list;
}

/* Print an argument so that a shell reads it as one word. */
static void print_argument(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_./:,@%+=";

	putchar(' ');
	if (*text != '\0' && strspn(text, plain) == strlen(text)) {
		fputs(text, stdout);
		return;
	}
	putchar('\'');
	for (; *text != '\0'; text++)
		if (*text == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*text);
	putchar('\'');
}

/*
 * Print the command with one more example, if several places may be the field:
 * the arguments of this command, and the first page where they differ.
 */
static void print_next_command(const struct ctl *ctl, const json_t *answer)
{
	const json_t *doubt =
		json_array_get(json_object_get(answer, "doubts"), 0);
	size_t value = 2;

	if (ctl->is_json || doubt == NULL)
		return;
	printf("\nTo decide, give the value of one of these pages, for "
	       "example:\n  templatectl field add");
	print_argument(ctl->operands[0]);
	print_argument(ctl->operands[1]);
	for (size_t i = 0; i < ctl->value_count; i++) {
		const struct option_value *option = &ctl->values[i];
		bool is_example = strcmp(option->option->name, "example") == 0;

		if (!is_example && strcmp(option->option->name, "not") != 0 &&
		    strcmp(option->option->name, "transform") != 0 &&
		    strcmp(option->option->name, "watch") != 0 &&
		    strcmp(option->option->name, "required") != 0 &&
		    strcmp(option->option->name, "items") != 0 &&
		    strcmp(option->option->name, "separator") != 0)
			continue;
		printf(" --%s", option->option->name);
		print_argument(option->text);
		if (is_example)
			print_argument(ctl->operands[value++]);
	}
	printf(" --example");
	print_argument(field_text(doubt, "url"));
	printf(" VALUE\n");
}

/* Add the fields that are like those of the option --like, or print them. */
static enum ctl_status run_field_like(const struct ctl *ctl)
{
	json_t *names = json_array();
	json_t *more = json_pack("{s:o}", "names", names);
	json_t *answer;
	enum ctl_status status;

	for (size_t i = 1; i < ctl->operand_count; i++)
		json_array_append_new(names, json_string(ctl->operands[i]));
	status = action_ask(ctl, more, &answer);
	json_decref(more);
	if (status != CTL_DONE)
		return status;
	if (ctl->is_json) {
		client_print_json(answer);
	} else {
		field_arrange(answer);
		table_print_rows("FIELD=name, TYPE=type, FILLED %#=percent, "
				 "CONFIDENCE=confidence:.2, EXAMPLE~=example, "
				 "ADDRESS~=address",
				 json_object_get(answer, "fields"));
		if (!option_given(ctl, "accept"))
			printf("\nNothing is stored. To store these fields, "
			       "add --accept; to store some, give their "
			       "names.\n");
	}
	json_decref(answer);
	return CTL_DONE;
}

/* Set the flags of a field that options give. */
static void read_flags(const struct ctl *ctl, json_t *more)
{
	static const char *const names[][2] = {{"watch", "watched"},
					       {"required", "required"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = option_text(ctl, names[i][0]);

		if (value != NULL)
			json_object_set_new(
				more, names[i][1],
				json_boolean(strcmp(value, "yes") == 0));
	}
}

enum ctl_status run_field_add(const struct ctl *ctl)
{
	bool is_selected = option_text(ctl, "selector") != NULL ||
			   option_text(ctl, "xpath") != NULL;
	json_t *examples = NULL;
	json_t *more;
	json_t *answer;
	enum ctl_status status;

	if (option_text(ctl, "like") != NULL)
		return run_field_like(ctl);
	if (ctl->operand_count < 2 || (is_selected && ctl->operand_count > 2)) {
		ctl_print_error(ctl, "give the NAME of the field, with "
				     "--example URL and VALUE, --selector CSS "
				     "or --xpath EXPR");
		return CTL_USAGE;
	}
	if (!is_selected) {
		examples = read_examples(ctl);
		if (examples == NULL)
			return CTL_USAGE;
	}
	more = json_pack("{s:s, s:o*, s:o*}", "name", ctl->operands[1],
			 "examples", examples, "not", read_excluded(ctl));
	read_flags(ctl, more);
	status = action_ask(ctl, more, &answer);
	json_decref(more);
	if (status != CTL_DONE)
		return status;
	keep_field(ctl, answer, ctl->operands[1]);
	action_print(ctl, answer);
	print_next_command(ctl, answer);
	json_decref(answer);
	return status;
}

enum ctl_status run_field_find(const struct ctl *ctl)
{
	json_t *more = json_pack("{s:b}", "find", 1);
	json_t *answer;
	enum ctl_status status = action_ask(ctl, more, &answer);

	json_decref(more);
	if (status != CTL_DONE)
		return status;
	action_print(ctl, answer);
	json_decref(answer);
	return status;
}

enum ctl_status run_field_set(const struct ctl *ctl)
{
	const char *name = option_text(ctl, "name");
	json_t *more;
	json_t *answer;
	enum ctl_status status;

	if (name == NULL && option_text(ctl, "watch") == NULL &&
	    option_text(ctl, "required") == NULL &&
	    option_text(ctl, "transform") == NULL) {
		ctl_print_error(ctl, "give --name, --watch, --required or "
				     "--transform");
		return CTL_USAGE;
	}
	more = json_pack("{s:s}", "name", ctl->operands[1]);
	if (name != NULL)
		json_object_set_new(more, "new_name", json_string(name));
	read_flags(ctl, more);
	status = action_ask(ctl, more, &answer);
	json_decref(more);
	if (status != CTL_DONE)
		return status;
	keep_field(ctl, answer, name != NULL ? name : ctl->operands[1]);
	action_print(ctl, answer);
	json_decref(answer);
	return status;
}

/* Return the texts of a value as one, for a table. */
static json_t *joined_value(const json_t *value)
{
	struct buffer text = {0};
	const json_t *item;
	json_t *joined;
	size_t i;

	if (json_is_string(value))
		buffer_append_text(&text, json_string_value(value));
	json_array_foreach(value, i, item)
	{
		if (i > 0)
			buffer_append_text(&text, "; ");
		if (json_is_object(item))
			json_append(&text, json_incref((json_t *)item),
				    JSON_COMPACT);
		else
			buffer_append_slice(&text,
					    slice_of(json_string_value(item)));
	}
	joined = text.size == 0 ? json_null()
				: json_stringn(text.data, text.size);
	buffer_free(&text);
	return joined;
}

/* Return the first address of a field, and its transform. */
static json_t *address_text(const json_t *field, const json_t *addresses)
{
	const char *address = json_string_value(json_array_get(addresses, 0));
	const char *transform =
		json_string_value(json_object_get(field, "transform"));
	const char *items = json_string_value(json_object_get(field, "items"));
	struct buffer text = {0};
	json_t *joined;

	buffer_append_text(&text, address == NULL ? "" : address);
	if (transform != NULL && strcmp(transform, "none") != 0)
		buffer_printf(&text, ", as %s", transform);
	if (items != NULL && strcmp(items, "none") != 0)
		buffer_printf(&text, " of %ss", items);
	joined = json_stringn(text.size == 0 ? "" : text.data, text.size);
	buffer_free(&text);
	return joined;
}

/* Return the fill rate of a round in percent. */
static json_t *round_percent(const json_t *round)
{
	json_int_t pages = json_member_whole(round, "pages");

	return json_integer(100 * json_member_whole(round, "filled") /
			    (pages > 0 ? pages : 1));
}

/* Set what the last round has counted of a field, and its rate before. */
static void arrange_rounds(json_t *field)
{
	const json_t *rounds = json_object_get(field, "rounds");
	size_t count = json_array_size(rounds);
	const json_t *last = json_array_get(rounds, count - 1);

	if (count == 0)
		return;
	json_object_set_new(field, "percent", round_percent(last));
	if (count > 1)
		json_object_set_new(
			field, "before",
			round_percent(json_array_get(rounds, count - 2)));
	json_object_set(field, "type_errors",
			json_object_get(last, "type_errors"));
	json_object_set(field, "outliers", json_object_get(last, "outliers"));
}

/*
 * For the table: the first address of each field, its fill rate in percent; the
 * pages with one value, unless they are those of all fields.
 */
void field_arrange(json_t *answer)
{
	json_t *sample = json_object_get(answer, "sample");
	json_t *item;
	size_t i;

	json_array_foreach(json_object_get(answer, "fields"), i, item)
	{
		json_t *addresses = json_object_get(item, "addresses");
		double fill = json_number_value(json_object_get(item, "fill"));

		json_object_set_new(item, "address",
				    address_text(item, addresses));
		json_object_set_new(item, "percent",
				    json_integer((json_int_t)(fill * 100)));
		arrange_rounds(item);
	}
	json_array_foreach(sample, i, item) json_object_set_new(
		item, "value", joined_value(json_object_get(item, "value")));
	if (json_object_get(json_array_get(sample, 0), "fields") != NULL)
		json_object_del(answer, "sample");
}

/* The action templatectl records. */

/*
 * Write the sequence of the last record to `since`. Return false if the
 * response has no record.
 */
static bool last_record(struct slice text, bool is_csv, char *since)
{
	const char *bytes = text.data;
	size_t end = text.size;
	size_t begin;
	json_t *line;
	const char *value;

	while (end > 0 && (bytes[end - 1] == '\n' || bytes[end - 1] == '\r'))
		end--;
	begin = end;
	while (begin > 0 && bytes[begin - 1] != '\n')
		begin--;
	if (begin == end)
		return false;
	if (is_csv) {
		size_t size = strspn(bytes + begin, "0123456789abcdef.");

		if (size == 0 || size >= TEXT_POSITION_BYTES)
			return false;
		memcpy(since, bytes + begin, size);
		since[size] = '\0';
		return true;
	}
	line = json_loadb(bytes + begin, end - begin, 0, NULL);
	value = json_string_value(json_object_get(line, "seq"));
	snprintf(since, TEXT_POSITION_BYTES, "%s", value == NULL ? "" : value);
	json_decref(line);
	return *since != '\0';
}

struct records_output {
	const char *path;   /* NULL: standard output */
	const char *format; /* NULL: the default */
	FILE *file;         /* NULL: not open */
};

/* Write bytes; open the file before the first ones. */
static bool write_records(const struct ctl *ctl, struct slice bytes,
			  struct records_output *output)
{
	if (output->file == NULL)
		output->file = output->path == NULL ? stdout
						    : fopen(output->path, "we");
	if (output->file != NULL &&
	    fwrite(bytes.data, 1, bytes.size, output->file) == bytes.size)
		return true;
	ctl_print_error(ctl, "%s: cannot be written",
			output->path == NULL ? "-" : output->path);
	return false;
}

/* Receive and write records, until a response has none. */
static enum ctl_status receive_records(const struct ctl *ctl,
				       struct records_output *output)
{
	const char *since = option_text(ctl, "since");
	bool is_csv =
		output->format != NULL && strcmp(output->format, "csv") == 0;
	char last[TEXT_POSITION_BYTES] = "";
	enum ctl_status status;
	bool goes_on;

	do {
		struct buffer target = {0};
		struct buffer answer = {0};

		status = action_target(ctl, NULL, &target);
		client_append_query(&target, "format", output->format);
		client_append_query(&target, "since",
				    *last != '\0' ? last : since);
		if (status == CTL_DONE)
			status = client_ask(
				ctl,
				&(struct client_request){.target = target.data},
				&answer);
		goes_on = status == CTL_DONE &&
			  last_record(buffer_slice(&answer), is_csv, last);
		if (status == CTL_DONE &&
		    !write_records(ctl, buffer_slice(&answer), output))
			status = CTL_FAILED;
		buffer_free(&target);
		buffer_free(&answer);
	} while (goes_on && status == CTL_DONE);
	return status;
}

enum ctl_status run_records(const struct ctl *ctl)
{
	const char *path = option_text(ctl, "out");
	struct records_output output = {.format = option_text(ctl, "format")};
	enum ctl_status status;

	if (path != NULL && strcmp(path, "-") != 0)
		output.path = path;
	if (output.format == NULL && path != NULL && ends_with(path, ".csv"))
		output.format = "csv";
	status = receive_records(ctl, &output);
	if (output.file != NULL && output.path != NULL &&
	    fclose(output.file) != 0 && status == CTL_DONE) {
		ctl_print_error(ctl, "%s: cannot be written", path);
		status = CTL_FAILED;
	}
	return status;
}
