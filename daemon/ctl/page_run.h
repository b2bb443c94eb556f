/*
 * daemon/ctl/page_run.h - running a verb on pages: prints the content of one
 * file, or writes that of many. Shared by `extract` and `apply`.
 */
#ifndef DAEMON_CTL_PAGE_RUN_H
#define DAEMON_CTL_PAGE_RUN_H

#include "daemon/answer/answer.h"
#include "daemon/ctl/ctl.h"

struct page_run {
	const struct ctl *ctl; /* its operands are the files */
	size_t max_bytes;      /* of a page; it is cut behind them */
	struct text_request request;
	/* Answer a page. */
	enum error (*answer)(void *context, const struct text_request *request,
			     struct text_answer *answer_out);
	/* The URL of one of many files, by its name; NULL: that of the request.
	 */
	enum error (*place)(void *context, const char *name,
			    struct url *url_out);
	void *context;
};

/* Run it over the operands, with --out. Errors are reported. */
enum ctl_status page_run(const struct page_run *run);

/*
 * Read --url, if it is given, and set it in the request. False, with a message,
 * when it is no URL.
 */
bool page_run_url(const struct ctl *ctl, struct text_request *request,
		  struct url *url_out);

#endif
