#include "extract/text/tag_kind.h"

#include "page/page.h"

static const uint8_t kinds[TAG_COUNT] = {
	[TAG_p] = KIND_P,
	[TAG_li] = KIND_LI,
	[TAG_h1] = KIND_H1,
	[TAG_h2] = KIND_H2,
	[TAG_h3] = KIND_H3,
	[TAG_h4] = KIND_H4,
	[TAG_h5] = KIND_H5,
	[TAG_h6] = KIND_H5,
	[TAG_td] = KIND_TD,
	[TAG_th] = KIND_TH,
	[TAG_dt] = KIND_DT,
	[TAG_dd] = KIND_DD,
	[TAG_div] = KIND_DIV,
	[TAG_span] = KIND_SPAN,
	[TAG_pre] = KIND_PRE,
	[TAG_blockquote] = KIND_BLOCKQUOTE,
	[TAG_figcaption] = KIND_FIGCAPTION,
	[TAG_button] = KIND_BUTTON,
	[TAG_label] = KIND_LABEL,
	[TAG_option] = KIND_OPTION,
	[TAG_section] = KIND_SECTION,
	[TAG_article] = KIND_ARTICLE,
	[TAG_summary] = KIND_SUMMARY,
	[TAG_legend] = KIND_LEGEND,
	[TAG_html] = KIND_BODY,
	[TAG_body] = KIND_BODY,
	[TAG_header] = KIND_HEADER,
	[TAG_footer] = KIND_FOOTER,
	[TAG_form] = KIND_FORM,
	[TAG_caption] = KIND_CAPTION,
	[TAG_nav] = KIND_NAV,
	[TAG_ul] = KIND_UL,
	[TAG_main] = KIND_MAIN,
	[TAG_aside] = KIND_ASIDE,
	[TAG_figure] = KIND_FIGURE,
};

uint8_t tag_kind(const struct page *page, uint32_t node)
{
	uint16_t tag;

	if (node == NO_NODE)
		return KIND_OTHER;
	tag = page->nodes[node].tag;
	return tag < TAG_COUNT ? kinds[tag] : KIND_OTHER;
}
