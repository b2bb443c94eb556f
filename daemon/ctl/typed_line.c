#include "daemon/ctl/typed_line.h"

#include <stdlib.h>

#include "base/memory.h"

static bool is_option(const struct typed_line *line, const char *word)
{
	return !line->is_ended && word[0] == '-';
}

/* Return NULL for an unknown option, or a flag, which has no value. */
static const struct verb_option *
option_with_value(const struct typed_line *line, const char *word)
{
	const struct verb_option *option = NULL;

	if (line->verb != NULL)
		option = option_named(line->verb->options, word);
	if (option == NULL)
		option = option_named(global_options, word);
	return option == NULL || option->kind == OPTION_FLAG ? NULL : option;
}

static void typed_line_read_option(struct typed_line *line, const char *word)
{
	const struct verb_option *option;
	const char *equals = strchr(word, '=');

	if (strcmp(word, "--") == 0) {
		line->is_ended = true;
		return;
	}
	option = option_with_value(line, word);
	if (option == NULL)
		return;
	if (word[1] != '-' || equals == NULL)
		line->option = option;
	else
		line->values[line->value_count++] =
			(struct option_value){option, equals + 1};
}

/* Read a word before the last one. */
static void typed_line_read_word(struct typed_line *line,
				 const struct verb *const *verbs,
				 const char *word)
{
	if (line->option != NULL) {
		line->values[line->value_count++] =
			(struct option_value){line->option, word};
		line->option = NULL;
	} else if (is_option(line, word) && word[1] != '\0') {
		typed_line_read_option(line, word);
	} else if (line->part == TYPED_VERB) {
		line->verb = verb_find(verbs, word);
		line->part = line->verb == NULL ? TYPED_NOTHING : TYPED_OPERAND;
	} else {
		line->operands[line->operand_count++] = word;
	}
}

static void typed_line_read_last(struct typed_line *line, const char *word)
{
	const char *equals = strchr(word, '=');

	line->last = word;
	if (line->option != NULL) {
		line->part = TYPED_VALUE;
	} else if (is_option(line, word)) {
		line->part = TYPED_OPTION;
		if (word[1] != '-' || equals == NULL)
			return;
		line->option = option_with_value(line, word);
		line->part = line->option == NULL ? TYPED_NOTHING : TYPED_VALUE;
		line->last = equals + 1;
		line->head = (struct slice){word, (size_t)(line->last - word)};
	}
}

struct typed_line typed_line_read(const struct verb *const *verbs,
				  const char *const *words, size_t count)
{
	struct typed_line line = {
		.part = TYPED_VERB,
		.operands = mem_alloc(count, sizeof(*line.operands)),
		.values = mem_alloc(count, sizeof(*line.values)),
	};

	for (size_t i = 0; i + 1 < count; i++)
		typed_line_read_word(&line, verbs, words[i]);
	typed_line_read_last(&line, words[count - 1]);
	return line;
}

const char *typed_line_value(const struct typed_line *line, const char *name)
{
	for (size_t i = line->value_count; i-- > 0;)
		if (strcmp(line->values[i].option->name, name) == 0)
			return line->values[i].text;
	return NULL;
}

void typed_line_free(struct typed_line *line)
{
	free(line->values);
	free(line->operands);
	*line = (struct typed_line){0};
}
