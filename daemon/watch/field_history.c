#include "daemon/watch/field_history.h"

#include <string.h>

#include "base/hash.h"
#include "template/version_json.h"

/* Marks: a byte, and for each field with marks its identity and the marks. */

enum { MARKS_VERSION = 1, ENTRY_BYTES = sizeof(uint32_t) + 1 };

static uint32_t marks_id(const struct watched_field *field)
{
	return (uint32_t)hash64(field->name, strlen(field->name), 0);
}

void marks_write(const struct watched_field *fields, size_t count,
		 const unsigned char *marks, struct buffer *out)
{
	buffer_append_byte(out, MARKS_VERSION);
	for (size_t f = 0; f < count; f++) {
		uint32_t id = marks_id(&fields[f]);

		if (marks[f] == 0)
			continue;
		buffer_append(out, &id, sizeof(id));
		buffer_append_byte(out, (char)marks[f]);
	}
}

bool marks_read(const struct watched_field *fields, size_t count,
		struct slice bytes, unsigned char *marks_out)
{
	const unsigned char *entries = bytes.data;
	size_t all = bytes.size / ENTRY_BYTES;
	size_t next = 0; /* most often the fields have their order of before */

	memset(marks_out, 0, count);
	if (bytes.size % ENTRY_BYTES != 1 || entries[0] != MARKS_VERSION)
		return false;
	entries++;
	for (size_t f = 0; f < count; f++) {
		uint32_t id = marks_id(&fields[f]);

		for (size_t i = 0; i < all; i++, next++) {
			const unsigned char *entry;

			next = next < all ? next : 0;
			entry = entries + next * ENTRY_BYTES;
			if (memcmp(entry, &id, sizeof(id)) != 0)
				continue;
			marks_out[f] = entry[sizeof(id)];
			break;
		}
	}
	return true;
}

/* Rounds */

static json_t *round_json(const struct field_round *round)
{
	return json_pack("[I,I,I,I,I,I,I]", (json_int_t)round->time_ms,
			 (json_int_t)round->pages, (json_int_t)round->filled,
			 (json_int_t)round->type_errors,
			 (json_int_t)round->outliers, (json_int_t)round->unsure,
			 (json_int_t)round->lost);
}

static uint32_t round_number(const json_t *item, size_t index)
{
	return (uint32_t)json_integer_value(json_array_get(item, index));
}

size_t history_rounds(const json_t *history, const char *name,
		      struct field_round *rounds_out)
{
	const json_t *list =
		json_object_get(json_object_get(history, "fields"), name);
	const json_t *item;
	size_t count = 0;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if (count == FIELD_ROUNDS)
			break;
		rounds_out[count++] = (struct field_round){
			.time_ms = (uint64_t)json_integer_value(
				json_array_get(item, 0)),
			.pages = round_number(item, 1),
			.filled = round_number(item, 2),
			.type_errors = round_number(item, 3),
			.outliers = round_number(item, 4),
			.unsure = round_number(item, 5),
			.lost = round_number(item, 6),
		};
	}
	return count;
}

/* Begin a round if the one of before is over. Return whether it was. */
static bool history_begin(json_t *history, const struct field_round *now,
			  uint32_t read)
{
	json_int_t begin_ms = json_member_whole(history, "begin");
	json_int_t before = json_member_whole(history, "read");
	bool is_over = json_object_get(history, "fields") == NULL ||
		       before >= now->pages ||
		       (json_int_t)now->time_ms - begin_ms >= MAX_ROUND_MS;

	if (is_over) {
		begin_ms = (json_int_t)now->time_ms;
		before = 0;
	}
	json_object_set_new(history, "begin", json_integer(begin_ms));
	json_object_set_new(history, "read",
			    json_integer(before + (json_int_t)read));
	return is_over;
}

void history_add(json_t *history, const struct watched_field *fields,
		 const struct field_round *now, size_t count, uint32_t read)
{
	bool is_begun = count > 0 && history_begin(history, now, read);
	json_t *kept = json_object();

	for (size_t f = 0; f < count; f++) {
		json_t *list = json_incref(json_object_get(
			json_object_get(history, "fields"), fields[f].name));
		size_t size = json_array_size(list);

		if (list == NULL)
			list = json_array();
		if (size > 0 && !is_begun)
			json_array_remove(list, size - 1);
		if (size == FIELD_ROUNDS && is_begun)
			json_array_remove(list, 0);
		json_array_append_new(list, round_json(&now[f]));
		json_object_set_new(kept, fields[f].name, list);
	}
	json_object_set_new(history, "fields", kept);
}
