/*
 * daemon/web/web_files.h - the files of the web application (web/), as
 * constants of the program. web/CMakeLists.txt makes them.
 */
#ifndef DAEMON_WEB_WEB_FILES_H
#define DAEMON_WEB_WEB_FILES_H

#include <stddef.h>

struct web_file {
	const char *name;
	const char *media_type;
	const char *data; /* [size], and a NUL */
	size_t size;
};

/* The last one has no name. */
extern const struct web_file web_files[];

/*
 * The page of a saved report: the head, the policy, the middle, the data, and
 * the tail. The middle has the style between <style> and </style>, the tail has
 * the script in its last <script>.
 */
extern const char web_report_head[];
extern const char web_report_middle[];
extern const char web_report_tail[];

#endif
