/* daemon/ctl/ctl_offline.h - functions shared by the verbs on files. */
#ifndef DAEMON_CTL_CTL_OFFLINE_H
#define DAEMON_CTL_CTL_OFFLINE_H

#include <stdbool.h>

#include "cluster/signature.h"
#include "daemon/answer/answer.h"
#include "daemon/ctl/ctl.h"
#include "extract/render/render.h"
#include "store/buffer.h"

/* By --format, or --json. */
enum format offline_format(const struct ctl *ctl);

/* By --measure, and --threshold: permille, or THRESHOLD_AUTO. */
enum measure offline_measure(const struct ctl *ctl);
unsigned offline_threshold(const struct ctl *ctl);
uint16_t offline_width(const struct ctl *ctl);

/*
 * The values of --param, ended by NULL, for a request; free() them, not what
 * they point to.
 */
const char **offline_parameters(const struct ctl *ctl);

/* Append the output: the text, or the JSON with it. */
void offline_render(const struct text_answer *answer, enum format format,
		    struct buffer *out);

/*
 * Write FOLDER/NAME with the format's ending; false, with a message, when it
 * fails.
 */
bool offline_write(const struct ctl *ctl, const char *folder, const char *name,
		   enum format format, struct slice bytes);

/* Append in a phrase why there is no content of a page. */
void offline_trouble(enum error error, const struct text_answer *answer,
		     struct buffer *out);

/*
 * The URL http://site.invalid/NAME that stands for a file, percent-encoded:
 * ERR_TOO_LARGE.
 */
enum error offline_url(const char *name, struct url *url_out);

/* The same below the URL `base`, up to its last slash. */
enum error offline_url_below(const char *base, const char *name,
			     struct url *url_out);

#endif
