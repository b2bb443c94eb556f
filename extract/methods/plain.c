#include "extract/core/document_walk.h"
#include "extract/core/trace.h"
#include "extract/methods/plain.h"
#include "page/page.h"

static void plain_run(const struct extractor_input *input,
		      struct verdict *verdicts)
{
	const bool *is_visible = visible_texts(input->arena, input->page);

	for (uint32_t i = 0; i < input->page->text_count; i++) {
		verdicts[i] = (struct verdict){
			.score = is_visible[i] ? 1 : 0,
			.is_content = is_visible[i],
		};
		trace_reason(input->trace, i, "a reader of the page %s it",
			     is_visible[i] ? "sees" : "does not see");
	}
}

const struct extractor extractor_plain = {
	.name = "plain",
	.summary = "All visible text: the baseline.",
	.source = "Gottron, Evaluating Content Extraction on HTML Documents, "
		  "ITA 2007",
	.run = plain_run,
};
