#include "daemon/ctl/early_answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "daemon/query/answer.h"
#include "extract/choose.h"
#include "template/answer_json.h"
#include "template/extraction.h"
#include "template/presentation.h"

enum { HTTP_OK = 200 };

struct extraction_result *
fallback_text_create(const struct fallback_options *rules,
		     const struct url *url, struct page *page)
{
	struct extraction extraction = {.rules = rules->rules,
					.request = rules->request};
	struct extraction_result *early = mem_alloc(1, sizeof(*early));

	early->page = page;
	snprintf(early->url, sizeof(early->url), "%s", url->text);
	if (extraction_of_page(&extraction, page, HTTP_OK, early) != ERR_NONE) {
		fallback_text_free(early);
		return NULL;
	}
	if (rules->is_strict)
		early->is_citable = result_is_citable(early);
	result_detach(early, rules->request->format);
	return early;
}

void fallback_text_free(struct extraction_result *early)
{
	if (early == NULL)
		return;
	extraction_result_free(early);
	free(early);
}

size_t fallback_text_bytes(const struct extraction_result *early)
{
	return sizeof(*early) + early->text.capacity +
	       early->detached.head.capacity + early->detached.rest.capacity;
}

bool fallback_text_move(struct extraction_result *early, struct store *store,
			const struct extraction_options *rules,
			const struct text_request *request,
			struct extraction_result *answer_out)
{
	struct method_selection choice;

	if (early == NULL ||
	    query_page_place(store, request->url, early) != ERR_NONE ||
	    method_select(request->method, early->cluster_pages,
			  rules->min_cluster_pages, &choice) != ERR_NONE ||
	    choice.has_template ||
	    strcmp(choice.extractor->name, early->method) != 0)
		return false;
	snprintf(early->reason, sizeof(early->reason), "%s", choice.reason);
	*answer_out = *early;
	*early = (struct extraction_result){0};
	return true;
}
