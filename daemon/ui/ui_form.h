/*
 * daemon/ui/ui_form.h - what a form of a page sends
 * (application/x-www-form-urlencoded).
 */
#ifndef DAEMON_UI_UI_FORM_H
#define DAEMON_UI_UI_FORM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "store/slice.h"

enum { UI_FORM_MAX_FIELDS = 32, UI_FORM_MAX_BYTES = 64 * 1024 };

/*
 * Read all fields as an object of strings: of two with one name the last
 * counts, those that are empty or no UTF-8 are left out. NULL when it is over
 * one of the limits or holds a NUL.
 */
json_t *ui_form_read(struct slice body);

/*
 * Whether a request that changes something comes from a page of ours: `origin`
 * (its header "Origin") is http or https of `host` (its header "Host"), and
 * `site` ("Sec-Fetch-Site") is same-origin, or is not sent. Each may be NULL.
 */
bool ui_form_is_ours(const char *origin, const char *host, const char *site);

/* Replace members `names` [count], texts with a number, by the number; false
 * when one is none. */
bool ui_form_number(json_t *form, const char *const *names, size_t count);

/* Set members `names` [count], boxes that are sent when they are checked, to
 * whether they were. */
void ui_form_flags(json_t *form, const char *const *names, size_t count);

/* Replace member "threshold" by its number, unless it is "auto"; false when it
 * is none from 0 to 1. */
bool ui_form_threshold(json_t *form);

/*
 * Replace member "headers", lines "Name: value", by an object of them: an empty
 * one where the box "no_headers" is checked. False when a line is none.
 */
bool ui_form_headers(json_t *form);

#endif
