/* Each line of the input twice: decoded as text, then as of an attribute. */
#include <stdio.h>
#include <string.h>

#include "page/entity.h"

enum { MAX_LINE = 256 };

int main(void)
{
	char line[MAX_LINE];
	char out[MAX_LINE + MAX_LINE / 5];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		struct slice text = {line, strcspn(line, "\n")};

		for (int i = 0; i < 2; i++) {
			fwrite(out, 1, entity_decode(text, i == 1, out),
			       stdout);
			putchar('\0');
		}
	}
	return 0;
}
