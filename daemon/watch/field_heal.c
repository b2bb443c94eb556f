#include "daemon/watch/field_heal.h"

#include <string.h>

#include "base/arena.h"
#include "daemon/query/stored_fields.h"
#include "daemon/query/stored_site.h"
#include "daemon/watch/decide_fields.h"
#include "template/version_json.h"

enum { HEAL_BYTES = 16 << 20 /* of the pages */ };

/* Half of the pages are examples. */
static bool is_example(size_t page)
{
	return page % 2 == 0;
}

static json_t *values_of(json_t *value)
{
	return json_is_array(value) ? json_incref(value)
				    : json_pack("[O]", value);
}

static json_t *lesson_of(const struct heal *heal, struct heal_field *field)
{
	json_t *examples = json_array();

	field->examples = 0;
	for (size_t i = 0; i < heal->page_count; i++) {
		json_t *value =
			json_object_get(heal->pages[i].known, field->name);

		if (!is_example(i) || value == NULL)
			continue;
		json_array_append_new(
			examples, json_pack("{s:I, s:o}", "page", (json_int_t)i,
					    "values", values_of(value)));
		field->examples++;
	}
	return json_pack("{s:s, s:b, s:o}", "name", field->name, "healed", 1,
			 "examples", examples);
}

void heal_count(const struct heal *heal, const json_t *const *records,
		struct heal_field *field)
{
	double weight = 0;

	field->tested = 0;
	field->agreed = 0;
	for (size_t i = 0; i < heal->page_count; i++) {
		const json_t *before =
			json_object_get(heal->pages[i].known, field->name);
		const json_t *now = json_object_get(records[i], field->name);
		bool is_sure =
			now != NULL &&
			!json_member_lists(records[i], "_unsure", field->name);

		if (is_example(i) || before == NULL)
			continue;
		field->tested++;
		if (is_sure && json_equal(before, now)) {
			field->agreed++;
			weight += 1;
		} else {
			weight += is_sure && field->is_volatile ? .5 : 1;
		}
	}
	field->ratio = weight > 0 ? field->agreed / weight : 0;
	field->is_found = field->tested >= HEAL_TESTS &&
			  field->ratio * 100 >= HEAL_AGREED;
}

/* Append the pages to the list, an empty one for a page without a body. */
static enum error read_bodies(const struct heal *heal, struct buffer *list)
{
	struct txn txn = txn_begin_read(heal->source->store);
	uint32_t site = heal->source->site->row.id;
	const struct stored_pages from = {&txn, site, heal->cluster,
					  heal->source->limits};

	for (size_t i = 0; i < heal->page_count; i++) {
		struct page_row row;

		if (list->size < HEAL_BYTES &&
		    page_row_get(&txn, site, heal->pages[i].key, &row) &&
		    fields_page_append(&from, heal->pages[i].key, &row, list) ==
			    ERR_NONE)
			continue;
		for (unsigned empty = 0; empty < 3; empty++)
			item_append(list, slice_of(""));
	}
	return txn_end(&txn);
}

json_t *field_addresses(const json_t *description, const char *name)
{
	const json_t *item;
	size_t i;

	json_array_foreach(description, i, item)
	{
		const char *found = json_member_text(item, "name");

		if (found != NULL && strcmp(found, name) == 0)
			return json_incref(json_object_get(item, "addresses"));
	}
	return NULL;
}

/* Read the response, and test the wanted fields. */
static void take_result(struct heal *heal, struct slice list)
{
	json_t *records[HEAL_PAGES] = {0};
	struct slice item;

	buffer_clear(&heal->new_sets);
	json_decref(heal->description);
	heal->description = NULL;
	if (!item_next(&list, &item))
		return;
	buffer_append_slice(&heal->new_sets, item);
	if (item_next(&list, &item))
		heal->description = json_read(item);
	if (!field_description_is_valid(heal->description)) {
		json_decref(heal->description);
		heal->description = NULL;
	}
	for (size_t i = 0; i < heal->page_count && item_next(&list, &item); i++)
		records[i] = json_read(item);
	for (size_t f = 0; f < heal->field_count; f++) {
		struct heal_field *field = &heal->fields[f];

		if (!field->is_wanted || heal->description == NULL)
			continue;
		heal_count(heal, (const json_t *const *)records, field);
		json_decref(field->addresses);
		field->addresses =
			field_addresses(heal->description, field->name);
	}
	for (size_t i = 0; i < heal->page_count; i++)
		json_decref(records[i]);
}

enum error fields_heal(struct heal *heal)
{
	const struct fields_request request = {.limits = *heal->source->limits,
					       .action = FIELDS_TEACH};
	json_t *lessons = json_array();
	json_t *detail = json_pack("{s:o, s:b}", "lessons", lessons, "flat", 1);
	struct fields_reply reply = {0};
	struct buffer pages = {0};
	enum error error;

	for (size_t f = 0; f < heal->field_count; f++) {
		/* what an earlier search has found stays */
		if (!heal->fields[f].is_wanted)
			continue;
		heal->fields[f].is_found = false;
		json_array_append_new(lessons,
				      lesson_of(heal, &heal->fields[f]));
	}
	error = read_bodies(heal, &pages);
	if (error == ERR_NONE) {
		error = fields_task_run(
			heal->source->pool, &request,
			&(struct fields_task_body){heal->sets, detail,
						   buffer_slice(&pages)},
			&reply);
		if (error == ERR_NONE)
			take_result(heal, buffer_slice(&reply.body));
		else if (error != ERR_STOPPED && error != ERR_BUSY)
			error = ERR_NONE; /* nothing was found */
	}
	buffer_free(&reply.body);
	buffer_free(&pages);
	json_decref(detail);
	return error;
}

void fields_heal_free(struct heal *heal)
{
	for (size_t f = 0; f < heal->field_count; f++)
		json_decref(heal->fields[f].addresses);
	buffer_free(&heal->new_sets);
	json_decref(heal->description);
}
