// Bodies as they are sent: gzip where the client takes it, and their tags.
#pragma once

#include <string>
#include <string_view>

namespace wattree {

// A whole gzip file of it.
std::string gzip(std::string_view text);
// What a gzip file of ours holds; empty where it is damaged.
std::string gunzip(std::string_view bytes);

// Whether an Accept-Encoding header takes gzip: "gzip, br", "*", but not "gzip;q=0".
bool accepts_gzip(std::string_view accept_encoding);

// A strong tag of these bytes, with its quotes. `variant` tells encodings of one text apart.
std::string entity_tag(std::string_view bytes, std::string_view variant = {});

// Whether an If-None-Match header has the tag, or is "*".
bool matches_tag(std::string_view if_none_match, std::string_view tag);

}  // namespace wattree
