#include "daemon/ctl/usage_form.h"

static const char between_forms[] = " | ";

static struct slice usage_text_from(struct slice text, size_t size)
{
	return (struct slice){(const char *)text.data + size, text.size - size};
}

/* Return the bytes before `byte`, or all. */
static size_t size_before(struct slice text, char byte)
{
	const char *found =
		text.size == 0 ? NULL : memchr(text.data, byte, text.size);

	return found == NULL ? text.size
			     : (size_t)(found - (const char *)text.data);
}

struct usage_forms usage_forms_of(const char *operands)
{
	return (struct usage_forms){operands};
}

bool usage_forms_next(struct usage_forms *forms, struct slice *form_out)
{
	const char *end;

	if (forms->rest == NULL)
		return false;
	end = strstr(forms->rest, between_forms);
	*form_out = (struct slice){forms->rest,
				   end == NULL ? strlen(forms->rest)
					       : (size_t)(end - forms->rest)};
	forms->rest = end == NULL ? NULL : end + strlen(between_forms);
	return true;
}

static bool cut_end(struct slice *word, const char *end)
{
	size_t size = strlen(end);

	if (word->size < size ||
	    memcmp((const char *)word->data + word->size - size, end, size) !=
		    0)
		return false;
	word->size -= size;
	return true;
}

/* Remove the brackets of "[HOST]", "[V1" and "V2]", but not of "HOST[/N]". */
static struct slice usage_word_strip(struct slice word)
{
	if (slice_byte(word, 0) == '[')
		word = usage_text_from(word, 1);
	if (size_before(word, '[') == word.size)
		cut_end(&word, "]");
	return word;
}

/*
 * Like usage_word(); *is_needed_out: a command must have an operand at this
 * position.
 */
static bool usage_find_word(struct slice form, size_t position,
			    struct slice *word_out, bool *is_needed_out)
{
	for (size_t i = 0; form.size > 0; i++) {
		struct slice word = {form.data, size_before(form, ' ')};
		bool repeats;

		form = usage_text_from(form, word.size < form.size
						     ? word.size + 1
						     : form.size);
		repeats = cut_end(&word, "...");
		if (i == position || (repeats && form.size == 0)) {
			*is_needed_out =
				i == position && slice_byte(word, 0) != '[';
			*word_out = usage_word_strip(word);
			return true;
		}
	}
	return false;
}

bool usage_word(struct slice form, size_t position, struct slice *word_out)
{
	bool is_needed;

	return usage_find_word(form, position, word_out, &is_needed);
}

bool usage_allows(struct slice word, const char *operand)
{
	struct slice choice;

	while (usage_take_choice(&word, &choice))
		if (!usage_is_literal(choice) ||
		    slice_equal(choice, slice_of(operand)))
			return true;
	return false;
}

bool usage_fits(struct slice form, const char *const *operands, size_t count)
{
	struct slice word;
	bool is_needed = false;

	for (size_t i = 0; i < count; i++)
		if (!usage_word(form, i, &word) ||
		    !usage_allows(word, operands[i]))
			return false;
	usage_find_word(form, count, &word, &is_needed);
	return !is_needed;
}

bool usage_take_choice(struct slice *word, struct slice *choice_out)
{
	size_t size = size_before(*word, '|');

	if (word->size == 0)
		return false;
	*choice_out = (struct slice){word->data, size};
	*word = usage_text_from(*word, size < word->size ? size + 1 : size);
	return true;
}

bool usage_is_literal(struct slice choice)
{
	char first = slice_byte(choice, 0);

	return first >= 'a' && first <= 'z';
}
