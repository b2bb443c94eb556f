/*
 * daemon/privsep/fetcher_process.h - the process that uses the network: it
 * receives requests and returns bytes. It contains libcurl and parses sitemaps.
 * It has no store, and knows a site only by its requests.
 */
#ifndef DAEMON_PRIVSEP_FETCHER_PROCESS_H
#define DAEMON_PRIVSEP_FETCHER_PROCESS_H

#include "daemon/privsep/spawner_client.h"

/* Fetch what the other end requests, until it closes the channel. */
role_main fetcher_main;

#endif
