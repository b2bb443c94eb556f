#include "base/error.h"

const char *error_text(enum error error)
{
	switch (error) {
	case ERR_NONE:
		return "success";
#define X(name, value, code, text) \
	case name:                 \
		return text;
		ERROR_LIST(X)
#undef X
	}
	return "unknown error";
}

const char *error_code(enum error error)
{
	switch (error) {
	case ERR_NONE:
		return "ok";
#define X(name, value, code, text) \
	case name:                 \
		return code;
		ERROR_LIST(X)
#undef X
	}
	return "unknown";
}
