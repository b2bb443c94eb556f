/* daemon/ctl/inputs.h - the HTML files that a command line names. */
#ifndef DAEMON_CTL_INPUTS_H
#define DAEMON_CTL_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "daemon/ctl/ctl.h"
#include "extract/render/render.h"

struct input {
	char *path; /* to open */
	char *name; /* to display; the output's name derives from it */
};

struct inputs {
	struct input *items; /* [count] */
	size_t count;
	size_t capacity;
};

/*
 * Collect the named files and, from folders, every *.html and *.htm, gzip
 * compressed (.gz) or not. The name of a file in a folder is its path below
 * that folder. `keeps_folders`: with several operands names begin with the
 * operand, so that names are unique; otherwise the name of a file operand is
 * its last part. Sorted by name, without duplicates. If something cannot be
 * read, print a message and return false. Always end with inputs_free().
 */
bool inputs_collect(const struct ctl *ctl, bool keeps_folders,
		    struct inputs *inputs_out);
void inputs_free(struct inputs *inputs);

bool is_folder(const char *path);

/*
 * Make FOLDER/NAME.ENDING: the name without a final .gz and .html, with the
 * ending of the format.
 */
void output_path(const char *folder, const char *name, enum format format,
		 struct buffer *out);

/*
 * Return the length of the name in output_path(): names with the same stem have
 * the same output.
 */
size_t output_stem_length(const char *name);

/* Append a phrase that states why a file is unusable and what to do. */
void input_trouble(enum error error, size_t max_bytes, struct buffer *out);

/* Report the error on standard error. */
void input_print_error(const struct ctl *ctl, const char *path,
		       enum error error, size_t max_bytes);

#endif
