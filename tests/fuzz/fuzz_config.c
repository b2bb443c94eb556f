/* A file either reads, and then prints and reads back the same, or it is told
 * what is wrong with it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer message = {0};
	struct buffer text = {0};
	struct buffer again = {0};
	struct config config;
	enum error error = config_parse((struct slice){data, size}, "f",
					&config, &message);

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
	buffer_free(&message);
	buffer_free(&text);
	buffer_free(&again);
	return 0;
}
