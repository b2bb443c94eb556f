/*
 * extract/extractor.h - the one type of every method that tells content from
 * the rest: page in, a score and a verdict for every text node out. Adding one
 * means one file and one line in the table of extractor.c; the CLI, the API,
 * the evaluation and the manual read that table.
 */
#ifndef EXTRACT_EXTRACTOR_H
#define EXTRACT_EXTRACTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct page;

/* What is known of a text node of the page. */
struct verdict {
	float score; /* the method's own scale; higher is more content */
	bool is_content;
};

/* What the pages of the same cluster tell about this page. */
struct template_counts {
	uint32_t page_count; /* pages of the cluster */
	/* pages that hold the text node's fragment: [page->text_count] */
	const uint32_t *document_frequency;
};

struct extractor_input {
	const struct page *page;
	/* NULL when the page's template is not known */
	const struct template_counts *template_counts;
	const double *parameters; /* [extractor->parameter_count], in range */
	struct arena *arena;      /* for scratch memory; freed by the caller */
};

struct parameter {
	const char *name;
	const char *unit; /* "" when it has none */
	double minimum;
	double maximum;
	double preset; /* the default */
	const char *meaning;
};

enum { MAX_PARAMETERS = 8 };

struct extractor {
	const char *name;
	const char *summary; /* one line */
	const char *source;  /* the paper and where in it */
	const struct parameter *parameters;
	size_t parameter_count; /* <= MAX_PARAMETERS */
	bool needs_template;    /* template_counts must not be NULL */
	/* Fills verdicts [page->text_count]. Linear, constant stack. */
	void (*run)(const struct extractor_input *input,
		    struct verdict *verdicts);
};

/* The table, ended by NULL. */
extern const struct extractor *const extractors[];

/* NULL when there is no such method. */
const struct extractor *extractor_find(const char *name);

/* The defaults, for `parameters` of an input: [MAX_PARAMETERS]. */
void extractor_presets(const struct extractor *extractor, double *parameters);

/*
 * Set one parameter from text such as "radius=20": false, with an English
 * sentence in `error_out` [256], when the name, the number or the range is
 * wrong.
 */
bool extractor_set(const struct extractor *extractor, const char *assignment,
		   double *parameters, char *error_out);

#endif
