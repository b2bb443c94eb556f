/*
 * template_table LIST SCORES OUT - what the other pages of its template say of
 * each passage, as tests/eval/template.py reads it. SCORES has f32 of the
 * passages of pages, by the page alone. LIST has a line a page,
 *
 *	sample FIRST PATH      a page of the sample, whose scores begin at FIRST
 *	page FIRST PATH        a page to be viewed by the sample before it
 *
 * where a sample after a page is that of another template. OUT begins with
 * text, "evidence 1", "features N" and N lines with a name each; then for every
 * line "page", in host order: u32 n, the passages (0: there is no evidence),
 * and f32 [n][N].
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "extract/auto/auto_template.h"
#include "page/page.h"

#define MAX_BYTES ((size_t)4 << 30)

enum { MAX_LINE = 4096 };

struct table {
	struct buffer scores;
	FILE *out;
	struct page *pages[MAX_SAMPLE_PAGES];
	const float *page_scores[MAX_SAMPLE_PAGES];
	uint32_t count; /* of the sample */
	const struct passage_model *known;
	struct arena *arena; /* known pages; NULL = none yet */
};

static const char *const names[] = {
#define X(name, definition) #name,
	TEMPLATE_FEATURES(X)
#undef X
};

static void write_header(FILE *out)
{
	fprintf(out, "evidence 1\nfeatures %d\n", TEMPLATE_COUNT);
	for (size_t i = 0; i < TEMPLATE_COUNT; i++)
		fprintf(out, "%s\n", names[i]);
}

static struct page *read_page(const char *path)
{
	struct buffer body = {0};
	struct page *page = NULL;

	if (file_read(path, MAX_BYTES, &body) != ERR_NONE ||
	    page_parse(&page, buffer_slice(&body), (struct slice){NULL, 0},
		       &page_limits_default) != ERR_NONE) {
		fprintf(stderr, "%s: cannot be read\n", path);
		/* NOLINTNEXTLINE(concurrency-mt-unsafe): there is one */
		exit(1);
	}
	buffer_free(&body);
	return page;
}

static const float *scores_at(const struct table *table, uint64_t first)
{
	const float *scores = (const float *)(const void *)table->scores.data;

	return scores + first;
}

static void forget(struct table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		page_destroy(table->pages[i]);
	table->count = 0;
	if (table->arena != NULL)
		arena_destroy(table->arena);
	table->arena = NULL;
}

static void add_sample(struct table *table, uint64_t first, const char *path)
{
	if (table->arena != NULL)
		forget(table);
	if (table->count == MAX_SAMPLE_PAGES)
		return;
	table->pages[table->count] = read_page(path);
	table->page_scores[table->count] = scores_at(table, first);
	table->count++;
}

static void learn(struct table *table)
{
	const struct sample sample = {
		.pages = (const struct page *const *)table->pages,
		.count = table->count,
	};

	table->arena = arena_create();
	table->known = passage_model_of_scores(&sample, table->page_scores,
					       table->arena);
}

static void write_page(struct table *table, uint64_t first, const char *path)
{
	struct page *page = read_page(path);
	const struct passages passages = passages_make(page->arena, page);
	const struct passage_evidence *evidence;
	uint32_t count = 0;

	if (table->arena == NULL)
		learn(table);
	evidence = passage_model_view(table->known, page->arena, &passages,
				      scores_at(table, first), NULL);
	if (evidence != NULL)
		count = passages.count;
	fwrite(&count, sizeof(count), 1, table->out);
	if (evidence != NULL)
		fwrite(evidence, sizeof(*evidence), count, table->out);
	page_destroy(page);
}

static bool write_table(struct table *table, FILE *list)
{
	char line[MAX_LINE];

	write_header(table->out);
	while (fgets(line, sizeof(line), list) != NULL) {
		char *first = strchr(line, ' ');
		char *path;
		uint64_t number;

		line[strcspn(line, "\n")] = '\0';
		if (first == NULL)
			return false;
		number = strtoumax(first + 1, &path, 10);
		if (strncmp(line, "sample", 6) == 0)
			add_sample(table, number, path + 1);
		else
			write_page(table, number, path + 1);
	}
	forget(table);
	return fflush(table->out) == 0;
}

int main(int argc, char **argv)
{
	struct table table = {0};
	FILE *list;
	bool is_done;

	if (argc != 4) {
		fprintf(stderr, "usage: template_table LIST SCORES OUT\n");
		return 2;
	}
	list = fopen(argv[1], "r");
	table.out = fopen(argv[3], "wb");
	is_done = list != NULL && table.out != NULL &&
		  file_read(argv[2], MAX_BYTES, &table.scores) == ERR_NONE &&
		  write_table(&table, list);
	if (list != NULL)
		(void)fclose(list);
	if (table.out != NULL)
		(void)fclose(table.out);
	buffer_free(&table.scores);
	return is_done ? 0 : 1;
}
