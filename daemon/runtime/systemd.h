/*
 * daemon/runtime/systemd.h - use listening Unix sockets that the service
 * manager passes to the daemon: sd_listen_fds_with_names(3) without its
 * library. Any thread: the environment is only read.
 */
#ifndef DAEMON_RUNTIME_SYSTEMD_H
#define DAEMON_RUNTIME_SYSTEMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/log.h"

enum { ACTIVATION_PATH_BYTES = 108 }; /* with its NUL */

/* Return the number of descriptors passed to this process. */
size_t activation_count(void);

/*
 * Return the path of the listening socket that the manager calls `name`
 * (FileDescriptorName=). Return false if there is no such name, or it is not a
 * listening stream socket in the file system.
 */
bool activation_path(const char *name, char path_out[ACTIVATION_PATH_BYTES]);

/*
 * Return the descriptor of the socket on that path, which stays open; -1 if
 * there is no such socket.
 */
int activation_file(const char *path);

/*
 * Prevent other programs from inheriting the sockets; call it before starting
 * any.
 */
void activation_close_on_exec(void);

/*
 * Create the socket from which datagrams go to the service manager and
 * journald, unless it exists. Call it before sandbox_enter() if datagrams will
 * be sent: after that, the main process cannot create it. Any thread.
 */
void datagram_open(void);

/*
 * Send the bytes to the socket `path` without waiting; a path that begins with
 * '@' is an abstract name. Create the socket if it is missing. Return false if
 * the path does not exist, or its queue is full. Any thread.
 */
bool datagram_send(const char *path, struct slice bytes);

enum log_format { LOG_FORMAT_TEXT, LOG_FORMAT_JSON };

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

/*
 * Set the format of the log on standard error. Text goes to journald as fields
 * if standard error is its stream ($JOURNAL_STREAM), as under systemd. Any
 * thread.
 */
void log_output_set(enum log_format format);

/*
 * Append the event as a line of JSON: time (UTC, with milliseconds), level,
 * site and url if present, message. Bytes that are not UTF-8 become '?'.
 */
void log_output_json(const struct log_event *event, uint64_t now_ms,
		     struct buffer *out);

/*
 * Append the event in the format of journald: PRIORITY (3, 4, 6 or 7 of
 * syslog), SYSLOG_IDENTIFIER, TEMPLATED_SITE and TEMPLATED_URL if present,
 * MESSAGE as in the text format.
 */
void log_output_journal(const struct log_event *event, struct buffer *out);

/*
 * Send the event to the socket `path` without waiting; return false if it is
 * not accepted.
 */
bool log_output_send(const char *path, const struct log_event *event);

/*
 * Return whether `file` is the file that `stream` (DEVICE:INODE, or NULL)
 * names.
 */
bool log_output_is_stream(const char *stream, int file);

/* Return whether a service manager expects messages. */
bool notify_is_wanted(void);

/*
 * Send `state`, such as "READY=1", to $NOTIFY_SOCKET, like sd_notify(3), whose
 * library would be a dependency for users without systemd; no-op without a
 * manager.
 */
void notify_send(const char *state);

/*
 * Return the interval of "WATCHDOG=1" in milliseconds: half of the manager's
 * limit; 0 if it does not watch this process.
 */
uint32_t notify_watchdog_ms(void);

/*
 * Paths of the store and the socket of an ordinary user's daemon, by the XDG
 * Base Directory Specification. Any thread: the environment is only read.
 */

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
