#include "crawl/authorities.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "crawl/fetch.h"

/*
 * Append the CA file that libcurl was built with; return false if there is none
 * or it is unreadable.
 */
static bool read_system(struct buffer *out, char **path_out)
{
	CURL *easy = curl_easy_init();
	char *path = NULL;
	bool is_read;

	if (easy != NULL)
		curl_easy_getinfo(easy, CURLINFO_CAINFO, &path);
	is_read =
		path != NULL && file_read(path, MAX_CA_BYTES, out) == ERR_NONE;
	if (is_read)
		*path_out = mem_copy_text(path, strlen(path));
	curl_easy_cleanup(easy);
	return is_read;
}

static bool ca_bundle_write(int descriptor, struct slice bytes)
{
	const char *at = bytes.data;
	size_t left = bytes.size;

	while (left > 0) {
		ssize_t written = write(descriptor, at, left);

		if (written <= 0)
			return false;
		at += written;
		left -= (size_t)written;
	}
	return true;
}

/* Put both into a memory file that has a name in /proc. */
static bool make_file(struct ca_bundle *authorities, struct slice pem)
{
	char name[64];

	authorities->descriptor = memfd_create("authorities", MFD_CLOEXEC);
	if (authorities->descriptor < 0 ||
	    !ca_bundle_write(authorities->descriptor, pem))
		return false;
	snprintf(name, sizeof(name), "/proc/self/fd/%d",
		 authorities->descriptor);
	free(authorities->file);
	authorities->file = mem_copy_text(name, strlen(name));
	return true;
}

bool ca_bundle_open_pem(struct ca_bundle *authorities_out, struct slice pem)
{
	struct ca_bundle authorities = {.descriptor = -1};
	struct buffer all = {0};
	bool is_open = true;

	authorities.is_complete = read_system(&all, &authorities.file);
	if (pem.size > 0) {
		buffer_append_byte(&all, '\n');
		buffer_append_slice(&all, pem);
		is_open = make_file(&authorities, buffer_slice(&all));
	}
	buffer_free(&all);
	if (!is_open)
		ca_bundle_close(&authorities);
	*authorities_out = authorities;
	return is_open;
}

bool ca_bundle_open(struct ca_bundle *authorities_out, const char *ca_file)
{
	struct buffer pem = {0};
	bool is_open = ca_file == NULL ||
		       file_read(ca_file, MAX_CA_BYTES, &pem) == ERR_NONE;

	if (is_open)
		is_open =
			ca_bundle_open_pem(authorities_out, buffer_slice(&pem));
	else
		*authorities_out = (struct ca_bundle){.descriptor = -1};
	buffer_free(&pem);
	return is_open;
}

void ca_bundle_close(struct ca_bundle *authorities)
{
	free(authorities->file);
	if (authorities->descriptor >= 0)
		close(authorities->descriptor);
	*authorities = (struct ca_bundle){.descriptor = -1};
}

unsigned ca_bundle_set(const struct ca_bundle *authorities, CURL *easy)
{
	unsigned failed = 0;

	failed |= curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
	failed |= curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
	if (authorities->file != NULL)
		failed |= curl_easy_setopt(easy, CURLOPT_CAINFO,
					   authorities->file);
	if (authorities->is_complete)
		failed |= curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
	return failed;
}
