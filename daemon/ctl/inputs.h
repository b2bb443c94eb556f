/* daemon/ctl/inputs.h - the HTML files that a command line names. */
#ifndef DAEMON_CTL_INPUTS_H
#define DAEMON_CTL_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/ctl/ctl.h"
#include "extract/render/render.h"
#include "store/buffer.h"
#include "store/error.h"

struct input {
	char *path; /* to open */
	char *name; /* to show, and to make the output's name of */
};

struct inputs {
	struct input *items; /* [count] */
	size_t count;
	size_t capacity;
};

/*
 * Files as they are named, and from folders every *.html and *.htm, gzip
 * compressed (.gz) or not. The name of a file in a folder is its path below
 * that folder. `keeps_folders`: with several operands names begin with the
 * operand, so that they say where a file is; else a named file goes by its last
 * part. Sorted by name, each once. What cannot be read is told, and false
 * returned. End with inputs_free() in any case.
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
 * True when an earlier input has the same output as number `index` (a page is
 * there both plain and compressed): told.
 */
bool inputs_clash(const struct ctl *ctl, const struct inputs *inputs,
		  size_t index);

/* Why a file is of no use: one line with what to do, on standard error. */
void complain_input(const struct ctl *ctl, const char *path, enum error error,
		    size_t max_bytes);

#endif
