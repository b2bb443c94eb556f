/* daemon/config/config_file.c - parse the configuration from YAML events. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <yaml.h>

#include "base/file.h"
#include "base/limit.h"
#include "base/memory.h"
#include "daemon/config/config_table.h"

enum {
	MAX_FILE_BYTES = LIMIT(1 << 20, 1 << 16),
	MAX_ERRORS = 20,
	/* maximum nesting of collections; three levels are used */
	MAX_DEPTH = 8,
	MAX_KEYS = 160, /* maximum number of rows in the table */
	MAX_SHOWN = 80, /* maximum bytes of a value in a message */
	MAX_WHAT = 320, /* maximum bytes of an error text */
	/* maximum bytes of a word whose edit distance is computed */
	MAX_DISTANCE = 64,
};

struct config_reader {
	yaml_parser_t parser;
	const char *name; /* name of the file in messages */
	struct config *config;
	struct buffer *message;
	unsigned errors;
	bool is_broken; /* the file cannot be parsed further */
	/* for each row of the table, the line that has its key, or 0 */
	size_t seen_lines[MAX_KEYS];
};

/* Append a line to the message, unless it has MAX_ERRORS lines already. */
static void config_file_report(struct config_reader *reader, yaml_mark_t mark,
			       const char *where, const char *what)
{
	size_t begin;

	if (reader->errors >= MAX_ERRORS)
		return;
	reader->errors++;
	begin = reader->message->size;
	buffer_printf(reader->message, "%s:%zu: %s%s%s", reader->name,
		      mark.line + 1, where, *where == '\0' ? "" : ": ", what);
	for (char *c = reader->message->data + begin; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	buffer_append_byte(reader->message, '\n');
}

static void complain_yaml(struct config_reader *reader)
{
	const yaml_parser_t *parser = &reader->parser;
	yaml_mark_t mark = parser->problem_mark;

	reader->is_broken = true;
	if (parser->error == YAML_READER_ERROR) {
		/*
		 * libyaml does not set the line number of this error, so count
		 * the lines
		 */
		mark = parser->mark;
	}
	config_file_report(reader, mark, "not YAML",
			   parser->problem == NULL ? "cannot be read"
						   : parser->problem);
}

/*
 * Return the name of a YAML feature that is not allowed, or NULL. These
 * features are not needed, and some can expand a file exponentially.
 */
static const char *yaml_forbidden_feature(const yaml_event_t *event)
{
	const yaml_char_t *anchor = NULL;
	const yaml_char_t *tag = NULL;

	switch (event->type) {
	case YAML_ALIAS_EVENT:
		return "aliases are not allowed";
	case YAML_SCALAR_EVENT:
		anchor = event->data.scalar.anchor;
		tag = event->data.scalar.tag;
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = event->data.mapping_start.anchor;
		tag = event->data.mapping_start.tag;
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = event->data.sequence_start.anchor;
		tag = event->data.sequence_start.tag;
		break;
	default:
		break;
	}
	if (anchor != NULL)
		return "anchors are not allowed";
	return tag == NULL ? NULL : "tags are not allowed";
}

/* Read the next event. On an error append a message and return false. */
static bool config_file_next_event(struct config_reader *reader,
				   yaml_event_t *event)
{
	const char *why;

	if (reader->is_broken)
		return false;
	if (!yaml_parser_parse(&reader->parser, event)) {
		complain_yaml(reader);
		return false;
	}
	why = yaml_forbidden_feature(event);
	if (why == NULL)
		return true;
	config_file_report(reader, event->start_mark, "", why);
	yaml_event_delete(event);
	reader->is_broken = true;
	return false;
}

static int yaml_opens(yaml_event_type_t type)
{
	return type == YAML_MAPPING_START_EVENT ||
	       type == YAML_SEQUENCE_START_EVENT;
}

static int yaml_closes(yaml_event_type_t type)
{
	return type == YAML_MAPPING_END_EVENT ||
	       type == YAML_SEQUENCE_END_EVENT;
}

/* Skip the rest of a node that began with an event of `type`. */
static void config_file_skip(struct config_reader *reader,
			     yaml_event_type_t type)
{
	int depth = yaml_opens(type);
	yaml_event_t event;

	while (depth > 0 && config_file_next_event(reader, &event)) {
		depth += yaml_opens(event.type) - yaml_closes(event.type);
		if (depth > MAX_DEPTH) {
			config_file_report(reader, event.start_mark, "",
					   "it is nested too deeply");
			reader->is_broken = true;
		}
		yaml_event_delete(&event);
	}
}

/* Return the text of a scalar, or NULL if it contains a NUL. */
static const char *yaml_text(const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;

	return strlen(text) == event->data.scalar.length ? text : NULL;
}

/*
 * Return the Levenshtein distance of two words. Words longer than MAX_DISTANCE
 * count as very different.
 */
static size_t config_edit_distance(const char *a, const char *b)
{
	size_t row[MAX_DISTANCE + 1];
	size_t length = strlen(b);

	if (strlen(a) > MAX_DISTANCE || length > MAX_DISTANCE)
		return MAX_DISTANCE;
	for (size_t k = 0; k <= length; k++)
		row[k] = k;
	for (size_t i = 1; a[i - 1] != '\0'; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t k = 1; k <= length; k++) {
			size_t best = diagonal + (a[i - 1] != b[k - 1]);

			diagonal = row[k];
			if (row[k] + 1 < best)
				best = row[k] + 1;
			if (row[k - 1] + 1 < best)
				best = row[k - 1] + 1;
			row[k] = best;
		}
	}
	return row[length];
}

