/*
 * daemon/runtime/notify.h - messages to the service manager: sd_notify(3)
 * without its library, of which this is all that we need, and which would be a
 * dependency of whoever has no systemd: a datagram to $NOTIFY_SOCKET.
 */
#ifndef DAEMON_RUNTIME_NOTIFY_H
#define DAEMON_RUNTIME_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

/* Whether there is a manager that wants to be told. */
bool notify_is_wanted(void);

/* Send `state`, such as "READY=1"; no-op without a manager. */
void notify_send(const char *state);

/*
 * How often "WATCHDOG=1" must be sent, in milliseconds: half of what the
 * manager allows; 0 when it does not watch this process.
 */
uint32_t notify_watchdog_ms(void);

#endif
