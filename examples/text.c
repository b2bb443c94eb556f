/*
 * examples/text.c - the content of an HTML page, by the page alone.
 *
 *	cc text.c -o text $(pkg-config --cflags --libs libtemplated)
 *	./text https://example.com/ <page.html
 */
#include <stdio.h>

#include <templated.h>

int main(int argc, char **argv)
{
	static char html[10000000]; /* longer pages are cut there anyway */
	const struct templated_page page = {
		.bytes = html,
		.size = fread(html, 1, sizeof(html), stdin),
		.url = argc > 1 ? argv[1] : NULL,
	};
	struct templated_answer *answer;
	struct templated_error error;

	answer = templated_extract(NULL, &page, NULL, &error);
	if (answer == NULL) {
		fprintf(stderr, "%s\n", error.message);
		return 1;
	}
	fwrite(templated_text(answer), 1, templated_text_size(answer), stdout);
	templated_free(answer);
	return 0;
}
