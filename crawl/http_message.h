/*
 * crawl/http_message.h - an HTTP response as archives store it: parses the head
 * as leniently as browsers do, and decodes the body. Pure.
 */
#ifndef CRAWL_HTTP_MESSAGE_H
#define CRAWL_HTTP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decode.h"
#include "base/error.h"
#include "base/limit.h"

struct unpacker;

/*
 * Decodes the content codings of a response as its bytes arrive. libcurl 7.88
 * is not used for this, because it decodes codings that the request did not
 * accept and up to five nested ones, does not report how many bytes it has
 * read, and accepts a truncated gzip body as complete.
 */

enum { MAX_CODINGS = 2 };

/*
 * The content codings of a body. The coding that the server applied first is
 * the first. Invalid words are omitted. Initialise with {0}.
 */
struct codings {
	enum coding list[MAX_CODINGS];
	size_t count;
};

/*
 * Add the codings in the value of a Content-Encoding header: gzip, br, deflate
 * and zstd, with parameters ignored. Words that are not codings, such as
 * "none", "UTF-8" or "text/html", are ignored, because browsers show such a
 * body unchanged. Return false if there is a coding that cannot be decoded,
 * such as "compress", or if there are more than MAX_CODINGS.
 */
bool codings_add(struct codings *codings, struct slice value);

/*
 * Create an unpacker for one or more codings. For its memory see
 * decoder_create().
 */
struct unpacker *unpacker_create(struct codings codings);
void unpacker_destroy(struct unpacker *unpacker); /* do nothing for NULL */

/*
 * Add the next received bytes. They must be valid until the unpacker has read
 * them.
 */
void unpacker_feed(struct unpacker *unpacker, struct slice packed);

/* Return the number of input bytes that were not read yet. */
size_t unpacker_left(const struct unpacker *unpacker);

/*
 * Decode the next bytes of the body to `out`, and write their number to
 * *size_out. If this is 0, more input is needed. Several gzip members are one
 * body. Bytes after the end are ignored. ERR_CORRUPT: the coding is damaged.
 */
enum error unpacker_next(struct unpacker *unpacker, char *out, size_t capacity,
			 size_t *size_out);

/* Return whether the body is complete with the input until now. */
bool unpacker_is_whole(const struct unpacker *unpacker);

/*
 * A parsed response. The slices point into the parsed text; if a field is
 * missing, its data is NULL.
 */
struct http_message {
	uint16_t status;
	struct slice content_type;
	struct slice location;
	struct codings codings;  /* content codings, as declared */
	struct slice unknown;    /* Content-Encoding that cannot be decoded */
	bool is_chunked;         /* whether Transfer-Encoding declares chunks */
	uint64_t content_length; /* UINT64_MAX = missing */
	unsigned robots_tag;     /* ROBOTS_TAG_* of page/robots_tag.h */
	struct slice body;       /* all bytes after the head, as received */
};

/*
 * Parse a response. A status line needs "HTTP/" and a number from 100 to 999;
 * lines may end with only LF; invalid fields are ignored; a head without its
 * blank line has no body. Skip preceding interim responses (1xx). Return false
 * if the text is not a response.
 */
bool http_message_parse(struct slice text, struct http_message *message_out);

/* Memory of http_body_decode(), which may be reused. Start with {0}. */
struct http_body {
	struct buffer joined;  /* without chunks */
	struct buffer decoded; /* without Content-Encoding */
	struct slice bytes; /* the result: in one of these, or in the message */
	bool is_cut; /* the body is incomplete, or was truncated at the limit */
	char reason[128]; /* English, after an error */
};

void http_body_free(struct http_body *body);

/*
 * A body over RATIO_FREE_BYTES that decompresses to more than MAX_CODING_RATIO
 * times its size is a bomb; real HTML stays below 50.
 */
enum { MAX_CODING_RATIO = 200, RATIO_FREE_BYTES = LIMIT(1 << 20, 1024) };

/*
 * Decode chunks and Content-Encoding if they are present. Many archives have
 * bodies whose head declares chunks or a coding that is absent; such bodies are
 * unchanged. Truncate the result at `max_bytes`. ERR_CORRUPT: the coding is
 * damaged; ERR_MALFORMED: it cannot be decoded; ERR_TOO_LARGE: it is a bomb.
 */
enum error http_body_decode(const struct http_message *message,
			    size_t max_bytes, struct http_body *body_out);

/*
 * Parse the HTTP response headers that a crawler needs (RFC 9110). Pure,
 * except for libcurl's date parser.
 */

/*
 * Return the trimmed value of a header line if its name is `name`; otherwise no
 * value.
 */
struct slice header_value(struct slice line, const char *name);

/*
 * Remove and return the first element of a comma-separated list; trimmed,
 * possibly empty.
 */
struct slice header_list_take(struct slice *list);

/* Return whether the value is `word`, ignoring case. */
bool header_is_word(struct slice value, const char *word);

/* Return whether all bytes are printable ASCII. */
bool header_is_printable(struct slice value);

/*
 * Return whether the Content-Type is HTML or XHTML. Also true for values
 * without a type, such as "html", "unknown/unknown" and "": browsers inspect
 * the bytes then. In a list the last type counts (Fetch standard, 2.2.2,
 * "extract a MIME type").
 */
bool header_is_html(struct slice content_type);

/*
 * Return the charset parameter of a Content-Type, in a list the last one,
 * without quotes; "" if it is missing, longer than `capacity` - 1, or has
 * invalid characters.
 */
void header_charset(struct slice content_type, char *out, size_t capacity);

/*
 * Return the time in the value of a header such as Date, in Unix seconds; 0 if
 * the value is invalid.
 */
uint64_t header_date(struct slice value);

/*
 * Return how many seconds after `now_s` a Retry-After ends. Its value is a
 * number of seconds or a date. Return 0 if it is invalid or in the past.
 */
uint64_t header_retry_after(struct slice value, uint64_t now_s);

/* Parse a decimal number; UINT64_MAX if it is invalid or too large. */
uint64_t header_number(struct slice value);

/* Lines of archives and of HTTP heads. */

/*
 * Remove the first line of `text`, with its LF; return it without the LF and
 * the CRs before it. The last line needs no LF.
 */
static inline struct slice line_take(struct slice *text)
{
	const char *begin = text->data;
	const char *end =
		text->size == 0 ? NULL : memchr(begin, '\n', text->size);
	size_t size = end == NULL ? text->size : (size_t)(end - begin);
	size_t taken = end == NULL ? size : size + 1;

	if (taken > 0)
		*text = (struct slice){begin + taken, text->size - taken};
	/* The text has `size` bytes. */
	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
	while (size > 0 && begin[size - 1] == '\r')
		size--;
	return (struct slice){begin, size};
}

/* Return the name of a header line; empty if the line has no colon. */
struct slice header_name(struct slice line);

/* Return whether one of the header lines has this name. */
bool header_lines_have(struct slice lines, struct slice name);

#endif
