#include "crawl/curl_error.h"

#include <stdlib.h>

enum error error_from_curl(CURLcode code)
{
	switch (code) {
	case CURLE_OK:
		return ERR_NONE;
	case CURLE_OUT_OF_MEMORY:
		abort(); /* as everywhere: store/memory.h */
	case CURLE_OPERATION_TIMEDOUT:
		return ERR_TIMEOUT;
	case CURLE_ABORTED_BY_CALLBACK:
		return ERR_REFUSED;
	case CURLE_URL_MALFORMAT:
	case CURLE_BAD_CONTENT_ENCODING:
		return ERR_MALFORMED;
	case CURLE_FILESIZE_EXCEEDED:
		return ERR_TOO_LARGE;
	default:
		/* no name, no connection, TLS, HTTP, cut short */
		return ERR_NETWORK;
	}
}
