#include "daemon/ctl/ctl_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/ctl/socket_client.h"
#include "daemon/runtime/table.h"
#include "daemon/runtime/terminal.h"

enum { SITES_AT_A_TIME = 500 };

/* Print the error of the daemon's response. */
static void complain_answer(const struct ctl *ctl,
			    const struct socket_answer *answer)
{
	json_t *value =
		json_loadb(answer->body.data, answer->body.size, 0, NULL);
	const json_t *error = json_object_get(value, "error");
	const char *message =
		json_string_value(json_object_get(error, "message"));
	const char *code = json_string_value(json_object_get(error, "code"));

	if (message == NULL || code == NULL)
		ctl_print_error(ctl, "%s responded with HTTP status %u",
				ctl->socket, answer->status);
	else
		ctl_print_error(ctl, "%s (%s)", message, code);
	json_decref(value);
}

static enum ctl_status complain_socket(const struct ctl *ctl, enum error error,
				       const struct socket_answer *answer)
{
	if (error == ERR_NOT_FOUND) {
		ctl_print_error(ctl,
				"no daemon responds at %s; start templated, or "
				"set its socket with -s",
				ctl->socket);
		return CTL_NO_DAEMON;
	}
	ctl_print_error(ctl, "%s: %s: %s", ctl->socket, error_text(error),
			answer->reason);
	return CTL_FAILED;
}

/* Warn once if the response of a node group is incomplete or stale. */
static void client_warn(const struct ctl *ctl,
			const struct socket_answer *answer)
{
	if (answer->missing[0] != '\0' && !ctl->told->of_missing) {
		ctl->told->of_missing = true;
		ctl_print_error(
			ctl,
			"warning: the result is incomplete; these nodes "
			"do not respond: %s",
			answer->missing);
	}
	if (answer->is_stale && !ctl->told->of_stale) {
		ctl->told->of_stale = true;
		ctl_print_error(ctl,
				"warning: the result may be stale: it comes "
				"from a replica on another node");
	}
}

/* Move the body out of a successful response; print the error of any other. */
static enum ctl_status client_take_body(const struct ctl *ctl, enum error error,
					struct socket_answer *answer,
					struct buffer *answer_out)
{
	enum ctl_status status = CTL_FAILED;

	if (error == ERR_NONE && answer->status < 300) {
		client_warn(ctl, answer);
		*answer_out = answer->body;
		return CTL_DONE;
	}
	if (error == ERR_NONE)
		complain_answer(ctl, answer);
	else if (answer->reason[0] != '\0')
		status = complain_socket(ctl, error, answer);
	buffer_free(&answer->body);
	return status;
}

enum ctl_status client_ask(const struct ctl *ctl,
			   const struct client_request *ask,
			   struct buffer *answer_out)
{
	struct socket_answer answer = {0};
	char *text =
		ask->body == NULL
			? NULL
			: json_dumps(ask->body,
				     JSON_COMPACT | JSON_REAL_PRECISION(6));
	enum error error;

	error = socket_request(ctl->socket,
			       ask->method == NULL ? "GET" : ask->method,
			       ask->target, slice_of(text),
			       text == NULL ? NULL : "application/json",
			       ask->timeout_ms, &answer);
	free(text);
	if (ask->is_patient && (error != ERR_NONE || answer.status == 503)) {
		buffer_free(&answer.body);
		return CTL_NO_DAEMON;
	}
	return client_take_body(ctl, error, &answer, answer_out);
}

/* Parse a response, which is freed. */
static enum ctl_status read_json(const struct ctl *ctl, struct buffer *answer,
				 json_t **answer_out)
{
	json_error_t where;

	*answer_out = json_loadb(answer->size == 0 ? "" : answer->data,
				 answer->size, 0, &where);
	buffer_free(answer);
	if (*answer_out != NULL)
		return CTL_DONE;
	ctl_print_error(ctl,
			"%s: the response is not JSON: %s; is it templated?",
			ctl->socket, where.text);
	return CTL_FAILED;
}

