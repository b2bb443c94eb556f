#include "extract/methods/ad_server.h"

#include <strings.h>

/*
 * A host with one of these labels serves advertisements. These few labels
 * replace the long lists of the source, which are out of date in a year.
 */
static const char *const ad_labels[] = {
	"ad",
	"ads",
	"adclick",
	"adserver",
	"adserv",
	"adnxs",
	"atdmt",
	"criteo",
	"doubleclick",
	"outbrain",
	"taboola",
	"googleadservices",
	"googlesyndication",
};

static bool is_ad_label(const char *label, size_t length)
{
	for (size_t i = 0; i < sizeof(ad_labels) / sizeof(ad_labels[0]); i++)
		if (strlen(ad_labels[i]) == length &&
		    strncasecmp(ad_labels[i], label, length) == 0)
			return true;
	return false;
}

/* Return the host: the text between "//" and the path, or empty. */
static struct slice host_of_link(struct slice href)
{
	const char *text = href.data;
	size_t begin = 0;
	size_t end;

	while (begin < href.size && text[begin] != '/')
		begin++;
	if (href.size - begin < 2 || text[begin + 1] != '/')
		return (struct slice){"", 0};
	begin += 2;
	for (end = begin; end < href.size; end++)
		if (strchr("/?#:", text[end]) != NULL)
			break;
	return (struct slice){text + begin, end - begin};
}

bool ad_server_has(struct slice href)
{
	struct slice host = host_of_link(href);
	const char *text = host.data;
	size_t begin = 0;

	for (size_t i = 0; i <= host.size; i++) {
		if (i < host.size && text[i] != '.')
			continue;
		if (is_ad_label(text + begin, i - begin))
			return true;
		begin = i + 1;
	}
	return false;
}
