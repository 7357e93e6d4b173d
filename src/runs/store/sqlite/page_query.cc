#include "src/runs/store/sqlite/page_query.h"

#include <nlohmann/json.hpp>

#include "src/base/hex_text.h"
#include "src/base/text.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

constexpr char kMoment[] = "coalesce(p.started_us, p.added_us)";

// LIKE ignores the case of ASCII letters; "%" and "_" of the text stand for themselves.
std::string like(std::string_view part) {
  std::string out = "%";
  for (const char c : part) {
    if (c == '%' || c == '_' || c == '\\') out += '\\';
    out += c;
  }
  return out + "%";
}

void add(SqlTail& tail, std::string_view condition, SqlValue value) {
  tail.sql += " AND ";
  tail.sql += condition;
  tail.values.push_back(std::move(value));
}

std::string from_hex(std::string_view text) {
  const auto digit = [](char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; };
  std::string out;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    out += static_cast<char>(digit(text[i]) * 16 + digit(text[i + 1]));
  }
  return out;
}

// The order that a cursor belongs to: of another one it would skip profiles.
std::string order_of(const ProfileQuery& query) {
  return std::string(query.is_descending ? "-" : "") + std::string(name_of(query.sort));
}

bool is_cursor(const Json& cursor, const ProfileQuery& query) {
  return cursor.is_array() && cursor.size() == 4 && cursor[0] == order_of(query) &&
         cursor[1].is_number_integer() && (cursor[2].is_number() || cursor[2].is_string()) &&
         cursor[3].is_string();
}

SqlValue value_of(const Json& json) {
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return json.get<std::string>();
}

}  // namespace

void SqlTail::bind_to(Statement& statement) const {
  for (const SqlValue& value : values) {
    std::visit(
        [&](const auto& held) {
          if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
            statement.bind(std::string_view(held));
          } else {
            statement.bind(held);
          }
        },
        value);
  }
}

std::string sort_expression(ProfileSort sort) {
  switch (sort) {
    case ProfileSort::kId: return "p.id";
    case ProfileSort::kName: return "lower(p.name)";
    case ProfileSort::kEnergy: return "coalesce(p.energy_j, -1.0)";
    case ProfileSort::kDuration: return "coalesce(p.duration_s, -1.0)";
    case ProfileSort::kEpochs: return "p.epochs";
    case ProfileSort::kStarted: return kMoment;
    case ProfileSort::kAdded: return "p.added_us";
  }
  return "p.id";
}

SqlTail all_matches(const ProfileQuery& query) {
  SqlTail out{query.is_deleted ? " WHERE p.deleted_us IS NOT NULL" : " WHERE p.deleted_us IS NULL",
              {}};
  for (const std::string& word : split(query.words, ' ')) {
    add(out,
        "(p.id || char(10) || p.name || char(10) || p.author || char(10) || p.region || char(10) "
        "|| "
        "p.location || char(10) || p.hardware || char(10) || coalesce((SELECT group_concat(t.tag, "
        "char(10)) FROM tags t WHERE t.profile = p.key), '')) LIKE ? ESCAPE '\\'",
        like(word));
  }
  for (const std::string& tag : query.tags) {
    add(out, "EXISTS (SELECT 1 FROM tags t WHERE t.profile = p.key AND t.tag = ?)", tag);
  }
  if (!query.region.empty()) {
    add(out, "(p.region = ? OR lower(p.location) = lower(?))", query.region);
    out.values.emplace_back(query.region);
  }
  if (!query.hardware.empty()) add(out, "p.hardware LIKE ? ESCAPE '\\'", like(query.hardware));
  if (query.status) add(out, "p.status = ?", std::string(name_of(*query.status)));
  if (query.from) add(out, std::string(kMoment) + " >= ?", microseconds(*query.from));
  if (query.to) add(out, std::string(kMoment) + " < ?", microseconds(*query.to));
  return out;
}

Result<SqlTail> one_page(const ProfileQuery& query) {
  SqlTail out = all_matches(query);
  const std::string sorted = sort_expression(query.sort);
  if (!query.cursor.empty()) {
    const bool is_hex = query.cursor.find_first_not_of("0123456789abcdef") == std::string::npos;
    const Json cursor = is_hex ? Json::parse(from_hex(query.cursor), nullptr, false) : Json();
    if (!is_cursor(cursor, query)) {
      return Error{ErrorCode::kInvalidInput, "<cursor> is not of this list in this order",
                   "take \"next\" of the page before, and leave the order as it is", "cursor"};
    }
    const std::string beyond = query.is_descending ? " < ?" : " > ?";
    // Bundled profiles are last and the ids rise, whatever the order.
    out.sql += " AND ((p.origin = 'bundled') > ? OR ((p.origin = 'bundled') = ? AND (" + sorted +
               beyond + " OR (" + sorted + " = ? AND p.id > ?))))";
    const auto bundled = cursor[1].get<std::int64_t>();
    const SqlValue last = value_of(cursor[2]);
    out.values.insert(out.values.end(),
                      {bundled, bundled, last, last, SqlValue(cursor[3].get<std::string>())});
  }
  out.sql += " ORDER BY p.origin = 'bundled', " + sorted + (query.is_descending ? " DESC" : "") +
             ", p.id LIMIT ?";
  out.values.emplace_back(query.limit + 1);
  return out;
}

std::string next_cursor(const ProfileQuery& query, const ProfileSummary& last,
                        const SqlValue& sorted_by) {
  Json cursor = Json::array({order_of(query), last.origin == ProfileOrigin::kBundled ? 1 : 0});
  std::visit([&](const auto& value) { cursor.push_back(value); }, sorted_by);
  cursor.push_back(last.id);
  return hex_text(cursor.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace wattree
