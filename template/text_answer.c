#include "template/text_answer.h"

const struct extraction_options extraction_options_default = {
	.limits = {.max_bytes = 10000000,
		   .max_nodes = 200000,
		   .max_depth = 512,
		   .max_attributes = 256},
	.min_cluster_pages = 3,
};

void extraction_result_free(struct extraction_result *answer)
{
	buffer_free(&answer->text);
	page_destroy(answer->page);
	buffer_free(&answer->detached.head);
	buffer_free(&answer->detached.rest);
}
