/*
 * field_table: the fields of the pages of a folder, for fields.py.
 *
 * usage: field_table PAGES                  fields that are found
 *        field_table PAGES EXAMPLES         fields that are taught
 *        field_table PAGES EXAMPLES AFTER   the same after a redesign
 *        field_table PAGES EXAMPLES AFTER - the fields of before, unchanged
 *        field_table PAGES -                all columns
 *        field_table PAGES +                records that are found
 *
 * A line of EXAMPLES is page, field, and a value, separated by tabs. A line of
 * the answer is {"page": ..., "fields": {name: [value, ...]}}.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/file.h"
#include "page/page.h"
#include "template/fields/field_json.h"

enum {
	MAX_BYTES = 64 << 20,
	MAX_PAGES = 2000,
	MAX_FIELDS = 400,
	SHOWN_FIELDS = 20, /* of records, as the program finds them */
	ROOM_FOR_FIELDS = MAX_FIELDS + MAX_RECORD_FIELDS
};

struct site {
	struct page *pages[MAX_PAGES];
	char *names[MAX_PAGES];
	uint32_t count;
	struct arena *arena;
	struct place_tree tree;
	struct column_table table;
};

static struct site before;
static struct site after;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int is_html(const struct dirent *entry)
{
	return strstr(entry->d_name, ".htm") != NULL;
}

static void read_pages(struct site *site, const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, is_html, alphasort);

	for (int i = 0; i < count && site->count < MAX_PAGES; i++) {
		char path[4096];
		struct buffer body = {0};

		snprintf(path, sizeof(path), "%s/%s", folder,
			 entries[i]->d_name);
		if (file_read(path, MAX_BYTES, &body) == ERR_NONE &&
		    page_parse(&site->pages[site->count], buffer_slice(&body),
			       slice_of(NULL),
			       &page_limits_default) == ERR_NONE)
			site->names[site->count++] = entries[i]->d_name;
		buffer_free(&body);
	}
}

static void learn(struct site *site, const char *folder)
{
	const struct page *const *pages;
	double times[3];

	read_pages(site, folder);
	pages = (const struct page *const *)site->pages;
	site->arena = arena_create();
	times[0] = now();
	site->tree = place_tree_learn(site->arena, pages, site->count);
	times[1] = now();
	site->table =
		columns_read(site->arena, &site->tree, pages, site->count);
	times[2] = now();
	fprintf(stderr,
		"%s: %u pages, %u places, %u columns; %.0f + %.0f ms; %zu MB\n",
		folder, site->count, site->tree.places.count, site->table.count,
		times[1] - times[0], times[2] - times[1],
		arena_bytes(site->arena) >> 20);
}

static void put(struct slice text)
{
	const unsigned char *bytes = text.data;

	putchar('"');
	for (size_t i = 0; i < text.size; i++) {
		if (bytes[i] == '"' || bytes[i] == '\\')
			putchar('\\');
		if (bytes[i] < ' ')
			printf("\\u%04x", bytes[i]);
		else
			putchar(bytes[i]);
	}
	putchar('"');
}

static void put_path(FILE *out, const struct place_tree *tree, uint32_t place)
{
	uint32_t path[200];
	uint32_t depth = 0;

	for (uint32_t p = place; p != NO_PLACE && depth < 200;
	     p = place_at(tree, p)->parent)
		path[depth++] = p;
	while (depth-- > 0) {
		const struct place *at = place_at(tree, path[depth]);

		fprintf(out, ">%.*s", (int)at->step.size,
			(const char *)at->step.data);
		if (at->label.size > 0)
			fprintf(out, "[%.*s]", (int)at->label.size,
				(const char *)at->label.data);
		if (at->positions > 0)
			fprintf(out, "(%u/%u)", at->position, at->positions);
		if (at->is_repeated)
			fprintf(out, "*");
	}
}

static void put_columns(const struct site *site)
{
	for (uint32_t i = 0; i < site->table.count; i++) {
		const struct column *c = &site->table.columns[i];

		printf("%u/%u/%u %u ", c->pages, c->single, c->distinct,
		       c->source.separator_count);
		put_path(stdout, &site->tree, c->source.place);
		if (c->source.attribute != NULL)
			printf(" %s", c->source.attribute);
		printf(" = %.*s\n", (int)c->values[0].text.size,
		       (const char *)c->values[0].text.data);
	}
}

