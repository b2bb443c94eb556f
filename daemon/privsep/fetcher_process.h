/*
 * daemon/privsep/fetcher_process.h - the process that uses the network: it
 * receives requests and returns responses. It contains libcurl and the parser
 * of sitemaps. It has no store; about a site it knows only what its requests
 * contain.
 */
#ifndef DAEMON_PRIVSEP_FETCHER_PROCESS_H
#define DAEMON_PRIVSEP_FETCHER_PROCESS_H

#include "daemon/privsep/spawner_client.h"

/*
 * Execute the requests that arrive on the channel, until the other end closes
 * it.
 */
role_main fetcher_main;

#endif
