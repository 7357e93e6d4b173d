// Writes the OpenAPI document to standard output, for docs/openapi.json.
#include <cstdio>

#include "src/server/routes/application.h"

int main() { return std::fputs(wattree::openapi_document().c_str(), stdout) < 0 ? 1 : 0; }
