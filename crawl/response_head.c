#include "crawl/response_head.h"

#include <string.h>

#include "crawl/header.h"
#include "page/robots_tag.h"

/*
 * Copy the value if it fits and is printable, so that it can be shown and sent
 * again.
 */
static void copy_value(struct slice value, char *out, size_t capacity)
{
	out[0] = '\0';
	if (value.size >= capacity || !header_is_printable(value))
		return;
	memcpy(out, value.data, value.size);
	out[value.size] = '\0';
}

/* Copy the media type without its parameters, such as a file name. */
static void copy_type(struct slice value, char *out, size_t capacity)
{
	const char *bytes = value.data;
	size_t size = value.size < capacity ? value.size : capacity - 1;

	for (size_t i = 0; i < size; i++)
		out[i] = (char)(bytes[i] < ' ' || bytes[i] > '~' ? '?'
								 : bytes[i]);
	out[size] = '\0';
}

/* Return the value if the line is a field of that name and is not empty. */
static bool response_head_match(struct slice line, const char *name,
				struct slice *value_out)
{
	*value_out = header_value(line, name);
	return value_out->size > 0;
}

/*
 * Content-Encoding may be empty and may occur several times. libcurl decodes
 * the transfer coding chunked; requests accept no other.
 */
static void take_coding(struct response_head *answer, struct slice line)
{
	struct codings transfer = {0};
	struct slice value;

	if (response_head_match(line, "Content-Encoding", &value))
		answer->is_unreadable |= !codings_add(&answer->codings, value);
	else if (response_head_match(line, "Transfer-Encoding", &value))
		answer->is_unreadable |=
			!codings_add(&transfer, value) || transfer.count > 0;
}

/* Resets fields one by one instead of zeroing the struct, which is large. */
void response_head_begin(struct response_head *answer)
{
	answer->redirect.text[0] = '\0';
	answer->robots_tag = 0;
	answer->codings.count = 0;
	answer->is_unreadable = false;
	answer->content_type[0] = '\0';
	answer->retry_after[0] = '\0';
	answer->date[0] = '\0';
	answer->etag[0] = '\0';
	answer->modified[0] = '\0';
}

void response_head_take(struct response_head *answer, struct slice line,
			const struct url *url)
{
	struct slice value;

	if (response_head_match(line, "Content-Type", &value))
		copy_type(value, answer->content_type,
			  sizeof(answer->content_type));
	else if (response_head_match(line, "Location", &value))
		url_parse(&answer->redirect, value, url);
	else if (response_head_match(line, "Retry-After", &value))
		copy_value(value, answer->retry_after,
			   sizeof(answer->retry_after));
	else if (response_head_match(line, "Date", &value))
		copy_value(value, answer->date, sizeof(answer->date));
	else if (response_head_match(line, "ETag", &value))
		copy_value(value, answer->etag, sizeof(answer->etag));
	else if (response_head_match(line, "Last-Modified", &value))
		copy_value(value, answer->modified, sizeof(answer->modified));
	else if (response_head_match(line, "X-Robots-Tag", &value))
		answer->robots_tag |= robots_tag_parse(value, ROBOTS_AGENT);
	else
		take_coding(answer, line);
}

/*
 * Return whether the status is a redirect by the Fetch standard, 2.2.3; 304 is
 * not.
 */
static bool http_status_is_redirect(unsigned status)
{
	return (status >= 301 && status <= 303) || status == 307 ||
	       status == 308;
}

/* Parsing a date is slow, so do it only if there is a Retry-After. */
static uint64_t retry_after(const struct response_head *answer, uint64_t now_s)
{
	uint64_t date_s;

	if (answer->retry_after[0] == '\0')
		return 0;
	date_s = header_date(slice_of(answer->date));
	return header_retry_after(slice_of(answer->retry_after),
				  date_s > 0 ? date_s : now_s);
}

void response_head_finish(const struct response_head *answer, uint64_t now_s,
			  struct fetch_result *result_out)
{
	struct slice type = slice_of(answer->content_type);

	result_out->is_html = header_is_html(type);
	header_charset(type, result_out->charset, sizeof(result_out->charset));
	result_out->retry_after_s = retry_after(answer, now_s);
	result_out->robots_tag = answer->robots_tag;
	memcpy(result_out->etag, answer->etag, sizeof(answer->etag));
	memcpy(result_out->modified, answer->modified,
	       sizeof(answer->modified));
	if (http_status_is_redirect(result_out->http_status))
		memcpy(result_out->redirect, answer->redirect.text,
		       sizeof(result_out->redirect));
}
