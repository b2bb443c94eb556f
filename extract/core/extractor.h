/*
 * extract/core/extractor.h - the type of all extraction methods. A method gets
 * a page and returns a score and a verdict for every text node. A new method is
 * one file and one line in the table of extract/extractors.c; the CLI, the API,
 * the evaluation and the manual read that table.
 */
#ifndef EXTRACT_CORE_EXTRACTOR_H
#define EXTRACT_CORE_EXTRACTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct extractor;
struct page;
struct ridge_model;
struct trace;

/*
 * Which text the caller wants, because people do not agree on what content is:
 * how much of the page (scope), and whether to favour precision (only content)
 * or recall (all content).
 */

enum preference_scope {
	SCOPE_NONE, /* none named: a compromise */
	SCOPE_BODY, /* only the article or the post */
	SCOPE_PAGE, /* everything that the page is about: list entries, replies
		       of a forum, details of a product */
	SCOPE_COUNT
};

enum favor { FAVOR_BALANCE, FAVOR_PRECISION, FAVOR_RECALL, FAVOR_COUNT };

struct preference {
	enum preference_scope scope;
	enum favor favor;
};

/*
 * Parse "body" or "page"; return false for other names. The name of SCOPE_NONE
 * is NULL.
 */
bool scope_from_name(const char *name, enum preference_scope *scope_out);
const char *scope_name(enum preference_scope scope);

/* Parse "balance", "precision" or "recall"; return false for other names. */
bool favor_from_name(const char *name, enum favor *favor_out);
const char *favor_name(enum favor favor);

/*
 * Set the parameters "scope" and "threshold" of the method; do nothing for
 * SCOPE_NONE with FAVOR_BALANCE. Return false, with an English sentence in
 * `error_out` [256], if the method has no such threshold.
 */
bool preference_apply(struct preference preference,
		      const struct extractor *extractor, double *parameters,
		      char *error_out);

/* What a method decides about a text node. */
struct verdict {
	float score; /* the method's own scale; higher is more content */
	bool is_content;
};

/* In how many pages of the cluster each of the page's fragments occurs. */
struct template_counts {
	uint32_t page_count; /* pages of the cluster */
	/*
	 * [page->text_count]: pages that hold the text node's fragment. All
	 * zeros for a method that does not read_counts(), except in an
	 * explanation.
	 */
	const uint32_t *document_frequency;
};

enum { MAX_SAMPLE_PAGES = 32 };

/* Pages of the cluster; the same pages for every page of the cluster. */
struct sample {
	const struct page *const *pages; /* [count] */
	uint32_t count;                  /* 1..MAX_SAMPLE_PAGES */
	/*
	 * [count]: the results of extractor->prepare() for these pages, with
	 * the same parameters; NULL if nothing was prepared.
	 */
	const void *const *prepared;
};

/* The input of a method in addition to the page. */
enum knowledge {
	NEEDS_PAGE,   /* none */
	NEEDS_COUNTS, /* template_counts */
	NEEDS_SAMPLE, /* template_counts, and the model that learn() builds from
			 a sample */
	MAY_USE_SAMPLE, /* works without, but better with both of these */
};

/* How good the method estimates its choice to be. */
struct assessment {
	float expected_f1; /* over the words chosen, 0..1; from their scores */
	float confidence;  /* expected_f1, calibrated on other pages */
	bool is_unsure;    /* no text reached the threshold, so the method chose
			      the best texts */
};

struct extractor_input {
	const struct page *page;
	/* NULL if the page's template is unknown */
	const struct template_counts *template_counts;
	/*
	 * The model from learn(); NULL for a method without learn(), or if the
	 * page's template is unknown.
	 */
	const void *learned;
	/*
	 * The result of prepare() for the page with the same parameters; or
	 * NULL.
	 */
	const void *prepared;
	const struct ridge_model *ridges; /* the site's own model; or NULL */
	const double *parameters; /* [extractor->parameter_count], in range */
	struct arena *arena;      /* for scratch memory; freed by the caller */
	struct trace *trace;      /* receives the explanation; usually NULL */
	/* Some methods fill it; NULL if the caller does not need it. */
	struct assessment *assessment;
};

