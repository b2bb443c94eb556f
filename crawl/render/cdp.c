#include "crawl/render/cdp.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void cdp_free(struct cdp *cdp)
{
	buffer_free(&cdp->in);
	buffer_free(&cdp->out);
}

void cdp_feed(struct cdp *cdp, struct slice bytes)
{
	if (cdp->taken > 0) {
		cdp->in.size -= cdp->taken;
		memmove(cdp->in.data, cdp->in.data + cdp->taken, cdp->in.size);
		cdp->searched -= cdp->taken;
		cdp->taken = 0;
	}
	buffer_append_slice(&cdp->in, bytes);
}

/*
 * Return whether the JSON text has at most MAX_CDP_VALUES values. Each value
 * but the first follows a comma or an opening bracket. A parsed value takes up
 * to 100 times the memory of its text.
 */
static bool cdp_is_small(struct slice text)
{
	const char *bytes = text.data;
	size_t values = 1;
	bool is_string = false;

	for (size_t i = 0; i < text.size; i++) {
		char byte = bytes[i];

		if (is_string && byte == '\\')
			i++;
		else if (byte == '"')
			is_string = !is_string;
		else if (!is_string &&
			 (byte == ',' || byte == '[' || byte == '{'))
			values++;
	}
	return values <= MAX_CDP_VALUES;
}

const char *cdp_text(const json_t *object, const char *name, size_t max_bytes)
{
	const json_t *text = json_object_get(object, name);

	if (!json_is_string(text) || json_string_length(text) > max_bytes)
		return NULL;
	return json_string_value(text);
}

uint64_t cdp_whole(const json_t *object, const char *name)
{
	const json_t *number = json_object_get(object, name);

	if (!json_is_integer(number) || json_integer_value(number) < 0)
		return UINT64_MAX;
	return (uint64_t)json_integer_value(number);
}

/* A response has an id; an event has a method. */
static enum error cdp_parse(struct slice text, struct cdp_message *message)
{
	const json_t *root;
	const json_t *error;

	if (!cdp_is_small(text))
		return ERR_TOO_LARGE;
	message->bytes = text.size;
	message->root = json_loadb(text.data, text.size, 0, NULL);
	root = message->root;
	message->session = cdp_text(root, "sessionId", MAX_CDP_ID);
	message->method = cdp_text(root, "method", MAX_CDP_ID);
	if (message->session == NULL)
		message->session = "";
	if (json_object_get(root, "id") != NULL) {
		message->id = cdp_whole(root, "id");
		message->method = "";
		message->value = json_object_get(root, "result");
		error = json_object_get(root, "error");
		if (error != NULL)
			message->error = cdp_text(error, "message", 512);
		if (error != NULL && message->error == NULL)
			message->error = "unknown error";
	} else {
		message->value = json_object_get(root, "params");
	}
	if (!json_is_object(message->value))
		message->value = NULL;
	if (message->method == NULL || message->id == UINT64_MAX ||
	    (message->id == 0 && *message->method == '\0')) {
		json_decref(message->root);
		message->root = NULL;
		return ERR_MALFORMED;
	}
	return ERR_NONE;
}

bool cdp_next(struct cdp *cdp, struct cdp_message *message_out,
	      enum error *error_out)
{
	struct slice text = {0};
	const char *end;

	*message_out = (struct cdp_message){0};
	*error_out = ERR_NONE;
	if (cdp->in.size == cdp->searched)
		return false;
	end = memchr(cdp->in.data + cdp->searched, '\0',
		     cdp->in.size - cdp->searched);
	cdp->searched = cdp->in.size;
	if (end != NULL)
		cdp->searched = (size_t)(end - cdp->in.data);
	text.data = cdp->in.data + cdp->taken;
	text.size = cdp->searched - cdp->taken;
	if (text.size > MAX_CDP_BYTES) {
		*error_out = ERR_TOO_LARGE;
		return false;
	}
	if (end == NULL)
		return false;
	*error_out = cdp_parse(text, message_out);
	cdp->searched++;
	cdp->taken = cdp->searched;
	return *error_out == ERR_NONE;
}

uint64_t cdp_send(struct cdp *cdp, const char *session, const char *method,
		  json_t *parameters)
{
	json_t *root = json_object();
	char *text;

	cdp->last_id++;
	json_object_set_new(root, "id", json_integer((json_int_t)cdp->last_id));
	json_object_set_new(root, "method", json_string(method));
	if (*session != '\0')
		json_object_set_new(root, "sessionId", json_string(session));
	if (parameters != NULL)
		json_object_set_new(root, "params", parameters);
	text = json_dumps(root, JSON_COMPACT);
	if (text == NULL)
		mem_exhausted("jansson");
	buffer_append(&cdp->out, text, strlen(text) + 1);
	free(text);
	json_decref(root);
	return cdp->last_id;
}
