#include "CCurl.h"

#include <dlfcn.h>
#include <stddef.h>

const char *ccurl_load(void) {
    return dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL) ? NULL : "libcurl is not there";
}
