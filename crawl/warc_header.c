#include "crawl/warc_header.h"

#include <strings.h>

#include "base/ascii.h"
#include "base/date.h"
#include "crawl/header.h"
#include "crawl/line.h"

enum { VERSION_BYTES = 8 };

bool warc_begins(struct slice text)
{
	const char *bytes = text.data;

	return text.size >= VERSION_BYTES && memcmp(bytes, "WARC/", 5) == 0 &&
	       is_digit(bytes[5]) && bytes[6] == '.' && is_digit(bytes[7]);
}

bool warc_begins_surely(struct slice text)
{
	struct slice line;

	if (!warc_begins(text))
		return false;
	line_take(&text);
	line = line_take(&text);
	return line.size > 5 && (strncasecmp(line.data, "WARC-", 5) == 0 ||
				 strncasecmp(line.data, "Conte", 5) == 0);
}

size_t warc_header_size(struct slice text, bool *is_whole_out)
{
	size_t size = text.size;
	struct slice line;

	*is_whole_out = true;
	line_take(&text);
	while (text.size > 0) {
		*is_whole_out = !warc_begins(text);
		if (!*is_whole_out)
			return size - text.size;
		line = line_take(&text);
		if (line.size == 0 && ((const char *)text.data)[-1] == '\n')
			return size - text.size;
	}
	return 0;
}

/*
 * wget and other tools write a URL as <URL>, because the grammar of WARC 1.0 is
 * ambiguous.
 */
static struct slice warc_header_strip_brackets(struct slice url)
{
	const char *bytes = url.data;

	if (url.size >= 2 && bytes[0] == '<' && bytes[url.size - 1] == '>')
		return (struct slice){bytes + 1, url.size - 2};
	return url;
}

/* Store the value if the line is a field of that name; the first one counts. */
static void warc_header_match_field(struct slice line, const char *name,
				    struct slice *value)
{
	if (value->data == NULL)
		*value = header_value(line, name);
}

void warc_header_parse(struct slice head, struct warc_header *header_out)
{
	struct slice date = {0};
	struct slice length = {0};
	struct slice truncated = {0};
	struct slice line;

	*header_out = (struct warc_header){0};
	line_take(&head);
	while (line = line_take(&head), line.size > 0) {
		warc_header_match_field(line, "WARC-Type", &header_out->type);
		warc_header_match_field(line, "WARC-Target-URI",
					&header_out->url);
		warc_header_match_field(line, "WARC-Date", &date);
		warc_header_match_field(line, "WARC-Truncated", &truncated);
		warc_header_match_field(line, "Content-Type",
					&header_out->content_type);
		warc_header_match_field(line, "Content-Length", &length);
	}
	header_out->url = warc_header_strip_brackets(header_out->url);
	header_out->time_ms = date_parse(date);
	header_out->length = header_number(length);
	header_out->is_truncated = truncated.size > 0;
}
