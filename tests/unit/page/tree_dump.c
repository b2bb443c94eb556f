/*
 * tree_dump - the trees of pages, for comparing with other parsers. Reads
 * pages, each as its size in bytes, a line end and its bytes, and writes for
 * each its tree in html5lib's form and a NUL: a line an element, attribute or
 * text, two spaces a level; control characters are spaces, and before a name
 * that begins with a quote there is a byte 1. Attributes are in
 * the order of the page, and a line of text is what one token of the source
 * gave.
 */
#include <stdio.h>
#include <stdlib.h>

#include "page/page.h"

/* Print one line: a control character becomes a space. */
static void write_slice(struct slice text)
{
	const char *bytes = text.data;

	for (size_t i = 0; i < text.size; i++)
		putchar((unsigned char)bytes[i] < ' ' ? ' ' : bytes[i]);
}

static void indent(uint32_t depth)
{
	printf("| %*s", (int)(2 * depth), "");
}

static void write_node(const struct page *page, uint32_t index)
{
	const struct node *node = &page->nodes[index];

	indent(node->depth);
	putchar('<');
	if ((node->flags & NODE_IS_SVG) != 0)
		printf("svg ");
	if ((node->flags & NODE_IS_MATHML) != 0)
		printf("math ");
	write_slice(page_tag_name(page, node->tag));
	printf(">\n");
	for (uint32_t i = 0; i < node->attribute_count; i++) {
		const struct attribute *attribute =
			&page->attributes[node->first_attribute + i];

		indent(node->depth + 1U);
		if (*(const char *)attribute->name.data == '"')
			putchar('\x01'); /* it is no text */
		write_slice(attribute->name);
		printf("=\"");
		write_slice(attribute->value);
		printf("\"\n");
	}
}

static void write_text(const struct page *page, uint32_t index)
{
	indent(page->nodes[page->texts[index].node].depth + 1U);
	putchar('"');
	write_slice(page_text(page, index));
	printf("\"\n");
}

static void write_tree(const struct page *page)
{
	uint32_t text = 0;

	for (uint32_t i = 0; i < page->node_count; i++) {
		for (; text < page->nodes[i].first_text; text++)
			write_text(page, text);
		write_node(page, i);
	}
	for (; text < page->text_count; text++)
		write_text(page, text);
}

static bool dump(size_t size)
{
	char *bytes = malloc(size + 1);
	struct page *page = NULL;

	if (bytes == NULL || fread(bytes, 1, size, stdin) != size) {
		free(bytes);
		return false;
	}
	if (page_parse(&page, (struct slice){bytes, size}, slice_of("utf-8"),
		       &page_limits_default) == ERR_NONE)
		write_tree(page);
	putchar('\0');
	page_destroy(page);
	free(bytes);
	return true;
}

int main(void)
{
	char line[32];

	while (fgets(line, sizeof(line), stdin) != NULL)
		if (!dump(strtoul(line, NULL, 10)))
			return 1;
	return 0;
}
