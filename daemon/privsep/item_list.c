#include "daemon/privsep/item_list.h"

#include <string.h>

void item_append(struct buffer *list, struct slice item)
{
	uint32_t size = (uint32_t)item.size;

	buffer_append(list, &size, sizeof(size));
	buffer_append_slice(list, item);
}

void item_append_row(struct buffer *list, const struct row_codec *layout,
		     const void *row)
{
	struct buffer item = row_codec_encode(layout, row);

	item_append(list, buffer_slice(&item));
	buffer_free(&item);
}

bool item_cut(struct slice *list, uint64_t size, struct slice *item_out)
{
	if (size > list->size)
		return false;
	*item_out = (struct slice){list->data, (size_t)size};
	if (size > 0)
		list->data = (const char *)list->data + size;
	list->size -= (size_t)size;
	return true;
}

bool item_next(struct slice *list, struct slice *item_out)
{
	uint32_t size;

	if (list->size < sizeof(size))
		return false;
	memcpy(&size, list->data, sizeof(size));
	list->data = (const char *)list->data + sizeof(size);
	list->size -= sizeof(size);
	return item_cut(list, size, item_out);
}
