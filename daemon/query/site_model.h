/*
 * daemon/query/site_model.h - a site's own model: the file HOST.model in the
 * configured folder.
 */
#ifndef DAEMON_QUERY_SITE_MODEL_H
#define DAEMON_QUERY_SITE_MODEL_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "template/text_answer.h"

/* A model_loader of template/extraction.h. */
enum error site_model_load(void *context,
			   const struct extraction_options *rules,
			   const struct text_request *request,
			   struct ridge_model **model_out,
			   struct extraction_result *answer);

/*
 * Append the unchecked content of the file of `host` to `text`, and its path to
 * `path`. If there is no file, append nothing to `text`. ERR_IO, ERR_TOO_LARGE.
 */
enum error site_model_read(const char *folder, const char *host,
			   struct buffer *path, struct buffer *text);

/*
 * The identity of the file; all 0 = no file. A replaced file has another
 * identity.
 */
struct site_model_stamp {
	uint64_t inode;
	uint64_t bytes;
	uint64_t changed_ns;
};

/* `folder` NULL or "" = no file. */
struct site_model_stamp site_model_identity(const char *folder,
					    const char *host);

#endif
