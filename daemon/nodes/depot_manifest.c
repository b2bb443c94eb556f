#include "daemon/nodes/depot_manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"

#define FIRST_LINE           "templated snapshots 1\n"
#define MANIFEST_FILE_ENDING ".tpl\n"

enum { NUMBER_DIGITS = 16, MAX_NUMBER_DIGITS = 20, RANDOM_DIGITS = 16 };

static bool manifest_skip_prefix(struct slice *text, const char *prefix)
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
static bool manifest_parse_number(struct slice *text, uint64_t base,
				  size_t least, size_t most,
				  uint64_t *number_out)
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

static bool manifest_parse_row(struct slice *text,
			       struct snapshot_store_row *row)
{
	row->is_whole = slice_byte(*text, 0) == '+';
	return manifest_skip_prefix(text, row->is_whole ? "+ " : "- ") &&
	       manifest_parse_number(text, 10, NUMBER_DIGITS, MAX_NUMBER_DIGITS,
				     &row->number) &&
	       manifest_skip_prefix(text, ".") &&
	       manifest_parse_number(text, 16, RANDOM_DIGITS, RANDOM_DIGITS,
				     &row->random) &&
	       manifest_skip_prefix(text, MANIFEST_FILE_ENDING);
}

enum error
snapshot_store_manifest_parse(struct slice text,
			      struct snapshot_store_manifest *manifest_out)
{
	struct snapshot_store_row row;

	manifest_out->count = 0;
	if (!manifest_skip_prefix(&text, FIRST_LINE))
		return ERR_CORRUPT;
	while (text.size > 0)
		if (!manifest_parse_row(&text, &row) ||
		    !snapshot_store_manifest_add(manifest_out, row))
			return ERR_CORRUPT;
	return ERR_NONE;
}

void snapshot_store_manifest_write(
	const struct snapshot_store_manifest *manifest, struct buffer *out)
{
	char name[SNAPSHOT_STORE_FILE_BYTES];

	buffer_append_text(out, FIRST_LINE);
	for (size_t i = 0; i < manifest->count; i++) {
		snapshot_store_row_name(&manifest->rows[i], name);
		buffer_printf(out, "%c %s\n",
			      manifest->rows[i].is_whole ? '+' : '-', name);
	}
}

bool snapshot_store_manifest_add(struct snapshot_store_manifest *manifest,
				 struct snapshot_store_row row)
{
	if (manifest->count == SNAPSHOT_STORE_MANIFEST_ROWS)
		return false;
	manifest->rows[manifest->count++] = row;
	return true;
}

void snapshot_store_manifest_remove(struct snapshot_store_manifest *manifest,
				    size_t index)
{
	manifest->count--;
	memmove(&manifest->rows[index], &manifest->rows[index + 1],
		(manifest->count - index) * sizeof(manifest->rows[0]));
}

struct snapshot_store_row *
snapshot_store_manifest_find(struct snapshot_store_manifest *manifest,
			     struct snapshot_store_row row)
{
	for (size_t i = 0; i < manifest->count; i++)
		if (manifest->rows[i].number == row.number &&
		    manifest->rows[i].random == row.random)
			return &manifest->rows[i];
	return NULL;
}

void snapshot_store_row_name(const struct snapshot_store_row *row,
			     char out[SNAPSHOT_STORE_FILE_BYTES])
{
	snprintf(out, SNAPSHOT_STORE_FILE_BYTES,
		 "%016" PRIu64 ".%016" PRIx64 ".tpl", row->number, row->random);
}