/*
 * Return the section (if `section` is NULL) or the key of the section that is
 * most similar to `word`; NULL if all are too different.
 */
static const char *config_file_suggest(const char *section, const char *word)
{
	const char *best = NULL;
	size_t best_distance = 3;

	for (const struct config_row *row = config_rows; row->section != NULL;
	     row++) {
		const char *name = section == NULL ? row->section : row->key;
		size_t far = config_edit_distance(word, name);

		if (section != NULL && strcmp(section, row->section) != 0)
			continue;
		if (far < best_distance && far < strlen(name)) {
			best = name;
			best_distance = far;
		}
	}
	return best;
}

static void complain_unknown(struct config_reader *reader,
			     const yaml_event_t *event, const char *section,
			     const char *word)
{
	struct buffer what = {0};
	const char *near = config_file_suggest(section, word);

	buffer_printf(&what, "%s%s%.*s: unknown %s",
		      section == NULL ? "" : section,
		      section == NULL ? "" : ".", MAX_SHOWN, word,
		      section == NULL ? "section" : "key");
	if (near != NULL)
		buffer_printf(&what, "; did you mean %s?", near);
	config_file_report(reader, event->start_mark, "", what.data);
	buffer_free(&what);
}

static void config_file_assign(struct config_reader *reader,
			       const struct config_row *row,
			       const yaml_event_t *event, const char *where)
{
	const char *text = yaml_text(event);
	struct buffer what = {0};
	struct buffer shown = {0};

	if (text == NULL)
		buffer_append_text(&what, "it contains a NUL character");
	else if (*text == '\0' && event->data.scalar.plain_implicit)
		buffer_append_text(&what, "it has no value");
	else if (config_assign(reader->config, row, text, &what))
		buffer_clear(&what);
	else if (what.size > MAX_WHAT)
		buffer_printf(&shown, "%.*s...", MAX_SHOWN, what.data);
	if (shown.size > 0)
		config_file_report(reader, event->start_mark, where,
				   shown.data);
	else if (what.size > 0)
		config_file_report(reader, event->start_mark, where, what.data);
	buffer_free(&what);
	buffer_free(&shown);
}

static void config_file_read_list(struct config_reader *reader,
				  const struct config_row *row,
				  const char *where)
{
	yaml_event_t event;
	bool is_end = false;

	while (!is_end && config_file_next_event(reader, &event)) {
		is_end = event.type == YAML_SEQUENCE_END_EVENT;
		if (event.type == YAML_SCALAR_EVENT)
			config_file_assign(reader, row, &event, where);
		else if (!is_end)
			config_file_report(
				reader, event.start_mark, where,
				"the list contains items that are not texts");
		if (!is_end)
			config_file_skip(reader, event.type);
		yaml_event_delete(&event);
	}
}

