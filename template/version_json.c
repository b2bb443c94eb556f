#include "template/version_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/date.h"
#include "base/memory.h"
#include "template/page_tree.h"
#include "template/template_name.h"

json_t *json_text(struct slice text)
{
	json_t *value =
		json_stringn(text.size == 0 ? "" : text.data, text.size);
	char *copy;

	if (value != NULL)
		return value;
	copy = mem_copy_text(text.data, text.size);
	for (size_t i = 0; i < text.size; i++)
		if ((unsigned char)copy[i] >= 0x80)
			copy[i] = '?';
	value = json_stringn(copy, text.size);
	free(copy);
	return value;
}

json_t *json_text_or_null(struct slice text)
{
	return text.size == 0 ? json_null() : json_text(text);
}

json_t *json_time(uint64_t time_ms)
{
	char text[DATE_BYTES];

	return time_ms != 0 && date_format(time_ms, text) ? json_string(text)
							  : json_null();
}

json_t *json_cluster_id(struct slice host, uint32_t cluster)
{
	return cluster == 0 ? json_null()
			    : json_sprintf("%.*s/%u", (int)host.size,
					   (const char *)host.data, cluster);
}

enum { HASH_DIGITS = 16, REAL_DIGITS = 6 };

/*
 * Return the ratio as JSON, rounded to three digits. They suffice for a few
 * hundred pages.
 */
static json_t *ratio_json(double ratio)
{
	return json_real(round(ratio * 1000) / 1000);
}

static json_t *item_json(const struct version_item *item)
{
	char hash[HASH_DIGITS + 1];

	snprintf(hash, sizeof(hash), "%016" PRIx64, item->hash);
	return json_pack("{s:s, s:o, s:o}", "hash", hash, "ratio",
			 ratio_json((double)item->ratio), "text",
			 json_text_or_null(item->text));
}

static json_t *version_items_json(const struct version_item *items,
				  uint32_t count)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(list, item_json(&items[i]));
	return list;
}

static json_t *lack_json(const struct version_item *const *items,
			 uint32_t count)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(list, item_json(items[i]));
	return list;
}

static json_t *regions_json(const struct version *version)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < version->region_count; i++) {
		const struct version_region *region = &version->regions[i];

		json_array_append_new(
			list,
			json_pack("{s:o, s:o, s:o}", "path",
				  json_text(region->path), "ratio",
				  ratio_json((double)region->ratio), "words",
				  ratio_json((double)region->words)));
	}
	return list;
}

static json_t *samples_json(const struct version *version)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < version->sample_count; i++)
		json_array_append_new(list, json_text(version->samples[i]));
	return list;
}

static int version_json_append(const char *bytes, size_t size, void *out)
{
	buffer_append(out, bytes, size);
	return 0;
}

json_t *version_json(const struct version *version)
{
	return json_pack(
		"{s:i, s:I, s:I, s:b, s:o, s:o, s:o, s:o}", "format",
		VERSION_FORMAT, "pages", (json_int_t)version->page_count,
		"generation", (json_int_t)version->generation, "classes",
		(int)version->has_classes, "regions", regions_json(version),
		"samples", samples_json(version), "paths",
		version_items_json(version->paths, version->path_count),
		"fragments",
		version_items_json(version->fragments,
				   version->fragment_count));
}

json_t *version_diff_json(const struct version_diff *diff)
{
	return json_pack(
		"{s:{s:o, s:o, s:o}, s:{s:o, s:o, s:o}}", "paths", "moved",
		ratio_json(diff->paths_moved), "gone",
		lack_json(diff->gone_paths, diff->gone_path_count), "come",
		lack_json(diff->come_paths, diff->come_path_count), "fragments",
		"moved", ratio_json(diff->fragments_moved), "gone",
		lack_json(diff->gone_fragments, diff->gone_fragment_count),
		"come",
		lack_json(diff->come_fragments, diff->come_fragment_count));
}

