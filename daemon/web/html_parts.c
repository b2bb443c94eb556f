#include "daemon/web/html_parts.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"
#include "daemon/runtime/terminal.h"
#include "page/escape.h"

enum { BYTES_PER_COLUMN = 4 }; /* maximum size of a character */

void html_append_text(struct buffer *out, struct slice text, size_t columns)
{
	struct buffer cut = {0};

	/* zero-width characters use no column */
	text = utf8_truncate(text, columns * BYTES_PER_COLUMN);
	terminal_cut(text, columns, &cut);
	escape_append(out, buffer_slice(&cut));
	buffer_free(&cut);
}

void html_append_count(struct buffer *out, uint64_t count)
{
	char digits[32];
	int size = snprintf(digits, sizeof(digits), "%" PRIu64, count);

	for (int i = 0; i < size; i++) {
		if (i > 0 && (size - i) % 3 == 0)
			buffer_append_byte(out, ',');
		buffer_append_byte(out, digits[i]);
	}
}

void html_append_counted(struct buffer *out, uint64_t count, const char *noun)
{
	html_append_count(out, count);
	buffer_printf(out, " %s%s", noun, count == 1 ? "" : "s");
}

/* ARIA roles, because the style may turn the table into blocks */
void html_begin_table(struct buffer *out, const char *caption,
		      const char *const *heads)
{
	buffer_printf(out,
		      "<table role=\"table\"><caption>%s</caption>\n"
		      "<thead role=\"rowgroup\"><tr role=\"row\">",
		      caption);
	for (; *heads != NULL; heads++)
		buffer_printf(
			out,
			"<th role=\"columnheader\" scope=\"col\"%s>%s</th>",
			**heads == '#' ? " class=\"num\"" : "",
			*heads + (**heads == '#'));
	buffer_append_text(out, "</tr></thead>\n<tbody role=\"rowgroup\">\n");
}

void html_end_table(struct buffer *out)
{
	buffer_append_text(out, "</tbody></table>\n");
}

void html_begin_cell(struct buffer *out, const char *head)
{
	buffer_printf(out, "<td role=\"cell\"%s data-head=\"%s\">",
		      *head == '#' ? " class=\"num\"" : "",
		      head + (*head == '#'));
}
