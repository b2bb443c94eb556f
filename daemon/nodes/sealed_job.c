#include "daemon/nodes/sealed_job.h"

#include <string.h>

/* JSON cannot begin like this. */
static const char mark[] = {'T', 'P', 'L', 'S', 'E', 'A', 'L', '1'};

/* Write the context of the encryption: a job, and nothing else. */
static void import_job_write_context(const char *subject, struct buffer *out)
{
	buffer_append_text(out, "templated job 1 ");
	buffer_append_text(out, subject);
}

void import_job_encrypt(const struct encryption_keys *keys, const char *subject,
			struct slice job, struct buffer *out)
{
	const struct cipher *cipher = encryption_keys_cipher(keys);
	struct buffer about = {0};

	import_job_write_context(subject, &about);
	buffer_append(out, mark, sizeof(mark));
	cipher->seal(cipher->context, buffer_slice(&about), job, out);
	buffer_free(&about);
}

enum error import_job_decrypt(const struct encryption_keys *keys,
			      const char *subject, struct slice bytes,
			      struct buffer *out)
{
	const struct cipher *cipher = encryption_keys_cipher(keys);
	struct buffer about = {0};
	enum error error = ERR_NO_ENCRYPTION_KEY;

	if (bytes.size < sizeof(mark) ||
	    memcmp(bytes.data, mark, sizeof(mark)) != 0) {
		buffer_append_slice(out, bytes);
		return ERR_NONE;
	}
	import_job_write_context(subject, &about);
	if (cipher != NULL)
		error = cipher->open(
			cipher->context, buffer_slice(&about),
			(struct slice){(const char *)bytes.data + sizeof(mark),
				       bytes.size - sizeof(mark)},
			out);
	buffer_free(&about);
	return error;
}
