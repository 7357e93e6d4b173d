// What callers over HTTP may use of the services.
#pragma once

#include "src/api/services/services.h"
#include "src/server/routes/server_options.h"

namespace wattree {

// Of a caller who is known: no files by their names.
Services for_callers(Services services);

// Of one whom nobody knows: nothing that the server's token could read, or has read before, no file
// for what they name, and nothing that is nobody else's business.
Services for_strangers(Services services, const ServerOptions& options);

}  // namespace wattree
