#include "daemon/ctl/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/lower_bound.h"
#include "base/memory.h"

static int labels_compare(struct slice a, struct slice b)
{
	size_t shorter = a.size < b.size ? a.size : b.size;
	int order = shorter == 0 ? 0 : memcmp(a.data, b.data, shorter);

	if (order != 0)
		return order;
	return a.size < b.size ? -1 : a.size > b.size;
}

static int labels_compare_paths(const void *a, const void *b)
{
	const struct label *left = a;
	const struct label *right = b;
	int order = labels_compare(left->path, right->path);

	/* equal paths keep the order of the file */
	return order != 0 ? order : left->number < right->number ? -1 : 1;
}

static int compare_texts(const void *a, const void *b)
{
	return labels_compare(((const struct label *)a)->text,
			      ((const struct label *)b)->text);
}

/* Remove and return the first column of `line`. */
static struct slice take_column(struct slice *line)
{
	const char *text = (const char *)line->data;
	const char *tab =
		line->size == 0 ? NULL : memchr(text, '\t', line->size);
	size_t length = tab == NULL ? line->size : (size_t)(tab - text);
	struct slice column = {text, length};

	length += tab == NULL ? 0 : 1;
	*line = (struct slice){text + length, line->size - length};
	return column;
}

static size_t labels_read_lines(struct slice bytes, struct label **items_out)
{
	struct label *items = NULL;
	size_t capacity = 0;
	size_t count = 0;
	size_t position = 0;
	const char *text = (const char *)bytes.data;

	while (position < bytes.size) {
		const char *end =
			memchr(text + position, '\n', bytes.size - position);
		size_t size = end == NULL ? bytes.size - position
					  : (size_t)(end - text) - position;
		struct slice line = {text + position, size};
		struct label label = {.number = (uint32_t)count};

		position += size + 1;
		if (size > 0 && text[position - 2] == '\r')
			line.size--;
		label.path = take_column(&line);
		if (line.size == 0)
			continue;
		label.text = take_column(&line);
		items = mem_grow(items, count, &capacity, sizeof(label));
		items[count++] = label;
	}
	*items_out = items;
	return count;
}

static void drop_head(struct label *items, size_t *count)
{
	if (*count == 0 || !slice_equal(items[0].path, slice_of("path")) ||
	    !slice_equal(items[0].text, slice_of("label")))
		return;
	memmove(items, items + 1, --*count * sizeof(*items));
}

/* Keep only the last line of each path; the lines are sorted. */
static size_t labels_drop_repeats(struct label *items, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept > 0 &&
		    slice_equal(items[kept - 1].path, items[i].path))
			kept--;
		items[kept++] = items[i];
	}
	return kept;
}

static void number_texts(struct label *items, size_t count)
{
	uint32_t number = 0;

	qsort(items, count, sizeof(*items), compare_texts);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || !slice_equal(items[i].text, items[i - 1].text))
			number++;
		items[i].number = number;
	}
}

void labels_read(struct buffer *bytes, struct labels *labels_out)
{
	struct labels labels = {.bytes = *bytes};

	*bytes = (struct buffer){0};
	labels.count =
		labels_read_lines(buffer_slice(&labels.bytes), &labels.items);
	drop_head(labels.items, &labels.count);
	if (labels.count > 0) {
		qsort(labels.items, labels.count, sizeof(*labels.items),
		      labels_compare_paths);
		labels.count = labels_drop_repeats(labels.items, labels.count);
		number_texts(labels.items, labels.count);
		qsort(labels.items, labels.count, sizeof(*labels.items),
		      labels_compare_paths);
	}
	*labels_out = labels;
}

void labels_free(struct labels *labels)
{
	buffer_free(&labels->bytes);
	free(labels->items);
	*labels = (struct labels){0};
}

uint32_t labels_find(const struct labels *labels, const char *path)
{
	struct slice wanted = slice_of(path);
	const struct label *label;
	size_t at;

	LOWER_BOUND(at, labels->count,
		    labels_compare(labels->items[at].path, wanted) < 0);
	if (at == labels->count)
		return 0;
	label = &labels->items[at];
	if (!slice_equal(label->path, wanted) ||
	    slice_equal(label->text, slice_of("redirect-stub")) ||
	    slice_equal(label->text, slice_of("not-html")))
		return 0;
	return label->number;
}
