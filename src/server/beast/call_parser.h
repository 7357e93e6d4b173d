// Beast's parser, which fills an HttpCall as the bytes come.
#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/server/beast/limits.h"
#include "src/server/http/http.h"

namespace wattree {

// What is wrong with a request, and the status that says so.
struct CallProblem {
  int status = 400;
  Error error;
};

// Of a body of more than so many bytes.
CallProblem too_long(std::size_t most_bytes);

// Whether a header goes on in the next line, which others may read as two.
bool has_folded_line(std::string_view head);

// One request. Bytes that its put() did not take belong to the next one.
class CallParser : public boost::beast::http::basic_parser<true> {
 public:
  using BeastError = boost::beast::error_code;
  using Text = boost::beast::string_view;

  CallParser(HttpCall& call, const WebLimits& limits);

  int version() const { return version_; }
  bool expects_continue() const { return expects_continue_; }
  // Why put() returned `code`, which is not need_more, when it was given `bytes`.
  CallProblem problem_of(const BeastError& code, std::string_view bytes) const;

 private:
  void on_request_impl(boost::beast::http::verb, Text method, Text target, int version,
                       BeastError& code) override;
  void on_response_impl(int, Text, int, BeastError&) override {}
  void on_field_impl(boost::beast::http::field field, Text name, Text value,
                     BeastError& code) override;
  void on_header_impl(BeastError& code) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, BeastError&) override;
  std::size_t on_body_impl(Text body, BeastError&) override;
  void on_chunk_header_impl(std::uint64_t, Text, BeastError&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text body, BeastError&) override;
  void on_finish_impl(BeastError&) override {}

  void refuse(int status, std::string message, std::string hint, BeastError& code);

  HttpCall& call_;
  const WebLimits& limits_;
  int version_ = 11;
  int hosts_ = 0;
  int lengths_ = 0;  // Headers that say where the body ends.
  bool expects_continue_ = false;
  bool has_head_ = false;
  std::string authority_;
  std::optional<CallProblem> problem_;
};

}  // namespace wattree
