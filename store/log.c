#include "store/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

enum { MAX_LINE_BYTES = 4096 };

static atomic_int max_level = LOG_LEVEL_INFO;

void log_set_level(enum log_level level)
{
	atomic_store(&max_level, (int)level);
}

void log_line(enum log_level level, const char *format, ...)
{
	static const char *const names[] = {"error", "warning", "info",
					    "debug"};
	char line[MAX_LINE_BYTES];
	va_list list;

	if ((int)level > atomic_load(&max_level))
		return;
	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	for (char *c = line; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	fprintf(stderr, "%s: %s\n", names[level], line);
}
