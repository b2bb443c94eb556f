/* daemon/ctl/ctl_offline.h - functions that the verbs on files share. */
#ifndef DAEMON_CTL_CTL_OFFLINE_H
#define DAEMON_CTL_CTL_OFFLINE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "cluster/signature.h"
#include "daemon/ctl/ctl.h"
#include "daemon/query/answer.h"
#include "extract/render/render.h"

/* Return the format of --format or --json. */
enum format offline_format(const struct ctl *ctl);

/*
 * Return the value of --measure, and of --threshold: permille, or
 * THRESHOLD_AUTO.
 */
enum measure offline_measure(const struct ctl *ctl);
unsigned offline_threshold(const struct ctl *ctl);
uint16_t offline_width(const struct ctl *ctl);

/*
 * Return the values of --param, ended by NULL, for a request; free() the array,
 * not the strings.
 */
const char **offline_parameters(const struct ctl *ctl);

/* Append the output: the text, or JSON that contains it. */
void offline_render(const struct extraction_result *answer, enum format format,
		    struct buffer *out);

/*
 * Write FOLDER/NAME with the ending of the format; on failure print a message
 * and return false.
 */
bool offline_write(const struct ctl *ctl, const char *folder, const char *name,
		   enum format format, struct slice bytes);

/* Append a phrase that states why a page has no text. */
void offline_trouble(enum error error, const struct extraction_result *answer,
		     struct buffer *out);

/*
 * Make the URL http://site.invalid/NAME for a file, percent-encoded:
 * ERR_TOO_LARGE.
 */
enum error offline_url(const char *name, struct url *url_out);

/* Make the URL of a file below `base`, up to its last slash. */
enum error offline_url_below(const char *base, const char *name,
			     struct url *url_out);

#endif
