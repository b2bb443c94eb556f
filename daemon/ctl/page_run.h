/*
 * daemon/ctl/page_run.h - run a verb on pages: print the text of one page, or
 * of many pages as a line of JSON each, or write a file per page. `extract`,
 * `apply` and `batch` all use it.
 */
#ifndef DAEMON_CTL_PAGE_RUN_H
#define DAEMON_CTL_PAGE_RUN_H

#include "daemon/ctl/ctl.h"
#include "daemon/query/answer.h"

struct page_item;

/* Rows for the tables of the verbs. */
#define OPTION_OUT_ROW                                              \
	{                                                           \
		.name = "out", .kind = OPTION_TEXT, .value = "DIR", \
		.meaning = "write a file per page into DIR, "       \
			   "instead of JSON lines"                  \
	}
#define OPTION_JOBS_ROW                                              \
	{                                                            \
		.name = "jobs", .letter = 'j', .kind = OPTION_WHOLE, \
		.value = "N", .minimum = 1, .maximum = 256,          \
		.meaning = "number of pages in parallel (default: "  \
			   "number of processors)"                   \
	}
#define OPTION_CITABLE_ROW                                         \
	{                                                          \
		.name = "only-with-metadata", .kind = OPTION_FLAG, \
		.meaning = "skip pages without title, date of "    \
			   "publication or URL"                    \
	}
#define OPTION_WARC_ROW                                                     \
	{                                                                   \
		.name = "warc", .kind = OPTION_FLAG,                        \
		.meaning = "treat all operands as archives, whatever their" \
			   " names"                                         \
	}

#define OPTION_URLS_ROW                                               \
	{                                                             \
		.name = "urls", .kind = OPTION_TEXT, .value = "FILE", \
		.meaning = "also the pages of these URLs, one per "   \
			   "line; - is standard input"                \
	}

struct page_run {
	const struct ctl *ctl; /* its operands name the pages */
	size_t max_bytes;      /* of a page; larger pages are truncated */
	unsigned jobs; /* threads that call answer(); 1: only the caller's */
	struct text_request request;
	/* Extract a page; called by any thread if there are several jobs. */
	enum error (*answer)(void *context, const struct page_item *item,
			     const struct text_request *request,
			     struct extraction_result *answer_out);
	/*
	 * Make the URL of one of several files, from its name. NULL: use the
	 * URL of the request.
	 */
	enum error (*place)(void *context, const char *name,
			    struct url *url_out);
	void *context;
	/*
	 * Return the next page; it is not read, because answer() knows it.
	 * False: there are no more. NULL: use the pages of the operands.
	 */
	bool (*next)(void *context, struct page_item *item_out);
	size_t count; /* number of pages of next() */
};

/* Results of a run. */
struct page_run_counts {
	size_t done;
	size_t failed;   /* with a printed reason */
	size_t left_out; /* by --only-with-metadata */
};

/*
 * Run the verb, with --out, --jobs, --warc and --only-with-metadata as far as
 * the verb has these options. Errors are printed; the output also has a line of
 * JSON for a failed page: {"file", "error"}.
 */
enum ctl_status page_run(const struct page_run *run,
			 struct page_run_counts *counts_out);

/* Return the value of --jobs. */
unsigned page_run_jobs(const struct ctl *ctl);

/* Return whether the operands may name several pages. */
bool page_run_is_many(const struct ctl *ctl);

/*
 * Return the format of --format or --json. The default is TXT, or JSON for
 * lines of pages (`is_listed` without --out). If the format is impossible for
 * these pages, or --out has no input, print a message and return false.
 */
bool page_run_format(const struct ctl *ctl, bool is_listed,
		     enum format *format_out);

/*
 * Read --url, if given, and set it in the request. If it is not a URL, print a
 * message and return false.
 */
bool page_run_url(const struct ctl *ctl, struct text_request *request,
		  struct url *url_out);

#endif
