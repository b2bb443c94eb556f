/*
 * examples/apply.c - the content of HTML files by the templates of their site.
 *
 *	templatectl export example.com -o example.tpl
 *	cc apply.c -o apply $(pkg-config --cflags --libs libtemplated)
 *	./apply example.tpl https://example.com/ page.html...
 *
 * Prints of each file its template, its title and its content as Markdown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <templated.h>

/* The bytes of a file; free() them. NULL: it cannot be read. */
static char *read_file(const char *path, size_t *size_out)
{
	FILE *file = fopen(path, "rb");
	size_t capacity = 1 << 16;
	char *bytes = NULL;
	size_t size = 0;

	while (file != NULL && !ferror(file)) {
		char *more = realloc(bytes, capacity);

		if (more == NULL)
			break;
		bytes = more;
		size += fread(bytes + size, 1, capacity - size, file);
		if (feof(file)) {
			fclose(file);
			*size_out = size;
			return bytes;
		}
		capacity *= 2;
	}
	if (file != NULL)
		fclose(file);
	free(bytes);
	return NULL;
}

static int print_page(struct templated_bundle *site, const char *base,
		      const char *path)
{
	const struct templated_options options = {.format = "md"};
	struct templated_page page = {0};
	struct templated_answer *answer;
	struct templated_error error;
	const char *title;
	char url[2048];
	char *bytes = read_file(path, &page.size);

	if (bytes == NULL) {
		fprintf(stderr, "%s: cannot be read\n", path);
		return 1;
	}
	snprintf(url, sizeof(url), "%s%s", base, path);
	page.bytes = bytes;
	page.url = url;
	answer = templated_extract(site, &page, &options, &error);
	free(bytes);
	if (answer == NULL) {
		fprintf(stderr, "%s: %s\n", path, error.message);
		return 1;
	}
	title = templated_metadata(answer, "title", 0);
	printf("<!-- %s: %s, by %s -->\n",
	       templated_answer_template(answer)[0] == '\0'
		       ? "no template"
		       : templated_answer_template(answer),
	       title == NULL ? "no title" : title,
	       templated_answer_method(answer));
	fwrite(templated_text(answer), 1, templated_text_size(answer), stdout);
	templated_free(answer);
	return 0;
}

int main(int argc, char **argv)
{
	struct templated_bundle *site;
	struct templated_error error;
	int failed = 0;

	if (argc < 4) {
		fprintf(stderr, "usage: apply BUNDLE BASE-URL FILE...\n");
		return 2;
	}
	site = templated_open(argv[1], NULL, &error);
	if (site == NULL) {
		fprintf(stderr, "%s: %s\n", argv[1], error.message);
		return 1;
	}
	for (int i = 3; i < argc; i++)
		failed |= print_page(site, argv[2], argv[i]);
	templated_close(site);
	return failed;
}
