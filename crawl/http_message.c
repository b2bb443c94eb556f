#include "crawl/http_message.h"

#include <strings.h>

#include "crawl/header.h"
#include "crawl/line.h"
#include "page/robots_tag.h"

enum { MAX_INTERIM = 4 };

/* Return the status of a line such as "HTTP/1.1 200 OK"; 0 if it is invalid. */
static uint16_t http_status_of_line(struct slice line)
{
	const char *bytes = line.data;
	unsigned status = 0;
	size_t at = 5;
	size_t digits;

	if (line.size < 5 || strncasecmp(bytes, "HTTP/", 5) != 0)
		return 0;
	while (at < line.size && bytes[at] != ' ')
		at++;
	while (at < line.size && bytes[at] == ' ')
		at++;
	for (digits = 0; digits < 3 && at < line.size; digits++, at++) {
		if (bytes[at] < '0' || bytes[at] > '9')
			return 0;
		status = status * 10 + (unsigned)(bytes[at] - '0');
	}
	return digits == 3 && status >= 100 ? (uint16_t)status : 0;
}

static bool is_chunked(struct slice coding)
{
	static const char word[] = "chunked";
	size_t size = sizeof(word) - 1;

	return coding.size >= size &&
	       strncasecmp((const char *)coding.data + coding.size - size, word,
			   size) == 0;
}

/* Store the value if the line is a field of that name. */
static bool http_message_match_field(struct slice line, const char *name,
				     struct slice *value_out)
{
	struct slice value = header_value(line, name);

	if (value.data == NULL)
		return false;
	*value_out = value;
	return true;
}

static void http_message_read_field(struct slice line,
				    struct http_message *message)
{
	struct slice value;

	if (http_message_match_field(line, "Content-Type",
				     &message->content_type) ||
	    http_message_match_field(line, "Location", &message->location))
		return;
	if (http_message_match_field(line, "Content-Encoding", &value)) {
		if (!codings_add(&message->codings, value))
			message->unknown = value;
	} else if (http_message_match_field(line, "Content-Length", &value))
		message->content_length = header_number(value);
	else if (http_message_match_field(line, "Transfer-Encoding", &value))
		message->is_chunked = is_chunked(value);
	else if (http_message_match_field(line, "X-Robots-Tag", &value))
		message->robots_tag |= robots_tag_parse(value, ROBOTS_AGENT);
}

/* Parse one head; the rest of the text is the body. */
static bool http_message_read_head(struct slice text,
				   struct http_message *message)
{
	struct slice line = line_take(&text);

	*message = (struct http_message){
		.status = http_status_of_line(line),
		.content_length = UINT64_MAX,
	};
	while (line = line_take(&text), line.size > 0)
		http_message_read_field(line, message);
	message->body = text;
	return message->status != 0;
}

bool http_message_parse(struct slice text, struct http_message *message_out)
{
	bool is_answer = http_message_read_head(text, message_out);

	for (int i = 0; i < MAX_INTERIM && is_answer; i++) {
		struct http_message final;

		if (message_out->status >= 200 ||
		    !http_message_read_head(message_out->body, &final))
			break;
		*message_out = final;
	}
	return is_answer;
}