void version_encode(const struct version *version, struct buffer *out)
{
	json_t *value = version_json(version);

	json_dump_callback(value, version_json_append, out,
			   JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS));
	json_decref(value);
}

/* State of reading a version; is_good is false after an error. */
struct version_json_reader {
	struct arena *arena;
	bool is_good;
};

static struct slice version_read_text(struct version_json_reader *reader,
				      const json_t *value)
{
	size_t size = json_string_length(value);

	if (json_is_null(value))
		return (struct slice){NULL, 0};
	if (!json_is_string(value)) {
		reader->is_good = false;
		return (struct slice){NULL, 0};
	}
	return (struct slice){
		arena_copy(reader->arena, json_string_value(value), size),
		size};
}

static float read_ratio(struct version_json_reader *reader, const json_t *value)
{
	double ratio = json_number_value(value);

	if (!json_is_number(value) || !(ratio >= 0 && ratio <= 1)) {
		reader->is_good = false;
		return 0;
	}
	return (float)ratio;
}

static uint64_t version_read_number(struct version_json_reader *reader,
				    const json_t *value, uint64_t max)
{
	json_int_t whole = json_integer_value(value);

	if (!json_is_integer(value) || whole < 0 || (uint64_t)whole > max) {
		reader->is_good = false;
		return 0;
	}
	return (uint64_t)whole;
}

static bool read_bool(struct version_json_reader *reader, const json_t *value)
{
	if (!json_is_boolean(value))
		reader->is_good = false;
	return json_is_true(value);
}

static uint64_t read_hash(struct version_json_reader *reader,
			  const json_t *value)
{
	const char *text = json_string_value(value);

	if (text == NULL || strlen(text) != HASH_DIGITS ||
	    strspn(text, "0123456789abcdef") != HASH_DIGITS) {
		reader->is_good = false;
		return 0;
	}
	return strtoull(text, NULL, 16);
}

/*
 * Return the length of a list. If it is no list, or longer than `max`, set an
 * error and return 0.
 */
static uint32_t read_count(struct version_json_reader *reader,
			   const json_t *list, uint32_t max)
{
	size_t count = json_array_size(list);

	if (!json_is_array(list) || count > max) {
		reader->is_good = false;
		return 0;
	}
	return (uint32_t)count;
}

static struct version_item *read_items(struct version_json_reader *reader,
				       const json_t *list, uint32_t max,
				       uint32_t *count_out)
{
	uint32_t count = read_count(reader, list, max);
	struct version_item *items =
		ARENA_NEW(reader->arena, struct version_item, count);

	for (uint32_t i = 0; i < count; i++) {
		const json_t *item = json_array_get(list, i);

		items[i] = (struct version_item){
			.hash = read_hash(reader,
					  json_object_get(item, "hash")),
			.ratio = read_ratio(reader,
					    json_object_get(item, "ratio")),
			.text = version_read_text(
				reader, json_object_get(item, "text")),
		};
	}
	*count_out = count;
	return items;
}

static void read_regions(struct version_json_reader *reader, const json_t *list,
			 struct version *version)
{
	uint32_t count = read_count(reader, list, VERSION_MAX_REGIONS);

	version->region_count = count;
	version->regions =
		ARENA_NEW(reader->arena, struct version_region, count);
	for (uint32_t i = 0; i < count; i++) {
		const json_t *region = json_array_get(list, i);

		version->regions[i] = (struct version_region){
			.path = version_read_text(
				reader, json_object_get(region, "path")),
			.ratio = read_ratio(reader,
					    json_object_get(region, "ratio")),
			.words = read_ratio(reader,
					    json_object_get(region, "words")),
		};
	}
}

static void version_read_samples(struct version_json_reader *reader,
				 const json_t *list, struct version *version)
{
	uint32_t count = read_count(reader, list, VERSION_MAX_SAMPLES);

	version->sample_count = count;
	version->samples = ARENA_NEW(reader->arena, struct slice, count);
	for (uint32_t i = 0; i < count; i++)
		version->samples[i] =
			version_read_text(reader, json_array_get(list, i));
}

