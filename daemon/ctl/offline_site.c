#include "daemon/ctl/offline_site.h"

#include <stdlib.h>

#include "daemon/ctl/early_answer.h"
#include "daemon/ctl/kept_pages.h"
#include "daemon/privsep/learned.h"

/* The request must contain the page's URL. */
static enum error answer_placed(struct offline_site *site, size_t page,
				const struct text_request *request,
				struct extraction_result *answer_out)
{
	struct parsed_page parsed = {0};

	if (site->kept != NULL)
		parsed = page_cache_remove(site->kept, page);
	if (parsed.page != NULL)
		return query_parsed_page(site->store, &site->rules, request,
					 parsed, answer_out);
	if (fallback_text_move(site->pages[page].early, site->store,
			       &site->rules, request, answer_out))
		return ERR_NONE;
	return query_text(site->store, &site->rules, request, answer_out);
}

enum error offline_site_answer(struct offline_site *site, size_t page,
			       const struct text_request *request,
			       struct extraction_result *answer_out)
{
	struct text_request placed = *request;
	struct url url;
	enum error error =
		url_parse(&url, slice_of(site->pages[page].url), NULL);

	placed.url = &url;
	if (error == ERR_NONE)
		error = answer_placed(site, page, &placed, answer_out);
	answer_out->fetched_ms = 0; /* the page was not fetched */
	return error;
}

void offline_site_close(struct offline_site *site)
{
	for (size_t i = 0; i < site->count; i++) {
		struct offline_page *page = &site->pages[i];

		free(page->name);
		free(page->path);
		free(page->output);
		free(page->url);
		free(page->trouble);
		fallback_text_free(page->early);
	}
	free(site->pages);
	page_cache_destroy(site->kept);
	model_cache_destroy(site->rules.learned);
	store_close(site->store);
	*site = (struct offline_site){0};
}
