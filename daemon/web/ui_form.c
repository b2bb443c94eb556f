#include "daemon/web/ui_form.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

static int digit_of(char byte)
{
	int lower = byte | 0x20;

	if (byte >= '0' && byte <= '9')
		return byte - '0';
	return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Append the decoded text; false if it contains a NUL. */
static bool form_decode(struct slice text, struct buffer *out)
{
	const char *bytes = text.data;

	buffer_clear(out);
	buffer_append_text(out, "");
	for (size_t i = 0; i < text.size; i++) {
		char byte = bytes[i];

		if (byte == '+')
			byte = ' ';
		if (byte == '%' && i + 2 < text.size &&
		    digit_of(bytes[i + 1]) >= 0 &&
		    digit_of(bytes[i + 2]) >= 0) {
			byte = (char)(digit_of(bytes[i + 1]) * 16 +
				      digit_of(bytes[i + 2]));
			i += 2;
		}
		if (byte == '\0')
			return false;
		buffer_append_byte(out, byte);
	}
	return true;
}

/* Add the field "name=value". */
static bool form_add_field(json_t *form, struct slice field)
{
	const char *bytes = field.data;
	const char *equals = memchr(bytes, '=', field.size);
	size_t size = equals == NULL ? field.size : (size_t)(equals - bytes);
	struct buffer name = {0};
	struct buffer value = {0};
	bool is_right = form_decode((struct slice){bytes, size}, &name);

	if (equals != NULL && is_right)
		is_right = form_decode(
			(struct slice){equals + 1, field.size - size - 1},
			&value);
	/* jansson rejects invalid UTF-8 */
	if (is_right && value.size > 0)
		json_object_set_new(form, name.data, json_string(value.data));
	buffer_free(&name);
	buffer_free(&value);
	return is_right;
}

json_t *ui_form_read(struct slice body)
{
	json_t *form = json_object();
	const char *at = body.data;
	size_t left = body.size;
	bool is_right = left <= UI_FORM_MAX_BYTES;

	for (unsigned i = 0; is_right && left > 0; i++) {
		const char *end = memchr(at, '&', left);
		size_t size = end == NULL ? left : (size_t)(end - at);

		is_right = i < UI_FORM_MAX_FIELDS &&
			   form_add_field(form, (struct slice){at, size});
		left -= end == NULL ? size : size + 1;
		at += end == NULL ? size : size + 1;
	}
	if (is_right)
		return form;
	json_decref(form);
	return NULL;
}

bool ui_form_is_ours(const char *origin, const char *host, const char *site)
{
	const char *rest = origin;

	if (origin == NULL || host == NULL || *host == '\0' ||
	    (site != NULL && strcmp(site, "same-origin") != 0))
		return false;
	if (strncmp(origin, "http://", 7) == 0)
		rest += 7;
	else if (strncmp(origin, "https://", 8) == 0)
		rest += 8;
	else
		return false;
	return strcmp(rest, host) == 0;
}

bool ui_form_number(json_t *form, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *text =
			json_string_value(json_object_get(form, names[i]));
		char *end;
		long long number;

		if (text == NULL)
			continue;
		errno = 0;
		number = strtoll(text, &end, 10);
		if (*text < '0' || *text > '9' || *end != '\0' || errno != 0)
			return false;
		json_object_set_new(form, names[i], json_integer(number));
	}
	return true;
}

void ui_form_flags(json_t *form, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		json_object_set_new(
			form, names[i],
			json_boolean(json_object_get(form, names[i]) != NULL));
}

bool ui_form_threshold(json_t *form)
{
	const char *text =
		json_string_value(json_object_get(form, "threshold"));
	char *end;
	double number;

	if (text == NULL || strcmp(text, "auto") == 0)
		return true;
	number = strtod(text, &end);
	if (end == text || *end != '\0' || !(number >= 0 && number <= 1))
		return false;
	json_object_set_new(form, "threshold", json_real(number));
	return true;
}

/* Add the header in a line of `size` bytes; false if it has no colon. */
static bool form_add_header(json_t *headers, const char *line, size_t size)
{
	const char *colon = memchr(line, ':', size);
	size_t name = colon == NULL ? 0 : (size_t)(colon - line);
	size_t value = name + 1;
	char key[256];

	if (size == 0)
		return true;
	if (colon == NULL || name >= sizeof(key))
		return false;
	memcpy(key, line, name);
	key[name] = '\0';
	while (value < size && line[value] == ' ')
		value++;
	json_object_set_new(headers, key,
			    json_stringn(line + value, size - value));
	return true;
}

bool ui_form_headers(json_t *form)
{
	const char *text = json_string_value(json_object_get(form, "headers"));
	json_t *headers = json_object();
	bool is_right = true;

	if (json_object_get(form, "no_headers") != NULL)
		text = "";
	json_object_del(form, "no_headers");
	for (const char *line = text; line != NULL && *line != '\0' && is_right;
	     line += *line == '\n') {
		size_t size = strcspn(line, "\r\n");

		is_right = form_add_header(headers, line, size);
		line += size;
		line += *line == '\r';
	}
	if (text != NULL)
		json_object_set(form, "headers", headers);
	json_decref(headers);
	return is_right;
}
