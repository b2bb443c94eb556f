/*
 * crawl/authorities.h - the trusted CA certificates: the system's, and
 * additional ones of the operator.
 *
 * CURLOPT_CAINFO replaces the file that libcurl was built with, so with
 * additional certificates a memory file holds both. libcurl caches the parsed
 * file between connections only if the file has a name (not for blobs) and no
 * folder is set (CURLOPT_CAPATH). Parsing it again for each connection takes
 * twenty times the CPU time of the rest of a TLS handshake (libcurl 7.88, 140
 * certificates). So if the system has a file, its folder, which has the same
 * certificates, is not used.
 */
#ifndef CRAWL_AUTHORITIES_H
#define CRAWL_AUTHORITIES_H

#include <curl/curl.h>
#include <stdbool.h>

#include "base/slice.h"

struct ca_bundle {
	char *file;       /* for CURLOPT_CAINFO; NULL: default of libcurl */
	bool is_complete; /* `file` includes the system's: no CURLOPT_CAPATH */
	int descriptor;   /* of the memory file; -1 = none */
};

/* `ca_file` is a PEM file, or NULL. Return false if it cannot be read. */
bool ca_bundle_open(struct ca_bundle *authorities_out, const char *ca_file);

/* The same with the content of the file: PEM, not empty. */
bool ca_bundle_open_pem(struct ca_bundle *authorities_out, struct slice pem);
void ca_bundle_close(struct ca_bundle *authorities);

/*
 * Make `easy` verify the peer with these certificates, which must outlive it.
 * Return 0, or the error of libcurl.
 */
unsigned ca_bundle_set(const struct ca_bundle *authorities, CURL *easy);

#endif
