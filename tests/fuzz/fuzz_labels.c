/* tests/fuzz/fuzz_labels.c - any bytes as a file of labels, and each of its
 * lines as the name of a page on a terminal. */
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "daemon/ctl/ctl_group.h"
#include "daemon/runtime/terminal.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_width(struct slice text)
{
	struct buffer cut = {0};
	size_t width = terminal_width(text);

	for (size_t limit = 0; limit < 8; limit++) {
		buffer_clear(&cut);
		if (terminal_cut(text, limit, &cut) > limit)
			abort();
		/* what is printed is clean: it is as wide when it is cleaned */
		if (terminal_width(buffer_slice(&cut)) > limit)
			abort();
	}
	buffer_clear(&cut);
	terminal_clean(text, &cut);
	if (terminal_width(buffer_slice(&cut)) != width)
		abort();
	buffer_free(&cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct buffer copy = {0};
	struct labels labels;

	buffer_append(&copy, bytes, size);
	labels_read(&copy, &labels);
	for (size_t i = 0; i < labels.count; i++) {
		struct slice path = labels.items[i].path;
		char *name = mem_copy_text(path.data, path.size);

		check_width(path);
		/* a NUL ends the name of a file, so it finds another or none */
		if (labels_find(&labels, name) > labels.count)
			abort();
		if (i > 0 && slice_equal(path, labels.items[i - 1].path))
			abort();
		free(name);
	}
	labels_free(&labels);
	return 0;
}
