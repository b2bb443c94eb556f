/*
 * daemon/fetcher/fetcher_role.h - the process that talks to the network: it
 * gets requests, and gives bytes. It has libcurl and reads sitemaps; it knows
 * nothing of the store, and nothing of a site but what is in a request.
 */
#ifndef DAEMON_FETCHER_FETCHER_ROLE_H
#define DAEMON_FETCHER_FETCHER_ROLE_H

#include "daemon/process/process.h"

/* Fetches what it is told to, until the other end is closed. */
role_main fetcher_role;

#endif
