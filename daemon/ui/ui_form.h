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

#endif
