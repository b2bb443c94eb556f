/*
 * daemon/ctl/offline_run.h - extraction options that several actions of
 * templatectl share, and running an extraction on many pages.
 */
#ifndef DAEMON_CTL_OFFLINE_RUN_H
#define DAEMON_CTL_OFFLINE_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "daemon/ctl/ctl.h"
#include "daemon/query/query.h"

struct page_item;

/*
 * A request with the extraction options of a command. The request points into
 * the other members and into the command line.
 */
struct ctl_request {
	struct text_request request;
	const char **parameters; /* NULL follows the last one */
	struct buffer include;   /* the values of all --include, separated by
				    commas */
	struct buffer exclude;
};

/*
 * Read --method, --param, --favor, --scope, --with, --include, --exclude and
 * the options of EXTRAS_ROWS, as far as the action has them. If one is invalid,
 * print an error and return false. In both cases the caller must call
 * ctl_request_free().
 */
bool ctl_request_read(const struct ctl *ctl, struct ctl_request *request_out);
void ctl_request_free(struct ctl_request *request);

/*
 * Append the options to the target of a request to the API, which already has a
 * "?".
 */
void ctl_request_append(const struct ctl_request *asked, struct buffer *target);

/*
 * Processing of a sequence of items in several threads. The results come in the
 * order of the items.
 */

enum { MAX_JOBS = 256 };

/* The functions that process an item, in the order of their calls. */
struct ordered_work {
	/*
	 * Fill in the next item, which is zeroed. Return false if there are no
	 * more.
	 */
	bool (*next)(void *context, void *item);
	/*
	 * Process an item. Several threads call this at the same time, so it
	 * may change only its item.
	 */
	void (*work)(void *context, void *item);
	/*
	 * Use the result of an item and free the contents of the item. Called
	 * in the order of next(). Return false to stop calling next().
	 */
	bool (*done)(void *context, void *item);
	void *context;
	size_t item_bytes;
};

/*
 * Return the number of processors of the machine, but at least 1 and at most
 * MAX_JOBS.
 */
unsigned ordered_work_jobs(void);

/*
 * Process all items. With `jobs` > 1, this many threads call work(), and the
 * caller's thread calls next() and done(); with 1, the caller's thread calls
 * all of them. At most four items per job are in progress. When the function
 * returns, all items for which next() was called are done, and the threads have
 * exited.
 */
void ordered_work_run(const struct ordered_work *work, unsigned jobs);

/*
 * Running an action on pages: it prints the text of one page, or one line of
 * JSON for each of many pages, or writes one file for each page. `extract`,
 * `apply` and `batch` use it.
 */

struct page_run {
	const struct ctl *ctl; /* the operands are the pages */
	size_t max_bytes;      /* maximum size of a page; larger pages are
				  truncated */
	unsigned jobs; /* number of threads that call answer(); 1 = only the
			  caller's thread */
	struct text_request request;
	/*
	 * Extract the text of a page. If there are several jobs, other threads
	 * call this.
	 */
	enum error (*answer)(void *context, const struct page_item *item,
			     const struct text_request *request,
			     struct extraction_result *answer_out);
	/*
	 * Append a line about a page to `out`, instead of calling answer().
	 * NULL = call answer(). With `is_csv` the lines are CSV, not JSON.
	 */
	enum error (*append)(void *context, const struct page_item *item,
			     const struct text_request *request,
			     struct buffer *out);
	bool is_csv;
	/*
	 * Make the URL of a file from its name, if there are several files.
	 * NULL = use the URL of the request.
	 */
	enum error (*place)(void *context, const char *name,
			    struct url *url_out);
	void *context;
	/*
	 * Return the next page. Its body is not read, because answer() knows
	 * the page. Return false if there are no more. NULL = use the pages of
	 * the operands.
	 */
	bool (*next)(void *context, struct page_item *item_out);
	size_t count; /* number of pages that next() returns */
};

/* Numbers of pages after a run. */
struct page_run_counts {
	size_t done;
	size_t failed;   /* the reason was printed */
	size_t left_out; /* skipped because of --only-with-metadata */
};

/*
 * Run the action on all pages, with --out, --jobs, --warc and
 * --only-with-metadata, as far as it has these options. Errors are printed; if
 * the output is lines of JSON, a page that failed has a line, too: {"file",
 * "error"}.
 */
enum ctl_status page_run(const struct page_run *run,
			 struct page_run_counts *counts_out);

/* Return the value of --jobs. */
unsigned page_run_jobs(const struct ctl *ctl);

/* Return whether the operands may name several pages. */
bool page_run_is_many(const struct ctl *ctl);

/*
 * Return the format of --format or --json. The default is TXT; it is JSON if
 * `is_listed` is set and there is no --out, because then the output has a line
 * for each page. If the format is impossible for these pages, or there are no
 * pages for --out, print an error and return false.
 */
bool page_run_format(const struct ctl *ctl, bool is_listed,
		     enum format *format_out);

/*
 * If --url is given, parse it into *url_out and set it in the request. If it is
 * not a URL, print an error and return false.
 */
bool page_run_url(const struct ctl *ctl, struct text_request *request,
		  struct url *url_out);

#endif
