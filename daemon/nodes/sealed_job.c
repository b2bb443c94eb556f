#include "daemon/nodes/sealed_job.h"

#include <string.h>

/* JSON cannot begin like this. */
static const char mark[] = {'T', 'P', 'L', 'S', 'E', 'A', 'L', '1'};

/* Write the context of the encryption: a job, and nothing else. */
static void write_about(const char *subject, struct buffer *out)
{
	buffer_append_text(out, "templated job 1 ");
	buffer_append_text(out, subject);
}

void sealed_job_write(const struct secret_keys *keys, const char *subject,
		      struct slice job, struct buffer *out)
{
	const struct cipher *cipher = secret_keys_cipher(keys);
	struct buffer about = {0};

	write_about(subject, &about);
	buffer_append(out, mark, sizeof(mark));
	cipher->seal(cipher->context, buffer_slice(&about), job, out);
	buffer_free(&about);
}

enum error sealed_job_read(const struct secret_keys *keys, const char *subject,
			   struct slice bytes, struct buffer *out)
{
	const struct cipher *cipher = secret_keys_cipher(keys);
	struct buffer about = {0};
	enum error error = ERR_NO_KEY;

	if (bytes.size < sizeof(mark) ||
	    memcmp(bytes.data, mark, sizeof(mark)) != 0) {
		buffer_append_slice(out, bytes);
		return ERR_NONE;
	}
	write_about(subject, &about);
	if (cipher != NULL)
		error = cipher->open(
			cipher->context, buffer_slice(&about),
			(struct slice){(const char *)bytes.data + sizeof(mark),
				       bytes.size - sizeof(mark)},
			out);
	buffer_free(&about);
	return error;
}
