// The first lines of an answer, and the answers that the transport itself gives.
#pragma once

#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/server/http/http.h"

namespace wattree {

struct AnswerForm {
  int version = 11;       // 10 or 11, of HTTP/1.x, as the request said.
  bool keeps = true;      // Whether the connection stays for another request.
  std::string_view date;  // As the header has it; empty: none.
};

// The contract's error body. `status` where it is not that of the error's code.
HttpAnswer problem_answer(const Error& error, int status = 0);

// Whether it can be sent as it is: a status that answers have, names that are names, values without
// line ends, and none of the headers that say where the body ends.
bool is_sendable(const HttpAnswer& answer);

// Whether an answer of this status has a body, be it an empty one.
bool may_have_body(int status);

// Appends status line, headers and the empty line.
void append_head(std::string& out, const HttpAnswer& answer, const AnswerForm& form);

// "Tue, 17 Nov 2026 12:00:00 GMT"
std::string http_date(std::int64_t seconds_since_1970);

}  // namespace wattree
