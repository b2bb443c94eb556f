/*
 * daemon/runtime/systemd.h - use sockets of the service manager, its journal
 * and its notifications, and the folders of a user
 *
 * The first functions use listening Unix sockets that the service manager
 * passes to the daemon. They are like sd_listen_fds_with_names(3), but need no
 * library. Any thread may call them, because they only read the environment.
 */
#ifndef DAEMON_RUNTIME_SYSTEMD_H
#define DAEMON_RUNTIME_SYSTEMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/log.h"

enum { ACTIVATION_PATH_BYTES = 108 }; /* including the NUL */

/*
 * Return the number of descriptors that the service manager has passed to this
 * process.
 */
size_t activation_count(void);

/*
 * Return the path of the listening socket that the service manager calls `name`
 * (FileDescriptorName=). Return false if no socket has this name, or if it is
 * not a listening stream socket in the file system.
 */
bool activation_path(const char *name, char path_out[ACTIVATION_PATH_BYTES]);

/*
 * Return the descriptor of the passed socket with this path; the socket stays
 * open. Return -1 if there is no such socket.
 */
int activation_file(const char *path);

/*
 * Make sure that no other program inherits the sockets. Call this before
 * starting any program.
 */
void activation_close_on_exec(void);

/*
 * Create the socket that sends datagrams to the service manager and to
 * journald, unless it exists. If datagrams will be sent, call this before
 * sandbox_enter(), because after that the main process cannot create sockets.
 * Any thread may call this.
 */
void datagram_open(void);

/*
 * Send the bytes to the socket with the path `path`, without waiting. A path
 * that begins with '@' is an abstract name. If the sending socket does not
 * exist, create it. Return false if no socket has this path, or if its queue is
 * full. Any thread may call this.
 */
bool datagram_send(const char *path, struct slice bytes);

enum log_format { LOG_FORMAT_TEXT, LOG_FORMAT_JSON };

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

/*
 * Set the format of the log on standard error. If standard error is the stream
 * of journald ($JOURNAL_STREAM), as under systemd, messages in the text format
 * are sent to journald as separate fields. Any thread may call this.
 */
void log_output_set(enum log_format format);

/*
 * Append the event as one line of JSON with the members time (UTC, with
 * milliseconds), level, site and url (if the event has them), and message.
 * Bytes that are not UTF-8 become '?'.
 */
void log_output_json(const struct log_event *event, uint64_t now_ms,
		     struct buffer *out);

/*
 * Append the event in the format of journald, with the fields PRIORITY (3, 4, 6
 * or 7 of syslog), SYSLOG_IDENTIFIER, TEMPLATED_SITE and TEMPLATED_URL (if the
 * event has them), and MESSAGE as in the text format.
 */
void log_output_journal(const struct log_event *event, struct buffer *out);

/*
 * Send the event to the socket with the path `path`, without waiting. Return
 * false if the event could not be sent.
 */
bool log_output_send(const char *path, const struct log_event *event);

/*
 * Return whether `file` is the file that `stream` identifies. `stream` is
 * DEVICE:INODE or NULL.
 */
bool log_output_is_stream(const char *stream, int file);

/* Return whether a service manager expects messages. */
bool notify_is_wanted(void);

/*
 * Send `state`, such as "READY=1", to $NOTIFY_SOCKET, as sd_notify(3) does. The
 * library of sd_notify(3) is not used, because users without systemd would need
 * it too. If there is no service manager, do nothing.
 */
void notify_send(const char *state);

/*
 * Return how often to send "WATCHDOG=1", in milliseconds: half of the service
 * manager's limit. Return 0 if the service manager does not watch this process.
 */
uint32_t notify_watchdog_ms(void);

/*
 * The paths of the store and the socket for the daemon of an ordinary user,
 * according to the XDG Base Directory Specification. Any thread may call these
 * functions, because they only read the environment.
 */

/* maximum size of a socket path, including the NUL */
enum { XDG_SOCKET_BYTES = 108 };

/*
 * Write $XDG_DATA_HOME/templated to `out`, or ~/.local/share/templated if the
 * variable is not set. Return false if the user has no home, or if the path is
 * too long.
 */
bool xdg_store_path(char *out, size_t size);

/*
 * Write $XDG_RUNTIME_DIR/templated/templated.sock to `out`, or, if the variable
 * is not set, templated.sock in the folder of the store. Return false in the
 * same cases.
 */
bool xdg_socket_path(char out[XDG_SOCKET_BYTES]);

/*
 * Write the path of an existing socket to `out`: one of these two. Return false
 * if neither exists.
 */
bool xdg_socket_find(char out[XDG_SOCKET_BYTES]);

/*
 * Create the folder and its parents so that only the user can access them.
 * Return false, with errno set, if the folder does not exist afterwards.
 */
bool xdg_folder_make(const char *path);

#endif
