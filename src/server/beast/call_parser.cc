#include "src/server/beast/call_parser.h"

#include <algorithm>
#include <boost/beast/http/error.hpp>

#include "src/server/http/target.h"

namespace wattree {
namespace {

namespace http = boost::beast::http;

std::string in_small_letters(boost::beast::string_view text) {
  std::string out(text.data(), text.size());
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

CallProblem bad_request(int status, std::string message, std::string hint) {
  return {status, {ErrorCode::kInvalidInput, std::move(message), std::move(hint)}};
}

// "GET / HTTP/2.0", and not a line that ends in something else.
bool names_other_version(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find("\r\n"));
  const std::size_t at = line.rfind(" HTTP/");
  if (at == std::string_view::npos || line.size() != at + 9) return false;
  const std::string_view version = line.substr(at + 6);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return is_digit(version[0]) && version[1] == '.' && is_digit(version[2]);
}

std::string in_units(std::size_t bytes) {
  if (bytes >= (1U << 20)) return std::to_string(bytes >> 20) + " MiB";
  return std::to_string(bytes >> 10) + " KiB";
}

}  // namespace

CallProblem too_long(std::size_t most_bytes) {
  return bad_request(413, "the body has more than " + in_units(most_bytes),
                     "`wattree profiles import` takes larger files on the server's machine");
}

bool has_folded_line(std::string_view head) {
  head = head.substr(0, head.find("\r\n\r\n"));
  return head.find("\r\n ") != std::string_view::npos ||
         head.find("\r\n\t") != std::string_view::npos;
}

CallParser::CallParser(HttpCall& call, const WebLimits& limits) : call_(call), limits_(limits) {
  eager(true);
  header_limit(static_cast<std::uint32_t>(limits.head));
  body_limit(limits.body);
}

void CallParser::refuse(int status, std::string message, std::string hint, BeastError& code) {
  problem_ = bad_request(status, std::move(message), std::move(hint));
  code = http::error::bad_value;
}

void CallParser::on_request_impl(http::verb, Text method, Text target, int version,
                                 BeastError& code) {
  version_ = version;
  call_.method.assign(method.data(), method.size());
  if (method == "OPTIONS" && target == "*") {
    call_.path = "*";  // The server as a whole.
    return;
  }
  Result<HttpTarget> parsed =
      parse_http_target(std::string_view(target.data(), target.size()), limits_.parameters);
  if (!parsed.ok()) {
    problem_ = CallProblem{400, parsed.error()};
    code = http::error::bad_target;
    return;
  }
  HttpTarget found = std::move(parsed).value();
  call_.path = std::move(found.path);
  call_.query = std::move(found.query);
  authority_ = std::move(found.authority);
}

void CallParser::on_field_impl(http::field field, Text name, Text value, BeastError& code) {
  if (has_head_) return;  // A trailer, after a body in chunks: nobody needs one.
  if (call_.headers.size() == limits_.headers) {
    refuse(431, "the request has more than " + std::to_string(limits_.headers) + " headers", "",
           code);
    return;
  }
  const bool is_clean = std::none_of(value.begin(), value.end(), [](char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
  });
  if (!is_clean) {
    refuse(400, "a header has a control character", "", code);
    return;
  }
  if (field == http::field::transfer_encoding && (in_small_letters(value) != "chunked")) {
    refuse(501, "the only transfer encoding that is read is chunked", "send a Content-Length",
           code);
    return;
  }
  if (field == http::field::expect) {
    const bool is_known = in_small_letters(value) == "100-continue";
    expects_continue_ = is_known && version_ >= 11;
    if (!is_known) {
      refuse(417, "the only expectation that is met is 100-continue", "", code);
      return;
    }
  }
  if (field == http::field::host) ++hosts_;
  if (field == http::field::content_length || field == http::field::transfer_encoding) ++lengths_;
  const bool is_list = field == http::field::content_length && value.find(',') != Text::npos;
  if (lengths_ > 1 || is_list) {
    refuse(400, "the request says twice how long its body is",
           "send one header Content-Length or Transfer-Encoding", code);
    return;
  }
  call_.headers.emplace_back(in_small_letters(name), std::string(value.data(), value.size()));
}

void CallParser::on_header_impl(BeastError& code) {
  has_head_ = true;
  if (hosts_ > 1 || (hosts_ == 0 && version_ >= 11)) {
    refuse(400, hosts_ > 1 ? "the request names two hosts" : "the request names no host",
           "send one header Host", code);
    return;
  }
  if (version_ < 11 && chunked()) {
    refuse(400, "HTTP/1.0 has no chunks", "send a Content-Length", code);
    return;
  }
  if (authority_.empty()) return;
  // RFC 9112: the host of the target counts, whatever the header says.
  std::erase_if(call_.headers, [](const auto& header) { return header.first == "host"; });
  call_.headers.emplace_back("host", authority_);
}

void CallParser::on_body_init_impl(const boost::optional<std::uint64_t>& length, BeastError&) {
  // Not more than what will come anyway; a client that only claims a long one costs little.
  if (length) call_.body.reserve(std::min<std::size_t>(*length, 64 << 10));
}

std::size_t CallParser::on_body_impl(Text body, BeastError&) {
  call_.body.append(body.data(), body.size());
  return body.size();
}

std::size_t CallParser::on_chunk_body_impl(std::uint64_t, Text body, BeastError&) {
  call_.body.append(body.data(), body.size());
  return body.size();
}

CallProblem CallParser::problem_of(const BeastError& code, std::string_view bytes) const {
  if (problem_) return *problem_;
  if (code == http::error::body_limit) {
    return too_long(limits_.body);
  }
  if (code == http::error::header_limit) {
    if (call_.method.empty()) {
      return bad_request(414, "the target has more than " + in_units(limits_.head),
                         "send the parameters as the JSON of a POST");
    }
    return bad_request(431, "the headers have more than " + in_units(limits_.head), "");
  }
  if (code == http::error::bad_version && names_other_version(bytes)) {
    return bad_request(505, "this is neither HTTP/1.1 nor HTTP/1.0", "");
  }
  return bad_request(400, "this is no HTTP request: " + code.message(), "");
}

}  // namespace wattree
