#include "daemon/ctl/inputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"

bool is_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

void input_trouble(enum error error, size_t max_bytes, struct buffer *out)
{
	switch (error) {
	case ERR_NOT_FOUND:
		buffer_append_text(out, "no such file or folder");
		break;
	case ERR_TOO_LARGE:
		buffer_printf(out,
			      "larger than %zu bytes, the maximum of a page",
			      max_bytes);
		break;
	case ERR_NOT_HTML:
		buffer_append_text(out, "not an HTML page, but binary data");
		break;
	case ERR_CORRUPT:
		buffer_append_text(out, "damaged gzip data");
		break;
	case ERR_IO:
		buffer_printf(out, "cannot read: %s", file_error_text(error));
		break;
	default:
		buffer_append_text(out, error_text(error));
	}
}

void input_print_error(const struct ctl *ctl, const char *path,
		       enum error error, size_t max_bytes)
{
	struct buffer trouble = {0};

	input_trouble(error, max_bytes, &trouble);
	ctl_print_error(ctl, "%s: %s", path, trouble.data);
	buffer_free(&trouble);
}

static char *inputs_join_path(const char *folder, const char *name)
{
	struct buffer path = {0};
	char *copy;

	buffer_append_text(&path, folder);
	if (path.size > 0 && path.data[path.size - 1] != '/')
		buffer_append_byte(&path, '/');
	buffer_append_text(&path, name);
	copy = mem_copy_text(path.data, path.size);
	buffer_free(&path);
	return copy;
}

/* Takes ownership of both texts. */
static void inputs_add(struct inputs *inputs, struct input input)
{
	inputs->items = mem_grow(inputs->items, inputs->count,
				 &inputs->capacity, sizeof(*inputs->items));
	inputs->items[inputs->count++] = input;
}

static char *inputs_copy_text(const char *text)
{
	return mem_copy_text(text, strlen(text));
}

static bool add_folder(const struct ctl *ctl, const char *folder,
		       bool keeps_folder, struct inputs *inputs)
{
	static const char *const endings[] = {".html", ".htm", ".html.gz",
					      ".htm.gz", NULL};
	struct file_list list = {0};
	enum error error = file_list(folder, endings, &list);

	if (error != ERR_NONE) {
		input_print_error(ctl, folder, error, 0);
		return false;
	}
	for (size_t i = 0; i < list.count; i++)
		inputs_add(inputs,
			   (struct input){
				   inputs_join_path(folder, list.paths[i]),
				   keeps_folder
					   ? inputs_join_path(folder,
							      list.paths[i])
					   : inputs_copy_text(list.paths[i])});
	file_list_free(&list);
	return true;
}

static void add_file(const char *path, bool keeps_folder, struct inputs *inputs)
{
	const char *slash = strrchr(path, '/');

	inputs_add(inputs,
		   (struct input){inputs_copy_text(path),
				  inputs_copy_text(keeps_folder || slash == NULL
							   ? path
							   : slash + 1)});
}

static int inputs_compare(const void *a, const void *b)
{
	const struct input *left = a;
	const struct input *right = b;
	int order = strcmp(left->name, right->name);

	return order != 0 ? order : strcmp(left->path, right->path);
}

static void free_input(struct input *input)
{
	free(input->path);
	free(input->name);
}

static void inputs_drop_repeats(struct inputs *inputs)
{
	size_t kept = 0;

	for (size_t i = 0; i < inputs->count; i++)
		if (kept > 0 && inputs_compare(&inputs->items[kept - 1],
					       &inputs->items[i]) == 0)
			free_input(&inputs->items[i]);
		else
			inputs->items[kept++] = inputs->items[i];
	inputs->count = kept;
}

bool inputs_collect(const struct ctl *ctl, bool keeps_folders,
		    struct inputs *inputs_out)
{
	*inputs_out = (struct inputs){0};
	for (size_t i = 0; i < ctl->operand_count; i++) {
		const char *path = ctl->operands[i];

		if (!is_folder(path))
			add_file(path, keeps_folders, inputs_out);
		else if (!add_folder(ctl, path,
				     keeps_folders && ctl->operand_count > 1,
				     inputs_out))
			return false;
	}
	if (inputs_out->count == 0) {
		ctl_print_error(ctl, "%s: has no *.html or *.htm files",
				ctl->operands[0]);
		return false;
	}
	qsort(inputs_out->items, inputs_out->count, sizeof(*inputs_out->items),
	      inputs_compare);
	inputs_drop_repeats(inputs_out);
	return true;
}

void inputs_free(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		free_input(&inputs->items[i]);
	free(inputs->items);
	*inputs = (struct inputs){0};
}

/* Return the length of `name` without a final `ending`. */
static size_t inputs_strip_ending(const char *name, size_t length,
				  const char *ending)
{
	size_t size = strlen(ending);

	return length > size && memcmp(name + length - size, ending, size) == 0
		       ? length - size
		       : length;
}

size_t output_stem_length(const char *name)
{
	return inputs_strip_ending(
		name, inputs_strip_ending(name, strlen(name), ".gz"), ".html");
}

void output_path(const char *folder, const char *name, enum format format,
		 struct buffer *out)
{
	buffer_printf(out, "%s/", folder);
	buffer_append(out, name, output_stem_length(name));
	buffer_printf(out, ".%s", format_ending(format));
}
