/*
 * extract/render/render_formats.h - one function for each format. Internal to
 * render().
 */
#ifndef EXTRACT_RENDER_RENDER_FORMATS_H
#define EXTRACT_RENDER_RENDER_FORMATS_H

struct buffer;
struct render_request;

void render_as_text(const struct render_request *request, struct buffer *out);
void render_as_markdown(const struct render_request *request,
			struct buffer *out);
void render_as_html(const struct render_request *request, struct buffer *out);
void render_as_xml(const struct render_request *request, struct buffer *out);

#endif
