/*
 * extract/core/extractor.h - the type of all methods of extraction: they get a
 * page and give a score and a verdict for every text node. A new method is one
 * file and one line in the table of extract/extractors.c; the CLI, the API, the
 * evaluation and the manual read that table.
 */
#ifndef EXTRACT_CORE_EXTRACTOR_H
#define EXTRACT_CORE_EXTRACTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "extract/core/preference.h"

struct arena;
struct page;
struct ridge_model;
struct trace;

/* What a method decides about a text node. */
struct verdict {
	float score; /* the method's own scale; higher is more content */
	bool is_content;
};

/* How often the page's fragments stand in the pages of its cluster. */
struct template_counts {
	uint32_t page_count; /* pages of the cluster */
	/* pages that hold the text node's fragment: [page->text_count]; for a
	   method that does not read_counts() zeros, unless it is explained */
	const uint32_t *document_frequency;
};

enum { MAX_SAMPLE_PAGES = 32 };

/* Pages of the cluster, the same ones for every page. */
struct sample {
	const struct page *const *pages; /* [count] */
	uint32_t count;                  /* 1..MAX_SAMPLE_PAGES */
	/* What extractor->prepare() made of each with the same parameters:
	   [count]; NULL: nothing was prepared. */
	const void *const *prepared;
};

/* What a method needs besides the page. */
enum knowledge {
	KNOWS_PAGE,   /* nothing */
	KNOWS_COUNTS, /* template_counts */
	KNOWS_SAMPLE, /* template_counts, and what learn() made of a sample */
	MAY_KNOW_SAMPLE, /* needs nothing, but is better with both of these */
};

/* How good a method believes its choice to be. */
struct assessment {
	float expected_f1; /* of the words chosen, 0..1: by their scores */
	float confidence;  /* expected_f1, calibrated on other pages */
	bool is_unsure;    /* nothing was good enough to be chosen, so that
			      the best there is was */
};

struct extractor_input {
	const struct page *page;
	/* NULL when the page's template is not known */
	const struct template_counts *template_counts;
	/*
	 * What learn() returned; NULL for a method without it, and when the
	 * page's template is not known.
	 */
	const void *learned;
	/* What prepare() made of the page with the same parameters; or NULL. */
	const void *prepared;
	const struct ridge_model *ridges; /* the site's own; or NULL */
	const double *parameters; /* [extractor->parameter_count], in range */
	struct arena *arena;      /* for scratch memory; freed by the caller */
	struct trace *trace;      /* to be filled for explanations; mostly NULL
				   */
	/* Filled by methods that can; NULL when it is not asked for. */
	struct assessment *assessment;
};

struct parameter {
	const char *name;
	const char *unit; /* "" when it has none */
	double minimum;
	double maximum;
	double default_value; /* the default */
	const char *meaning;
};

enum { MAX_PARAMETERS = 8 };

struct extractor {
	const char *name;
	const char *summary; /* one line */
	const char *source;  /* the paper and where in it */
	const struct parameter *parameters;
	size_t parameter_count; /* <= MAX_PARAMETERS */
	enum knowledge needs;
	bool reads_ridges; /* input->ridges is of use to it */
	/* Of a method that needs a template: without one the default method
	   answers in its place. */
	bool falls_back;
	/*
	 * Values of the parameter "threshold" by what is preferred; 0: the
	 * method has none. One with a scope has the parameter "scope".
	 */
	double thresholds[SCOPE_COUNT][FAVOR_COUNT];
	/*
	 * What both learn() and run() find in a page by itself, in `arena`; the
	 * page must stay. Who needs both can have it done once. NULL: there is
	 * nothing of this kind. Depends on what learn() depends on.
	 */
	const void *(*prepare)(const struct page *page,
			       const double *parameters, struct arena *arena);
	/*
	 * What the method learns of a sample, in `arena`, for run() on any
	 * number of pages; keeps no pointer into the sample. Not NULL with
	 * KNOWS_SAMPLE, may be NULL with MAY_KNOW_SAMPLE, NULL otherwise.
	 * Linear in the sample, constant stack.
	 */
	const void *(*learn)(const struct sample *sample,
			     const double *parameters, struct arena *arena);
	/*
	 * learn() depends on so many of the parameters, the first ones. Without
	 * any it gets NULL for them.
	 */
	size_t learned_parameters;
	/* Fills verdicts [page->text_count]. Linear, constant stack. */
	void (*run)(const struct extractor_input *input,
		    struct verdict *verdicts);
};

static inline bool needs_template(const struct extractor *extractor)
{
	return extractor->needs == KNOWS_COUNTS ||
	       extractor->needs == KNOWS_SAMPLE;
}

/* The method reads how often each fragment stands in the cluster. */
static inline bool reads_counts(const struct extractor *extractor)
{
	return needs_template(extractor);
}

/* The method uses a sample of the page's cluster. */
static inline bool learns_sample(const struct extractor *extractor)
{
	return extractor->learn != NULL;
}

/* What learn() makes with these parameters [MAX_PARAMETERS] serves those. */
bool extractor_learns_the_same(const struct extractor *extractor,
			       const double *these, const double *those);

/* The defaults, for `parameters` of an input: [MAX_PARAMETERS]. */
void extractor_defaults(const struct extractor *extractor, double *parameters);

/*
 * Set one parameter from text such as "radius=20": false, with an English
 * sentence in `error_out` [256], when the name, the number or the range is
 * wrong.
 */
bool extractor_set(const struct extractor *extractor, const char *assignment,
		   double *parameters, char *error_out);

#endif
