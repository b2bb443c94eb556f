#include "daemon/ctl/completion.h"

#include <stdio.h>

#include "daemon/ctl/usage_form.h"
#include "daemon/runtime/terminal.h"

/*
 * Return whether the word has only bytes without a special meaning in shells
 * and terminals.
 */
static bool completion_is_safe(struct slice word)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789._:/@%+,=[]-";

	for (size_t i = 0; i < word.size; i++)
		if (slice_byte(word, i) == '\0' ||
		    strchr(safe, slice_byte(word, i)) == NULL)
			return false;
	return word.size > 0;
}

static void add_line(const struct completion *completion, const char *word,
		     const char *meaning)
{
	struct buffer *out = completion->out;
	size_t begin = out->size;

	if (strncmp(word, completion->typed, strlen(completion->typed)) != 0)
		return;
	buffer_append_slice(out, completion->head);
	buffer_append_text(out, word);
	if (!completion_is_safe(
		    (struct slice){out->data + begin, out->size - begin})) {
		out->size = begin;
		return;
	}
	buffer_append_byte(out, '\t');
	terminal_clean(slice_of(meaning == NULL ? "" : meaning), out);
	buffer_append_byte(out, '\n');
}

void completion_add(const struct completion *completion, const char *value,
		    const char *meaning)
{
	if (value != NULL && value[0] != '\0' && value[0] != '-')
		add_line(completion, value, meaning);
}

static void add_verbs(const struct completion *completion,
		      const struct verb *const *verbs)
{
	for (; *verbs != NULL; verbs++)
		completion_add(completion, (*verbs)->name, (*verbs)->summary);
}

static void completion_add_options(const struct completion *completion,
				   const struct verb_option *option)
{
	for (; option != NULL && option->name != NULL; option++) {
		char name[64];

		snprintf(name, sizeof(name), "--%s", option->name);
		add_line(completion, name, option->meaning);
	}
}

static void add_choice(struct completion *completion, struct slice choice)
{
	char word[64];

	if (!usage_is_literal(choice)) {
		completion_add_values(completion, choice);
		return;
	}
	snprintf(word, sizeof(word), "%.*s", (int)choice.size,
		 (const char *)choice.data);
	completion_add(completion, word, NULL);
}

static void add_choices(struct completion *completion, struct slice word)
{
	struct slice choice;

	while (usage_take_choice(&word, &choice))
		add_choice(completion, choice);
}

/* Return whether the operands match the literal words of the form. */
static bool is_form(const struct typed_line *line, struct slice form)
{
	for (size_t i = 0; i < line->operand_count; i++) {
		struct slice word;

		if (!usage_word(form, i, &word) ||
		    !usage_allows(word, line->operands[i]))
			return false;
	}
	return true;
}

static void add_operands(struct completion *completion)
{
	const struct typed_line *line = completion->line;
	struct usage_forms forms = usage_forms_of(line->verb->operands);
	struct slice form;
	struct slice word;

	while (usage_forms_next(&forms, &form))
		if (is_form(line, form) &&
		    usage_word(form, line->operand_count, &word))
			add_choices(completion, word);
}

void completion_append(const struct ctl *ctl, const char *const *words,
		       size_t count, struct buffer *out)
{
	struct typed_line line = typed_line_read(ctl->verbs, words, count);
	const char *socket = typed_line_value(&line, "socket");
	struct completion completion = {
		.line = &line,
		.socket = socket == NULL ? ctl->socket : socket,
		.typed = line.last,
		.head = line.head,
		.out = out,
	};

	switch (line.part) {
	case TYPED_VERB:
		add_verbs(&completion, ctl->verbs);
		break;
	case TYPED_OPTION:
		completion_add_options(&completion,
				       line.verb == NULL ? NULL
							 : line.verb->options);
		completion_add_options(&completion, global_options);
		break;
	case TYPED_VALUE:
		add_choices(&completion, slice_of(line.option->value));
		break;
	case TYPED_OPERAND:
		add_operands(&completion);
		break;
	case TYPED_NOTHING:
		break;
	}
	if (completion.has_files)
		buffer_append_text(out, "?files\n");
	else if (completion.has_folders)
		buffer_append_text(out, "?folders\n");
	typed_line_free(&line);
}
