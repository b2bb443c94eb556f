/*
 * Any first line is a selector or an error, for the page below it; a list of
 * two selectors matches what either matches.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "page/page.h"
#include "page/selector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_list(const struct page *page, const char *text,
		       const bool *is_selected)
{
	char joined[MAX_SELECTOR_BYTES + 8] = "";
	char error[256];
	const struct selector *both;
	const bool *is_either;

	if (strlen(text) + 3 >= sizeof(joined))
		return;
	strcat(strcat(joined, text), ",*");
	both = selector_compile(page->arena, joined, error);
	if (both == NULL)
		return; /* too long, or one part too many */
	is_either = selector_match(both, page, page->arena);
	for (uint32_t i = 0; i < page->node_count; i++)
		if (!is_either[i] || is_selected[i] > is_either[i])
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size == 0 ? NULL : memchr(data, '\n', size);
	size_t length = end == NULL ? size : (size_t)(end - data);
	char *text = mem_copy_text(data, length);
	struct page *page = NULL;
	const struct selector *selector;
	char error[256] = "";

	if (page_parse(&page, (struct slice){data + length, size - length},
		       slice_of("utf-8"), &page_limits_default) == ERR_NONE) {
		selector = selector_compile(page->arena, text, error);
		if (selector == NULL && error[0] == '\0')
			abort();
		if (selector != NULL)
			check_list(page, text,
				   selector_match(selector, page, page->arena));
	}
	page_destroy(page);
	free(text);
	return 0;
}
