/* crawl/curl_error.h - the only translation of libcurl's error codes. */
#ifndef CRAWL_CURL_ERROR_H
#define CRAWL_CURL_ERROR_H

#include <curl/curl.h>

#include "base/error.h"

enum error error_from_curl(CURLcode code);

#endif
