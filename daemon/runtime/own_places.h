/*
 * daemon/runtime/own_places.h - paths of the store and the socket of an
 * ordinary user's daemon, by the XDG Base Directory Specification. Any thread:
 * the environment is only read.
 */
#ifndef DAEMON_RUNTIME_OWN_PLACES_H
#define DAEMON_RUNTIME_OWN_PLACES_H

#include <stdbool.h>
#include <stddef.h>

enum { XDG_SOCKET_BYTES = 108 }; /* a socket path, with its NUL */

/*
 * Return $XDG_DATA_HOME/templated, or ~/.local/share/templated if the variable
 * is not set. Return false if there is no home, or the path is too long.
 */
bool xdg_store_path(char *out, size_t size);

/*
 * Return $XDG_RUNTIME_DIR/templated/templated.sock, or templated.sock in the
 * folder of the store if the variable is not set. Return false as above.
 */
bool xdg_socket_path(char out[XDG_SOCKET_BYTES]);

/* Return the socket path of these two that exists. */
bool xdg_socket_find(char out[XDG_SOCKET_BYTES]);

/*
 * Create the folder and its parents, accessible only to the user. Return false
 * with errno if the folder does not exist afterwards.
 */
bool xdg_folder_make(const char *path);

#endif
