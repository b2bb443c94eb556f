#include "daemon/nodes/depot_manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"

#define FIRST_LINE "templated snapshots 1\n"
#define ENDING     ".tpl\n"

enum { NUMBER_DIGITS = 16, MAX_NUMBER_DIGITS = 20, RANDOM_DIGITS = 16 };

static bool skip(struct slice *text, const char *prefix)
{
	size_t size = strlen(prefix);

	if (text->size < size || memcmp(text->data, prefix, size) != 0)
		return false;
	*text = (struct slice){(const char *)text->data + size,
			       text->size - size};
	return true;
}

/*
 * Parse `least` to `most` digits of base `base`. Return false if there are too
 * few or the number is too large.
 */
static bool read_number(struct slice *text, uint64_t base, size_t least,
			size_t most, uint64_t *number_out)
{
	uint64_t number = 0;
	size_t size = 0;

	while (size < most) {
		int digit = hex_digit(slice_byte(*text, size));

		if (digit < 0 || (uint64_t)digit >= base)
			break;
		if (number > (UINT64_MAX - (uint64_t)digit) / base)
			return false;
		number = number * base + (uint64_t)digit;
		size++;
	}
	*text = (struct slice){(const char *)text->data + size,
			       text->size - size};
	*number_out = number;
	return size >= least;
}

static bool read_row(struct slice *text, struct depot_row *row)
{
	row->is_whole = slice_byte(*text, 0) == '+';
	return skip(text, row->is_whole ? "+ " : "- ") &&
	       read_number(text, 10, NUMBER_DIGITS, MAX_NUMBER_DIGITS,
			   &row->number) &&
	       skip(text, ".") &&
	       read_number(text, 16, RANDOM_DIGITS, RANDOM_DIGITS,
			   &row->random) &&
	       skip(text, ENDING);
}

enum error depot_manifest_parse(struct slice text,
				struct depot_manifest *manifest_out)
{
	struct depot_row row;

	manifest_out->count = 0;
	if (!skip(&text, FIRST_LINE))
		return ERR_CORRUPT;
	while (text.size > 0)
		if (!read_row(&text, &row) ||
		    !depot_manifest_add(manifest_out, row))
			return ERR_CORRUPT;
	return ERR_NONE;
}

void depot_manifest_write(const struct depot_manifest *manifest,
			  struct buffer *out)
{
	char name[DEPOT_FILE_BYTES];

	buffer_append_text(out, FIRST_LINE);
	for (size_t i = 0; i < manifest->count; i++) {
		depot_row_name(&manifest->rows[i], name);
		buffer_printf(out, "%c %s\n",
			      manifest->rows[i].is_whole ? '+' : '-', name);
	}
}

bool depot_manifest_add(struct depot_manifest *manifest, struct depot_row row)
{
	if (manifest->count == DEPOT_MANIFEST_ROWS)
		return false;
	manifest->rows[manifest->count++] = row;
	return true;
}

void depot_manifest_remove(struct depot_manifest *manifest, size_t index)
{
	manifest->count--;
	memmove(&manifest->rows[index], &manifest->rows[index + 1],
		(manifest->count - index) * sizeof(manifest->rows[0]));
}

struct depot_row *depot_manifest_find(struct depot_manifest *manifest,
				      struct depot_row row)
{
	for (size_t i = 0; i < manifest->count; i++)
		if (manifest->rows[i].number == row.number &&
		    manifest->rows[i].random == row.random)
			return &manifest->rows[i];
	return NULL;
}

void depot_row_name(const struct depot_row *row, char out[DEPOT_FILE_BYTES])
{
	snprintf(out, DEPOT_FILE_BYTES, "%016" PRIu64 ".%016" PRIx64 ".tpl",
		 row->number, row->random);
}
