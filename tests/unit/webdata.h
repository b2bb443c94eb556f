/*
 * tests/unit/webdata.h - the archive data/web.tar.zst of $TEMPLATED_SHARED or
 * ../shared: real robots.txt files, sitemaps, URL cases, WARC files, torture
 * pages. If it is missing, a test prints that it skips.
 */
#ifndef TESTS_UNIT_WEBDATA_H
#define TESTS_UNIT_WEBDATA_H

#include <stdbool.h>

#include "base/buffer.h"

enum { WEBDATA_FOLDER = 64 };

/*
 * Unpack the folder `name` of the archive ("robots") into a new folder, whose
 * path is written to `folder_out`; remove it with webdata_remove(). Without
 * data, print that and return false.
 */
bool webdata_unpack(const char *name, char folder_out[WEBDATA_FOLDER]);
void webdata_remove(const char *folder);

/* Append one file ("url/toascii.json") to `out`: nothing without the data. */
void webdata_read(const char *name, struct buffer *out);

#endif
