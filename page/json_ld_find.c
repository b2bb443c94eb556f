/* Searches the result of json_ld.c. */
#include "page/json_ld.h"

static const struct json_ld_field *
json_ld_find_from(const struct json_ld *ld, uint32_t index, struct slice key)
{
	while (index != NO_FIELD && !slice_equal(ld->fields[index].key, key))
		index = ld->fields[index].next;
	return index == NO_FIELD ? NULL : &ld->fields[index];
}

const struct json_ld_field *json_ld_find(const struct json_ld *ld,
					 uint32_t object, const char *key)
{
	return json_ld_find_from(ld, ld->objects[object].first, slice_of(key));
}

const struct json_ld_field *json_ld_next(const struct json_ld *ld,
					 const struct json_ld_field *field)
{
	return json_ld_find_from(ld, field->next, field->key);
}

struct slice json_ld_text(const struct json_ld *ld, uint32_t object,
			  const char *key)
{
	const struct json_ld_field *field = json_ld_find(ld, object, key);

	if (field == NULL || field->kind != JSON_LD_STRING)
		return (struct slice){"", 0};
	return field->text;
}

/* Return the name in "http://schema.org/Article" or "schema:Article". */
static struct slice last_part(struct slice type)
{
	const char *begin = type.data;
	const char *at = begin + type.size;

	while (at > begin && at[-1] != '/' && at[-1] != ':' && at[-1] != '#')
		at--;
	return (struct slice){at, (size_t)(begin + type.size - at)};
}

struct slice json_ld_type(const struct json_ld *ld, uint32_t object)
{
	return last_part(json_ld_text(ld, object, "@type"));
}

bool json_ld_is(const struct json_ld *ld, uint32_t object, const char *type)
{
	const struct json_ld_field *field = json_ld_find(ld, object, "@type");

	for (; field != NULL; field = json_ld_next(ld, field))
		if (slice_equal(last_part(field->text), slice_of(type)))
			return true;
	return false;
}
