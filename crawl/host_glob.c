#include "crawl/host_glob.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "crawl/percent.h"

/*
 * Convert a host with stars to lower case; return false if it contains other
 * characters.
 */
static bool host_glob_fold(struct slice text, char *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789"
				    "-._:[]*";
	const char *bytes = text.data;

	for (size_t i = 0; i < text.size; i++) {
		out[i] = lower(bytes[i]);
		if (out[i] == '\0' || strchr(plain, out[i]) == NULL)
			return false;
	}
	out[text.size] = '\0';
	return true;
}

/* Write the canonical form of a host without stars. */
static bool host_glob_parse(struct slice text, char *out)
{
	char address[MAX_HOST_BYTES + sizeof("http://")];
	struct url url;

	for (size_t i = 0; i < text.size; i++)
		/* strchr() also finds a NUL */
		if (strchr("/\\@?#", ((const char *)text.data)[i]) != NULL)
			return false;
	(void)snprintf(address, sizeof(address), "http://%.*s", (int)text.size,
		       (const char *)text.data);
	if (url_parse(&url, slice_of(address), NULL) != ERR_NONE)
		return false;
	memcpy(out, url.host, sizeof(url.host));
	return true;
}

bool host_globs_add(struct host_globs *globs, struct slice text)
{
	char host[MAX_HOST_BYTES + 2];
	struct slice kept;
	size_t size;

	if (globs->count == MAX_HOST_GLOBS || text.size == 0 ||
	    text.size > MAX_HOST_BYTES)
		return false;
	if (memchr(text.data, '*', text.size) != NULL
		    ? !host_glob_fold(text, host)
		    : !host_glob_parse(text, host))
		return false;
	if (globs->arena == NULL)
		globs->arena = arena_create();
	size = strlen(host);
	host[size] = '$'; /* match up to the end */
	kept = (struct slice){arena_copy(globs->arena, host, size + 1),
			      size + 1};
	if (!pattern_make(globs->arena, kept, &globs->patterns[globs->count]))
		return false;
	globs->texts[globs->count++] = (struct slice){kept.data, size};
	return true;
}

bool host_globs_match(const struct host_globs *globs, struct slice host)
{
	struct pattern_path path;
	size_t steps = 0;

	if (host.size > MAX_HOST_BYTES)
		return false;
	pattern_path_set(&path, host);
	for (size_t i = 0; i < globs->count; i++)
		if (pattern_matches(&globs->patterns[i], &path, &steps))
			return true;
	return false;
}

void host_globs_free(struct host_globs *globs)
{
	arena_destroy(globs->arena);
	*globs = (struct host_globs){0};
}
