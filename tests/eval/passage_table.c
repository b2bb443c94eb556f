/*
 * passage_table [--scores FILE] LIST OUT - the passages of HTML pages and their
 * features, as tests/eval/train reads them. LIST has the path of a page a line.
 * OUT begins with text,
 *
 *	passages 1
 *	features N
 *
 * and N lines with a name each; then for every page of the list, in host order:
 * u32 n, the passages (0 for a page that cannot be parsed); f32 [n][N], the
 * rows; for each passage u32 words, u8 is_pre, u8 place, u16 0, u64 hash, u32
 * size of its text, and the text, UTF-8 with white space collapsed.
 *
 * With --scores the rows are those of the second stage, CONTEXT_FEATURES and
 * then PAGE_FEATURES. FILE has the scores of the first: a f32 for each passage
 * of all pages, in the same order.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "extract/auto/auto.h"
#include "extract/auto/auto_score.h"
#include "extract/auto/forest.h"
#include "extract/core/document_walk.h"
#include "page/page.h"

#define MAX_BYTES ((size_t)64 << 20)

struct table {
	FILE *scores; /* or NULL */
	FILE *out;
	struct buffer path;
	struct buffer bytes; /* of a page */
};

static const char *const context_names[] = {
#define X(name, definition) #name,
	CONTEXT_FEATURES(X)
#undef X
};

static void write_header(FILE *out, bool has_context)
{
	fprintf(out, "passages 1\nfeatures %d\n",
		has_context ? AUTO_FEATURE_COUNT : FEATURE_COUNT);
	for (size_t i = 0; has_context && i < CONTEXT_COUNT; i++)
		fprintf(out, "%s\n", context_names[i]);
	for (size_t i = 0; i < FEATURE_COUNT; i++)
		fprintf(out, "%s\n", feature_name(i));
}

/* NULL without a scores file; false when it is too short. */
static bool read_scores(FILE *file, const struct passages *passages,
			struct arena *arena, float **scores_out)
{
	*scores_out = NULL;
	if (file == NULL)
		return true;
	*scores_out = ARENA_NEW(arena, float, passages->count);
	return fread(*scores_out, sizeof(float), passages->count, file) ==
	       passages->count;
}

/* `scores` may be NULL. */
static void write_rows(FILE *out, struct arena *arena,
		       const struct passages *passages, const float *scores)
{
	const struct page_hints claims = page_hints_of(arena, passages->page);
	struct features *features =
		features_make(arena, passages, &claims, NULL);
	struct context *context = NULL;
	float row[AUTO_FEATURE_COUNT];

	if (scores != NULL)
		context = context_make(arena, passages,
				       features_page_context(features),
				       features_repetition(features), scores);
	for (uint32_t i = 0; i < passages->count; i++) {
		float *page_row = row;

		if (context != NULL) {
			context_next(context, row);
			page_row += CONTEXT_COUNT;
		}
		features_next(features, page_row);
		fwrite(row, sizeof(row[0]),
		       (size_t)(page_row - row) + FEATURE_COUNT, out);
	}
}

/* [page->text_count + 1]: a br is directly before the text. */
static const bool *find_breaks(struct arena *arena, const struct page *page)
{
	bool *is_broken = ARENA_NEW(arena, bool, (size_t)page->text_count + 1);

	for (uint32_t i = 0; i < page->node_count; i++)
		if (page->nodes[i].tag == TAG_br)
			is_broken[page->nodes[i].first_text] = true;
	return is_broken;
}

/* Append the texts of a passage as the source has them, but collapsed. */
static void write_text(FILE *out, const struct page *page,
		       const struct passage *passage, const bool *is_broken)
{
	struct buffer text = {0};
	uint32_t size;

	for (uint32_t i = passage->first_text; i < passage->end_text; i++) {
		if ((page->texts[i].flags & TEXT_IS_TITLE) != 0)
			continue;
		if (is_broken[i] || separator_in_source(page, i).size > 0)
			buffer_append_byte(&text, ' ');
		buffer_append_slice(&text, page_text(page, i));
	}
	size = text.size == 0 ? 0
			      : (uint32_t)text_collapse(buffer_slice(&text),
							text.data);
	fwrite(&size, sizeof(size), 1, out);
	fwrite(text.data, 1, size, out);
	buffer_free(&text);
}

