#include "tests/unit/template/fields/learned.h"

#include <stdarg.h>

void learned_add(struct learned *site, const char *format, ...)
{
	AUTO_TEXT *html = NULL;
	va_list arguments;

	ck_assert_uint_lt(site->count, MAX_LEARNED);
	va_start(arguments, format);
	ck_assert_int_ge(vasprintf(&html, format, arguments), 0);
	va_end(arguments);
	site->pages[site->count++] = page_of(html);
}

void learned_run(struct learned *site)
{
	site->tree = place_tree_learn(test_arena, site->pages, site->count);
	site->table =
		columns_read(test_arena, &site->tree, site->pages, site->count);
}

void learned_free(struct learned *site)
{
	for (uint32_t i = 0; i < site->count; i++)
		page_destroy((struct page *)site->pages[i]);
	*site = (struct learned){0};
}

uint32_t place_of_text(const struct learned *site, const char *text)
{
	for (uint32_t p = 0; p < site->count; p++) {
		const struct page *page = site->pages[p];
		struct placement placement =
			place_page(&site->tree, page, test_arena);

		for (uint32_t i = 0; i < page->text_count; i++)
			if (slice_equal(page_text(page, i), slice_of(text)))
				return placement.of_text[i];
	}
	return NO_PLACE;
}

void check_place(const struct learned *site, const char *text, const char *step,
		 const char *label)
{
	uint32_t index = place_of_text(site, text);
	const struct place *place;

	ck_assert_msg(index != NO_PLACE, "%s", text);
	place = place_at(&site->tree, place_at(&site->tree, index)->parent);
	check_slice(place->step, step);
	check_slice(place->label, label);
}

const struct column *column_with(const struct learned *site,
				 const char *attribute, uint32_t page,
				 const char *value)
{
	for (uint32_t i = 0; i < site->table.count; i++) {
		const struct column *column = &site->table.columns[i];
		const char *name = column->source.attribute;
		uint32_t count;
		const struct value *values =
			column_values(column, page, &count);

		if (column->source.is_series ||
		    (name == NULL) != (attribute == NULL) ||
		    (name != NULL && strcmp(name, attribute) != 0))
			continue;
		for (uint32_t k = 0; k < count; k++)
			if (slice_equal(values[k].text, slice_of(value)))
				return column;
	}
	return NULL;
}

void check_values(const struct column *column, uint32_t page,
		  const char *values)
{
	AUTO_BUFFER joined = {0};
	uint32_t count;
	const struct value *found;

	ck_assert_ptr_nonnull(column);
	found = column_values(column, page, &count);
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0)
			buffer_append_byte(&joined, '|');
		buffer_append_slice(&joined, found[i].text);
	}
	check_slice(buffer_slice(&joined), values);
}
