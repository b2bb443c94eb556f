#include "crawl/curl_error.h"

enum error error_from_curl(CURLcode code)
{
	switch (code) {
	case CURLE_OK:
		return ERR_NONE;
	case CURLE_OPERATION_TIMEDOUT:
		return ERR_TIMEOUT;
	case CURLE_ABORTED_BY_CALLBACK:
		return ERR_ADDRESS_FORBIDDEN;
	case CURLE_URL_MALFORMAT:
	case CURLE_BAD_CONTENT_ENCODING:
		return ERR_MALFORMED;
	case CURLE_FILESIZE_EXCEEDED:
	/*
	 * 7.88 returns this for a header line over 100 KB; when memory is
	 * short, curl_memory_begin() makes the process abort
	 */
	case CURLE_OUT_OF_MEMORY:
		return ERR_TOO_LARGE;
	default:
		/* no name, no connection, TLS, HTTP, incomplete */
		return ERR_NETWORK;
	}
}
