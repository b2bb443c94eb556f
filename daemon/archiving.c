#include "daemon/archiving.h"

#include "daemon/clock.h"

enum { STATUS_FRESH = 304 };

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

	if (archive == NULL || job->is_archived || result->head.size == 0 ||
	    (job->work.lease.flags & FRONTIER_IS_SITEMAP) != 0)
		return;
	exchange.time_ms = clock_wall_ms() - result->elapsed_ms;
	archive_write(archive, &exchange);
	job->is_archived = true;
}
