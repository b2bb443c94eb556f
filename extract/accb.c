#include "extract/content_code.h"
#include "extract/methods.h"
#include "extract/visible.h"
#include "page/page.h"

/*
 * Radius and threshold are open in the source. Chosen by the mean word F1 (bag
 * of words) on 1,943 pages, crawl-to-the-future 504, dragnet 1,381 and
 * cleaneval-en-dev 58, for radius 5 to 400 and threshold .20 to .95: radius 90
 * and threshold .78 give .7788 (P .782, R .847) where all visible text gives
 * .5995; by set .906, .731 and .817. It is a plateau: 60/.82 .7752, 80/.78
 * .7779, 100/.76 .7779, 160/.65 .7680; a narrow blur is worse, 20/.95 .7600.
 * To repeat it: `templatectl batch DIR --out OUT --method accb` for each set,
 * then score.py DIR OUT.
 *
 * The source blurs "until convergence". Repeated Gaussians are one wider
 * Gaussian, and their limit is flat, so that where to stop is a choice of
 * width: 4 passes of radius 40 (.7776) and 16 of 20 (.7774) do what one of 80
 * does (.7779). One pass it is.
 */
enum { RADIUS, PASSES, THRESHOLD };

static const struct parameter parameters[] = {
	[RADIUS] =
		{
			.name = "radius",
			.unit = "characters",
			.minimum = 1,
			.maximum = 1000,
			.preset = 90,
			.meaning = "about the standard deviation of one blur",
		},
	[PASSES] =
		{
			.name = "passes",
			.unit = "",
			.minimum = 1,
			.maximum = 16,
			.preset = 1,
			.meaning = "how many times the vector is blurred",
		},
	[THRESHOLD] =
		{
			.name = "threshold",
			.unit = "content code ratio",
			.minimum = 0,
			.maximum = 1,
			.preset = 0.78,
			.meaning = "text is kept when a character is above it",
		},
};

static void run(const struct extractor_input *input, struct verdict *verdicts)
{
	const struct page *page = input->page;
	const bool *is_visible = visible_texts(input->arena, page);
	const struct blur blur = {
		.radius = (uint32_t)input->parameters[RADIUS],
		.passes = (uint32_t)input->parameters[PASSES],
	};
	const struct content_code_options options = {
		.ignores_anchors = true,
		.max_code_run = blur_reach(&blur),
	};
	struct content_code code =
		content_code_vector(input->arena, page, is_visible, &options);

	content_code_blur(input->arena, &code, &blur);
	for (uint32_t i = 0; i < page->text_count; i++) {
		float highest = content_code_highest(&code, code.texts[i]);

		verdicts[i] = (struct verdict){
			.score = highest,
			.is_content =
				is_visible[i] &&
				(double)highest > input->parameters[THRESHOLD],
		};
	}
}

const struct extractor extractor_accb = {
	.name = "accb",
	.summary = "Regions with much text and little code, `a` left aside.",
	.source = "Gottron, Content Code Blurring: A New Approach to Content "
		  "Extraction, TIR 2008, adapted version (ACCB)",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.run = run,
};
