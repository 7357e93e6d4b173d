# Writes OUTPUT, a C++ source with every FOLDER/<name>.json of NAMES (comma-separated) as a string. Run by the build
# with cmake -P, so that building needs no other language.
set(entries "")
string(REPLACE "," ";" NAMES "${NAMES}")
foreach(name IN LISTS NAMES)
  file(READ ${FOLDER}/${name}.json text)
  string(APPEND entries "    {\"${name}\", R\"wattree(${text})wattree\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from data/models by cmake/embed_models.cmake. Do not edit.
#include \"src/hub/bundled.h\"

namespace wattree {
namespace {

constexpr BundledModel kModels[] = {
${entries}};

}  // namespace

std::span<const BundledModel> bundled_models() { return kModels; }

}  // namespace wattree
")
