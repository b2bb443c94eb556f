/*
 * daemon/runtime/own_places.h - where the daemon of an ordinary user has its
 * store and its socket, by the XDG Base Directory Specification. The
 * environment is only read, so any thread may ask.
 */
#ifndef DAEMON_RUNTIME_OWN_PLACES_H
#define DAEMON_RUNTIME_OWN_PLACES_H

#include <stdbool.h>
#include <stddef.h>

enum { OWN_SOCKET_BYTES = 108 }; /* of the path of a socket, with its NUL */

/*
 * $XDG_DATA_HOME/templated, else ~/.local/share/templated. False: there is no
 * home, or the path is too long.
 */
bool own_store_path(char *out, size_t size);

/*
 * $XDG_RUNTIME_DIR/templated/templated.sock, else templated.sock in the folder
 * of the store. False as above.
 */
bool own_socket_path(char out[OWN_SOCKET_BYTES]);

/* The one of those two that is there. */
bool own_socket_find(char out[OWN_SOCKET_BYTES]);

/* Make the folder and those above it, for nobody else. False: it is not there,
 * with errno. */
bool own_folder_make(const char *path);

#endif
