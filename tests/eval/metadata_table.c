/*
 * metadata_table: the metadata of pages as lines of a table, for metadata.py.
 *
 * usage: metadata_table [-n] < LIST
 *
 * A line of LIST is the path of a page and, after a tab, its address. A line
 * of the table is path, title, source of the title, authors with ";" between
 * them, their source, date published, source, date modified, source, page type,
 * source, site name, source, language, source. -n repeats the reading of each
 * page and tells the microseconds of CPU instead.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/file.h"
#include "extract/metadata/metadata.h"
#include "page/page.h"

enum { MAX_BYTES = 64 << 20, REPEATS = 20 };

static void put(struct slice text)
{
	const char *bytes = text.data;

	for (size_t i = 0; i < text.size; i++)
		putchar((unsigned char)bytes[i] < ' ' ? ' ' : bytes[i]);
}

static void put_one(const struct metadatum *one)
{
	putchar('\t');
	put(one->value);
	printf("\t%s", one->source == NULL ? "" : one->source);
}

static void put_authors(const struct metadata *metadata)
{
	putchar('\t');
	for (size_t i = 0; i < metadata->author_count; i++) {
		if (i > 0)
			putchar(';');
		put(metadata->authors[i].value);
	}
	printf("\t%s",
	       metadata->author_count == 0 ? "" : metadata->authors[0].source);
}

static void put_row(const char *path, const struct metadata *metadata)
{
	printf("%s", path);
	put_one(&metadata->title);
	put_authors(metadata);
	put_one(&metadata->published);
	put_one(&metadata->modified);
	put_one(&metadata->page_type);
	put_one(&metadata->site_name);
	put_one(&metadata->language);
	putchar('\n');
}

/* Microseconds of one reading, the mean of REPEATS. */
static double time_of(const struct page *page, struct slice url)
{
	struct timespec begin;
	struct timespec end;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	for (int i = 0; i < REPEATS; i++) {
		struct arena *arena = arena_create();

		metadata_read(arena, page, url, NULL);
		arena_destroy(arena);
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	return ((double)(end.tv_sec - begin.tv_sec) * 1e6 +
		(double)(end.tv_nsec - begin.tv_nsec) / 1e3) /
	       REPEATS;
}

static void read_page(const char *path, const char *url, bool is_timed)
{
	struct buffer body = {0};
	struct page *page;

	if (file_read(path, MAX_BYTES, &body) != ERR_NONE ||
	    page_parse(&page, buffer_slice(&body), slice_of(NULL),
		       &page_limits_default) != ERR_NONE) {
		fprintf(stderr, "metadata_table: %s: cannot be read\n", path);
	} else {
		struct metadata metadata =
			metadata_read(page->arena, page, slice_of(url), NULL);

		if (is_timed)
			printf("%s\t%.1f\n", path,
			       time_of(page, slice_of(url)));
		else
			put_row(path, &metadata);
		page_destroy(page);
	}
	buffer_free(&body);
}

int main(int argc, char **argv)
{
	bool is_timed = argc > 1 && strcmp(argv[1], "-n") == 0;
	char *line = NULL;
	size_t capacity = 0;

	while (getline(&line, &capacity, stdin) > 0) {
		char *tab;

		line[strcspn(line, "\n")] = '\0';
		tab = strchr(line, '\t');
		if (tab != NULL)
			*tab++ = '\0';
		read_page(line, tab == NULL ? "" : tab, is_timed);
	}
	free(line);
	return 0;
}