enum ctl_status client_ask_json(const struct ctl *ctl,
				const struct client_request *ask,
				json_t **answer_out)
{
	struct buffer answer = {0};
	enum ctl_status status = client_ask(ctl, ask, &answer);

	return status == CTL_DONE ? read_json(ctl, &answer, answer_out)
				  : status;
}

enum ctl_status client_send(const struct ctl *ctl,
			    const struct socket_upload *upload,
			    json_t **answer_out)
{
	struct socket_answer answer;
	struct buffer body = {0};
	enum error error = socket_send(ctl->socket, upload, &answer);
	enum ctl_status status = client_take_body(ctl, error, &answer, &body);

	return status == CTL_DONE ? read_json(ctl, &body, answer_out) : status;
}

enum ctl_status client_receive(const struct ctl *ctl,
			       const struct socket_download *download)
{
	struct socket_answer answer;
	struct buffer body = {0};
	enum error error = socket_receive(ctl->socket, download, &answer);
	enum ctl_status status = client_take_body(ctl, error, &answer, &body);

	buffer_free(&body);
	if (status != CTL_DONE || answer.failed == 0)
		return status;
	ctl_print_error(ctl, "%" PRIu64 " page%s failed: no text",
			answer.failed, answer.failed == 1 ? "" : "s");
	return CTL_PARTLY;
}

void client_print_json(const json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY |
					       JSON_REAL_PRECISION(15));

	if (text != NULL)
		terminal_print(slice_of(text));
	printf("\n");
	free(text);
}

enum ctl_status client_ask_value(const struct ctl *ctl, const char *method,
				 const char *target, const json_t *body,
				 json_t **answer_out)
{
	*answer_out = NULL;
	return client_ask_json(
		ctl,
		&(struct client_request){.method = method,
					 .target = target,
					 .body = body,
					 .timeout_ms = ASK_TIMEOUT_MS},
		answer_out);
}

/*
 * Append the sites after `after`, which becomes the last site, or "" when there
 * are no more.
 */
static enum ctl_status ask_some_sites(const struct ctl *ctl,
				      char after[MAX_HOST_BYTES + 1],
				      json_t *sites)
{
	struct buffer target = {0};
	json_t *answer;
	const char *next;
	enum ctl_status status;

	buffer_printf(&target, "/v1/sites?limit=%d&after=", SITES_AT_A_TIME);
	client_append_escaped(&target, after);
	status = client_ask_value(ctl, NULL, target.data, NULL, &answer);
	json_array_extend(sites, json_object_get(answer, "sites"));
	next = json_string_value(json_object_get(answer, "next"));
	/* accept ascending hosts only, so that the loop ends */
	if (next == NULL || strcmp(next, after) <= 0)
		next = "";
	snprintf(after, MAX_HOST_BYTES + 1, "%s", next);
	json_decref(answer);
	buffer_free(&target);
	return status;
}

enum ctl_status client_ask_sites(const struct ctl *ctl, json_t **answer_out)
{
	char after[MAX_HOST_BYTES + 1] = "";
	json_t *sites = json_array();
	enum ctl_status status;

	do {
		status = ask_some_sites(ctl, after, sites);
	} while (status == CTL_DONE && after[0] != '\0');
	*answer_out = json_pack("{s:o}", "sites", sites);
	return status;
}

void client_print_rows(const struct ctl *ctl, const json_t *answer,
		       const struct client_list *list)
{
	struct text_table *table;
	const json_t *row;
	size_t i;

	if (ctl->is_json) {
		client_print_json(answer);
		return;
	}
	table = table_create(list->columns, list->column_count);
	json_array_foreach(json_object_get(answer, list->member), i, row)
	{
		list->add(table, row);
	}
	table_print(table);
	table_destroy(table);
}

enum ctl_status client_print_list(const struct ctl *ctl, const char *target,
				  const struct client_list *list)
{
	json_t *answer;
	enum ctl_status status =
		client_ask_value(ctl, NULL, target, NULL, &answer);

	if (status == CTL_DONE)
		client_print_rows(ctl, answer, list);
	json_decref(answer);
	return status;
}

void client_append_escaped(struct buffer *target, const char *text)
{
	url_escape(slice_of(text), target);
}

