// Tokens that let others call a server: made, listed, revoked, and asked for at every call.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/api/services/services.h"
#include "src/base/result.h"
#include "src/runs/store/token.h"

namespace wattree {

struct CreateTokenRequest {
  std::string name;
  TokenScope scope = TokenScope::kRead;
  std::optional<std::int64_t> days;  // Until it expires; absent: it does not.
};
// {"name", "scope" (read, ingest or admin), "days"?}
Result<CreateTokenRequest> create_token_request(const nlohmann::json& json);
struct CreateTokenAnswer {
  Token token;
  std::string text;  // Shown here and never again.
};
Result<CreateTokenAnswer> create_token(const CreateTokenRequest& request, const Services& services);
// The contract of docs/schemas/token.schema.json.
std::string to_json(const CreateTokenAnswer& answer);

struct TokensAnswer {
  std::vector<Token> tokens;  // By id, also those that are no longer good.
  UtcTime now;
};
Result<TokensAnswer> tokens(const Services& services);
// The contract of docs/schemas/tokens.schema.json.
std::string to_json(const TokensAnswer& answer);

struct RevokeTokenRequest {
  std::int64_t id = 0;
};
Result<RevokeTokenRequest> revoke_token_request(const nlohmann::json& json);  // {"id"}
Status revoke_token(const RevokeTokenRequest& request, const Services& services);

enum class TokenState { kGood, kExpired, kRevoked };
std::string_view name_of(TokenState state);  // "good", "expired" or "revoked".
TokenState state_of(const Token& token, UtcTime now);

}  // namespace wattree
