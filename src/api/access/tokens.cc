#include "src/api/access/tokens.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "src/api/runs/open_profiles.h"
#include "src/api/runs/run_request.h"
#include "src/base/json_fields.h"
#include "src/base/json_writer.h"
#include "src/runs/store/profile_texts.h"

namespace wattree {
namespace {

constexpr std::int64_t kMostDays = 36'500;

void write_json(JsonWriter& out, const Token& token, UtcTime now) {
  out.field("id", token.id);
  out.field("name", token.name);
  out.field("scope", name_of(token.scope));
  out.field("state", name_of(state_of(token, now)));
  out.field("created", to_string(token.created));
  if (token.expires) out.field("expires", to_string(*token.expires));
  if (token.used) out.field("last_used", to_string(*token.used));
  if (token.revoked) out.field("revoked", to_string(*token.revoked));
}

}  // namespace

Result<CreateTokenRequest> create_token_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  CreateTokenRequest out;
  out.name = fields.text("name", true);
  const std::optional<TokenScope> scope = parse_token_scope(fields.text("scope", true));
  if (!scope) fields.complain("scope", "must be read, ingest or admin");
  out.scope = scope.value_or(TokenScope::kRead);
  out.days = fields.whole("days", 1, kMostDays);
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Result<CreateTokenAnswer> create_token(const CreateTokenRequest& request,
                                       const Services& services) {
  if (Status failure = check_name(request.name); !failure.ok()) return failure.error();
  if (request.days && (*request.days < 1 || *request.days > kMostDays)) {
    return Error{ErrorCode::kInvalidInput,
                 "<days> must be between 1 and " + std::to_string(kMostDays), "", "days"};
  }
  const Result<std::shared_ptr<ProfileStore>> store = open_store({}, services, StoreAccess::kWrite);
  if (!store.ok()) return store.error();
  CreateTokenAnswer out;
  out.text = random_token();
  out.token.hash = token_hash(out.text);
  out.token.name = request.name;
  out.token.scope = request.scope;
  out.token.created = now(services);
  if (request.days) out.token.expires = out.token.created + std::chrono::days(*request.days);
  const Result<std::int64_t> id = store.value()->add_token(out.token);
  if (!id.ok()) return id.error();
  out.token.id = id.value();
  return out;
}

std::string to_json(const CreateTokenAnswer& answer) {
  JsonWriter out(2);
  out.begin_object();
  write_json(out, answer.token, answer.token.created);
  out.field("token", answer.text);
  out.end_object();
  return out.take() + "\n";
}

Result<TokensAnswer> tokens(const Services& services) {
  const Result<std::shared_ptr<ProfileStore>> store = open_store({}, services, StoreAccess::kRead);
  if (!store.ok()) return store.error();
  Result<std::vector<Token>> found = store.value()->tokens();
  if (!found.ok()) return found.error();
  return TokensAnswer{std::move(found).value(), now(services)};
}

std::string to_json(const TokensAnswer& answer) {
  JsonWriter out(2);
  out.begin_object();
  out.key("tokens");
  out.begin_array();
  for (const Token& token : answer.tokens) {
    out.begin_object();
    write_json(out, token, answer.now);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take() + "\n";
}

Result<RevokeTokenRequest> revoke_token_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  RevokeTokenRequest out{fields.whole("id", 1, INT64_MAX, true).value_or(0)};
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Status revoke_token(const RevokeTokenRequest& request, const Services& services) {
  const Result<std::shared_ptr<ProfileStore>> store = open_store({}, services, StoreAccess::kWrite);
  if (!store.ok()) return store.error();
  return store.value()->revoke_token(request.id, now(services));
}

std::string_view name_of(TokenState state) {
  switch (state) {
    case TokenState::kGood: return "good";
    case TokenState::kExpired: return "expired";
    case TokenState::kRevoked: return "revoked";
  }
  return "";
}

TokenState state_of(const Token& token, UtcTime now) {
  if (token.revoked) return TokenState::kRevoked;
  return token.expires && *token.expires <= now ? TokenState::kExpired : TokenState::kGood;
}

}  // namespace wattree
