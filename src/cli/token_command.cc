#include <memory>
#include <ostream>

#include "src/api/access/tokens.h"
#include "src/cli/command.h"
#include "src/report/table/table.h"

namespace wattree {
namespace {

struct TokenFlags {
  std::string name, scope = "read";
  std::optional<std::int64_t> days;
  std::int64_t id = 0;
  bool json = false;
};

int create(const TokenFlags& flags, Surroundings& world) {
  const CreateTokenRequest request{
      flags.name, parse_token_scope(flags.scope).value_or(TokenScope::kRead), flags.days};
  const Result<CreateTokenAnswer> answer = create_token(request, world.services);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  if (flags.json) {
    world.out << to_json(answer.value());
    return 0;
  }
  world.out << answer.value().text << "\n";
  world.err << "wattree: note: this is token " << answer.value().token.id << ", with the scope "
            << flags.scope << "; it is shown only once\n";
  return 0;
}

int list(const TokenFlags& flags, Surroundings& world) {
  const Result<TokensAnswer> answer = tokens(world.services);
  if (!answer.ok()) return fail(answer.error(), flags.json, world);
  if (flags.json) {
    world.out << to_json(answer.value());
    return 0;
  }
  std::vector<std::vector<std::string>> rows;
  const auto time = [](const std::optional<UtcTime>& when) { return when ? to_string(*when) : ""; };
  for (const Token& token : answer.value().tokens) {
    rows.push_back({std::to_string(token.id), token.name, std::string(name_of(token.scope)),
                    std::string(name_of(state_of(token, answer.value().now))),
                    to_string(token.created), time(token.expires), time(token.used)});
  }
  world.out << render_table(
      {{"id", true}, {"name"}, {"scope"}, {"state"}, {"created"}, {"expires"}, {"last used"}},
      rows);
  return 0;
}

int revoke(const TokenFlags& flags, Surroundings& world) {
  const Status failure = revoke_token({flags.id}, world.services);
  if (!failure.ok()) return fail(failure.error(), false, world);
  world.out << "token " << flags.id << " is revoked\n";
  return 0;
}

}  // namespace

Command token_command(CommandSyntax app) {
  auto flags = std::make_shared<TokenFlags>();
  const CommandSyntax token =
      app.add_subcommand("token", "Create, list and revoke tokens that let others call a server");
  token.require_subcommand();
  token.footer(
      "Examples:\n"
      "  wattree token create laptop --scope read --days 90\n"
      "  wattree token revoke 3\n\n"
      "A token is shown only once. Wattree keeps just its hash.\n");
  const CommandSyntax creating = token.add_subcommand("create", "Create a token, and print it");
  creating.add_option("NAME", flags->name, "Who gets it, or what for").required();
  creating
      .add_option("--scope", flags->scope,
                  "read; ingest: send runs and profiles; admin: everything")
      .one_of({"read", "ingest", "admin"})
      .show_default();
  creating.add_option("--days", flags->days, "Days until it expires [it does not]");
  creating.add_flag("--json", flags->json, "Print JSON (docs/schemas/token.schema.json)");
  const CommandSyntax listing = token.add_subcommand("list", "List the tokens there are");
  listing.add_flag("--json", flags->json, "Print JSON (docs/schemas/tokens.schema.json)");
  const CommandSyntax revoking =
      token.add_subcommand("revoke", "Revoke a token: the server no longer accepts it");
  revoking.add_option("ID", flags->id, "Its number in the list").required();
  return {token,
          [=](Surroundings& world) {
            if (creating.parsed()) return create(*flags, world);
            if (listing.parsed()) return list(*flags, world);
            return revoke(*flags, world);
          },
          [=] { return flags->json || creating.parsed(); }};
}

}  // namespace wattree
