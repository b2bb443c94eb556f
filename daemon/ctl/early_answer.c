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

struct text_answer *early_answer_make(const struct early_rules *rules,
				      const struct url *url, struct page *page)
{
	struct extraction extraction = {.rules = rules->rules,
					.request = rules->request};
	struct text_answer *early = mem_alloc(1, sizeof(*early));

	early->page = page;
	snprintf(early->url, sizeof(early->url), "%s", url->text);
	if (extraction_of_page(&extraction, page, HTTP_OK, early) != ERR_NONE) {
		early_answer_free(early);
		return NULL;
	}
	if (rules->is_strict)
		early->is_citable = answer_is_citable(early);
	answer_detach(early, rules->request->format);
	return early;
}

void early_answer_free(struct text_answer *early)
{
	if (early == NULL)
		return;
	text_answer_free(early);
	free(early);
}

size_t early_answer_bytes(const struct text_answer *early)
{
	return sizeof(*early) + early->text.capacity +
	       early->detached.head.capacity + early->detached.rest.capacity;
}

bool early_answer_take(struct text_answer *early, struct store *store,
		       const struct answer_rules *rules,
		       const struct text_request *request,
		       struct text_answer *answer_out)
{
	struct choice choice;

	if (early == NULL ||
	    answer_place(store, request->url, early) != ERR_NONE ||
	    choose_extractor(request->method, early->cluster_pages,
			     rules->min_cluster_pages, &choice) != ERR_NONE ||
	    choice.has_template ||
	    strcmp(choice.extractor->name, early->method) != 0)
		return false;
	snprintf(early->reason, sizeof(early->reason), "%s", choice.reason);
	*answer_out = *early;
	*early = (struct text_answer){0};
	return true;
}
