#include "daemon/ctl/verb_table.h"

#include "daemon/ctl/usage_form.h"

#ifndef TEMPLATED_VERSION
#define TEMPLATED_VERSION "unknown"
#endif

static const char *kind_name(enum ctl_option_kind kind)
{
	static const char *const names[] = {
		[OPTION_FLAG] = "flag",          [OPTION_TEXT] = "text",
		[OPTION_CHOICE] = "choice",      [OPTION_WHOLE] = "whole",
		[OPTION_AUTO_THRESHOLD] = "cut",
	};

	return names[kind];
}

static json_t *slice_json(struct slice text)
{
	return json_stringn(text.data, text.size);
}

static json_t *choices_json(const struct verb_option *option)
{
	json_t *choices;
	struct slice rest;
	struct slice choice;

	if (option->kind != OPTION_CHOICE)
		return json_null();
	choices = json_array();
	rest = slice_of(option->value);
	while (usage_take_choice(&rest, &choice))
		json_array_append_new(choices, slice_json(choice));
	return choices;
}

static json_t *verb_option_json(const struct verb_option *option)
{
	bool is_whole = option->kind == OPTION_WHOLE;

	return json_pack(
		"{s:s, s:o, s:s, s:s?, s:o, s:o, s:o, s:s}", "name",
		option->name, "letter",
		option->letter == '\0' ? json_null()
				       : json_stringn(&option->letter, 1),
		"kind", kind_name(option->kind), "value", option->value,
		"choices", choices_json(option), "minimum",
		is_whole ? json_integer((json_int_t)option->minimum)
			 : json_null(),
		"maximum",
		is_whole ? json_integer((json_int_t)option->maximum)
			 : json_null(),
		"meaning", option->meaning);
}

static json_t *options_json(const struct verb_option *option)
{
	json_t *options = json_array();

	for (; option != NULL && option->name != NULL; option++)
		json_array_append_new(options, verb_option_json(option));
	return options;
}

static json_t *usages_json(const char *operands)
{
	struct usage_forms forms = usage_forms_of(operands);
	json_t *usages = json_array();
	struct slice form;

	while (usage_forms_next(&forms, &form))
		json_array_append_new(usages, slice_json(form));
	return usages;
}

static json_t *verb_json(const struct verb *verb)
{
	return json_pack("{s:s, s:s, s:o, s:{s:I, s:o}, s:o}", "name",
			 verb->name, "summary", verb->summary, "usages",
			 usages_json(verb->operands), "operands", "minimum",
			 (json_int_t)verb->min_operands, "maximum",
			 verb->max_operands == SIZE_MAX
				 ? json_null()
				 : json_integer((json_int_t)verb->max_operands),
			 "options", options_json(verb->options));
}

static json_t *group_json(const struct verb *const *verbs,
			  enum verb_group group)
{
	json_t *rows = json_array();

	for (; *verbs != NULL; verbs++)
		if ((*verbs)->group == group)
			json_array_append_new(rows, verb_json(*verbs));
	return json_pack("{s:s, s:o}", "title", verb_group_title(group),
			 "verbs", rows);
}

json_t *verb_table_json(const struct verb *const *verbs)
{
	json_t *groups = json_array();

	for (unsigned group = 0; group < VERB_GROUP_COUNT; group++)
		json_array_append_new(
			groups, group_json(verbs, (enum verb_group)group));
	return json_pack("{s:s, s:s, s:o, s:o}", "program", "templatectl",
			 "version", TEMPLATED_VERSION, "options",
			 options_json(global_options), "groups", groups);
}
