#include "extract/render/render.h"

#include <assert.h>
#include <string.h>

#include "extract/render/render_formats.h"

static const struct {
	const char *name;
	const char *ending;
	const char *media_type;
} formats[FORMAT_COUNT] = {
	[FORMAT_TXT] = {"txt", "txt", "text/plain; charset=utf-8"},
	[FORMAT_MD] = {"md", "md", "text/markdown; charset=utf-8"},
	[FORMAT_JSON] = {"json", "json", "application/json"},
	[FORMAT_HTML] = {"html", "html", "text/html; charset=utf-8"},
	[FORMAT_XML] = {"xml", "xml", "application/xml"},
	[FORMAT_EXPLAIN] = {"explain", "explain.html",
			    "text/html; charset=utf-8"},
	[FORMAT_COPY] = {"copy", "copy.html", "text/html; charset=utf-8"},
};

bool format_from_name(const char *name, enum format *format_out)
{
	for (unsigned i = 0; i < FORMAT_COUNT; i++) {
		if (strcmp(formats[i].name, name) != 0)
			continue;
		*format_out = (enum format)i;
		return true;
	}
	return false;
}

const char *format_name(enum format format)
{
	assert(format < FORMAT_COUNT);
	return formats[format].name;
}

const char *format_ending(enum format format)
{
	assert(format < FORMAT_COUNT);
	return formats[format].ending;
}

const char *format_media_type(enum format format)
{
	assert(format < FORMAT_COUNT);
	return formats[format].media_type;
}

void render(enum format format, const struct render_request *request,
	    struct buffer *out)
{
	switch (format) {
	case FORMAT_MD:
		render_as_markdown(request, out);
		break;
	case FORMAT_HTML:
		render_as_html(request, out);
		break;
	case FORMAT_XML:
		render_as_xml(request, out);
		break;
	default:
		render_as_text(request, out);
		break;
	}
}