bool client_host(const struct ctl *ctl, const char *operand, char *host_out)
{
	struct url url;

	if (strpbrk(operand, "/?#@ ") != NULL ||
	    url_parse(&url, slice_of(operand), NULL) != ERR_NONE) {
		ctl_print_error(ctl,
				"\"%s\" is not a HOST, for example example.org",
				operand);
		return false;
	}
	memcpy(host_out, url.host, sizeof(url.host));
	return true;
}

bool client_cluster_target(const struct ctl *ctl, const char *operand,
			   const char *ending, struct buffer *target)
{
	char host[MAX_HOST_BYTES + 1];
	const char *slash = strrchr(operand, '/');
	char name[MAX_HOST_BYTES + 1];
	size_t length = slash == NULL ? 0 : (size_t)(slash - operand);

	if (length == 0 || length >= sizeof(name) || slash[1] == '\0' ||
	    strlen(slash + 1) > 10 ||
	    slash[1 + strspn(slash + 1, "0123456789")] != '\0') {
		ctl_print_error(
			ctl,
			"\"%s\" is not a template's HOST/N, for example "
			"example.org/3; see templatectl clusters",
			operand);
		return false;
	}
	memcpy(name, operand, length);
	name[length] = '\0';
	if (!client_host(ctl, name, host))
		return false;
	buffer_append_text(target, "/v1/sites/");
	client_append_escaped(target, host);
	buffer_printf(target, "/templates%s%s", slash, ending);
	return true;
}

bool client_number_target(const struct ctl *ctl, const char *path,
			  const char *operand, const char *ending,
			  struct buffer *target)
{
	size_t length = strlen(operand);

	if (length == 0 || length > 10 ||
	    operand[strspn(operand, "0123456789")] != '\0') {
		ctl_print_error(ctl, "\"%s\" is not a number", operand);
		return false;
	}
	buffer_printf(target, "%s%s%s", path, operand, ending);
	return true;
}

const char *field_text(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text == NULL ? "-" : text;
}

uint64_t field_whole(const json_t *object, const char *name)
{
	json_int_t number = json_integer_value(json_object_get(object, name));

	return number < 0 ? 0 : (uint64_t)number;
}

static bool client_text_ends_with(const char *text, const char *ending)
{
	size_t length = strlen(text);

	return length >= strlen(ending) &&
	       strcmp(text + length - strlen(ending), ending) == 0;
}

static void add_bytes(struct text_table *table, double bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB",
					    "TiB"};
	size_t unit = 0;

	while (bytes >= 1024 && unit < 4) {
		bytes /= 1024;
		unit++;
	}
	table_printf(table, unit == 0 ? "%.0f %s" : "%.1f %s", bytes,
		     units[unit]);
}

static void add_value(struct text_table *table, const char *name,
		      const json_t *value)
{
	if (json_is_string(value))
		table_add_text(table, json_string_value(value));
	else if (json_is_integer(value) &&
		 client_text_ends_with(name, "_bytes"))
		add_bytes(table, (double)json_integer_value(value));
	else if (json_is_integer(value))
		table_printf(table, "%" JSON_INTEGER_FORMAT,
			     json_integer_value(value));
	else if (json_is_real(value))
		table_printf(table, "%g", json_real_value(value));
	else if (json_is_boolean(value))
		table_add_text(table, json_is_true(value) ? "yes" : "no");
	else
		table_add_text(table, "-");
}

void client_print_object(const json_t *object)
{
	static const struct table_column columns[] = {
		{.title = NULL},
		{.title = NULL, .is_elastic = true},
	};
	struct text_table *table = table_create(columns, 2);
	const char *name;
	const char *inner;
	json_t *value;
	json_t *part;

	/* jansson's iterators take no const object */
	json_object_foreach((json_t *)object, name, value)
	{
		if (!json_is_object(value)) {
			table_add_text(table, name);
			add_value(table, name, value);
		}
		json_object_foreach(value, inner, part)
		{
			table_printf(table, "%s.%s", name, inner);
			add_value(table, inner, part);
		}
	}
	table_print(table);
	table_destroy(table);
}

void client_print(const struct ctl *ctl, const json_t *value)
{
	if (ctl->is_json)
		client_print_json(value);
	else
		client_print_object(value);
}
