#include "daemon/ctl/ctl_offline.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "daemon/ctl/inputs.h"
#include "template/absolute.h"
#include "template/answer_json.h"

enum format offline_format(const struct ctl *ctl)
{
	const char *name = option_text(ctl, "format");
	enum format format = ctl->is_json ? FORMAT_JSON : FORMAT_TXT;

	if (name != NULL)
		format_from_name(name, &format);
	return format;
}

enum measure offline_measure(const struct ctl *ctl)
{
	const char *name = option_text(ctl, "measure");
	enum measure measure = MEASURE_CAS;

	if (name != NULL)
		measure_from_name(name, &measure);
	return measure;
}

unsigned offline_threshold(const struct ctl *ctl)
{
	return option_threshold(ctl, "threshold", THRESHOLD_AUTO);
}

uint16_t offline_width(const struct ctl *ctl)
{
	return (uint16_t)option_whole(ctl, "shingle-width", 0);
}

const char **offline_parameters(const struct ctl *ctl)
{
	const char **parameters =
		mem_alloc(ctl->value_count + 1, sizeof(*parameters));
	size_t count = 0;

	for (size_t i = 0; i < ctl->value_count; i++)
		if (strcmp(ctl->values[i].option->name, "param") == 0)
			parameters[count++] = ctl->values[i].text;
	return parameters;
}

void offline_render(const struct extraction_result *answer, enum format format,
		    struct buffer *out)
{
	if (format == FORMAT_JSON)
		result_json(answer, NULL, out);
	else
		buffer_append_slice(out, buffer_slice(&answer->text));
}

bool offline_write(const struct ctl *ctl, const char *folder, const char *name,
		   enum format format, struct slice bytes)
{
	struct buffer path = {0};
	enum error error;

	output_path(folder, name, format, &path);
	error = file_write(path.data, bytes);
	if (error != ERR_NONE)
		ctl_print_error(ctl, "%s: cannot write: %s", path.data,
				file_error_text(error));
	buffer_free(&path);
	return error == ERR_NONE;
}

void offline_trouble(enum error error, const struct extraction_result *answer,
		     struct buffer *out)
{
	if (answer->reason[0] != '\0' && error != ERR_NOT_HTML &&
	    error != ERR_TOO_LARGE)
		buffer_append_text(out, answer->reason);
	else
		input_trouble(error,
			      extraction_options_default.limits.max_bytes, out);
}

static bool file_name_byte_is_plain(unsigned char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') ||
	       (byte != '\0' && strchr("-._~/", byte) != NULL);
}

enum error offline_url(const char *name, struct url *url_out)
{
	return offline_url_below("http://" OFFLINE_HOST "/", name, url_out);
}

enum error offline_url_below(const char *base, const char *name,
			     struct url *url_out)
{
	const char *slash = strrchr(base, '/');
	struct buffer text = {0};
	enum error error;

	buffer_append(&text, base, (size_t)(slash - base) + 1);
	for (; *name != '\0'; name++)
		if (file_name_byte_is_plain((unsigned char)*name))
			buffer_append_byte(&text, *name);
		else
			buffer_printf(&text, "%%%02X", (unsigned char)*name);
	error = url_parse(url_out, buffer_slice(&text), NULL);
	buffer_free(&text);
	return error;
}
