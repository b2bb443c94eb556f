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
 *
 * template_table LIST - OUT - which passages `auto` chooses without and with
 * the template, as tests/eval/losses.py reads it. FIRST is not used. LIST may
 * also have lines "content 0 SELECTOR": the content of the pages after it. OUT
 * has a line for each visible passage, of fields with tabs between them: the
 * number of the page, from 0; words; 1 if the selector selects it; 1 if it is
 * chosen from the page alone; 1 if it is chosen with the template; the name of
 * the element that it belongs to (of `kinds`, the last one that fits); its
 *text.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "extract/auto/auto.h"
#include "extract/auto/auto_template.h"
#include "extract/core/document_walk.h"
#include "extract/core/extractor.h"
#include "page/page.h"
#include "page/selector.h"

#define MAX_BYTES ((size_t)4 << 30)

enum { MAX_LINE = 4096 };

struct table {
	struct buffer scores;
	bool is_choice;         /* SCORES is "-" */
	char content[MAX_LINE]; /* the selector; "" = none */
	unsigned viewed;        /* number of pages */
	FILE *out;
	struct page *pages[MAX_SAMPLE_PAGES];
	const float *page_scores[MAX_SAMPLE_PAGES];
	uint32_t count; /* of the sample */
	const struct passage_model *known;
	struct arena *arena; /* known pages; NULL = none yet */
};

/* The kinds of elements of which losses.py counts the passages. */
static const struct {
	const char *name;
	const char *selector;
} kinds[] = {
	{"heading", "h2, h3, h4, h5, h6"},
	{"list", "ul li, ol li"},
	{"definition", "dt, dd"},
	{"table", "td, th"},
	{"code", "pre, code"},
	{"footnote",
	 "[class*=footnote], [role=doc-endnotes], [role=doc-footnote]"},
	{"caption", "figcaption, caption, .wp-caption-text"},
	{"title", "h1, header h2"},
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

	return table->is_choice ? NULL : scores + first;
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
	table->known =
		table->is_choice
			? passage_model_build(&sample, SCOPE_NONE, table->arena)
			: passage_model_of_scores(&sample, table->page_scores,
						  table->arena);
}

/* Set values [text_count] to `value` in the elements that match. */
static void mark_texts(const struct page *page, const char *text,
		       unsigned value, unsigned *values)
{
	char error[256];
	const struct selector *selector =
		selector_compile(page->arena, text, error);
	const bool *is_selected;

	if (selector == NULL) {
		fprintf(stderr, "%s: %s\n", text, error);
		/* NOLINTNEXTLINE(concurrency-mt-unsafe): there is one */
		exit(1);
	}
	is_selected = selector_match(selector, page, page->arena);
	for (uint32_t i = 0; i < page->node_count; i++)
		for (uint32_t k = page->nodes[i].first_text;
		     is_selected[i] && k < page->nodes[i].end_text; k++)
			values[k] = value;
}

/* Return the verdicts of `auto`, with the template if `known` is not NULL. */
static const struct verdict *verdicts_of(const struct page *page,
					 const struct passage_model *known)
{
	double parameters[MAX_PARAMETERS];
	const struct extractor_input input = {
		.page = page,
		.learned = known,
		.parameters = parameters,
		.arena = page->arena,
	};
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);

	extractor_defaults(&extractor_auto, parameters);
	extractor_auto.run(&input, verdicts);
	return verdicts;
}

static void write_text(FILE *out, const struct passages *passages, uint32_t i)
{
	for (uint32_t k = passages->items[i].first_text;
	     k < passages->items[i].end_text; k++) {
		const struct slice text = page_text(passages->page, k);
		const unsigned char *bytes = text.data;

		if (passages->of_text[k] != i)
			continue;
		if (separator_in_source(passages->page, k).size > 0)
			fputc(' ', out);
		for (size_t at = 0; at < text.size; at++)
			fputc(bytes[at] < ' ' ? ' ' : bytes[at], out);
	}
	fputc('\n', out);
}

static void write_choice(struct table *table, const struct page *page,
			 const struct passages *passages)
{
	const struct verdict *alone = verdicts_of(page, NULL);
	const struct verdict *with = verdicts_of(page, table->known);
	const bool *is_visible = visible_texts(page->arena, page);
	unsigned *kind = ARENA_NEW(page->arena, unsigned, page->text_count);
	unsigned *is_content =
		ARENA_NEW(page->arena, unsigned, page->text_count);

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		mark_texts(page, kinds[i].selector, i + 1, kind);
	if (table->content[0] != '\0')
		mark_texts(page, table->content, 1, is_content);
	for (uint32_t i = 0; i < passages->count; i++) {
		const struct passage *passage = &passages->items[i];
		const uint32_t text = passage->first_text;

		if (!is_visible[text])
			continue;
		fprintf(table->out, "%u\t%u\t%u\t%d\t%d\t%s\t", table->viewed,
			passage->words, is_content[text],
			alone[text].is_content, with[text].is_content,
			kind[text] == 0 ? "other" : kinds[kind[text] - 1].name);
		write_text(table->out, passages, i);
	}
	table->viewed++;
}

static void write_page(struct table *table, uint64_t first, const char *path)
{
	struct page *page = read_page(path);
	const struct passages passages = passages_make(page->arena, page);
	const struct passage_evidence *evidence;
	uint32_t count = 0;

	if (table->arena == NULL)
		learn(table);
	if (table->is_choice) {
		write_choice(table, page, &passages);
		page_destroy(page);
		return;
	}
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

	if (!table->is_choice)
		write_header(table->out);
	while (fgets(line, sizeof(line), list) != NULL) {
		char *first = strchr(line, ' ');
		char *path;
		uint64_t number;

		line[strcspn(line, "\n")] = '\0';
		if (first == NULL)
			return false;
		number = strtoumax(first + 1, &path, 10);
		if (strncmp(line, "content", 7) == 0)
			snprintf(table->content, sizeof(table->content), "%s",
				 path + (*path == ' '));
		else if (strncmp(line, "sample", 6) == 0)
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
	table.is_choice = strcmp(argv[2], "-") == 0;
	is_done = list != NULL && table.out != NULL &&
		  (table.is_choice ||
		   file_read(argv[2], MAX_BYTES, &table.scores) == ERR_NONE) &&
		  write_table(&table, list);
	if (list != NULL)
		(void)fclose(list);
	if (table.out != NULL)
		(void)fclose(table.out);
	buffer_free(&table.scores);
	return is_done ? 0 : 1;
}
