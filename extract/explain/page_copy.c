#include "extract/explain/page_copy.h"

#include "base/arena.h"
#include "extract/core/visible.h"
#include "extract/render/html_writer.h"
#include "extract/render/layout.h"
#include "extract/render/render.h"
#include "page/escape.h"
#include "page/page.h"

/*
 * As in explain.h: the content security policy forbids all requests, although
 * the copy contains no addresses.
 */
static const char head[] =
	"<!doctype html>\n<html lang=\"en\">\n<head>\n"
	"<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" "
	"content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<base target=\"_top\">\n<title>Copy</title>\n<style>\n"
	":root{color-scheme:light dark;--paper:#fff;--ink:#1b1e23;"
	"--soft:#69707b;--kept:#dfe7ff;--line:#e3e3de;--mark:#3b5bdb}\n"
	"@media(prefers-color-scheme:dark){:root{--paper:#1b1e22;"
	"--ink:#e3e5e8;--soft:#939ba6;--kept:#26325c;--line:#343a41;"
	"--mark:#91a7ff}}\n"
	"body{margin:0;padding:.8rem 1rem;font:15px/1.55 system-ui,"
	"sans-serif;background:var(--paper);color:var(--ink);"
	"overflow-wrap:anywhere}\n"
	"h1,h2,h3,h4,h5,h6{line-height:1.25;margin:.9rem 0 .4rem}"
	"h1{font-size:1.4rem}h2{font-size:1.2rem}h3,h4,h5,h6{font-size:1rem}\n"
	"p,ul,ol,pre,table,blockquote{margin:.35rem 0}"
	"pre{white-space:pre-wrap}ul,ol{padding-left:1.3rem}\n"
	"table{border-collapse:collapse}td,th{border:1px solid var(--line);"
	"padding:.1rem .4rem;text-align:start}\n"
	"a{color:inherit;text-decoration:none;border-radius:2px;"
	"unicode-bidi:isolate}\n"
	".k{background:var(--kept);-webkit-box-decoration-break:clone;"
	"box-decoration-break:clone}.d{color:var(--soft)}\n"
	"a:hover,a:focus-visible{outline:2px solid var(--mark);"
	"outline-offset:1px}\n"
	"</style>\n</head>\n<body>\n";

struct page_copier {
	struct html_writer
		html; /* must be first: html_writer.h gets the same context */
	const struct page *page;
	const struct verdict *verdicts;
	const bool *is_visible; /* [page->text_count] */
	const char *query;      /* "?url=...&amp;element=" */
};

static void write_copied_text(void *context, uint32_t index, struct slice text)
{
	struct page_copier *copying = context;
	struct buffer *out = copying->html.out;
	uint32_t node = copying->page->texts[index].node;
	bool is_kept = copying->verdicts[index].is_content;

	if (out->size > PAGE_COPY_MAX_BYTES ||
	    (!copying->is_visible[index] && !is_kept))
		return;
	if (node == NO_NODE) {
		html_text(context, index, text);
		return;
	}
	buffer_printf(out, "<a class=\"%c\" href=\"%s%u\">",
		      is_kept ? 'k' : 'd', copying->query, node);
	html_text(context, index, text);
	buffer_append_text(out, "</a>");
}

static void append_query(struct buffer *out, const char *url)
{
	buffer_append_text(out, "?url=");
	for (; *url != '\0'; url++)
		if ((*url >= 'a' && *url <= 'z') ||
		    (*url >= '0' && *url <= '9') || *url == '.' || *url == '/')
			buffer_append_byte(out, *url);
		else
			buffer_printf(out, "%%%02X", (unsigned char)*url);
	buffer_append_text(out, "&amp;element=");
}

void page_copy(const struct page *page, const struct verdict *verdicts,
	       const char *url, struct buffer *out)
{
	struct arena *arena = arena_create();
	struct buffer query = {0};
	struct page_copier copying = {
		.html = {.page = page, .out = out},
		.page = page,
		.verdicts = verdicts,
		.is_visible = visible_texts(arena, page),
	};

	append_query(&query, url);
	copying.query = query.data;
	buffer_append_text(out, head);
	layout(&(struct render_request){.page = page},
	       &(struct layout_writer){
		       .context = &copying,
		       .open = html_open,
		       .close = html_close,
		       .gap = html_gap,
		       .text = write_copied_text,
	       });
	buffer_append_text(out, "</body>\n</html>\n");
	buffer_free(&query);
	arena_destroy(arena);
}
