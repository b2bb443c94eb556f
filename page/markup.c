#include "page/markup.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "page/entity.h"
#include "page/page.h"

enum {
	MAX_CHARACTER = 4, /* maximum bytes of a character in UTF-8 */
	MAX_TEXT = 1024,
};

/* Return the reference for the byte; NULL if it is copied unchanged. */
static const char *escape_of(char byte)
{
	switch (byte) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void escape_append(struct buffer *out, struct slice text)
{
	const char *bytes = text.data;
	size_t begin = 0;

	for (size_t i = 0; i < text.size; i++) {
		const char *escape = escape_of(bytes[i]);

		if (escape == NULL)
			continue;
		buffer_append(out, bytes + begin, i - begin);
		buffer_append_text(out, escape);
		begin = i + 1;
	}
	if (begin < text.size)
		buffer_append(out, bytes + begin, text.size - begin);
}

static bool is_control_byte(unsigned char byte)
{
	return byte < 0x20 || byte == 0x7f;
}

/*
 * Return whether the bytes begin with a C1 control character (U+0080 to
 * U+009F), which is C2 80 to C2 9F in UTF-8.
 */
static bool is_c1_control(const unsigned char *bytes, size_t size)
{
	return size >= 2 && bytes[0] == 0xc2 && bytes[1] < 0xa0;
}

/*
 * Replace U+FFFE and U+FFFF (EF BF BE and EF BF BF) by U+FFFD, because XML
 * forbids them.
 */
static void replace_noncharacters(unsigned char *bytes, size_t size)
{
	unsigned char *end = bytes + size;
	unsigned char *at = memchr(bytes, 0xef, size);

	while (at != NULL && end - at >= 3) {
		if (at[1] == 0xbf && at[2] >= 0xbe)
			at[2] = 0xbd;
		at++;
		at = memchr(at, 0xef, (size_t)(end - at));
	}
}

/*
 * Return false if clean_controls() has nothing to replace. The loop has no
 * jumps, so that the compiler can check many bytes together.
 */
static bool may_be_unclean(const unsigned char *bytes, size_t size)
{
	unsigned found = 0;

	for (size_t i = 0; i < size; i++)
		found |= (unsigned)(is_control_byte(bytes[i]) &
				    (bytes[i] != '\n') & (bytes[i] != '\t')) |
			 (unsigned)(bytes[i] == 0xc2 || bytes[i] == 0xef);
	return found != 0;
}

/*
 * Replace control characters except tab and LF by spaces, in place; return the
 * new size.
 */
static size_t clean_controls(unsigned char *bytes, size_t size)
{
	size_t used = 0;

	if (!may_be_unclean(bytes, size))
		return size;
	for (size_t i = 0; i < size; i++) {
		if (is_c1_control(bytes + i, size - i)) {
			bytes[used++] = ' ';
			i++;
		} else if (is_control_byte(bytes[i]) && bytes[i] != '\n' &&
			   bytes[i] != '\t') {
			bytes[used++] = ' ';
		} else {
			bytes[used++] = bytes[i];
		}
	}
	replace_noncharacters(bytes, used);
	return used;
}

void markup_append_plain(struct buffer *out, struct slice text, bool is_pre)
{
	char *end = buffer_reserve(out, text.size);
	size_t size = is_pre ? line_ends(text, end) : text_collapse(text, end);

	out->size += clean_controls((unsigned char *)end, size);
	out->data[out->size] = '\0';
}

/* Return the size of `text` without an incomplete character at its end. */
static size_t whole_size(const char *text, size_t size)
{
	size_t begin = size;
	size_t length = 1;

	while (begin > 0 && utf8_continues(text[begin - 1]))
		begin--;
	if (begin == 0)
		return size;
	begin--;
	if ((unsigned char)text[begin] >=
	    0xc0) /* the first byte shows how many bytes the character has */
		length = (unsigned char)text[begin] < 0xe0   ? 2
			 : (unsigned char)text[begin] < 0xf0 ? 3
							     : 4;
	return begin + length > size ? begin : size;
}

void markup_append_label(struct buffer *out, const char *label)
{
	struct slice text = {label, whole_size(label, strlen(label))};
	struct buffer plain = {0};

	markup_append_plain(&plain, text, false);
	escape_append(out, buffer_slice(&plain));
	buffer_free(&plain);
}

bool markup_is_blank(struct slice text)
{
	const unsigned char *bytes = text.data;

	for (size_t i = 0; i < text.size; i++) {
		size_t size = 1;

		if (is_control_byte(bytes[i]) || utf8_continues(bytes[i]))
			continue;
		while (i + size < text.size && size < MAX_CHARACTER &&
		       utf8_continues(bytes[i + size]))
			size++;
		if (!is_c1_control(bytes + i, text.size - i) &&
		    !text_is_blank((struct slice){bytes + i, size}))
			return false;
	}
	return true;
}

/*
 * Return the scheme of a URL: the text before the first ':'. Return an empty
 * slice if there is a '/', '?' or '#' before it.
 */
static struct slice scheme_of(const char *url, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (url[i] == ':')
			return (struct slice){url, i};
		if (url[i] == '/' || url[i] == '?' || url[i] == '#')
			break;
	}
	return (struct slice){NULL, 0};
}

