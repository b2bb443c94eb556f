#include "daemon/pipeline/archiving.h"

#include "daemon/runtime/clock.h"

enum { STATUS_FRESH = 304 };

/* Only the bodies of successes are kept. */
static bool is_dropped(const struct fetch_result *result)
{
	return result->http_status != STATUS_FRESH &&
	       (result->http_status < 200 || result->http_status >= 300);
}

void archive_job(struct archive *archive, struct job *job)
{
	const struct fetch_result *result = &job->result;
	struct warc_exchange exchange = {
		.url = slice_of(job->url.text),
		.address = slice_of(result->address),
		.request = buffer_slice(&result->request),
		.headers = buffer_slice(&result->head),
		.body = buffer_slice(&result->body),
		.is_cut = result->is_cut,
		.cut_reason = result->is_broken ? "disconnect" : "length",
		.is_revisit = result->http_status == STATUS_FRESH,
	};

	/* what is not kept of an answer cannot be archived */
	if (archive == NULL || job->is_archived || result->head.size == 0 ||
	    result->error != ERR_NONE ||
	    (job->work.lease.flags & FRONTIER_IS_SITEMAP) != 0)
		return;
	if (is_dropped(result)) {
		exchange.is_cut = true;
		exchange.cut_reason = "unspecified";
	}
	exchange.time_ms = clock_wall_ms() - result->elapsed_ms;
	archive_write(archive, &exchange);
	job->is_archived = true;
}
