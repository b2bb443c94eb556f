/* daemon/json_value.h - it has moved to template/. */
#ifndef DAEMON_JSON_VALUE_H
#define DAEMON_JSON_VALUE_H

#include "template/json_value.h" /* IWYU pragma: export */

#endif
