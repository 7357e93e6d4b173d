// What every answer tells a browser not to do with it.
#pragma once

#include "src/server/http/http.h"

namespace wattree {

// Pages may load what this server has; everything else is data.
void add_security_headers(HttpAnswer& answer);

}  // namespace wattree
