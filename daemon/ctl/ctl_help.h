/* daemon/ctl/ctl_help.h - the usage of templatectl, from its tables. */
#ifndef DAEMON_CTL_CTL_HELP_H
#define DAEMON_CTL_CTL_HELP_H

#include "daemon/ctl/ctl.h"

/* Print all verbs (ended by NULL), or one with its options. */
void help_print(const struct verb *const *verbs);
void help_print_verb(const struct verb *verb);

#endif
