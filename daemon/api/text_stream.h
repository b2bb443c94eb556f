/*
 * daemon/api/text_stream.h - the texts of a site as a streamed response:
 * threads extract several pages at a time, as fast as the client reads, and the
 * pages are sent in order. Internal to api*.c.
 */
#ifndef DAEMON_API_TEXT_STREAM_H
#define DAEMON_API_TEXT_STREAM_H

#include <stdint.h>

#include "base/error.h"
#include "daemon/api/api_call.h"
#include "daemon/api/api_question.h"
#include "daemon/http/http.h"
#include "daemon/query/text_form.h"
#include "daemon/query/text_walk.h"

enum {
	MAX_TEXT_STREAMS = 4
}; /* at the same time; each may hold a thread of the server */

struct text_wish {
	enum text_export_format form;
	struct text_filter filter;
	uint32_t qualities;    /* a bit for each enum text_quality */
	double min_confidence; /* 0 = also texts without a confidence */
	uint64_t limit;        /* pages; 0 = unlimited */
	bool is_raw;           /* cells of CSV may be formulas */
	bool is_resumed;       /* omit the text before the first page */
};

/*
 * Create the source of the stream; all arguments are copied. ERR_BUSY: too many
 * streams. ERR_NOT_FOUND: no such site. ERR_IO: no thread can be started. Other
 * errors come from the store.
 */
enum error text_stream_create(struct call *call,
			      const struct text_params *question,
			      const struct text_wish *wish,
			      struct http_stream *stream_out);

#endif
