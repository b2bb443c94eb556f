/*
 * crawl/header.h - parse the HTTP response headers that a crawler needs
 * (RFC 9110). Pure, except for libcurl's date parser.
 */
#ifndef CRAWL_HEADER_H
#define CRAWL_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

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

/* The same for a list with semicolons: a value, then its parameters. */
struct slice header_parameter_take(struct slice *list);

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

/* Parse a time such as Date into Unix seconds; 0 if it is invalid. */
uint64_t header_date(struct slice value);

/*
 * Return the seconds from `now_s` until a Retry-After, which is a number of
 * seconds or a date. 0 if it is invalid, or in the past.
 */
uint64_t header_retry_after(struct slice value, uint64_t now_s);

/* Parse a decimal number; UINT64_MAX if it is invalid or too large. */
uint64_t header_number(struct slice value);

#endif
