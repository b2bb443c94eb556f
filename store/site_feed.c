#include "store/site_feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "store/store.h"

/* over this size, reading all sites is as fast */
enum { MAX_FEED_BYTES = 1 << 20 };

struct site_feed {
	struct site_feed *next;
	struct site_feeds *feeds;
	struct buffer hosts; /* each with a NUL */
	bool is_any;         /* all sites may have changed */
};

void host_list_add(struct host_list *list, struct slice host)
{
	buffer_append(&list->text, host.data, host.size);
	buffer_append_byte(&list->text, '\0');
	list->count++;
}

static int host_list_order(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

void host_list_sort(struct host_list *list)
{
	char *at = list->text.data;
	size_t kept = 0;

	list->hosts = mem_alloc(list->count, sizeof(*list->hosts));
	for (size_t i = 0; i < list->count; i++) {
		list->hosts[i] = at;
		at += strlen(at) + 1;
	}
	if (list->count > 1)
		qsort(list->hosts, list->count, sizeof(*list->hosts),
		      host_list_order);
	for (size_t i = 0; i < list->count; i++)
		if (i == 0 ||
		    strcmp(list->hosts[i], list->hosts[kept - 1]) != 0)
			list->hosts[kept++] = list->hosts[i];
	list->count = kept;
}

void host_list_free(struct host_list *list)
{
	buffer_free(&list->text);
	free(list->hosts);
	*list = (struct host_list){0};
}

struct site_feed *site_feed_create(struct store *store)
{
	struct site_feed *feed = mem_alloc(1, sizeof(*feed));

	feed->feeds = &store->feeds;
	feed->is_any = true;
	pthread_mutex_lock(&feed->feeds->lock);
	feed->next = feed->feeds->first;
	feed->feeds->first = feed;
	pthread_mutex_unlock(&feed->feeds->lock);
	return feed;
}

void site_feed_destroy(struct site_feed *feed)
{
	struct site_feed **link;

	if (feed == NULL)
		return;
	pthread_mutex_lock(&feed->feeds->lock);
	for (link = &feed->feeds->first; *link != feed; link = &(*link)->next)
		;
	*link = feed->next;
	pthread_mutex_unlock(&feed->feeds->lock);
	buffer_free(&feed->hosts);
	free(feed);
}

bool site_feed_take(struct site_feed *feed, struct host_list *list)
{
	struct buffer hosts;
	bool is_any;

	pthread_mutex_lock(&feed->feeds->lock);
	hosts = feed->hosts;
	is_any = feed->is_any;
	feed->hosts = (struct buffer){0};
	feed->is_any = false;
	pthread_mutex_unlock(&feed->feeds->lock);
	for (size_t at = 0; !is_any && at < hosts.size;) {
		struct slice host = slice_of(hosts.data + at);

		host_list_add(list, host);
		at += host.size + 1;
	}
	buffer_free(&hosts);
	return !is_any;
}

static void site_feed_mark_any(struct site_feed *feed)
{
	buffer_free(&feed->hosts);
	feed->is_any = true;
}

void site_feed_reset(struct site_feed *feed)
{
	pthread_mutex_lock(&feed->feeds->lock);
	site_feed_mark_any(feed);
	pthread_mutex_unlock(&feed->feeds->lock);
}

void site_feeds_init(struct site_feeds *feeds)
{
	*feeds = (struct site_feeds){0};
	pthread_mutex_init(&feeds->lock, NULL);
}

void site_feeds_destroy(struct site_feeds *feeds)
{
	pthread_mutex_destroy(&feeds->lock);
	buffer_free(&feeds->changed);
}

void site_feeds_note(struct site_feeds *feeds, struct slice host)
{
	buffer_append(&feeds->changed, host.data, host.size);
	buffer_append_byte(&feeds->changed, '\0');
}

void site_feeds_note_any(struct site_feeds *feeds)
{
	feeds->is_any = true;
}

void site_feeds_end(struct site_feeds *feeds, bool is_kept)
{
	const bool is_any = feeds->is_any;

	pthread_mutex_lock(&feeds->lock);
	for (struct site_feed *feed = feeds->first; feed != NULL && is_kept;
	     feed = feed->next)
		if (is_any ||
		    feed->hosts.size + feeds->changed.size > MAX_FEED_BYTES)
			site_feed_mark_any(feed);
		else if (!feed->is_any)
			buffer_append(&feed->hosts, feeds->changed.data,
				      feeds->changed.size);
	pthread_mutex_unlock(&feeds->lock);
	buffer_free(&feeds->changed);
	feeds->is_any = false;
}

void site_feeds_reset(struct site_feeds *feeds)
{
	pthread_mutex_lock(&feeds->lock);
	for (struct site_feed *feed = feeds->first; feed != NULL;
	     feed = feed->next)
		site_feed_mark_any(feed);
	pthread_mutex_unlock(&feeds->lock);
}
