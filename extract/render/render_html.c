#include "extract/render/html_writer.h"
#include "extract/render/render.h"
#include "extract/render/render_formats.h"

void render_as_html(const struct render_request *request, struct buffer *out)
{
	struct html_writer html = {.page = request->page, .out = out};

	layout(request, &(struct layout_writer){
				.context = &html,
				.open = html_open,
				.close = html_close,
				.gap = html_gap,
				.text = html_text,
				.image = html_image,
				.has_links = true,
			});
}

void render_html(const struct page *page, const struct verdict *verdicts,
		 struct buffer *out)
{
	render_as_html(
		&(struct render_request){.page = page, .verdicts = verdicts},
		out);
}
