/* cluster/url_shape.h - the shape of a URL's path. */
#ifndef CLUSTER_URL_SHAPE_H
#define CLUSTER_URL_SHAPE_H

#include <stddef.h>

#include "base/slice.h"

enum {
	URL_SHAPE_MAX_DIRECTORIES = 64, /* directories that are used */
	URL_SHAPE_MAX_BYTES = URL_SHAPE_MAX_DIRECTORIES + 2,
};

/*
 * Write the shape of `path` with its query, as in a canonical URL, to `out`
 * [URL_SHAPE_MAX_BYTES] and return its length. Each directory is one letter: N
 * if it is all digits, otherwise W. Then i for the page of a directory (the
 * last segment is empty or begins with "index."), otherwise f; then q if the
 * query is not empty. "/2014/08/apache/" and "/2013/12/ant/index.html" are both
 * NNWi.
 */
size_t url_shape_of_path(struct slice path, char *out);

#endif
