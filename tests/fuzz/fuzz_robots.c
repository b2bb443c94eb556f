/*
 * Any bytes are a robots.txt, and the bytes after its last NUL a path. The
 * verdict does not depend on the line ends, nor on the reason of the request.
 * The same bytes are an X-Robots-Tag, too.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "crawl/robots.h"
#include "crawl/url/url.h"
#include "page/robots_tag.h"
#include "tests/fuzz/require.h"

struct response_head {
	bool is_allowed;
	bool is_clamped;
	uint32_t delay_ms;
	size_t sitemap_count;
};

static bool is_wide(struct slice file)
{
	return file.size >= 2 && (memcmp(file.data, "\xff\xfe", 2) == 0 ||
				  memcmp(file.data, "\xfe\xff", 2) == 0);
}

static void check_reason(const struct robots *robots, struct slice path)
{
	struct robots_reason reason = robots_explain(robots, path);
	size_t length = strnlen(reason.rule, sizeof(reason.rule));

	require(reason.is_allowed == robots_allows(robots, path));
	require(length < sizeof(reason.rule));
	require((length > 0) == (reason.line > 0));
	require(utf8_check((struct slice){reason.rule, length}).invalid == 0);
	for (size_t i = 0; i < length; i++)
		require((unsigned char)reason.rule[i] >= ' ');
}

/* Each is in the file, and once in the list. */
static void check_sitemaps(const struct robots *robots, struct slice file)
{
	size_t count = robots_sitemap_count(robots);

	require(count <= MAX_ROBOTS_SITEMAPS);
	for (size_t i = 0; i < count; i++) {
		struct slice sitemap = robots_sitemap(robots, i);

		require(sitemap.size > 0 && sitemap.size <= MAX_URL_BYTES);
		require(is_wide(file) ||
			memmem(file.data, file.size, sitemap.data,
			       sitemap.size) != NULL);
		for (size_t k = 0; k < i; k++)
			require(!slice_equal(robots_sitemap(robots, k),
					     sitemap));
	}
}

static struct response_head ask(struct slice file, struct slice path)
{
	struct arena *arena = arena_create();
	const struct robots *robots = robots_parse(arena, file, "templated");
	struct response_head answer = {
		.is_allowed = robots_allows(robots, path),
		.is_clamped = robots_is_delay_clamped(robots),
		.delay_ms = robots_delay_ms(robots),
		.sitemap_count = robots_sitemap_count(robots),
	};

	require(answer.delay_ms <= 3600 * 1000);
	require(robots_allows(robots, slice_of("/robots.txt")));
	require(!robots_is_forbidden(robots));
	check_reason(robots, path);
	check_sitemaps(robots, file);
	arena_destroy(arena);
	return answer;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size == 0 ? NULL : memrchr(data, '\0', size);
	size_t length = end == NULL ? size : (size_t)(end - data);
	struct slice file = {data, length};
	struct slice path = {data + length, size - length};
	uint8_t *other = malloc(length + 1);
	struct response_head first;
	struct response_head second;

	if (end != NULL)
		path = (struct slice){end + 1, size - length - 1};
	first = ask(file, path);
	for (size_t i = 0; i < length; i++)
		other[i] = data[i] == '\n' ? '\r' : data[i];
	second = ask((struct slice){other, length}, path);
	/* in UTF-16 the byte may be half of another character */
	require(is_wide(file) || (first.is_allowed == second.is_allowed &&
				  first.is_clamped == second.is_clamped &&
				  first.delay_ms == second.delay_ms &&
				  first.sitemap_count == second.sitemap_count));
	require(robots_tag_parse((struct slice){data, size}, "templated") <=
		(ROBOTS_TAG_NOFOLLOW | ROBOTS_TAG_NOINDEX));
	free(other);
	return 0;
}
