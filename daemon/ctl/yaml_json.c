#include "daemon/ctl/yaml_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { MAX_DEPTH = 16, MAX_NODES = 1000 * 1000 };

/* A document that is being read: the open containers, from the outermost. */
struct yaml_reader {
	json_t *root;
	json_t *open[MAX_DEPTH]; /* borrowed, except that `root` owns them */
	char *keys[MAX_DEPTH];   /* the last key of a mapping; or NULL */
	size_t depth;
	size_t nodes;
	const char *wrong; /* or NULL */
};

/* Return the value of a plain scalar. */
static json_t *yaml_plain_value(const char *text)
{
	char *end = NULL;
	long long whole;
	double real;

	if (*text == '\0' || strcmp(text, "~") == 0 ||
	    strcmp(text, "null") == 0)
		return json_null();
	if (strcmp(text, "true") == 0 || strcmp(text, "yes") == 0)
		return json_true();
	if (strcmp(text, "false") == 0 || strcmp(text, "no") == 0)
		return json_false();
	errno = 0;
	whole = strtoll(text, &end, 10);
	if (*end == '\0' && errno == 0)
		return json_integer(whole);
	if (strspn(text, "0123456789.eE+-") != strlen(text))
		return json_string(text);
	real = strtod(text, &end);
	return *end == '\0' ? json_real(real) : json_string(text);
}

static json_t *yaml_scalar_value(const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;

	if (strlen(text) != event->data.scalar.length)
		return NULL;
	return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE
		       ? yaml_plain_value(text)
		       : json_string(text);
}

/*
 * Add a value to the innermost container, and open it if it is a container
 * itself.
 */
static void yaml_add_value(struct yaml_reader *reader, json_t *value)
{
	json_t *parent =
		reader->depth == 0 ? NULL : reader->open[reader->depth - 1];
	bool is_container = json_is_object(value) || json_is_array(value);

	if (value == NULL) {
		reader->wrong = "a text is not valid UTF-8, or contains a NUL";
		return;
	}
	if (parent == NULL) {
		reader->root = value;
	} else if (json_is_array(parent)) {
		json_array_append_new(parent, value);
	} else {
		char **key = &reader->keys[reader->depth - 1];

		if (json_object_get(parent, *key) != NULL)
			reader->wrong = "a key occurs twice";
		json_object_set_new(parent, *key, value);
		free(*key);
		*key = NULL;
	}
	if (is_container && reader->depth == MAX_DEPTH)
		reader->wrong = "it is nested too deeply";
	else if (is_container)
		reader->open[reader->depth++] = value;
}

/* Read a scalar: a key of a mapping, or a value. */
static void yaml_read_scalar(struct yaml_reader *reader,
			     const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	size_t at = reader->depth - 1;

	if (event->data.scalar.anchor != NULL || event->data.scalar.tag != NULL)
		reader->wrong = "anchors and tags are not allowed";
	else if (reader->depth > 0 && json_is_object(reader->open[at]) &&
		 reader->keys[at] == NULL)
		reader->keys[at] = strdup(text);
	else
		yaml_add_value(reader, yaml_scalar_value(event));
}

static void yaml_open_container(struct yaml_reader *reader, json_t *value,
				const yaml_char_t *anchor,
				const yaml_char_t *tag)
{
	size_t at = reader->depth - 1;

	if (anchor != NULL || tag != NULL)
		reader->wrong = "anchors and tags are not allowed";
	else if (reader->depth > 0 && json_is_object(reader->open[at]) &&
		 reader->keys[at] == NULL)
		reader->wrong = "a key must be a text";
	if (reader->wrong != NULL)
		json_decref(value);
	else
		yaml_add_value(reader, value);
}

static void yaml_read_event(struct yaml_reader *reader,
			    const yaml_event_t *event)
{
	if (++reader->nodes > MAX_NODES)
		reader->wrong = "it is too large";
	switch (event->type) {
	case YAML_ALIAS_EVENT:
		reader->wrong = "aliases are not allowed";
		break;
	case YAML_SCALAR_EVENT:
		yaml_read_scalar(reader, event);
		break;
	case YAML_MAPPING_START_EVENT:
		yaml_open_container(reader, json_object(),
				    event->data.mapping_start.anchor,
				    event->data.mapping_start.tag);
		break;
	case YAML_SEQUENCE_START_EVENT:
		yaml_open_container(reader, json_array(),
				    event->data.sequence_start.anchor,
				    event->data.sequence_start.tag);
		break;
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		reader->depth--;
		break;
	default:
		break;
	}
}

json_t *yaml_json_parse(struct slice text, char reason[256])
{
	struct yaml_reader reader = {0};
	yaml_parser_t parser;
	yaml_event_t event;
	bool is_end = false;
	size_t line = 0;

	yaml_parser_initialize(&parser);
	yaml_parser_set_input_string(&parser, text.data, text.size);
	while (!is_end && reader.wrong == NULL) {
		if (!yaml_parser_parse(&parser, &event)) {
			reader.wrong = parser.problem == NULL
					       ? "it cannot be read"
					       : parser.problem;
			line = parser.problem_mark.line + 1;
			break;
		}
		yaml_read_event(&reader, &event);
		line = event.start_mark.line + 1;
		/* only the first document */
		is_end = event.type == YAML_DOCUMENT_END_EVENT ||
			 event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	if (reader.wrong == NULL && reader.root == NULL)
		reader.wrong = "it is empty";
	for (size_t i = 0; i < MAX_DEPTH; i++)
		free(reader.keys[i]);
	if (reader.wrong != NULL) {
		snprintf(reason, 256, "line %zu: %s", line, reader.wrong);
		json_decref(reader.root);
		reader.root = NULL;
	}
	yaml_parser_delete(&parser);
	return reader.root;
}

/* A JSON scalar is a YAML scalar. */
static void yaml_append_scalar(struct buffer *out, const json_t *value)
{
	char *text =
		json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));

	buffer_append_text(out, text == NULL ? "null" : text);
	buffer_append_byte(out, '\n');
	free(text);
}

/* Append an object whose members are scalars. */
static void yaml_append_flat(struct buffer *out, json_t *object,
			     unsigned indent)
{
	const char *mark = "- ";
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
	{
		buffer_printf(out, "%*s%s%s: ", (int)indent, "", mark, key);
		yaml_append_scalar(out, value);
		mark = "  ";
	}
}

/* Append a member that is an array. */
static void yaml_append_array(struct buffer *out, const json_t *array,
			      unsigned indent)
{
	json_t *item;
	size_t i;

	json_array_foreach(array, i, item)
	{
		if (json_is_object(item)) {
			yaml_append_flat(out, item, indent);
			continue;
		}
		buffer_printf(out, "%*s- ", (int)indent, "");
		yaml_append_scalar(out, item);
	}
}

void yaml_json_append(struct buffer *out, const json_t *objects,
		      unsigned indent)
{
	json_t *object;
	size_t i;

	json_array_foreach(objects, i, object)
	{
		const char *mark = "- ";
		const char *key;
		json_t *value;

		json_object_foreach(object, key, value)
		{
			bool is_array = json_is_array(value);

			buffer_printf(out, "%*s%s%s:%s", (int)indent, "", mark,
				      key, is_array ? "" : " ");
			mark = "  ";
			if (!is_array) {
				yaml_append_scalar(out, value);
				continue;
			}
			buffer_append_text(out, json_array_size(value) == 0
							? " []\n"
							: "\n");
			yaml_append_array(out, value, indent + 2);
		}
	}
}
