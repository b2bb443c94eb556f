/*
 * daemon/web/ui_form.h - parse the forms of the pages
 * (application/x-www-form-urlencoded).
 */
#ifndef DAEMON_WEB_UI_FORM_H
#define DAEMON_WEB_UI_FORM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

enum { UI_FORM_MAX_FIELDS = 32, UI_FORM_MAX_BYTES = 64 * 1024 };

/*
 * Read all fields as an object of strings. If a name occurs twice, the last
 * value counts; empty values and invalid UTF-8 are skipped. NULL if a limit is
 * exceeded or the body contains a NUL.
 */
json_t *ui_form_read(struct slice body);

/*
 * Return whether a request that changes something comes from one of our pages:
 * `origin` (its header "Origin") is http or https of `host` (its header
 * "Host"), and `site` ("Sec-Fetch-Site") is same-origin, or is not sent. Each
 * may be NULL.
 */
bool ui_form_is_ours(const char *origin, const char *host, const char *site);

/*
 * Convert members `names` [count] from text to numbers; false if one is not a
 * number.
 */
bool ui_form_number(json_t *form, const char *const *names, size_t count);

/*
 * Set members `names` [count], which are sent only for checked boxes, to true
 * or false.
 */
void ui_form_flags(json_t *form, const char *const *names, size_t count);

/*
 * Convert member "threshold" to a number, unless it is "auto"; false if it is
 * not a number from 0 to 1.
 */
bool ui_form_threshold(json_t *form);

/*
 * Convert member "headers", lines "Name: value", to an object: an empty one if
 * the box "no_headers" is checked. Return false if a line is invalid.
 */
bool ui_form_headers(json_t *form);

#endif
