/*
 * daemon/ctl/offline_run.h - extraction options that several verbs of
 * templatectl share.
 */
#ifndef DAEMON_CTL_OFFLINE_RUN_H
#define DAEMON_CTL_OFFLINE_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "daemon/ctl/ctl.h"
#include "daemon/query/query.h"

struct page_item;

/* The request points into the other members and into the command line. */
struct ctl_request {
	struct text_request request;
	const char **parameters; /* ended by NULL */
	struct buffer include;   /* all of --include, separated by commas */
	struct buffer exclude;
};

/*
 * Read --method, --param, --favor, --scope, --with, --include, --exclude and
 * the options of EXTRAS_ROWS, as far as the verb has them. If one is
 * wrong, print a message and return false. Always end with ctl_request_free().
 */
bool ctl_request_read(const struct ctl *ctl, struct ctl_request *request_out);
void ctl_request_free(struct ctl_request *request);

/* Append the options to a target of the API that already has a "?". */
void ctl_request_append(const struct ctl_request *asked, struct buffer *target);

/*
 * Process a sequence of items in several threads; the results come in the
 * order of the items.
 */

enum { MAX_JOBS = 256 };

/* The steps for each item, in this order. */
struct ordered_work {
	/* Fill in the next item, which is zeroed; false if there is none. */
	bool (*next)(void *context, void *item);
	/* Any thread, several at the same time: may use only its item. */
	void (*work)(void *context, void *item);
	/*
	 * In the order of next(); frees the item's contents; false: stop
	 * calling next().
	 */
	bool (*done)(void *context, void *item);
	void *context;
	size_t item_bytes;
};

/* Return the number of processors that this process may use, 1 to MAX_JOBS. */
unsigned ordered_work_jobs(void);

/*
 * Process all items with `jobs` threads in addition to the caller's thread,
 * which calls next() and done(). With 1, use only the caller's thread. At most
 * four items per job are in progress. Return when all begun items are done and
 * the threads have exited.
 */
void ordered_work_run(const struct ordered_work *work, unsigned jobs);

/*
 * Run a verb on pages: print the text of one page, or of many pages as a line
 * of JSON each, or write a file per page. `extract`, `apply` and `batch` all
 * use it.
 */

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
