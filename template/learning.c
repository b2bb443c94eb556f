#include "template/learning.h"

#include "page/page.h"

const void *template_model_build(const struct extractor *extractor,
				 const double *parameters, struct page **pages,
				 uint32_t count, struct arena *arena)
{
	const struct sample sample = {
		.pages = (const struct page *const *)pages,
		.count = count,
	};
	const void *knowledge = extractor->learn(
		&sample, extractor->learned_parameters > 0 ? parameters : NULL,
		arena);

	for (uint32_t i = 0; i < count; i++)
		page_destroy(pages[i]);
	return knowledge;
}
