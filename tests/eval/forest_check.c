/*
 * forest_check MODEL ROWS MARGINS - whether a model of `auto` that is part of
 * the program predicts what its trainer predicted, bit for bit. ROWS has f32
 * [n][N] as passage_table writes them (all but page: with --scores; template:
 * template_table), MARGINS f32 [n]; both in host order. Exit status 0: all are
 * the same, 1: not.
 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "extract/auto/forest.h"

#define MAX_BYTES ((size_t)4 << 30)

static const float *read_floats(const char *path, struct buffer *bytes,
				size_t *count_out)
{
	enum error error = file_read(path, MAX_BYTES, bytes);

	if (error != ERR_NONE)
		fprintf(stderr, "%s: %s\n", path, error_text(error));
	*count_out = bytes->size / sizeof(float);
	return error == ERR_NONE ? (const float *)(const void *)bytes->data
				 : NULL;
}

static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* As many rows at a time as the program scores. */
static size_t count_differences(const struct forest *forest, const float *rows,
				const float *expected, size_t count,
				size_t stride)
{
	size_t different = 0;

	for (size_t begin = 0; begin < count; begin += FOREST_ROWS) {
		size_t left = count - begin;
		const struct forest_rows part = {
			.values = rows + begin * stride,
			.count = left < FOREST_ROWS ? left : FOREST_ROWS,
			.stride = stride,
		};
		float margins[FOREST_ROWS];

		forest_margins(forest, &part, margins);
		for (size_t i = 0; i < part.count; i++) {
			float other = expected[begin + i];

			if (bits_of(margins[i]) == bits_of(other))
				continue;
			if (different++ == 0)
				printf("row %zu: %.9g, not %.9g\n", begin + i,
				       (double)margins[i], (double)other);
		}
	}
	return different;
}

static int check(const struct forest *forest, size_t stride, char **paths)
{
	struct buffer row_bytes = {0};
	struct buffer margin_bytes = {0};
	size_t value_count;
	size_t count;
	size_t different = 1;
	const float *rows = read_floats(paths[0], &row_bytes, &value_count);
	const float *margins = read_floats(paths[1], &margin_bytes, &count);

	if (rows == NULL || margins == NULL || value_count != count * stride) {
		fprintf(stderr, "not %zu rows of %zu features\n", count,
			stride);
	} else {
		different =
			count_differences(forest, rows, margins, count, stride);
		printf("%zu rows, %zu differ\n", count, different);
	}
	buffer_free(&row_bytes);
	buffer_free(&margin_bytes);
	return different == 0 ? 0 : 1;
}

static const struct model {
	const char *name;
	const struct forest *forest;
	size_t stride;
} models[] = {
	{"page", &auto_page_forest, FEATURE_COUNT},
	{"context", &auto_context_forest, AUTO_FEATURE_COUNT},
	{"scope-body", &auto_scope_body_forest, AUTO_FEATURE_COUNT},
	{"scope-page", &auto_scope_page_forest, AUTO_FEATURE_COUNT},
	{"comments", &auto_comments_forest, AUTO_FEATURE_COUNT},
	{"template", &auto_template_forest, TEMPLATE_COUNT},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (argc == 4 && strcmp(argv[1], models[i].name) == 0)
			return check(models[i].forest, models[i].stride,
				     argv + 2);
	fprintf(stderr, "usage: forest_check MODEL ROWS MARGINS\n");
	return 2;
}
