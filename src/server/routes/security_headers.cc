#include "src/server/routes/security_headers.h"

namespace wattree {

void add_security_headers(HttpAnswer& answer) {
  const bool is_page = answer.type.starts_with("text/html");
  answer.headers.emplace_back(
      "Content-Security-Policy",
      is_page ? "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
                "form-action 'self'; frame-ancestors 'none'"
              : "default-src 'none'; frame-ancestors 'none'");
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  answer.headers.emplace_back("X-Frame-Options", "DENY");
  answer.headers.emplace_back("Referrer-Policy", "no-referrer");
  answer.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  if (is_page) answer.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
}

}  // namespace wattree
