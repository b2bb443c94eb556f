/*
 * daemon/api/text_stream.h - the texts of a site as a streamed answer: several
 * pages are asked for at a time, as fast as the client reads, and sent in
 * order. Internal to api*.c.
 */
#ifndef DAEMON_API_TEXT_STREAM_H
#define DAEMON_API_TEXT_STREAM_H

#include <stdint.h>

#include "daemon/answer/text_form.h"
#include "daemon/answer/text_walk.h"
#include "daemon/api/api_call.h"
#include "daemon/api/api_question.h"
#include "daemon/http/http.h"
#include "store/error.h"

enum {
	MAX_TEXT_STREAMS = 4
}; /* at the same time; each may hold a worker of
      the server */

struct text_wish {
	enum text_form form;
	struct text_filter filter;
	uint32_t qualities;    /* a bit for each enum answer_quality */
	double min_confidence; /* 0: also what has none */
	uint64_t limit;        /* pages; 0: all */
	bool is_raw;           /* cells of CSV may be formulas */
	bool is_resumed;       /* without what stands before the first page */
};

/*
 * Make the source of the stream; everything is copied. ERR_BUSY: there are too
 * many; ERR_NOT_FOUND: there is no such site; other errors of the store;
 * ERR_IO: no thread can be started.
 */
enum error text_stream_create(struct call *call,
			      const struct question *question,
			      const struct text_wish *wish,
			      struct http_stream *stream_out);

#endif
