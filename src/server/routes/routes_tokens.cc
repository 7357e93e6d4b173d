#include "src/api/access/tokens.h"
#include "src/server/routes/handler.h"
#include "src/server/routes/parameters.h"
#include "src/server/routes/tables.h"

namespace wattree {
namespace {

using enum ParameterType;

constexpr auto kCompact = [](const auto& answer) { return compact(to_json(answer)); };

Result<HttpAnswer> list_answer(const RouteCall& call) {
  const Result<TokensAnswer> answer = tokens(call.services);
  if (!answer.ok()) return answer.error();
  return json_answer(kCompact(answer.value()));
}

Result<HttpAnswer> revoke_answer(const RouteCall& call) {
  const Result<RevokeTokenRequest> request = revoke_token_request(call.fields);
  if (!request.ok()) return request.error();
  if (const Status failure = revoke_token(request.value(), call.services); !failure.ok()) {
    return failure.error();
  }
  return list_answer(call);
}

}  // namespace

Routes token_routes() {
  Parameters fields =
      in_body({{"name", kText, "Who is to have it, or what for.", "laptop"},
               choice("scope", "What it is to allow.", {"read", "ingest", "admin"}),
               {"days", kInteger, "After so many it expires; never where absent.", "90"}});
  fields[0].is_required = fields[1].is_required = true;
  Parameter id{"id", kInteger, "The token's id.", "1"};
  id.place = ParameterPlace::kPath;
  id.is_required = true;
  Routes out{
      api_route(HttpMethod::kGet, "tokens", "tokens",
                "Tokens of those who may call this server; never the tokens themselves.", {},
                "tokens", list_answer),
      api_route(HttpMethod::kPost, "tokens", "create_token",
                "Makes a token. It is shown in this answer and never again.", std::move(fields),
                "token", use_case(create_token_request, create_token, kCompact)),
      api_route(HttpMethod::kDelete, "tokens/{id}", "revoke_token",
                "Revokes a token; a server refuses it within seconds.", {id}, "tokens",
                revoke_answer)};
  for (Route& route : out) {
    route.scope = TokenScope::kAdmin;
    route.anonymous = Anonymous::kNever;
  }
  return tagged("Access", std::move(out));
}

}  // namespace wattree
