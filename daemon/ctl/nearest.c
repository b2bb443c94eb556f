#include "daemon/ctl/nearest.h"

#include <string.h>

enum { MAX_LENGTH = 31, FAR = 1000 };

static unsigned edit_distance_minimum(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Three rows of the table of distances between prefixes of two words. */
struct edit_distance_rows {
	unsigned before[MAX_LENGTH + 1];
	unsigned last[MAX_LENGTH + 1];
	unsigned row[MAX_LENGTH + 1];
};

/*
 * Return the distance of the first i + 1 letters of `a` to the first j + 1 of
 * `b`.
 */
static unsigned edit_distance_cell(const struct edit_distance_rows *rows,
				   const char *a, size_t i, const char *b,
				   size_t j)
{
	unsigned changed = rows->last[j] + (a[i] == b[j] ? 0 : 1);
	unsigned least = edit_distance_minimum(
		changed,
		edit_distance_minimum(rows->last[j + 1], rows->row[j]) + 1);

	if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
		least = edit_distance_minimum(least, rows->before[j - 1] + 1);
	return least;
}

/*
 * Optimal string alignment (Damerau-Levenshtein without repeated edits of the
 * same part).
 */
static unsigned edit_distance(const char *a, size_t a_length, const char *b,
			      size_t b_length)
{
	struct edit_distance_rows rows = {0};

	for (unsigned j = 0; j <= b_length; j++)
		rows.row[j] = j;
	for (size_t i = 0; i < a_length; i++) {
		memcpy(rows.before, rows.last, sizeof(rows.before));
		memcpy(rows.last, rows.row, sizeof(rows.last));
		rows.row[0] = (unsigned)i + 1;
		for (size_t j = 0; j < b_length; j++)
			rows.row[j + 1] = edit_distance_cell(&rows, a, i, b, j);
	}
	return rows.row[b_length];
}

/* Return the distance; FAR if it is too large for a typing error. */
static unsigned try_one(const char *word, const char *name)
{
	size_t length = strlen(word);
	size_t name_length = strlen(name);
	unsigned distance;

	if (length > MAX_LENGTH || name_length > MAX_LENGTH)
		return FAR;
	if (length >= 2 && strncmp(name, word, length) == 0)
		return 1;
	distance = edit_distance(word, length, name, name_length);
	return distance > length / 3 ? FAR : distance;
}

void suggest_name(struct name_suggestion *nearest, const char *name)
{
	unsigned distance = try_one(nearest->word, name);

	if (distance == FAR ||
	    (nearest->name != NULL && distance >= nearest->distance))
		return;
	nearest->name = name;
	nearest->distance = distance;
}