static void put_rules(const struct site *site, const struct field *field)
{
	fprintf(stderr, "  %s %s %.2f\n", field->name, type_name(field->type),
		field->confidence);
	for (uint32_t i = 0; i < field->rule_count; i++) {
		const struct column_source *source = &field->rules[i].source;

		fprintf(stderr, "    %u/%u pick %d ", field->rules[i].pages,
			field->rules[i].single, source->pick);
		put_path(stderr, &site->tree, source->place);
		if (source->attribute != NULL)
			fprintf(stderr, " %s", source->attribute);
		if (source->to > 0)
			fprintf(stderr, " part %d-%d of %d", source->from,
				source->to, source->separator_count);
		fprintf(stderr, "\n");
	}
}

static int order_columns(const void *left, const void *right)
{
	const struct field *const *a = left;
	const struct field *const *b = right;

	if ((*a)->confidence != (*b)->confidence)
		return (*a)->confidence > (*b)->confidence ? -1 : 1;
	return (*a > *b) - (*a < *b);
}

/* Print the names of the fields, the best first; records are no columns. */
static void put_names(const struct field *fields, uint32_t count)
{
	static const struct field *sorted[ROOM_FOR_FIELDS];
	bool is_first = true;

	for (uint32_t i = 0; i < count; i++)
		sorted[i] = &fields[i];
	qsort(sorted, count, sizeof(struct field *), order_columns);
	printf("{\"columns\":[");
	for (uint32_t i = 0; i < count; i++) {
		if (sorted[i]->type == TYPE_RECORDS)
			continue;
		printf("%s\"%s\"", is_first ? "" : ",", sorted[i]->name);
		is_first = false;
	}
	printf("]}\n");
}

/* Print the records of the pages. */
static void put_records(const struct site *site, const struct field_set *set)
{
	double begin = now();

	for (uint32_t p = 0; p < site->count; p++) {
		json_t *record = json_object();

		record_add(set, site->pages[p], true, record);
		json_dumpf(record, stdout, 0);
		putchar('\n');
		json_decref(record);
	}
	fprintf(stderr, "%.3f ms a page\n",
		(now() - begin) / (site->count + 1e-9));
}

/* Print the values of an encoded set on the pages of the site. */
static void put_answers(const struct site *site, const struct field_set *set)
{
	double begin = now();

	for (uint32_t p = 0; p < site->count; p++) {
		struct arena *arena = arena_create();
		const struct field_result *results =
			field_set_apply(set, site->pages[p], arena);
		bool is_first = true;

		printf("{\"page\":\"%s\",\"fields\":{", site->names[p]);
		for (uint32_t f = 0; f < set->count; f++) {
			if (results[f].count == 0 || results[f].is_unsure)
				continue;
			printf("%s\"%s\":[", is_first ? "" : ",",
			       set->fields[f].name);
			is_first = false;
			for (uint32_t k = 0; k < results[f].count; k++) {
				if (k > 0)
					putchar(',');
				put(results[f].values[k]);
			}
			printf("]");
		}
		printf("}}\n");
		arena_destroy(arena);
	}
	fprintf(stderr, "%.3f ms a page\n",
		(now() - begin) / (site->count + 1e-9));
}

/* Encode and decode the fields, as their users get them. */
static struct field_set stored_set(const struct site *site,
				   const struct field *fields, uint32_t count)
{
	struct field_set set =
		field_set_make(site->arena, &site->table, fields, count);
	struct field_set copy = {0};
	struct buffer bytes = {0};

	field_set_encode(&set, &bytes);
	if (!field_set_decode(site->arena, buffer_slice(&bytes), &copy))
		fprintf(stderr, "cannot decode the set\n");
	fprintf(stderr, "%u fields, %zu bytes\n", count, bytes.size);
	buffer_free(&bytes);
	return copy;
}

/* The examples of one field. */
struct lesson {
	char name[64];
	struct example examples[MAX_PAGES];
	struct slice values[MAX_PAGES][MAX_PAGE_VALUES];
	uint32_t count;
};

static struct lesson lessons[20];
static uint32_t lesson_count;