static struct version *version_read_json(struct version_json_reader *reader,
					 const json_t *value)
{
	struct version *version = ARENA_NEW(reader->arena, struct version, 1);

	version->page_count = (uint32_t)version_read_number(
		reader, json_object_get(value, "pages"), UINT32_MAX);
	version->generation = version_read_number(
		reader, json_object_get(value, "generation"), INT64_MAX);
	version->has_classes =
		read_bool(reader, json_object_get(value, "classes"));
	read_regions(reader, json_object_get(value, "regions"), version);
	version_read_samples(reader, json_object_get(value, "samples"),
			     version);
	version->paths = read_items(reader, json_object_get(value, "paths"),
				    VERSION_MAX_PATHS, &version->path_count);
	version->fragments =
		read_items(reader, json_object_get(value, "fragments"),
			   VERSION_MAX_FRAGMENTS, &version->fragment_count);
	return version;
}

enum error version_decode(struct arena *arena, struct slice json,
			  struct version **version_out)
{
	struct version_json_reader reader = {.arena = arena, .is_good = true};
	json_t *value =
		json_loadb(json.data, json.size,
			   JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
	const json_t *format = json_object_get(value, "format");
	enum error error = ERR_MALFORMED;

	if (json_is_integer(format)) {
		error = ERR_VERSION;
		if (json_integer_value(format) == VERSION_FORMAT) {
			*version_out = version_read_json(&reader, value);
			error = reader.is_good ? ERR_NONE : ERR_MALFORMED;
		}
	}
	json_decref(value);
	return error;
}

json_t *json_read(struct slice text)
{
	return json_loadb(text.size == 0 ? "" : text.data, text.size, 0, NULL);
}

void json_append(struct buffer *out, json_t *value, size_t flags)
{
	char *text = json_dumps(value, JSON_COMPACT | flags);

	buffer_append_text(out, text == NULL ? "{}" : text);
	free(text);
	json_decref(value);
}

const char *json_member_text(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

bool json_member_lists(const json_t *object, const char *name, const char *text)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(object, name), i, item)
	{
		if (json_is_string(item) &&
		    strcmp(json_string_value(item), text) == 0)
			return true;
	}
	return false;
}

json_int_t json_member_whole(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

/* The pages of a list and their titles. */
struct title_list {
	json_t **pages;              /* [count] */
	struct framed_title *titles; /* [count] */
	size_t count;
};

static void title_list_add(struct title_list *list, json_t *page, size_t group)
{
	const json_t *title = json_object_get(page, "title");

	if (!json_is_string(title))
		return;
	list->pages[list->count] = page;
	list->titles[list->count++] = (struct framed_title){
		{json_string_value(title), json_string_length(title)}, group};
}

/* Return the number of pages in all rows. */
static size_t title_list_size(const json_t *rows)
{
	size_t size = json_array_size(rows);
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		size += json_array_size(json_object_get(row, "sample"));
	}
	return size;
}

void json_shorten_titles(json_t *rows)
{
	size_t size = title_list_size(rows);
	struct title_list list = {
		.pages = mem_alloc(size + 1, sizeof(json_t *)),
		.titles = mem_alloc(size + 1, sizeof(*list.titles)),
	};
	struct title_frame frame;
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		json_t *sample = json_object_get(row, "sample");

		title_list_add(&list, row, i);
		for (size_t k = 0; k < json_array_size(sample); k++)
			title_list_add(&list, json_array_get(sample, k), i);
	}
	frame = title_frame_find(list.titles, list.count);
	for (i = 0; i < list.count; i++)
		json_object_set_new(list.pages[i], "short_title",
				    json_text(title_frame_cut(
					    &frame, list.titles[i].text)));
	free(list.pages);
	free(list.titles);
}
