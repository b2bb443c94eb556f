/*
 * extract/extractors.h - the table of all extraction methods, the choice of a
 * method by its name, parameters of methods, and the selectors of a request.
 * The command line, the API, the evaluation and the manual read the table. To
 * add a method, write one file and add one line to the table.
 */
#ifndef EXTRACT_EXTRACTORS_H
#define EXTRACT_EXTRACTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "extract/core/extractor.h"

struct selector;

/* All extraction methods; NULL ends the table. */
extern const struct extractor *const extractors[];

/* Return the extraction method `name`, or NULL if it does not exist. */
const struct extractor *extractor_find(const char *name);

/*
 * The quality of an extracted text, which explains why a text may be short or
 * missing.
 */

/* The quality is the first of these whose condition is true. */
enum text_quality {
	QUALITY_NOT_HTML,  /* text, JSON or XML without an HTML tag */
	QUALITY_BLOCKED,   /* HTTP status 401, 403, 407, 429 or 503, or a page
			      that demands a CAPTCHA or a consent */
	QUALITY_JS_ONLY,   /* the page is a shell that scripts must fill */
	QUALITY_EMPTY,     /* the method chose nothing */
	QUALITY_UNSURE,    /* assessment.is_unsure is true */
	QUALITY_TRUNCATED, /* the page was truncated at a limit, or ends inside
			      a tag */
	QUALITY_LISTING, /* more than half of the chosen words are link texts */
	QUALITY_OK,
	QUALITY_COUNT
};

/* Return the name of a quality, such as "ok", "js-only" or "not-html". */
const char *text_quality_name(enum text_quality quality);

/*
 * Return the quality of the text that a method chose by verdicts
 * [page->text_count]. `is_unsure` is the field of struct assessment;
 * `http_status` is 0 if it is unknown. Linear, constant stack; scratch memory
 * comes from page->arena.
 */
enum text_quality text_quality_of(const struct page *page,
				  const struct verdict *verdicts,
				  bool is_unsure, unsigned http_status);

/*
 * Return whether the page is a shell that scripts must fill, as QUALITY_JS_ONLY
 * for a method that chooses all text. Linear; scratch memory comes from
 * page->arena.
 */
bool page_is_shell(const struct page *page);

/* The method that runs if the request names none. */
#define DEFAULT_METHOD "auto"

struct method_selection {
	const struct extractor *extractor; /* the method that runs */
	const struct extractor *named; /* the method that the request names */
	bool has_template; /* the cluster has a template, which the method reads
			    */
	char reason[160];  /* an English phrase that states the data the method
			      reads */
};

/*
 * Select the method `method`; NULL selects the default. A cluster has a
 * template if it has at least `min_cluster_pages` pages; `cluster_pages` is 0
 * for a page in no cluster. If the method needs a template, the cluster has no
 * template, and falls_back is true for the method, select the default method
 * instead. choice_out->reason explains every result. ERR_NOT_FOUND: there is no
 * such method. ERR_ADDRESS_FORBIDDEN: the same, but falls_back is false.
 */
enum error method_select(const char *method, uint32_t cluster_pages,
			 uint32_t min_cluster_pages,
			 struct method_selection *choice_out);

struct selection {
	const struct selector *include; /* choose all visible text in the
					   matching elements; or NULL */
	const struct selector
		*exclude; /* choose no text in the matching elements; or NULL */
	bool with_comments; /* choose in addition the texts of auto_comments()
			     */
	const bool *apart; /* [text_count]: never choose these texts; or NULL */
};

/*
 * Change verdicts [page->text_count] by the selection; `exclude` takes
 * precedence over `include` and with_comments. Scores do not change. The
 * reasons of the changes are added to `trace`, which may be NULL. Memory comes
 * from page->arena. Linear in the page, within the bounds of page/selector.h.
 */
void selection_apply(const struct selection *selection, const struct page *page,
		     struct verdict *verdicts, struct trace *trace);

/*
 * Parameters of several methods on one line, as in the configuration:
 * "accb.radius=30, cetr.clusters=4".
 */

/*
 * Set those parameters of the line `settings` that belong to `extractor`. If
 * `extractor` is NULL, only check the whole line. At the first part with an
 * unknown method, an unknown parameter, or a number out of range, return false,
 * with an English sentence in `error_out` [256].
 */
bool settings_apply(const char *settings, const struct extractor *extractor,
		    double *parameters, char *error_out);

#endif