static void config_file_read_value(struct config_reader *reader,
				   const struct config_row *row,
				   const char *where)
{
	bool is_list = config_is_list(row);
	yaml_event_t event;

	if (!config_file_next_event(reader, &event))
		return;
	if (is_list && event.type == YAML_SEQUENCE_START_EVENT) {
		memset((char *)reader->config + row->offset, 0, row->size);
		config_file_read_list(reader, row, where);
	} else if (!is_list && event.type == YAML_SCALAR_EVENT) {
		config_file_assign(reader, row, &event, where);
	} else {
		config_file_report(reader, event.start_mark, where,
				   is_list ? "expected a list in [ ]"
					   : "expected one value");
		config_file_skip(reader, event.type);
	}
	yaml_event_delete(&event);
}

static void config_file_skip_value(struct config_reader *reader)
{
	yaml_event_t event;

	if (!config_file_next_event(reader, &event))
		return;
	config_file_skip(reader, event.type);
	yaml_event_delete(&event);
}

/*
 * Return the key of the next pair of a mapping. If the key is not a scalar, or
 * contains a NUL, append a message and return NULL.
 */
static const char *config_file_key(struct config_reader *reader,
				   const yaml_event_t *event)
{
	const char *text = NULL;

	if (event->type == YAML_SCALAR_EVENT)
		text = yaml_text(event);
	else
		config_file_skip(reader, event->type);
	if (text == NULL)
		config_file_report(reader, event->start_mark, "",
				   "expected a name");
	return text;
}

static const struct config_row *config_find_row(const char *section,
						const char *key)
{
	for (const struct config_row *row = config_rows; row->section != NULL;
	     row++)
		if (strcmp(row->section, section) == 0 &&
		    (key == NULL || strcmp(row->key, key) == 0))
			return row;
	return NULL;
}

static void read_pair(struct config_reader *reader, const char *section,
		      const yaml_event_t *event)
{
	const char *key = config_file_key(reader, event);
	const struct config_row *row =
		key == NULL ? NULL : config_find_row(section, key);
	char where[MAX_SHOWN];
	size_t *seen;

	if (row == NULL) {
		if (key != NULL)
			complain_unknown(reader, event, section, key);
		config_file_skip_value(reader);
		return;
	}
	assert(row - config_rows < MAX_KEYS);
	seen = &reader->seen_lines[row - config_rows];
	snprintf(where, sizeof(where), "%s.%s", section, key);
	if (*seen != 0) {
		char what[64];

		snprintf(what, sizeof(what), "it is already set on line %zu",
			 *seen);
		config_file_report(reader, event->start_mark, where, what);
		config_file_skip_value(reader);
		return;
	}
	*seen = event->start_mark.line + 1;
	config_file_read_value(reader, row, where);
}

/* Read the pairs of a section, after the start of its mapping. */
static void read_pairs(struct config_reader *reader, const char *section)
{
	yaml_event_t event;
	bool is_end = false;

	while (!is_end && config_file_next_event(reader, &event)) {
		is_end = event.type == YAML_MAPPING_END_EVENT;
		if (!is_end)
			read_pair(reader, section, &event);
		yaml_event_delete(&event);
	}
}

/* Return whether the value is empty, as for a section without keys. */
static bool yaml_is_empty(const yaml_event_t *event)
{
	return event->type == YAML_SCALAR_EVENT &&
	       event->data.scalar.length == 0 &&
	       event->data.scalar.plain_implicit;
}

/*
 * Read a section whose value is only its address, as in "listen:
 * 127.0.0.1:8481".
 */
static bool read_address(struct config_reader *reader, const char *section,
			 const yaml_event_t *event)
{
	const struct config_row *row = config_find_row(section, "address");
	char where[MAX_SHOWN];

	if (row == NULL || event->type != YAML_SCALAR_EVENT)
		return false;
	snprintf(where, sizeof(where), "%s.%s", section, row->key);
	reader->seen_lines[row - config_rows] = event->start_mark.line + 1;
	config_file_assign(reader, row, event, where);
	return true;
}

/*
 * Check rows of a section that depend on each other. A message gets the line
 * number of the section.
 */
static void check_section(struct config_reader *reader, const char *section,
			  bool (*check)(const struct config *, struct buffer *))
{
	struct buffer what = {0};
	const struct config_row *first = config_find_row(section, NULL);
	yaml_mark_t mark = {0};

	assert(first != NULL);
	if (!check(reader->config, &what)) {
		for (const struct config_row *row = first;
		     strcmp(row->section, first->section) == 0; row++)
			if (reader->seen_lines[row - config_rows] > mark.line)
				mark.line =
					reader->seen_lines[row - config_rows];
		mark.line -= mark.line > 0;
		config_file_report(reader, mark, first->section, what.data);
	}
	buffer_free(&what);
}

