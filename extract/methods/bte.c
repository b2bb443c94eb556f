#include "extract/methods/maximum_sum.h"
#include "extract/methods/methods.h"

/*
 * Finn, Kushmerick & Smyth 2001: with B_n = 1 for a tag and 0 for a word choose
 * i and j for the highest
 *
 * T(i,j) = sum(n < i) B_n + sum(i <= n <= j) (1 - B_n) + sum(n > j) B_n.
 *
 * T is the number of all tags, plus the words and minus the tags from i to j:
 * the maximum is the maximum-sum run of tokens with the weight 1 for a word and
 * -1 for a tag.
 */
static void bte_run(const struct extractor_input *input,
		    struct verdict *verdicts)
{
	maximum_sum_run(input, 1, verdicts);
}

const struct extractor extractor_bte = {
	.name = "bte",
	.summary = "The run of source with the most words and the fewest tags.",
	.source = "Finn, Kushmerick & Smyth, Fact or Fiction: Content "
		  "Classification for Digital Libraries, 2001 (BTE)",
	.run = bte_run,
};
