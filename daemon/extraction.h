/*
 * daemon/extraction.h - from a parsed page to its text: choose the method, give
 * it what it must know, run it, lay the text out. Internal to answer.c.
 */
#ifndef DAEMON_EXTRACTION_H
#define DAEMON_EXTRACTION_H

#include "daemon/answer.h"
#include "extract/extractor.h"
#include "store/txn.h"

struct extraction {
	const struct page *page;
	const struct answer_rules *rules;
	const struct text_request *request;
	/* what is known of the page's cluster; page_count 0: nothing */
	struct template_counts counts;
	struct txn *txn; /* NULL when the page has no cluster */
	uint32_t site;
	uint32_t cluster;
	unsigned http_status; /* 0: not known */
};

/*
 * Fill method, reason, text and metadata of the answer, which has the cluster's
 * name and generation already. ERR_NOT_FOUND, ERR_REFUSED (method),
 * ERR_MALFORMED (parameters or model).
 */
enum error extraction_run(const struct extraction *extraction,
			  struct text_answer *answer);

#endif
