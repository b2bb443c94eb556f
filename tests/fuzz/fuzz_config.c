/* A file is either read, printed and read back unchanged, or refused with a
 * message. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "daemon/config/config.h"

enum { REPEAT = '%', LONG_BYTES = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer message = {0};
	struct buffer text = {0};
	struct buffer again = {0};
	struct buffer file = {0};
	struct config config;
	enum error error;

	buffer_append(&file, data, size);
	/* the daemon's own print has over 4 KiB, and so has the limit */
	while (size > 1 && data[0] == REPEAT && file.size <= LONG_BYTES)
		buffer_append(&file, data + 1, size - 1);
	error = config_parse(buffer_slice(&file), "f", &config, &message);
	if ((error == ERR_NONE) != (message.size == 0))
		abort();
	if (error == ERR_NONE) {
		config_print(&config, &text);
		if (config_parse(buffer_slice(&text), "f", &config, &message) !=
		    ERR_NONE)
			abort();
		config_print(&config, &again);
		if (strcmp(text.data, again.data) != 0)
			abort();
	}
	buffer_free(&file);
	buffer_free(&message);
	buffer_free(&text);
	buffer_free(&again);
	return 0;
}
