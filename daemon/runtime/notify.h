/*
 * daemon/runtime/notify.h - send messages to the service manager: a datagram to
 * $NOTIFY_SOCKET, like sd_notify(3). Its library would be a dependency for
 * users without systemd.
 */
#ifndef DAEMON_RUNTIME_NOTIFY_H
#define DAEMON_RUNTIME_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

/* Return whether a service manager expects messages. */
bool notify_is_wanted(void);

/* Send `state`, such as "READY=1"; no-op without a manager. */
void notify_send(const char *state);

/*
 * Return the interval of "WATCHDOG=1" in milliseconds: half of the manager's
 * limit; 0 if it does not watch this process.
 */
uint32_t notify_watchdog_ms(void);

#endif