static bool is_safe_url(const char *url, size_t size)
{
	struct slice scheme = scheme_of(url, size);

	for (size_t i = 0; i < size; i++)
		if (is_control_byte((unsigned char)url[i]))
			return false;
	if (scheme.data == NULL)
		return size > 0;
	return (scheme.size == 4 && strncasecmp(url, "http", 4) == 0) ||
	       (scheme.size == 5 && strncasecmp(url, "https", 5) == 0);
}

bool markup_append_address(struct buffer *out, struct slice href)
{
	const char *bytes = href.data;
	size_t old = out->size;
	size_t begin = 0;
	size_t end = href.size;

	while (begin < end && (unsigned char)bytes[begin] <= ' ')
		begin++;
	while (end > begin && (unsigned char)bytes[end - 1] <= ' ')
		end--;
	for (size_t i = begin; i < end; i++)
		if (bytes[i] != '\t' && bytes[i] != '\n' && bytes[i] != '\r')
			buffer_append_byte(out, bytes[i]);
	if (out->size > old && is_safe_url(out->data + old, out->size - old))
		return true;
	out->size = old;
	if (out->data != NULL)
		out->data[old] = '\0';
	return false;
}

static void svg_begin(struct buffer *out, const char *element,
		      const char *class)
{
	buffer_printf(out, "<%s", element);
	if (class != NULL)
		buffer_printf(out, " class=\"%s\"", class);
}

/* Append an attribute with a horizontal position or size. */
static void append_across(struct buffer *out, const char *name, double value,
			  bool is_percent)
{
	if (is_percent)
		buffer_printf(out, " %s=\"%.2f%%\"", name, value);
	else
		buffer_printf(out, " %s=\"%.1f\"", name, value);
}

void svg_text_begin(struct buffer *out, const char *class, struct svg_point at,
		    const char *more)
{
	svg_begin(out, "text", class);
	append_across(out, "x", at.x, at.is_percent);
	buffer_printf(out, " y=\"%.1f\"%s>", at.y, more);
}

void svg_text_end(struct buffer *out)
{
	buffer_append_text(out, "</text>\n");
}

void svg_text(struct buffer *out, const char *class, struct svg_point at,
	      const char *format, ...)
{
	char text[MAX_TEXT];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	svg_text_begin(out, class, at, "");
	escape_append(out, slice_of(text));
	svg_text_end(out);
}

void svg_rect_begin(struct buffer *out, const char *class, struct svg_box box)
{
	svg_begin(out, "rect", class);
	append_across(out, "x", box.x, box.is_percent);
	buffer_printf(out, " y=\"%.1f\"", box.y);
	append_across(out, "width", box.width, box.is_percent);
	buffer_printf(out, " height=\"%.1f\"", box.height);
}

void svg_rect(struct buffer *out, const char *class, struct svg_box box)
{
	svg_rect_begin(out, class, box);
	buffer_append_text(out, "/>\n");
}

void svg_path(struct buffer *out, const char *class, const char *format, ...)
{
	char path[MAX_TEXT];
	va_list list;

	va_start(list, format);
	vsnprintf(path, sizeof(path), format, list);
	va_end(list);
	svg_begin(out, "path", class);
	buffer_printf(out, " d=\"%s\"/>\n", path);
}

void markup_begin_document(struct buffer *out, const char *policy)
{
	buffer_append_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
				"<meta charset=\"utf-8\">\n");
	if (policy != NULL)
		buffer_printf(out,
			      "<meta http-equiv=\"Content-Security-Policy\" "
			      "content=\"default-src 'none'; style-src "
			      "'unsafe-inline'%s\">\n",
			      policy);
	buffer_append_text(out, "<meta name=\"viewport\" "
				"content=\"width=device-width, "
				"initial-scale=1\">\n");
}

void markup_begin_term(struct buffer *out, const char *term)
{
	buffer_printf(out, "<dt>%s</dt><dd>", term);
}
