#include "tests/bench/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "page/page.h"

enum { MAX_BYTES = 10 << 20 };

double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void samples_free(struct samples *samples)
{
	arena_destroy(samples->arena);
	free(samples->items);
	free(samples->labels);
}

static bool is_made(const struct samples *samples, unsigned kind)
{
	return samples->kinds == 0 || (samples->kinds >> kind & 1) != 0;
}

/* `path` is the path of the URL, or empty. */
static struct sample make_sample(struct samples *samples,
				 const struct page *page, struct slice path)
{
	struct sample sample = {0};
	double begin = cpu_seconds();
	double end;

	for (unsigned i = 0; i < KIND_COUNT; i++) {
		struct signature_rule rule = {.measure = (enum measure)i,
					      .path = path};

		if (!is_made(samples, i))
			continue;
		if (i == KIND_RTDM)
			sample.tree = rtdm_tree_make(samples->arena, page);
		else
			sample.signatures[i] =
				signature_compute(samples->arena, page, rule);
		end = cpu_seconds();
		samples->make_seconds[i] += end - begin;
		begin = end;
	}
	return sample;
}

static enum error add_page(struct samples *samples, const char *path,
			   struct slice url_path, uint32_t label)
{
	struct buffer body = {0};
	struct page *page = NULL;
	enum error error = file_read(path, MAX_BYTES, &body);
	double begin = cpu_seconds();

	if (error == ERR_NONE)
		error = page_parse(&page, buffer_slice(&body), slice_of(NULL),
				   &page_limits_default);
	buffer_free(&body);
	if (error != ERR_NONE)
		return error;
	samples->parse_seconds += cpu_seconds() - begin;
	samples->elements += page->node_count;
	samples->items =
		mem_grow(samples->items, samples->count,
			 &samples->item_capacity, sizeof(*samples->items));
	samples->labels =
		mem_grow(samples->labels, samples->count,
			 &samples->label_capacity, sizeof(*samples->labels));
	samples->items[samples->count] = make_sample(samples, page, url_path);
	samples->labels[samples->count++] = label;
	page_destroy(page);
	return ERR_NONE;
}

/* The lines of a file that are not empty. */
static enum error read_lines(const char *path, struct file_list *list)
{
	struct buffer text = {0};
	enum error error = file_read(path, MAX_BYTES, &text);
	size_t capacity = 0;
	size_t begin = 0;

	while (error == ERR_NONE && begin < text.size) {
		size_t length = strcspn(text.data + begin, "\n");

		list->paths = mem_grow(list->paths, list->count, &capacity,
				       sizeof(*list->paths));
		if (length > 0)
			list->paths[list->count++] =
				mem_copy_text(text.data + begin, length);
		begin += length + 1;
	}
	buffer_free(&text);
	return error;
}

bool samples_add(struct samples *samples, const char *source, uint32_t label,
		 size_t most)
{
	static const char *const endings[] = {".html", ".htm", ".html.gz",
					      ".htm.gz", NULL};
	bool is_list = source[0] == '@';
	struct file_list list = {0};
	enum error error = is_list ? read_lines(source + 1, &list)
				   : file_list(source, endings, &list);
	size_t count = list.count < most ? list.count : most;
	struct buffer path = {0};

	if (error != ERR_NONE)
		fprintf(stderr, "%s: %s\n", source, error_text(error));
	for (size_t i = 0; i < count && error == ERR_NONE; i++) {
		const char *name = list.paths[i * list.count / count];
		struct slice url_path = {0};

		buffer_clear(&path);
		if (!is_list)
			buffer_printf(&path, "%s/", source);
		buffer_append_text(&path, name);
		if (!is_list) /* with the "/" before it */
			url_path = slice_of(path.data + strlen(source));
		error = add_page(samples, path.data, url_path, label);
		if (error != ERR_NONE)
			fprintf(stderr, "%s: %s\n", path.data,
				error_text(error));
	}
	buffer_free(&path);
	file_list_free(&list);
	return error == ERR_NONE;
}
