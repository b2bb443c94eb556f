#include "tests/bench/bodies.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <libxml/HTMLparser.h>

#include "base/file.h"
#include "base/memory.h"
#include "page/page.h"

#define MAX_BYTES ((size_t)10 << 20)

static void on_start(void *user, const xmlChar *name, const xmlChar **values)
{
	size_t *count = user;

	(void)name;
	(void)values;
	++*count;
}

static void on_end(void *user, const xmlChar *name)
{
	(void)user;
	(void)name;
}

static void on_text(void *user, const xmlChar *text, int length)
{
	(void)user;
	(void)text;
	(void)length;
}

size_t bodies_parse_bare(struct slice body)
{
	size_t count = 0;
	htmlSAXHandler handler = {
		.startElement = on_start,
		.endElement = on_end,
		.characters = on_text,
		.cdataBlock = on_text,
	};
	htmlParserCtxtPtr parser = htmlCreatePushParserCtxt(
		&handler, &count, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);

	htmlCtxtUseOptions(parser, HTML_PARSE_RECOVER | HTML_PARSE_NOERROR |
					   HTML_PARSE_NOWARNING |
					   HTML_PARSE_IGNORE_ENC);
	htmlParseChunk(parser, body.data, (int)body.size, 1);
	htmlFreeParserCtxt(parser);
	return count;
}

size_t bodies_parse(struct slice body)
{
	struct page *page;
	size_t count;

	if (page_parse(&page, body, slice_of(NULL), &page_limits_default) !=
	    ERR_NONE)
		return 0;
	count = page->node_count;
	page_destroy(page);
	return count;
}

static void read_all(struct bodies *bodies, const char *folder,
		     const struct file_list *list)
{
	bodies->items = mem_alloc(list->count, sizeof(*bodies->items));
	for (size_t i = 0; i < list->count; i++) {
		struct buffer *body = &bodies->items[bodies->count];
		char path[4096];

		(void)snprintf(path, sizeof(path), "%s/%s", folder,
			       list->paths[i]);
		if (file_read(path, MAX_BYTES, body) != ERR_NONE)
			continue;
		bodies->bytes += body->size;
		bodies->count++;
	}
}

bool bodies_read(struct bodies *bodies, const char *folder)
{
	static const char *const endings[] = {".html", ".html.gz", NULL};
	struct file_list list;

	*bodies = (struct bodies){0};
	if (file_list(folder, endings, &list) == ERR_NONE) {
		read_all(bodies, folder, &list);
		file_list_free(&list);
	}
	if (bodies->count == 0)
		fprintf(stderr, "%s: there are no pages\n", folder);
	return bodies->count > 0;
}

void bodies_free(struct bodies *bodies)
{
	for (size_t i = 0; i < bodies->count; i++)
		buffer_free(&bodies->items[i]);
	free(bodies->items);
}

static double now_ms(void)
{
	struct timespec time;

	/* of this thread: what else the machine does is no matter */
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

double bodies_time(const struct bodies *bodies, bodies_work *work, int rounds,
		   size_t *count_out)
{
	double best = 0;

	for (int round = 0; round < rounds; round++) {
		double begin = now_ms();
		double spent;

		*count_out = 0;
		for (size_t i = 0; i < bodies->count; i++)
			*count_out += work(buffer_slice(&bodies->items[i]));
		spent = now_ms() - begin;
		if (round == 0 || spent < best)
			best = spent;
	}
	return best;
}

void bodies_print_heads(void)
{
	printf("%-14s %9s %9s %9s\n", "what", "ms/page", "MB/s", "/libxml2");
}

void bodies_print_row(const struct bodies *bodies, const char *name, double ms,
		      double bare_ms)
{
	printf("%-14s %9.4f %9.1f %9.3f\n", name, ms / (double)bodies->count,
	       (double)bodies->bytes / 1e3 / ms, ms / bare_ms);
}
