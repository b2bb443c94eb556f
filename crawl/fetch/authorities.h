/*
 * crawl/fetch/authorities.h - the certificate authorities that are trusted: the
 * system's, and more of the operator's.
 *
 * CURLOPT_CAINFO replaces the file that libcurl was built with, so with more
 * authorities a file in memory holds both. libcurl keeps the parsed file from
 * connection to connection only when it has a name (not for blobs) and there is
 * no folder beside it (CURLOPT_CAPATH). Parsing it again for each connection
 * takes twenty times the CPU time of the rest of a TLS handshake (libcurl 7.88,
 * 140 authorities). So if the system has a file, its folder of the same
 * authorities is not used.
 */
#ifndef CRAWL_FETCH_AUTHORITIES_H
#define CRAWL_FETCH_AUTHORITIES_H

#include <curl/curl.h>
#include <stdbool.h>

#include "store/slice.h"

struct authorities {
	char *file;       /* for CURLOPT_CAINFO; NULL: as libcurl was built */
	bool is_complete; /* `file` has the system's: no CURLOPT_CAPATH */
	int descriptor;   /* of the file in memory; -1: none */
};

/* `ca_file` is a PEM file, or NULL. False when it cannot be read. */
bool authorities_open(struct authorities *authorities_out, const char *ca_file);

/* The same, with what stands in the file: PEM, not empty. */
bool authorities_open_pem(struct authorities *authorities_out,
			  struct slice pem);
void authorities_close(struct authorities *authorities);

/* Have `easy` check the peer by them, who live as long. 0, or what curl said.
 */
unsigned authorities_set(const struct authorities *authorities, CURL *easy);

#endif
