/*
 * extract/core/extractor.h - the type of all extraction methods. A method reads
 * a page and returns a score and a verdict for every text node. To add a
 * method, write one file and add one line to the table in extract/extractors.c.
 * The CLI, the API, the evaluation and the manual read that table.
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
 * What the caller considers as content, because people do not agree about it:
 * how much of the page (scope), and whether precision (nothing but content) or
 * recall (all of the content) is more important.
 */

enum preference_scope {
	SCOPE_NONE, /* the caller named no scope: a compromise of both others */
	SCOPE_BODY, /* only the article or the post */
	SCOPE_PAGE, /* everything that the page is about, including list
		       entries, replies in a forum, and details of a product */
	SCOPE_COUNT
};

enum favor { FAVOR_BALANCE, FAVOR_PRECISION, FAVOR_RECALL, FAVOR_COUNT };

struct preference {
	enum preference_scope scope;
	enum favor favor;
};

/*
 * Parse "body" or "page"; return false for other names. scope_name() returns
 * the name of a scope; NULL for SCOPE_NONE.
 */
bool scope_from_name(const char *name, enum preference_scope *scope_out);
const char *scope_name(enum preference_scope scope);

/* Parse "balance", "precision" or "recall"; return false for other names. */
bool favor_from_name(const char *name, enum favor *favor_out);
const char *favor_name(enum favor favor);

/*
 * Set the parameters "scope" and "threshold" of the method for the preference.
 * Do nothing for SCOPE_NONE with FAVOR_BALANCE. If the method has no threshold
 * for the preference, return false, with an English sentence in `error_out`
 * [256].
 */
bool preference_apply(struct preference preference,
		      const struct extractor *extractor, double *parameters,
		      char *error_out);

/* What a method decides about a text node. */
struct verdict {
	float score; /* on the method's own scale; higher = more likely content
		      */
	bool is_content;
};

/*
 * For each fragment of the page, the number of pages of the cluster that
 * contain it.
 */
struct template_counts {
	uint32_t page_count; /* pages of the cluster */
	/*
	 * [page->text_count]: the number of pages that contain the text node's
	 * fragment. Always 0 for a method that does not read counts
	 * (reads_counts()), except in an explanation.
	 */
	const uint32_t *document_frequency;
};

enum { MAX_SAMPLE_PAGES = 32 };

/*
 * Some pages of a cluster. The sample is the same for every page of the
 * cluster.
 */
struct sample {
	const struct page *const *pages; /* [count] */
	uint32_t count;                  /* 1..MAX_SAMPLE_PAGES */
	/*
	 * [count]: the results of extractor->prepare() for these pages, with
	 * the same parameters; NULL if nothing was prepared.
	 */
	const void *const *prepared;
};

/* What a method needs to know about the template, in addition to the page. */
enum knowledge {
	NEEDS_PAGE,   /* nothing else */
	NEEDS_COUNTS, /* template_counts */
	NEEDS_SAMPLE, /* template_counts, and the model that learn() builds from
			 a sample */
	MAY_USE_SAMPLE, /* nothing else, but the result is better with the input
			   of NEEDS_SAMPLE */
};

/* The method's estimate of how good its choice of texts is. */
struct assessment {
	float expected_f1; /* F1 of the chosen words, 0..1, estimated from the
			      scores */
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
	 * The result of prepare() for this page with the same parameters, or
	 * NULL.
	 */
	const void *prepared;
	const struct ridge_model
		*ridges;          /* the site's own ridge model, or NULL */
	const double *parameters; /* [extractor->parameter_count], in range */
	struct arena *arena;      /* for scratch memory; the caller frees it */
	struct trace *trace; /* the explanation, which the method fills; usually
				NULL */
	/* Some methods fill it in. NULL if the caller does not need it. */
	struct assessment *assessment;
};

/* A parameter of a method: a row of the method's table of parameters. */
struct parameter {
	const char *name;
	const char *unit; /* "" if it has none */
	double minimum;
	double maximum;
	double default_value;
	const char *meaning;
};

enum { MAX_PARAMETERS = 8 };

/*
 * Initialise the fields `parameters` and `parameter_count` of struct extractor
 * with the table `rows`.
 */
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
	 * If the method needs a template and the page's template is unknown,
	 * the default method runs instead.
	 */
	bool falls_back;
	/*
	 * The value of the parameter "threshold" for each scope and favor; 0 =
	 * none. A method with a value for SCOPE_BODY or SCOPE_PAGE has the
	 * parameter "scope".
	 */
	double thresholds[SCOPE_COUNT][FAVOR_COUNT];
	/*
	 * Compute the data of a page that both learn() and run() need, so that
	 * a caller of both computes them only once. The result belongs to
	 * `arena`; the page must outlive it. It depends on the same parameters
	 * as learn(). The pointer is NULL for a method without such data.
	 */
	const void *(*prepare)(const struct page *page,
			       const double *parameters, struct arena *arena);
	/*
	 * Build a model from a sample, for run() on any number of pages. The
	 * model belongs to `arena` and has no pointer into the sample. Linear
	 * in the sample, constant stack. The pointer is set for NEEDS_SAMPLE,
	 * may be set for MAY_USE_SAMPLE, and is NULL otherwise.
	 */
	const void *(*learn)(const struct sample *sample,
			     const double *parameters, struct arena *arena);
	/*
	 * learn() depends only on the first `learned_parameters` parameters. If
	 * the number is 0, callers may pass NULL to learn().
	 */
	size_t learned_parameters;
	/*
	 * Write the verdict on each text to verdicts [page->text_count].
	 * Linear, constant stack.
	 */
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
 * Return true if learn() builds the same model with both parameter vectors,
 * these [MAX_PARAMETERS] and those [MAX_PARAMETERS].
 */
bool extractor_builds_same_model(const struct extractor *extractor,
				 const double *these, const double *those);

/* Set `parameters` [MAX_PARAMETERS] to the defaults. */
void extractor_defaults(const struct extractor *extractor, double *parameters);

/*
 * Set one parameter from text such as "radius=20". If the parameter does not
 * exist, or the value is no number or out of range, return false, with an
 * English sentence in `error_out` [256].
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
 * Return the set {`page`} as bits: 1 << the index of the first page of the
 * sample with the same source, or 0 if no page has the same source. Linear in
 * the source.
 */
uint32_t sample_bit(const struct sample_pages *pages, const struct page *page);

/* Return the number of pages in a set of pages, one bit each. */
uint32_t sample_size(uint32_t set);

#endif
