/* base/error.h - error codes: 0 is success, errors are negative. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

/* Each row: constant, value, name for programs, phrase for messages. */
#define ERROR_LIST(X)                                                        \
	X(ERR_NOT_FOUND, -1, "not_found", "not found")                       \
	X(ERR_MALFORMED, -2, "malformed", "malformed input")                 \
	X(ERR_TOO_LARGE, -3, "too_large", "over the configured limit")       \
	X(ERR_STORE_FULL, -4, "store_full", "the store or its disk is full") \
	X(ERR_IO, -5, "io", "input or output failed")                        \
	X(ERR_CORRUPT, -6, "corrupt", "stored data is damaged")              \
	X(ERR_VERSION, -7, "version", "store was made by another version")   \
	X(ERR_BUSY, -8, "busy", "in use or over its limit; try again")       \
	X(ERR_TIMEOUT, -9, "timeout", "took longer than allowed")            \
	X(ERR_NETWORK, -10, "network", "the server could not be reached")    \
	X(ERR_ADDRESS_FORBIDDEN, -11, "address_forbidden",                   \
	  "the address or scheme is forbidden")                              \
	X(ERR_ROBOTS_DENIED, -12, "robots_denied", "robots.txt forbids it")  \
	X(ERR_NOT_HTML, -13, "not_html", "not an HTML page")                 \
	X(ERR_OUT_OF_SCOPE, -14, "out_of_scope", "outside the site")         \
	X(ERR_STOPPED, -15, "stopped", "the daemon is stopping")             \
	X(ERR_BODY_EXPIRED, -16, "body_expired", "its body has expired")     \
	X(ERR_QUARANTINED, -17, "quarantined",                               \
	  "its bytes crashed or stalled a worker")                           \
	X(ERR_NO_CREDENTIALS, -18, "no_credentials",                         \
	  "its credentials are missing; set them again")                     \
	X(ERR_NOT_OWNER, -19, "not_owner", "another node owns it")           \
	X(ERR_LOG_UNAVAILABLE, -20, "log_unavailable",                       \
	  "the log of the node group cannot be written")                     \
	X(ERR_NO_ENCRYPTION_KEY, -21, "no_encryption_key",                   \
	  "nodes.encryption_key_file has no key for these secrets")          \
	X(ERR_UNKNOWN_HOST, -22, "unknown_host",                             \
	  "the name of the host has no address")                             \
	X(ERR_NOT_CONNECTED, -23, "not_connected",                           \
	  "the server accepts no connection")                                \
	X(ERR_TLS, -24, "tls", "TLS or its certificate failed")              \
	X(ERR_NOT_RENDERED, -25, "not_rendered", "the page was not rendered")

enum error {
	ERR_NONE = 0,
#define X(name, value, code, text) name = (value),
	ERROR_LIST(X)
#undef X
};

/*
 * Return whether a server could not be reached: ERR_NETWORK, or an error that
 * is more precise.
 */
static inline bool error_is_network(enum error error)
{
	return error == ERR_NETWORK || error == ERR_UNKNOWN_HOST ||
	       error == ERR_NOT_CONNECTED || error == ERR_TLS;
}

/* Return a lower-case phrase for logs, without a full stop; static memory. */
const char *error_text(enum error error);

/* Return one word for programs (the "code" of an API error); static memory. */
const char *error_code(enum error error);

#endif
