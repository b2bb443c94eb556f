/*
 * daemon/web/ui_files.h - the files style.css, script.js and icon.svg of this
 * folder, which the build compiles into the program as constants. Internal to
 * daemon/ui.
 */
#ifndef DAEMON_WEB_UI_FILES_H
#define DAEMON_WEB_UI_FILES_H

/* NUL-terminated. */
extern const char ui_style[];
extern const char ui_script[];
extern const char ui_icon[];

#endif
