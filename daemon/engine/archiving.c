#include "daemon/engine/archiving.h"

#include <strings.h>

#include "crawl/header.h"
#include "crawl/line.h"
#include "daemon/runtime/clock.h"

enum { STATUS_FRESH = 304 };

/* Return whether the body is not stored: only bodies of successes are. */
static bool response_body_is_dropped(const struct fetch_result *result)
{
	return result->http_status != STATUS_FRESH &&
	       (result->http_status < 200 || result->http_status >= 300);
}

/* Return the text before the colon; empty if there is no colon. */
static struct slice header_line_name(struct slice line)
{
	const char *colon =
		line.size == 0 ? NULL : memchr(line.data, ':', line.size);

	return (struct slice){
		line.data,
		colon == NULL ? 0 : (size_t)(colon - (const char *)line.data)};
}

/* Return whether one of the lines has the name. */
static bool header_lines_have_name(struct slice lines, struct slice name)
{
	while (lines.size > 0) {
		struct slice other = header_line_name(line_take(&lines));

		if (other.size == name.size &&
		    strncasecmp(other.data, name.data, name.size) == 0)
			return true;
	}
	return false;
}

static bool is_secret(struct slice line, const char *own_headers)
{
	struct slice name = header_line_name(line);

	if (name.size == 0)
		return false;
	return header_is_word(name, "Authorization") ||
	       header_is_word(name, "Proxy-Authorization") ||
	       header_is_word(name, "Cookie") ||
	       (own_headers != NULL &&
		header_lines_have_name(slice_of(own_headers), name));
}

/* Remove credentials from the head of the request. */
static void hide_credentials(struct job *job)
{
	struct buffer *request = &job->result.request;
	struct slice rest = buffer_slice(request);
	struct buffer kept = {0};

	while (rest.size > 0) {
		struct slice whole = rest;
		struct slice line = line_take(&rest);

		whole.size -= rest.size;
		if (!is_secret(line, job->work.headers))
			buffer_append_slice(&kept, whole);
	}
	buffer_free(request);
	*request = kept;
}

void archive_job(struct archive *archive, struct job *job,
		 bool keeps_credentials)
{
	const struct fetch_result *result = &job->result;
	struct warc_exchange exchange = {
		.url = slice_of(job->url.text),
		.address = slice_of(result->address),
		.headers = buffer_slice(&result->head),
		.body = buffer_slice(&result->body),
		.is_cut = result->is_cut,
		.cut_reason = result->is_broken ? "disconnect" : "length",
		.is_revisit = result->http_status == STATUS_FRESH,
	};

	/* a response whose body was not stored cannot be archived */
	if (archive == NULL || job->is_archived || result->head.size == 0 ||
	    result->error != ERR_NONE ||
	    (job->work.lease.flags & FRONTIER_IS_SITEMAP) != 0)
		return;
	if (!keeps_credentials)
		hide_credentials(job);
	exchange.request = buffer_slice(&result->request);
	if (response_body_is_dropped(result)) {
		exchange.is_cut = true;
		exchange.cut_reason = "unspecified";
	}
	exchange.time_ms = clock_wall_ms() - result->elapsed_us / 1000;
	if (archive_write(archive, &exchange))
		job->archived_ms = exchange.time_ms;
	job->is_archived = true;
}
