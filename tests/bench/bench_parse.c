/*
 * bench_parse FOLDER [ROUNDS] - what parsing costs beside its floor: a scan for
 * "<" (memchr), the scanner, libxml2's SAX parser with empty handlers, and
 * page_parse. The best of ROUNDS (5) over all .html and .html.gz files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <libxml/HTMLparser.h>

#include "page/page.h"
#include "page/scanner.h"
#include "store/file.h"
#include "store/memory.h"

#define MAX_BYTES ((size_t)10 << 20)

struct pages {
	struct buffer *bodies; /* [count] */
	size_t count;
	size_t bytes;
};

/* Something of each page, so that no work can be left out. */
typedef size_t measured(struct slice body);

static size_t find_tags(struct slice body)
{
	const char *at = body.data;
	const char *end = at + body.size;
	size_t count = 0;

	while ((at = memchr(at, '<', (size_t)(end - at))) != NULL) {
		count++;
		at++;
	}
	return count;
}

static size_t scan(struct slice body)
{
	struct scanner scanner = {.source = body};
	struct token token;
	size_t count = 0;

	while (scanner_next(&scanner, &token))
		count++;
	return count;
}

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

static size_t parse_bare(struct slice body)
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

static size_t parse(struct slice body)
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

static double now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* The fastest of `rounds` over all pages, in ms. */
static double measure(const struct pages *pages, measured *work, int rounds,
		      size_t *count_out)
{
	double best = 0;

	for (int round = 0; round < rounds; round++) {
		double begin = now_ms();
		double spent;

		*count_out = 0;
		for (size_t i = 0; i < pages->count; i++)
			*count_out += work(buffer_slice(&pages->bodies[i]));
		spent = now_ms() - begin;
		if (round == 0 || spent < best)
			best = spent;
	}
	return best;
}

static void read_pages(const char *folder, const struct file_list *list,
		       struct pages *pages)
{
	pages->bodies = mem_alloc(list->count, sizeof(*pages->bodies));
	for (size_t i = 0; i < list->count; i++) {
		struct buffer *body = &pages->bodies[pages->count];
		char path[4096];

		(void)snprintf(path, sizeof(path), "%s/%s", folder,
			       list->paths[i]);
		if (file_read(path, MAX_BYTES, body) != ERR_NONE)
			continue;
		pages->bytes += body->size;
		pages->count++;
	}
}

static void report(const struct pages *pages, int rounds)
{
	static const struct {
		const char *name;
		measured *work;
	} rows[] = {
		{"memchr", find_tags},
		{"scanner", scan},
		{"libxml2", parse_bare},
		{"page_parse", parse},
	};
	enum { ROWS = sizeof(rows) / sizeof(*rows), LIBXML2 = 2 };
	double times[ROWS];
	size_t counts[ROWS];

	for (size_t i = 0; i < ROWS; i++)
		times[i] = measure(pages, rows[i].work, rounds, &counts[i]);
	printf("%zu pages, %.1f MB, best of %d\n", pages->count,
	       (double)pages->bytes / 1e6, rounds);
	printf("%-12s %9s %9s %9s %10s\n", "what", "ms/page", "MB/s",
	       "/libxml2", "counted");
	for (size_t i = 0; i < ROWS; i++)
		printf("%-12s %9.4f %9.1f %9.3f %10zu\n", rows[i].name,
		       times[i] / (double)pages->count,
		       (double)pages->bytes / 1e3 / times[i],
		       times[i] / times[LIBXML2], counts[i]);
}

int main(int argc, char **argv)
{
	static const char *const endings[] = {".html", ".html.gz", NULL};
	struct file_list list;
	struct pages pages = {0};
	int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 5;

	if (argc < 2 || rounds < 1) {
		fprintf(stderr, "usage: bench_parse FOLDER [ROUNDS]\n");
		return 2;
	}
	if (file_list(argv[1], endings, &list) != ERR_NONE) {
		fprintf(stderr, "%s: cannot be read\n", argv[1]);
		return 1;
	}
	read_pages(argv[1], &list, &pages);
	file_list_free(&list);
	if (pages.count > 0)
		report(&pages, rounds);
	for (size_t i = 0; i < pages.count; i++)
		buffer_free(&pages.bodies[i]);
	free(pages.bodies);
	return pages.count > 0 ? 0 : 1;
}
