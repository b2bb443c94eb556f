/*
 * daemon/ctl/page_run.h - running a verb on pages: prints the content of one
 * page, or of many as a line of JSON each, or writes a file a page. The one
 * path of `extract`, `apply` and `batch`.
 */
#ifndef DAEMON_CTL_PAGE_RUN_H
#define DAEMON_CTL_PAGE_RUN_H

#include "daemon/answer/answer.h"
#include "daemon/ctl/ctl.h"

struct page_item;

/* Rows of the verbs. */
#define OPTION_OUT_ROW                                              \
	{                                                           \
		.name = "out", .kind = OPTION_TEXT, .value = "DIR", \
		.meaning = "write a file a page into DIR, in "      \
			   "place of a line of JSON a page"         \
	}
#define OPTION_JOBS_ROW                                                  \
	{                                                                \
		.name = "jobs", .letter = 'j', .kind = OPTION_WHOLE,     \
		.value = "N", .minimum = 1, .maximum = 256,              \
		.meaning = "work on so many pages at once (default: as " \
			   "many as there are processors)"               \
	}
#define OPTION_CITABLE_ROW                                           \
	{                                                            \
		.name = "only-with-metadata", .kind = OPTION_FLAG,   \
		.meaning = "leave out pages without title, date of " \
			   "publication or address"                  \
	}
#define OPTION_WARC_ROW                                                   \
	{                                                                 \
		.name = "warc", .kind = OPTION_FLAG,                      \
		.meaning = "the operands are archives, whatever they are" \
			   " called"                                      \
	}

#define OPTION_URLS_ROW                                                \
	{                                                              \
		.name = "urls", .kind = OPTION_TEXT, .value = "FILE",  \
		.meaning = "also the pages of these addresses, one a " \
			   "line; - is standard input"                 \
	}

struct page_run {
	const struct ctl *ctl; /* its operands are the pages */
	size_t max_bytes;      /* of a page; it is cut behind them */
	unsigned jobs;         /* threads that call answer(); 1: the caller's */
	struct text_request request;
	/* Answer a page; any thread when there are several jobs. */
	enum error (*answer)(void *context, const struct page_item *item,
			     const struct text_request *request,
			     struct text_answer *answer_out);
	/* The URL of one of many files, by its name; NULL: that of the request.
	 */
	enum error (*place)(void *context, const char *name,
			    struct url *url_out);
	void *context;
	/* The next page in place of those of the operands, known to answer()
	   and not read; false: there are no more. NULL: the operands. */
	bool (*next)(void *context, struct page_item *item_out);
	size_t count; /* of these pages */
};

/* What came of it. */
struct page_run_counts {
	size_t done;
	size_t failed;   /* the reasons were told */
	size_t left_out; /* by --only-with-metadata */
};

/*
 * Run it, with --out, --jobs, --warc and --only-with-metadata as far as the
 * verb has them. Errors are reported, those of a page also in its place as a
 * line of JSON: {"file", "error"}.
 */
enum ctl_status page_run(const struct page_run *run,
			 struct page_run_counts *counts_out);

/* By --jobs. */
unsigned page_run_jobs(const struct ctl *ctl);

/* Whether the operands may be several pages. */
bool page_run_is_many(const struct ctl *ctl);

/*
 * The format, by --format or --json, else TXT, or JSON for lines of pages
 * (`is_listed`, unless there is --out). False, with a message, when these
 * cannot be in that format, or --out has nothing to read.
 */
bool page_run_format(const struct ctl *ctl, bool is_listed,
		     enum format *format_out);

/*
 * Read --url, if it is given, and set it in the request. False, with a message,
 * when it is no URL.
 */
bool page_run_url(const struct ctl *ctl, struct text_request *request,
		  struct url *url_out);

#endif
