#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/client.h"
#include "daemon/ctl/ctl.h"
#include "daemon/query/text_export.h"

/* The action templatectl field add. */

/*
 * Return the examples: the URLs of the options --example, each with the next
 * VALUE operand. NULL after printing an error.
 */
static json_t *read_examples(const struct ctl *ctl)
{
	json_t *list = json_array();
	size_t value = 2; /* after the template and the name */

	for (size_t i = 0; i < ctl->value_count; i++) {
		if (strcmp(ctl->values[i].option->name, "example") != 0)
			continue;
		if (value == ctl->operand_count)
			break;
		json_array_append_new(list,
				      json_pack("{s:s, s:s}", "url",
						ctl->values[i].text, "value",
						ctl->operands[value++]));
	}
	if (json_array_size(list) > 0 && value == ctl->operand_count)
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

enum ctl_status run_field_add(const struct ctl *ctl)
{
	json_t *examples = read_examples(ctl);
	json_t *more;
	json_t *answer;
	enum ctl_status status;

	if (examples == NULL)
		return CTL_USAGE;
	more = json_pack("{s:s, s:o}", "name", ctl->operands[1], "examples",
			 examples);
	status = action_ask(ctl, more, &answer);
	json_decref(more);
	if (status != CTL_DONE)
		return status;
	keep_field(ctl, answer, ctl->operands[1]);
	action_print(ctl, answer);
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

/* Set or clear a flag of a field, or both flags. */
static void read_flag(const struct ctl *ctl, const char *option,
		      const char *member, json_t *more)
{
	const char *value = option_text(ctl, option);

	if (value != NULL)
		json_object_set_new(more, member,
				    json_boolean(strcmp(value, "yes") == 0));
}

enum ctl_status run_field_set(const struct ctl *ctl)
{
	json_t *more = json_pack("{s:s}", "name", ctl->operands[1]);
	const char *name = option_text(ctl, "name");
	json_t *answer;
	enum ctl_status status;

	if (name != NULL)
		json_object_set_new(more, "new_name", json_string(name));
	read_flag(ctl, "watch", "watched", more);
	read_flag(ctl, "required", "required", more);
	status = action_ask(ctl, more, &answer);
	json_decref(more);
	if (status != CTL_DONE)
		return status;
	keep_field(ctl, answer, name != NULL ? name : ctl->operands[1]);
	action_print(ctl, answer);
	json_decref(answer);
	return status;
}

/* Return the first text of a value, for a table. */
static json_t *short_value(json_t *value)
{
	if (json_is_array(value))
		value = json_array_get(value, 0);
	return value == NULL ? json_string("-") : json_incref(value);
}

/* For the table: the first address of each field, its fill rate in percent. */
void field_arrange(json_t *answer)
{
	json_t *sample = json_object_get(answer, "sample");
	json_t *first = json_array_get(sample, 0);
	json_t *item;
	size_t i;

	json_array_foreach(json_object_get(answer, "fields"), i, item)
	{
		json_t *addresses = json_object_get(item, "addresses");
		double fill = json_number_value(json_object_get(item, "fill"));
		const char *name =
			json_string_value(json_object_get(item, "name"));

		json_object_set(item, "address", json_array_get(addresses, 0));
		json_object_set_new(item, "percent",
				    json_integer((json_int_t)(fill * 100)));
		json_object_set_new(
			item, "example",
			short_value(json_object_get(
				json_object_get(first, "fields"), name)));
	}
	json_array_foreach(sample, i, item)
	{
		json_t *value = json_object_get(item, "value");

		if (value != NULL)
			json_object_set_new(item, "value", short_value(value));
	}
	if (json_object_get(first, "fields") != NULL)
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

enum { RECORDS_PER_REQUEST = 1000 };

static enum ctl_status receive_records(const struct ctl *ctl, FILE *file)
{
	const char *format = option_text(ctl, "format");
	const char *since = option_text(ctl, "since");
	bool is_csv = format != NULL && strcmp(format, "csv") == 0;
	char last[TEXT_POSITION_BYTES] = "";
	enum ctl_status status;
	bool goes_on;

	do {
		struct buffer target = {0};
		struct buffer answer = {0};

		status = action_target(ctl, NULL, &target);
		client_append_query(&target, "format", format);
		client_append_query(&target, "since",
				    *last != '\0' ? last : since);
		if (status == CTL_DONE)
			status = client_ask(
				ctl,
				&(struct client_request){.target = target.data},
				&answer);
		goes_on = status == CTL_DONE &&
			  last_record(buffer_slice(&answer), is_csv, last);
		if (fwrite(answer.data, 1, answer.size, file) != answer.size)
			status = CTL_FAILED;
		buffer_free(&target);
		buffer_free(&answer);
	} while (goes_on && status == CTL_DONE);
	return status;
}

enum ctl_status run_records(const struct ctl *ctl)
{
	const char *path = option_text(ctl, "out");
	bool is_file = path != NULL && strcmp(path, "-") != 0;
	FILE *file = is_file ? fopen(path, "we") : stdout;
	enum ctl_status status;

	if (file == NULL) {
		ctl_print_error(ctl, "%s: cannot be written", path);
		return CTL_FAILED;
	}
	status = receive_records(ctl, file);
	if (is_file && fclose(file) != 0 && status == CTL_DONE) {
		ctl_print_error(ctl, "%s: cannot be written", path);
		status = CTL_FAILED;
	}
	return status;
}
