/* extract/methods/ad_server.h - recognises links to advertisement servers. */
#ifndef EXTRACT_METHODS_AD_SERVER_H
#define EXTRACT_METHODS_AD_SERVER_H

#include <stdbool.h>

#include "base/slice.h"

/*
 * Return true if the host of `href`, as the page writes it, looks like an
 * advertisement server; false for a relative address.
 */
bool ad_server_has(struct slice href);

#endif