static uint32_t page_named(const struct site *site, const char *name)
{
	for (uint32_t i = 0; i < site->count; i++)
		if (strcmp(site->names[i], name) == 0)
			return i;
	return UINT32_MAX;
}

static struct lesson *lesson_named(const char *name)
{
	for (uint32_t i = 0; i < lesson_count; i++)
		if (strcmp(lessons[i].name, name) == 0)
			return &lessons[i];
	snprintf(lessons[lesson_count].name, sizeof(lessons[0].name), "%s",
		 name);
	return &lessons[lesson_count++];
}

static void lesson_add(struct lesson *lesson, uint32_t page, struct slice value)
{
	struct example *last = &lesson->examples[lesson->count - 1];

	if (lesson->count == 0 || last->page != page) {
		last = &lesson->examples[lesson->count];
		last->page = page;
		last->values = lesson->values[lesson->count++];
	}
	lesson->values[lesson->count - 1][last->count++] = value;
}

static void read_examples(const struct site *site, const char *path)
{
	FILE *file = fopen(path, "r");
	static char line[1 << 16];

	while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
		char *rest = line;
		char *name = strsep(&rest, "\t");
		char *field = strsep(&rest, "\t");
		char *value = strsep(&rest, "\n");
		uint32_t page = page_named(site, name);

		if (value != NULL && page != UINT32_MAX)
			lesson_add(lesson_named(field), page,
				   arena_slice(site->arena, slice_of(value)));
	}
	if (file != NULL)
		fclose(file);
}

/* Replace the examples by the values of the field on pages of `after`. */
static void lesson_move(struct lesson *lesson, const struct field *field)
{
	struct value values[MAX_PAGE_VALUES];

	lesson->count = 0;
	memset(lesson->examples, 0, sizeof(lesson->examples));
	for (uint32_t p = 0; p < before.count; p++) {
		uint32_t page = page_named(&after, before.names[p]);
		uint32_t n = field_values(field, p, values);

		for (uint32_t k = 0; k < n && page != UINT32_MAX; k++)
			lesson_add(lesson, page, values[k].text);
	}
}

/* Teach a field, and if it must be, follow it to the pages of `after`. */
static bool teach(struct lesson *lesson, bool is_moved, struct field *field)
{
	if (!field_teach(&before.table, lesson->name, lesson->examples,
			 lesson->count, field)) {
		fprintf(stderr, "  %s: not found\n", lesson->name);
		return false;
	}
	put_rules(&before, field);
	if (!is_moved)
		return true;
	lesson_move(lesson, field);
	if (!field_teach(&after.table, lesson->name, lesson->examples,
			 lesson->count, field)) {
		fprintf(stderr, "  %s: lost\n", lesson->name);
		return false;
	}
	put_rules(&after, field);
	return true;
}

/* Teach all fields of the examples; return how many could be taught. */
static uint32_t teach_all(const char *examples, bool is_moved,
			  struct field *fields)
{
	uint32_t count = 0;

	read_examples(&before, examples);
	for (uint32_t i = 0; i < lesson_count; i++)
		count += teach(&lessons[i], is_moved, &fields[count]);
	return count;
}

int main(int argc, char **argv)
{
	static struct field fields[ROOM_FOR_FIELDS];
	const char *what = argc > 2 ? argv[2] : "";
	bool has_records = strcmp(what, "+") == 0;
	const struct site *site = argc == 4 ? &after : &before;
	struct field_set set;
	uint32_t count;
	double begin;

	if (argc < 2)
		return 2;
	learn(&before, argv[1]);
	if (argc > 3)
		learn(&after, argv[3]);
	begin = now();
	if (strcmp(what, "-") == 0) {
		put_columns(&before);
		return 0;
	}
	if (argc == 2 || has_records)
		count = fields_discover(&before.table, fields,
					has_records ? SHOWN_FIELDS
						    : MAX_FIELDS);
	else
		count = teach_all(what, argc == 4, fields);
	fprintf(stderr, "%.0f ms\n", now() - begin);
	for (uint32_t i = 0;
	     i < count && (has_records || (argc == 2 && i < 25)); i++)
		put_rules(&before, &fields[i]);
	set = stored_set(site, fields, count);
	if (has_records) {
		put_records(&before, &set);
	} else {
		put_names(fields, count);
		put_answers(argc > 3 ? &after : &before, &set);
	}
	return 0;
}