/* [passages->count]: the passage is inside pre. */
static const bool *find_preformatted(struct arena *arena,
				     const struct passages *passages)
{
	const struct page *page = passages->page;
	bool *is_pre = ARENA_NEW(arena, bool, passages->count);

	for (uint32_t i = 0; i < page->node_count; i++) {
		struct passage_range range;

		if (page->nodes[i].tag != TAG_pre)
			continue;
		range = passages_inside(passages, i);
		for (uint32_t k = range.begin; k < range.end; k++)
			is_pre[k] = true;
		i = page->nodes[i].end - 1;
	}
	return is_pre;
}

static void write_passages(FILE *out, struct arena *arena,
			   const struct passages *passages)
{
	const bool *is_pre = find_preformatted(arena, passages);
	const bool *is_broken = find_breaks(arena, passages->page);

	for (uint32_t i = 0; i < passages->count; i++) {
		const struct passage *passage = &passages->items[i];
		const uint8_t bytes[4] = {is_pre[i], passage->place};

		fwrite(&passage->words, sizeof(passage->words), 1, out);
		fwrite(bytes, sizeof(bytes), 1, out);
		fwrite(&passage->hash, sizeof(passage->hash), 1, out);
		write_text(out, passages->page, passage, is_broken);
	}
}

static bool write_page(struct table *table, struct page *page)
{
	const struct passages passages = passages_make(page->arena, page);
	float *scores;

	fwrite(&passages.count, sizeof(passages.count), 1, table->out);
	if (!read_scores(table->scores, &passages, page->arena, &scores)) {
		fprintf(stderr, "%s: no more scores\n", table->path.data);
		return false;
	}
	write_rows(table->out, page->arena, &passages, scores);
	write_passages(table->out, page->arena, &passages);
	return true;
}

static bool write_file(struct table *table, const char *path)
{
	const uint32_t none = 0;
	struct page *page = NULL;
	bool is_done = true;

	buffer_clear(&table->bytes);
	if (file_read(path, MAX_BYTES, &table->bytes) != ERR_NONE) {
		fprintf(stderr, "%s: cannot be read\n", path);
		return false;
	}
	if (page_parse(&page, buffer_slice(&table->bytes),
		       (struct slice){NULL, 0},
		       &page_limits_default) == ERR_NONE)
		is_done = write_page(table, page);
	else
		fwrite(&none, sizeof(none), 1, table->out);
	page_destroy(page);
	return is_done;
}

static bool write_files(struct table *table, FILE *list)
{
	char *line = NULL;
	size_t size = 0;
	bool is_done = true;

	while (is_done && getline(&line, &size, list) > 0) {
		line[strcspn(line, "\n")] = '\0';
		buffer_clear(&table->path);
		buffer_append_text(&table->path, line);
		is_done = line[0] == '\0' || write_file(table, line);
	}
	free(line);
	return is_done;
}

static FILE *open_file(const char *path, const char *mode)
{
	FILE *file = fopen(path, mode);

	if (file == NULL)
		fprintf(stderr, "%s: cannot be opened\n", path);
	return file;
}

static void close_file(FILE *file)
{
	if (file != NULL)
		(void)fclose(file);
}

static bool write_table(const char *scores, const char *list_path,
			const char *out_path)
{
	struct table table = {
		.scores = scores == NULL ? NULL : open_file(scores, "rb"),
		.out = open_file(out_path, "wb"),
	};
	FILE *list = open_file(list_path, "r");
	bool is_done = list != NULL && table.out != NULL &&
		       (scores == NULL || table.scores != NULL);

	if (is_done) {
		write_header(table.out, scores != NULL);
		is_done = write_files(&table, list) && fflush(table.out) == 0;
	}
	close_file(table.scores);
	close_file(table.out);
	close_file(list);
	buffer_free(&table.path);
	buffer_free(&table.bytes);
	return is_done;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"scores", required_argument, NULL, 's'},
		{NULL, 0, NULL, 0},
	};
	const char *scores = NULL;
	int option;

	/* NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread */
	while ((option = getopt_long(argc, argv, "", options, NULL)) == 's')
		scores = optarg;
	if (option != -1 || argc - optind != 2) {
		fprintf(stderr,
			"usage: passage_table [--scores FILE] LIST OUT\n");
		return 2;
	}
	return write_table(scores, argv[optind], argv[optind + 1]) ? 0 : 1;
}
