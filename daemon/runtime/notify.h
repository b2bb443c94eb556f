/*
 * daemon/runtime/notify.h - messages to the service manager: sd_notify(3)
 * without its library, a datagram to $NOTIFY_SOCKET.
 */
#ifndef DAEMON_RUNTIME_NOTIFY_H
#define DAEMON_RUNTIME_NOTIFY_H

#include <stdint.h>

/* Send `state`, such as "READY=1"; no-op without a manager. */
void notify_send(const char *state);

/*
 * How often "WATCHDOG=1" must be sent, in milliseconds: half of what the
 * manager allows; 0 when it does not watch this process.
 */
uint32_t notify_watchdog_ms(void);

#endif
