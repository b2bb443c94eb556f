#include "store/reserve.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "store/folder.h"

enum { MIN_RESERVE_BYTES = 1 << 16 };

struct reserve {
	int file;
	size_t held; /* bytes on the disk */
};

struct reserve *reserve_open(const char *folder)
{
	struct reserve *reserve;
	int file = folder_create(folder, "reserve");

	if (file < 0)
		return NULL;
	reserve = mem_alloc(1, sizeof(*reserve));
	reserve->file = file;
	reserve_hold(reserve);
	return reserve;
}

void reserve_close(struct reserve *reserve)
{
	if (reserve == NULL)
		return;
	close(reserve->file);
	free(reserve);
}

void reserve_release(struct reserve *reserve)
{
	if (ftruncate(reserve->file, 0) == 0)
		reserve->held = 0;
}

size_t reserve_hold(struct reserve *reserve)
{
	size_t bytes = RESERVE_BYTES;

	while (bytes > reserve->held && bytes >= MIN_RESERVE_BYTES) {
		if (posix_fallocate(reserve->file, 0, (off_t)bytes) == 0)
			reserve->held = bytes;
		bytes /= 2;
	}
	return reserve->held;
}