static void config_file_read_section(struct config_reader *reader,
				     const yaml_event_t *name)
{
	const char *section = config_file_key(reader, name);
	yaml_event_t event;

	if (section == NULL || config_find_row(section, NULL) == NULL) {
		if (section != NULL)
			complain_unknown(reader, name, NULL, section);
		config_file_skip_value(reader);
		return;
	}
	if (!config_file_next_event(reader, &event))
		return;
	if (event.type == YAML_MAPPING_START_EVENT) {
		read_pairs(reader, section);
	} else if (!yaml_is_empty(&event) &&
		   !read_address(reader, section, &event)) {
		config_file_report(
			reader, event.start_mark, section,
			"expected keys, each on a separate, indented line");
		config_file_skip(reader, event.type);
	}
	yaml_event_delete(&event);
}

static void config_file_read_sections(struct config_reader *reader)
{
	yaml_event_t event;
	bool is_end = false;

	while (!is_end && config_file_next_event(reader, &event)) {
		is_end = event.type == YAML_MAPPING_END_EVENT;
		if (!is_end)
			config_file_read_section(reader, &event);
		yaml_event_delete(&event);
	}
}

/*
 * Read the file. It may be empty; otherwise it must be one document that
 * contains one mapping of sections.
 */
static void read_stream(struct config_reader *reader)
{
	bool is_second = false;
	bool is_end = false;
	yaml_event_t event;

	while (!is_end && config_file_next_event(reader, &event)) {
		is_end = event.type == YAML_STREAM_END_EVENT;
		if (event.type == YAML_DOCUMENT_START_EVENT) {
			if (is_second)
				config_file_report(
					reader, event.start_mark, "",
					"there is more than one document");
			reader->is_broken |= is_second;
			is_second = true;
		} else if (event.type == YAML_MAPPING_START_EVENT) {
			config_file_read_sections(reader);
		} else if (yaml_opens(event.type) ||
			   (event.type == YAML_SCALAR_EVENT &&
			    !yaml_is_empty(&event))) {
			config_file_report(reader, event.start_mark, "",
					   "expected sections, such as crawl:");
			config_file_skip(reader, event.type);
		}
		yaml_event_delete(&event);
	}
}

enum error config_parse(struct slice bytes, const char *name,
			struct config *config_out, struct buffer *message_out)
{
	struct config config;
	struct config_reader reader = {
		.name = name, .config = &config, .message = message_out};

	if (bytes.size > MAX_FILE_BYTES) {
		buffer_printf(message_out, "%s:1: it has more than %d bytes\n",
			      name, MAX_FILE_BYTES);
		return ERR_TOO_LARGE;
	}
	if (!yaml_parser_initialize(&reader.parser))
		mem_exhausted("libyaml");
	config_defaults(&config);
	yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&reader.parser,
				     bytes.size == 0 ? (const unsigned char *)""
						     : bytes.data,
				     bytes.size);
	read_stream(&reader);
	if (reader.errors == 0 && !config_use_passed(&config, message_out)) {
		reader.errors++;
		buffer_append_byte(message_out, '\n');
	}
	if (reader.errors == 0) {
		check_section(&reader, "listen", config_check_listen);
		check_section(&reader, "render", config_check_render);
	}
	yaml_parser_delete(&reader.parser);
	if (reader.errors > 0)
		return ERR_MALFORMED;
	/* limit the guards to a quarter of the CPU time of a page */
	if (config.guard_ms > config.page_ms / 4)
		config.guard_ms = config.page_ms / 4;
	if (config.guards_ms > config.page_ms / 4)
		config.guards_ms = config.page_ms / 4;
	*config_out = config;
	return ERR_NONE;
}

enum error config_load(const char *path, struct config *config_out,
		       struct buffer *message_out)
{
	struct buffer bytes = {0};
	enum error error = path == NULL
				   ? ERR_NONE
				   : file_read(path, MAX_FILE_BYTES, &bytes);

	if (error == ERR_NONE)
		error = config_parse(buffer_slice(&bytes),
				     path == NULL ? "defaults" : path,
				     config_out, message_out);
	else
		buffer_printf(message_out, "%s: %s\n", path,
			      file_error_text(error));
	buffer_free(&bytes);
	return error == ERR_TOO_LARGE ? ERR_MALFORMED : error;
}
