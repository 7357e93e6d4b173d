#include "src/server/beast/answer_head.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "src/base/error_text.h"

namespace wattree {
namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 417: return "Expectation Failed";
    case 415: return "Unsupported Media Type";
    case 421: return "Misdirected Request";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "Other";
  }
}

// RFC 9110's token.
bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

bool is_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) >= ' ' && c != '\x7f') || c == '\t';
  });
}

bool is_same_name(std::string_view name, std::string_view small) {
  return std::equal(name.begin(), name.end(), small.begin(), small.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

bool is_of_transport(std::string_view name) {
  constexpr std::array<std::string_view, 5> kOurs{"connection", "content-length", "date",
                                                  "keep-alive", "transfer-encoding"};
  return std::any_of(kOurs.begin(), kOurs.end(),
                     [&](std::string_view ours) { return is_same_name(name, ours); });
}

}  // namespace

HttpAnswer problem_answer(const Error& error, int status) {
  HttpAnswer out;
  out.status = status != 0 ? status : meaning_of(error.code).http_status;
  const Error named = with_fields_named(error, plain_field_name);
  out.body = std::make_shared<const std::string>(to_json(named));
  if (out.status == 503) out.headers.emplace_back("Retry-After", "1");
  return out;
}

bool is_sendable(const HttpAnswer& answer) {
  return answer.status >= 200 && answer.status <= 599 && is_value(answer.type) &&
         std::all_of(answer.headers.begin(), answer.headers.end(), [](const auto& header) {
           return is_token(header.first) && is_value(header.second) &&
                  !is_of_transport(header.first);
         });
}

bool may_have_body(int status) { return status >= 200 && status != 204 && status != 304; }

void append_head(std::string& out, const HttpAnswer& answer, const AnswerForm& form) {
  out += "HTTP/1.1 ";
  out += std::to_string(answer.status);
  out += ' ';
  out += reason_of(answer.status);
  out += "\r\n";
  if (may_have_body(answer.status)) {
    if (!answer.type.empty()) {
      out += "Content-Type: ";
      out += answer.type;
      out += "\r\n";
    }
    if (!answer.events) {
      out += "Content-Length: ";
      out += std::to_string(answer.body ? answer.body->size() : 0);
      out += "\r\n";
    }
  }
  if (!form.date.empty()) {
    out += "Date: ";
    out += form.date;
    out += "\r\n";
  }
  if (!form.keeps) {
    out += "Connection: close\r\n";
  } else if (form.version == 10) {
    out += "Connection: keep-alive\r\n";
  }
  for (const auto& [name, value] : answer.headers) {
    out += name;
    out += ": ";
    out += value;
    out += "\r\n";
  }
  out += "\r\n";
}

std::string http_date(std::int64_t seconds_since_1970) {
  using namespace std::chrono;
  const sys_seconds time{seconds{seconds_since_1970}};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  constexpr std::array<const char*, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT",
                kDays.at(weekday(day).c_encoding()), static_cast<unsigned>(date.day()),
                kMonths.at(static_cast<unsigned>(date.month()) - 1), static_cast<int>(date.year()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

}  // namespace wattree
