/*
 * bench_library.c - CPU time of a page by libtemplated, for python_speed.py.
 *
 *	bench_library METADATA FILE...
 *	bench_library BUNDLE FILE...
 *
 * METADATA is 1 or 0: with or without. Prints milliseconds a page; the files
 * are read before. With the bundle of their site it prints four times: of the
 * template (parsing included), of the text, of the fields, and of text and
 * fields together. They are those of a second run, when all models are built.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "template/templated.h"

static const char *const names[] = {
	"title",     "author",   "published",   "modified",  "site_name",
	"language",  "image",    "description", "canonical", "tag",
	"page_type", "category", "licence",     "favicon",
};
static const char *const facts[] = {"hostname", "excerpt", "word_count",
				    "direction", "fingerprint"};

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* free() the bytes; NULL: it cannot be read. */
static char *read_whole(const char *path, size_t *size_out)
{
	FILE *file = fopen(path, "rb");
	char *bytes = NULL;
	long size = 0;

	if (file == NULL)
		return NULL;
	if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0) {
		rewind(file);
		bytes = malloc((size_t)size + 1);
		if (bytes != NULL)
			*size_out = fread(bytes, 1, (size_t)size, file);
	}
	fclose(file);
	return bytes;
}

static void describe(struct templated_answer *answer)
{
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		templated_fact(answer, facts[i]);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		templated_metadata(answer, names[i], 0);
}

/* Process a page. */
typedef void page_function(struct templated_bundle *bundle,
			   const struct templated_page *page);

static void find_template(struct templated_bundle *bundle,
			  const struct templated_page *page)
{
	struct templated_class class;

	templated_classify(bundle, page, &class, NULL);
}

static void extract(struct templated_bundle *bundle,
		    const struct templated_page *page)
{
	templated_free(templated_extract(bundle, page, NULL, NULL));
}

static void read_fields(struct templated_bundle *bundle,
			const struct templated_page *page)
{
	templated_record_free(templated_fields(bundle, page, NULL));
}

static void extract_both(struct templated_bundle *bundle,
			 const struct templated_page *page)
{
	struct templated_answer *answer =
		templated_extract(bundle, page, NULL, NULL);

	if (answer != NULL)
		templated_record_free(templated_answer_fields(bundle, answer));
	templated_free(answer);
}

static int measure_bundle(const char *path, const struct templated_page *pages,
			  int count)
{
	static page_function *const functions[] = {find_template, extract,
						   read_fields, extract_both};
	struct templated_bundle *bundle = templated_open(path, NULL, NULL);

	if (bundle == NULL)
		return 1;
	for (size_t f = 0; f < sizeof(functions) / sizeof(functions[0]); f++) {
		double begin = 0;

		for (int run = 0; run < 2; run++) {
			begin = cpu_ms();
			for (int i = 0; i < count; i++)
				functions[f](bundle, &pages[i]);
		}
		printf("%.6f\n", (cpu_ms() - begin) / count);
	}
	templated_close(bundle);
	return 0;
}

int main(int argc, char **argv)
{
	int count = argc - 2;
	struct templated_page *pages;
	double begin;

	if (count < 1)
		return 2;
	pages = calloc((size_t)count, sizeof(*pages));
	if (pages == NULL)
		return 1;
	for (int i = 0; i < count; i++) {
		pages[i].bytes = read_whole(argv[i + 2], &pages[i].size);
		if (pages[i].bytes == NULL) {
			fprintf(stderr, "%s: cannot be read\n", argv[i + 2]);
			return 1;
		}
	}
	if (strlen(argv[1]) > 1)
		return measure_bundle(argv[1], pages, count);
	begin = cpu_ms();
	for (int i = 0; i < count; i++) {
		struct templated_answer *answer =
			templated_extract(NULL, &pages[i], NULL, NULL);

		if (answer != NULL && argv[1][0] == '1')
			describe(answer);
		templated_free(answer);
	}
	printf("%.6f\n", (cpu_ms() - begin) / count);
	for (int i = 0; i < count; i++)
		free((void *)pages[i].bytes);
	free(pages);
	return 0;
}
