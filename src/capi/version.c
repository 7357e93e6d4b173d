#include "wattree/version.h"

const char* wattree_version(void) { return WATTREE_VERSION; }