/* A row of a method's table. */
struct parameter {
	const char *name;
	const char *unit; /* "" if it has none */
	double minimum;
	double maximum;
	double default_value;
	const char *meaning;
};

enum { MAX_PARAMETERS = 8 };

/* The fields of struct extractor for the table `rows`. */
#define PARAMETERS(rows)      \
	.parameters = (rows), \
	.parameter_count = sizeof(rows) / sizeof((rows)[0])

struct extractor {
	const char *name;
	const char *summary; /* one line */
	const char *source;  /* the paper and the section */
	const struct parameter *parameters;
	size_t parameter_count; /* <= MAX_PARAMETERS */
	enum knowledge needs;
	bool reads_ridges; /* the method uses input->ridges */
	/*
	 * For a method that needs a template: without one the default method
	 * runs instead.
	 */
	bool falls_back;
	/*
	 * Values of the parameter "threshold" by scope and preference; 0 =
	 * none. A method with a scope has the parameter "scope".
	 */
	double thresholds[SCOPE_COUNT][FAVOR_COUNT];
	/*
	 * Compute the parts that both learn() and run() need from a page, in
	 * `arena`. The page must outlive the result. A caller of both can
	 * prepare once. NULL if there are no such parts. Depends on the same
	 * parameters as learn().
	 */
	const void *(*prepare)(const struct page *page,
			       const double *parameters, struct arena *arena);
	/*
	 * Build a model from a sample, in `arena`, for run() on any number of
	 * pages. The model holds no pointer into the sample. Not NULL with
	 * NEEDS_SAMPLE, may be NULL with MAY_USE_SAMPLE, NULL otherwise.
	 * Linear in the sample, constant stack.
	 */
	const void *(*learn)(const struct sample *sample,
			     const double *parameters, struct arena *arena);
	/*
	 * learn() depends on the first `learned_parameters` parameters. If this
	 * is 0, its `parameters` are NULL.
	 */
	size_t learned_parameters;
	/* Fill verdicts [page->text_count]. Linear, constant stack. */
	void (*run)(const struct extractor_input *input,
		    struct verdict *verdicts);
};

static inline bool needs_template(const struct extractor *extractor)
{
	return extractor->needs == NEEDS_COUNTS ||
	       extractor->needs == NEEDS_SAMPLE;
}

/* Return true if the method reads the document frequencies of fragments. */
static inline bool reads_counts(const struct extractor *extractor)
{
	return needs_template(extractor);
}

/*
 * Return true if the method builds a model from a sample of the page's cluster.
 */
static inline bool extractor_builds_model(const struct extractor *extractor)
{
	return extractor->learn != NULL;
}

/*
 * Return true if learn() builds the same model from both parameter vectors
 * [MAX_PARAMETERS].
 */
bool extractor_builds_same_model(const struct extractor *extractor,
				 const double *these, const double *those);

/* Set `parameters` [MAX_PARAMETERS] to the defaults. */
void extractor_defaults(const struct extractor *extractor, double *parameters);

/*
 * Set one parameter from text such as "radius=20". Return false, with an
 * English sentence in `error_out` [256], if the name, the number or the range
 * is wrong.
 */
bool extractor_set(const struct extractor *extractor, const char *assignment,
		   double *parameters, char *error_out);

/* The pages of a sample, identified by the hash of their source. */
struct sample_pages {
	uint64_t hashes[MAX_SAMPLE_PAGES]; /* [count] */
	uint32_t count;
};

/* Hash the pages. Linear in their source. */
struct sample_pages sample_pages_of(const struct sample *sample);

/*
 * Return 1 << index of the first page of the sample with the same source as
 * `page`, 0 if there is none. Linear in the source.
 */
uint32_t sample_bit(const struct sample_pages *pages, const struct page *page);

/* Return the number of pages in a set of bits. */
uint32_t sample_size(uint32_t set);

#endif
