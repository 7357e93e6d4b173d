/* The version of libwattree. Plain C, no dependencies. */
#ifndef WATTREE_VERSION_H
#define WATTREE_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0": of the library that was loaded. */
const char* wattree_version(void);

#ifdef __cplusplus
}
#endif

#endif
