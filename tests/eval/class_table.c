/* class_table: normalise each line of the input as a class name. */
#include <stdio.h>
#include <string.h>

#include "cluster/class_name.h"

int main(void)
{
	char line[4096];
	char out[CLASS_MAX_BYTES];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		printf("%.*s\n", (int)class_normalise(slice_of(line), out),
		       out);
	}
	return ferror(stdin) || fflush(stdout) != 0;
}
