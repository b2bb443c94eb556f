#include "daemon/privsep/page_list.h"

#include "daemon/privsep/item_list.h"

enum error sample_page_parse(struct slice body, struct slice charset,
			     const struct page_limits *limits,
			     struct page **page_out)
{
	struct page_limits wide = *limits;

	/* the page may have been stored with the largest limit */
	if (wide.max_bytes < body.size)
		wide.max_bytes = body.size;
	return page_parse(page_out, body, charset, &wide);
}

uint32_t sample_parse(struct slice list, const struct page_limits *limits,
		      struct page **pages_out, uint32_t max)
{
	struct slice charset;
	struct slice body;
	uint32_t count = 0;

	while (count < max && item_next(&list, &body) &&
	       item_next(&list, &charset))
		count += sample_page_parse(body, charset, limits,
					   &pages_out[count]) == ERR_NONE;
	return count;
}
