// The server without its sockets: routes, guard, cache and metrics together.
#pragma once

#include "src/api/services/services.h"
#include "src/server/http/application.h"
#include "src/server/routes/server_options.h"

namespace wattree {

// The transport calls answer_at_once() for every call, which counts it against the caller's rate,
// and answer() where that gave none. A HEAD is answered with GET's body, which is not to be sent.
// Files of this machine are not opened for callers, whatever the services allow.
Application make_application(ServerOptions options, const Services& services);

// The document that such a server has at /api/v1/openapi.json.
std::string openapi_document(int indent = 2);

}  // namespace wattree
