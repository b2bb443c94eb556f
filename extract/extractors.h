/*
 * extract/extractors.h - the table of all extractors, the choice of one by its
 * name, its parameters and the selectors of a request. The command line, the
 * API, the evaluation and the manual read the table. A new extractor is one
 * file and one line in it.
 */
#ifndef EXTRACT_EXTRACTORS_H
#define EXTRACT_EXTRACTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "extract/core/extractor.h"

struct selector;

/* The extractors; NULL ends the table. */
extern const struct extractor *const extractors[];

/* Return the extractor `name`, NULL if there is none. */
const struct extractor *extractor_find(const char *name);

/*
 * The quality of an extracted text in one word, which explains why a text is
 * short or missing.
 */

/* The first quality whose condition holds. */
enum text_quality {
	QUALITY_NOT_HTML,  /* text, JSON or XML without an HTML tag */
	QUALITY_BLOCKED,   /* HTTP status 401, 403, 407, 429 or 503, or a page
			      that demands a CAPTCHA or a consent */
	QUALITY_JS_ONLY,   /* the page is a shell that scripts must fill */
	QUALITY_EMPTY,     /* the method chose nothing */
	QUALITY_UNSURE,    /* assessment.is_unsure is true */
	QUALITY_TRUNCATED, /* truncated at a limit, or the page ends inside a
			      tag */
	QUALITY_LISTING, /* more than half of the chosen words are link texts */
	QUALITY_OK,
	QUALITY_COUNT
};

/* Return the name: "ok", "js-only", "not-html", ... */
const char *text_quality_name(enum text_quality quality);

/*
 * Judge the verdicts [page->text_count]. `is_unsure` is the field of struct
 * assessment; `http_status` is 0 if it is unknown. Linear, constant stack;
 * memory from page->arena.
 */
enum text_quality text_quality_of(const struct page *page,
				  const struct verdict *verdicts,
				  bool is_unsure, unsigned http_status);

/* The method that runs if the request names none. */
#define DEFAULT_METHOD "auto"

struct method_selection {
	const struct extractor *extractor; /* the method that runs */
	const struct extractor *named; /* the method that the request names */
	bool has_template; /* the method gets the template of the cluster */
	char reason[160];  /* an English phrase: the evidence it uses */
};

/*
 * Select the method `method`; NULL selects the default. A cluster has a
 * template if it has at least `min_cluster_pages` pages; `cluster_pages` is 0
 * for a page in no cluster. If a method needs a template and there is none, the
 * default method runs instead if the method falls back (struct extractor).
 * ERR_NOT_FOUND: there is no such method. ERR_ADDRESS_FORBIDDEN: the method
 * needs a template, there is none, and the method does not fall back.
 * choice_out->reason explains every result.
 */
enum error method_select(const char *method, uint32_t cluster_pages,
			 uint32_t min_cluster_pages,
			 struct method_selection *choice_out);

struct selection {
	const struct selector *include; /* choose all visible text in these
					   elements; or NULL */
	const struct selector
		*exclude;   /* choose no text in these elements; or NULL */
	bool with_comments; /* choose the texts of auto_comments(), too */
	const bool *apart; /* [text_count]: never choose these texts; or NULL */
};

/*
 * Change the verdicts [page->text_count]; `exclude` takes precedence. Scores do
 * not change; reasons go to `trace`, which may be NULL. Memory from
 * page->arena. Linear in the page, within the bounds of page/selector.h.
 */
void selection_apply(const struct selection *selection, const struct page *page,
		     struct verdict *verdicts, struct trace *trace);

/*
 * Parses parameters of several methods from one line, as in the configuration:
 * "accb.radius=30, cetr.clusters=4".
 */

/*
 * Set the parameters in `settings` that belong to `extractor`; with NULL, only
 * check the whole line. Return false, with an English sentence in `error_out`
 * [256], at the first part with an unknown method, an unknown parameter, or a
 * number out of range.
 */
bool settings_apply(const char *settings, const struct extractor *extractor,
		    double *parameters, char *error_out);

#endif
