#include <string.h>

#include "extract/core/markup.h"
#include "extract/render/layout.h"
#include "extract/render/render.h"
#include "extract/render/render_formats.h"

struct text_writer {
	struct buffer *out;
	size_t begin; /* start of this text in `out` */
};

/* Trim the end. Only lines of pre may end in white space. */
static void text_writer_trim_end(struct text_writer *writer)
{
	struct buffer *out = writer->out;

	while (out->size > writer->begin &&
	       strchr(" \t\n", out->data[out->size - 1]) != NULL)
		out->size--;
	if (out->data != NULL)
		out->data[out->size] = '\0';
}

static void text_writer_gap(void *context, enum separator separator,
			    struct slice blank)
{
	struct text_writer *writer = context;

	buffer_append_slice(writer->out, blank);
	if (separator >= SEPARATOR_LINE)
		text_writer_trim_end(writer);
	if (writer->out->size == writer->begin)
		return;
	if (separator == SEPARATOR_SPACE)
		buffer_append_byte(writer->out, ' ');
	if (separator >= SEPARATOR_LINE)
		buffer_append_byte(writer->out, '\n');
	if (separator == SEPARATOR_BLANK_LINE)
		buffer_append_byte(writer->out, '\n');
}

static void text_writer_text(void *context, uint32_t index, struct slice text)
{
	struct text_writer *writer = context;

	(void)index;
	buffer_append_slice(writer->out, text);
}

void render_as_text(const struct render_request *request, struct buffer *out)
{
	struct text_writer writer = {.out = out, .begin = out->size};

	layout(request, &(struct layout_writer){
				.context = &writer,
				.gap = text_writer_gap,
				.text = text_writer_text,
			});
	text_writer_trim_end(&writer);
	if (out->size > writer.begin)
		buffer_append_byte(out, '\n');
}

void render_text(const struct page *page, const struct verdict *verdicts,
		 struct buffer *out)
{
	render_as_text(
		&(struct render_request){.page = page, .verdicts = verdicts},
		out);
}
