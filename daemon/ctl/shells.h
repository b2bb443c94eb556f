/*
 * daemon/ctl/shells.h - the files of daemon/ctl/shells, each terminated by NUL.
 */
#ifndef DAEMON_CTL_SHELLS_H
#define DAEMON_CTL_SHELLS_H

extern const char shell_bash[];
extern const char shell_zsh[];
extern const char shell_fish[];

#endif
