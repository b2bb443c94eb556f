#include "daemon/query/site_model.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/file.h"
#include "extract/methods/ridge_model.h"

enum { MAX_MODEL_BYTES = 4 << 20 };

enum error site_model_read(const char *folder, const char *host,
			   struct buffer *path, struct buffer *text)
{
	enum error error;

	if (folder == NULL || *folder == '\0')
		return ERR_NONE;
	buffer_printf(path, "%s/%s.model", folder, host);
	error = file_read(path->data, MAX_MODEL_BYTES, text);
	return error == ERR_NOT_FOUND ? ERR_NONE : error;
}

enum error site_model_load(void *context,
			   const struct extraction_options *rules,
			   const struct text_request *request,
			   struct ridge_model **model_out,
			   struct extraction_result *answer)
{
	struct buffer path = {0};
	struct buffer text = {0};
	enum error error = ERR_NONE;

	(void)context;
	*model_out = NULL;
	if (request->url != NULL)
		error = site_model_read(rules->models, request->url->host,
					&path, &text);
	if (error == ERR_NONE && text.data != NULL)
		error = ridge_model_read(model_out, buffer_slice(&text));
	if (error != ERR_NONE)
		snprintf(answer->reason, sizeof(answer->reason),
			 "%.150s: %s; train the model again or remove it",
			 path.data, file_error_text(error));
	buffer_free(&path);
	buffer_free(&text);
	return error;
}

struct site_model_stamp site_model_identity(const char *folder,
					    const char *host)
{
	struct site_model_stamp stamp = {0};
	struct buffer path = {0};
	struct stat status;

	if (folder == NULL || *folder == '\0')
		return stamp;
	buffer_printf(&path, "%s/%s.model", folder, host);
	if (stat(path.data, &status) == 0)
		stamp = (struct site_model_stamp){
			.inode = status.st_ino,
			.bytes = (uint64_t)status.st_size,
			.changed_ns =
				(uint64_t)status.st_ctim.tv_sec * 1000000000U +
				(uint64_t)status.st_ctim.tv_nsec,
		};
	buffer_free(&path);
	return stamp;
}
