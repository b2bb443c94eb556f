/*
 * crawl/fetch/header.h - the few HTTP response headers that a crawler reads
 * (RFC 9110). Pure, but for libcurl's parser of dates.
 */
#ifndef CRAWL_FETCH_HEADER_H
#define CRAWL_FETCH_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/slice.h"

/*
 * The value of a header line when its name is `name`, trimmed; else no value.
 */
struct slice header_value(struct slice line, const char *name);

/* Cut the first element off a list with commas; trimmed, and maybe empty. */
struct slice header_list_take(struct slice *list);

/* The same for a list with semicolons: a value, then its parameters. */
struct slice header_parameter_take(struct slice *list);

/* Whether the value is `word`, in any case. */
bool header_is_word(struct slice value, const char *word);

/* Whether all of it is printable ASCII. */
bool header_is_printable(struct slice value);

/*
 * Whether the Content-Type is HTML or XHTML; also when it names no type, as
 * "html", "unknown/unknown" and an empty one do: browsers look at the bytes
 * then. Of a list the last type counts (Fetch standard, 2.2.2, "extract a MIME
 * type").
 */
bool header_is_html(struct slice content_type);

/*
 * The charset parameter of a Content-Type, of a list the last one, without
 * quotes; "" when there is none, when it is longer than `capacity` - 1 or has
 * strange characters.
 */
void header_charset(struct slice content_type, char *out, size_t capacity);

/* A time, as in Date; Unix seconds, 0 when it is none. */
uint64_t header_date(struct slice value);

/*
 * Seconds from `now_s` until a Retry-After: a number of seconds or a date. 0
 * when it is neither, or in the past.
 */
uint64_t header_retry_after(struct slice value, uint64_t now_s);

/* A decimal number; UINT64_MAX when it is none or does not fit. */
uint64_t header_number(struct slice value);

#endif
