/*
 * daemon/answer/site_model.h - a site's own model: the file HOST.model in the
 * configured folder.
 */
#ifndef DAEMON_ANSWER_SITE_MODEL_H
#define DAEMON_ANSWER_SITE_MODEL_H

#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"
#include "template/text_answer.h"

/* A model_loader of template/extraction.h. */
enum error site_model_load(void *context, const struct answer_rules *rules,
			   const struct text_request *request,
			   struct ridge_model **model_out,
			   struct text_answer *answer);

/*
 * Append the file of `host`, whatever is in it, to `text`, and its path to
 * `path`. Nothing is appended to `text` when there is none. ERR_IO,
 * ERR_TOO_LARGE.
 */
enum error site_model_read(const char *folder, const char *host,
			   struct buffer *path, struct buffer *text);

/* Which file it is; all 0: there is none. One that is replaced is another. */
struct site_model_stamp {
	uint64_t inode;
	uint64_t bytes;
	uint64_t changed_ns;
};

/* `folder` may be NULL or "": there is none. */
struct site_model_stamp site_model_look(const char *folder, const char *host);

#endif
