/* extract/methods/ad_server.h - links to servers of advertisements. */
#ifndef EXTRACT_METHODS_AD_SERVER_H
#define EXTRACT_METHODS_AD_SERVER_H

#include <stdbool.h>

#include "store/slice.h"

/*
 * Whether the host of `href`, as written, looks like a server of
 * advertisements; false for a relative address.
 */
bool ad_server_has(struct slice href);

#endif
