#include "daemon/web/site_report_html.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>
#include <time.h>

#include "base/date.h"
#include "daemon/engine/report.h"
#include "daemon/web/site_report_parts.h"
#include "extract/core/markup.h"
#include "page/escape.h"

static bool url_has_scheme(struct slice text, const char *with)
{
	size_t size = strlen(with);

	return text.size > size && strncasecmp(text.data, with, size) == 0;
}

/* Append the address escaped for an attribute; false if it cannot be a link. */
static bool append_address(struct buffer *out, struct slice url)
{
	struct buffer address = {0};
	bool is_safe = (url_has_scheme(url, "http://") ||
			url_has_scheme(url, "https://")) &&
		       url.size <= MAX_LINK &&
		       markup_append_address(&address, url);

	if (is_safe)
		escape_append(out, buffer_slice(&address));
	buffer_free(&address);
	return is_safe;
}

static void show_address(struct buffer *out, struct slice url)
{
	struct buffer plain = {0};

	report_address(url, &plain);
	html_append_text(out, buffer_slice(&plain), SHOWN_URL);
	buffer_free(&plain);
}

void html_append_link(struct buffer *out, struct slice url, struct slice text)
{
	struct buffer address = {0};
	bool is_link = append_address(&address, url);

	if (is_link) {
		buffer_append_text(out, "<a rel=\"noreferrer nofollow\" "
					"href=\"");
		buffer_append_slice(out, buffer_slice(&address));
		buffer_append_text(out, "\">");
	}
	if (text.size > 0)
		html_append_text(out, text, SHOWN_TITLE);
	else
		show_address(out, url);
	if (is_link)
		buffer_append_text(out, "</a>");
	buffer_free(&address);
}

void html_append_time(struct buffer *out, uint64_t time_ms)
{
	time_t seconds = (time_t)(time_ms / 1000U);
	struct tm parts;
	char whole[DATE_BYTES];
	char text[DATE_BYTES];

	if (time_ms == 0 || !date_format(time_ms, whole) ||
	    gmtime_r(&seconds, &parts) == NULL ||
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &parts) == 0)
		buffer_append_text(out, "–");
	else
		buffer_printf(out, "<time datetime=\"%s\">%s</time>", whole,
			      text);
}

void html_append_ratio(struct buffer *out, double ratio)
{
	double percent = isfinite(ratio) ? 100 * ratio : 0;
	bool is_small = percent > 0 && percent < 9.95;

	buffer_printf(out, "%.*f&nbsp;%%", is_small ? 1 : 0, percent);
}

static bool has_tree(const struct report_facts *facts, uint32_t number)
{
	const struct report_template *template = report_find(facts, number);

	return template != NULL && template->is_there &&
	       template - facts->templates < REPORT_TREES &&
	       template->cluster.page_count >= facts->source->min_cluster_pages;
}

void html_append_template(struct buffer *out, const struct report_facts *facts,
			  uint32_t number)
{
	bool is_link = has_tree(facts, number);

	if (is_link)
		buffer_printf(out, "<a href=\"#t%" PRIu32 "\">", number);
	buffer_append_text(out, "<code>");
	html_append_text(out, facts->site.host, SHOWN_URL);
	buffer_printf(out, "/%" PRIu32 "</code>%s", number,
		      is_link ? "</a>" : "");
}
