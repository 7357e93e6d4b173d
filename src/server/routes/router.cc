#include "src/server/routes/router.h"

#include <algorithm>
#include <optional>

#include "src/base/text.h"

namespace wattree {
namespace {

// The first segment of what is left, without its slash; takes it away.
std::string_view take_segment(std::string_view& path) {
  path.remove_prefix(1);
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view segment = path.substr(0, end);
  path.remove_prefix(end);
  return segment;
}

std::optional<PathValues> match(std::string_view pattern, std::string_view path) {
  PathValues values;
  while (pattern.starts_with('/') && path.starts_with('/')) {
    const std::string_view wanted = take_segment(pattern);
    const std::string_view given = take_segment(path);
    if (wanted.starts_with('{')) {
      if (given.empty()) return std::nullopt;
      values.emplace_back(wanted.substr(1, wanted.size() - 2), given);
    } else if (wanted != given) {
      return std::nullopt;
    }
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return values;
}

}  // namespace

Router::Router(Routes routes) : routes_(std::move(routes)) {
  for (std::size_t i = 0; i < routes_.size(); ++i) {
    if (routes_[i].path.find('{') == std::string::npos) {
      fixed_[routes_[i].path].push_back(i);
    } else {
      with_parameters_.push_back(i);
    }
  }
}

RouteMatch Router::find(std::string_view method, std::string_view path) const {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  RouteMatch out;
  if (const auto known = fixed_.find(std::string(path)); known != fixed_.end()) {
    for (const std::size_t i : known->second) {
      if (name_of(routes_[i].method) == wanted) return {&routes_[i], i, {}, {}};
      out.allowed.push_back(routes_[i].method);
    }
  }
  // A profile may be called as a fixed path is.
  const bool is_fixed = !out.allowed.empty();
  for (const std::size_t i : with_parameters_) {
    std::optional<PathValues> values = match(routes_[i].path, path);
    if (!values) continue;
    if (name_of(routes_[i].method) == wanted) return {&routes_[i], i, *std::move(values), {}};
    if (!is_fixed) out.allowed.push_back(routes_[i].method);
  }
  return out;
}

std::string Router::nearest_path(std::string_view path) const {
  std::vector<std::string_view> paths;
  for (const Route& route : routes_) paths.push_back(route.path);
  const std::vector<std::string> near = nearest(path, paths, 1);
  return near.empty() ? "" : near.front();
}

std::string allow_header(const std::vector<HttpMethod>& methods) {
  std::vector<std::string> names;
  for (const HttpMethod method : methods) {
    names.emplace_back(name_of(method));
    if (method == HttpMethod::kGet) names.emplace_back("HEAD");
  }
  names.emplace_back("OPTIONS");
  return join(names);
}

}  // namespace wattree
