#include "crawl/cookies.h"

#include <stdlib.h>

#include "base/memory.h"
#include "crawl/line.h"

CURLcode cookies_load(CURL *easy, const struct cookies *cookies)
{
	struct slice lines = buffer_slice(&cookies->lines);
	CURLcode code = curl_easy_setopt(easy, CURLOPT_COOKIELIST, "ALL");

	while (lines.size > 0 && code == CURLE_OK) {
		struct slice line = line_take(&lines);
		char *text = mem_copy_text(line.data, line.size);

		code = curl_easy_setopt(easy, CURLOPT_COOKIELIST, text);
		free(text);
	}
	return code;
}

void cookies_save(CURL *easy, struct cookies *cookies)
{
	struct curl_slist *list = NULL;
	size_t count = 0;

	buffer_clear(&cookies->lines);
	curl_easy_getinfo(easy, CURLINFO_COOKIELIST, &list);
	for (const struct curl_slist *cookie = list; cookie != NULL;
	     cookie = cookie->next) {
		size_t size = strlen(cookie->data) + 1;

		if (count == MAX_COOKIES ||
		    cookies->lines.size + size > MAX_COOKIE_BYTES)
			continue;
		buffer_append_text(&cookies->lines, cookie->data);
		buffer_append_byte(&cookies->lines, '\n');
		count++;
	}
	curl_slist_free_all(list);
}
