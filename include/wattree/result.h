// Errors are values: an expected failure is a Result, never an exception.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace wattree {

enum class ErrorCode { kInvalidInput, kNotFound, kPermission, kUnavailable, kInternal };

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  // For the user: what failed, on which path or value.
  std::string hint;     // What the user can do about it; empty where nothing is known.
  // The field of a request that is wrong, as its JSON names it, with dots into objects
  // ("config.n_layer"). The command line turns it into a flag; HTTP answers with the name itself.
  // Empty where no single field is wrong.
  std::string field = {};
  // Why, as a word for programs that decide by it ("no_energy_yet"). Empty where the code says all.
  std::string reason = {};
};

template <class T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: `return tree;` and `return Error{...};` both read well.
  // NOLINTNEXTLINE(google-explicit-constructor): see above.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): see above.
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  const T& value() const& {
    assert(ok() && "value() of a failed Result");
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    assert(ok() && "value() of a failed Result");
    return std::move(*std::get_if<0>(&state_));
  }
  const Error& error() const {
    assert(!ok() && "error() of a Result that holds a value");
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

// The result of something that yields nothing: done, or an error.
class [[nodiscard]] Status {
 public:
  Status() = default;  // Done.
  // NOLINTNEXTLINE(google-explicit-constructor): as of Result.
  Status(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_; }
  const Error& error() const {
    assert(!ok() && "error() of a Status that is ok");
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace wattree
