#include "tests/unit/webdata.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_COMMAND = 4096 };

static const char *shared_folder(void)
{
	/* one thread. NOLINTNEXTLINE(concurrency-mt-unsafe) */
	const char *shared = getenv("TEMPLATED_SHARED");

	return shared == NULL ? SHARED_FOLDER : shared;
}

bool webdata_unpack(const char *name, char folder_out[WEBDATA_FOLDER])
{
	char command[MAX_COMMAND];
	bool is_there;

	(void)snprintf(folder_out, WEBDATA_FOLDER, "/tmp/test-webdata.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder_out));
	(void)snprintf(command, sizeof(command),
		       "tar --zstd -xf '%s/data/web.tar.zst' -C %s "
		       "--no-same-owner --strip-components=2 web/%s "
		       "2>/dev/null",
		       shared_folder(), folder_out, name);
	/* the words are our own. NOLINTNEXTLINE(cert-env33-c,concurrency-*) */
	is_there = system(command) == 0;
	if (!is_there)
		printf("skipped: no %s/ of web.tar.zst\n", name);
	return is_there;
}

void webdata_remove(const char *folder)
{
	char command[MAX_COMMAND];

	(void)snprintf(command, sizeof(command), "rm -r %s", folder);
	/* the words are our own. NOLINTNEXTLINE(cert-env33-c,concurrency-*) */
	ck_assert_int_eq(system(command), 0);
}

void webdata_read(const char *name, struct buffer *out)
{
	char command[MAX_COMMAND];
	char bytes[4096];
	size_t size;
	FILE *pipe;

	(void)snprintf(command, sizeof(command),
		       "tar --zstd -xOf '%s/data/web.tar.zst' 'web/%s' "
		       "2>/dev/null",
		       shared_folder(), name);
	/* the words are our own. NOLINTNEXTLINE(cert-env33-c) */
	pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	while ((size = fread(bytes, 1, sizeof(bytes), pipe)) > 0)
		buffer_append(out, bytes, size);
	pclose(pipe);
}
