#include "src/server/routes/error_answer.h"

#include <algorithm>
#include <array>

namespace wattree {
namespace {

struct CommandPath {
  std::string_view command, path;
};
// Hints that name a command, and where HTTP has the same. The longer ones go first.
constexpr std::array kCommandPaths{
    CommandPath{
        "; or train one with `wattree train data.jsonl -o predictor.json`, and give it with "
        "<predictor>",
        ""},  // Files are not read for callers.
    CommandPath{"`wattree tree` with <level> math and <all>", "/api/v1/tree?fold=no"},
    CommandPath{"`wattree hardware WORDS`", "/api/v1/hardware?words=WORDS"},
    CommandPath{"`wattree profiles list` with <deleted>", "/api/v1/profiles?deleted=true"},
    CommandPath{"`wattree profiles list`", "/api/v1/profiles"},
    CommandPath{"`wattree token list`", "/api/v1/tokens"},
    CommandPath{"`wattree hardware`", "/api/v1/hardware"},
    CommandPath{"(wattree hardware)", "(/api/v1/hardware)"},
    CommandPath{"`wattree regions`", "/api/v1/regions"},
    CommandPath{"`wattree models`", "/api/v1/models"},
    CommandPath{"`wattree tree`", "/api/v1/tree"},
};

}  // namespace

std::string with_paths_for_commands(std::string text) {
  for (const CommandPath& known : kCommandPaths) {
    for (std::size_t at = text.find(known.command); at != std::string::npos;
         at = text.find(known.command, at + known.path.size())) {
      text.replace(at, known.command.size(), known.path);
    }
  }
  return text;
}

PathsHidden::PathsHidden(const Services& services) {
  const auto add = [&](const std::filesystem::path& folder) {
    std::string text = folder.string();
    if (text.size() < 2 || !folder.is_absolute()) return;
    if (!text.ends_with('/')) text += '/';
    folders_.push_back(std::move(text));
  };
  for (const std::filesystem::path* folder :
       {&services.predictors, &services.profiles, &services.journals, &services.hub.cache}) {
    // What lies in the folder is shown by its name, what lies beside it too.
    add(*folder);
    add(folder->parent_path());
  }
  if (services.models) add(services.models->folder());
  if (services.environment) {
    if (const auto home = services.environment("HOME")) add(*home);
  }
  std::sort(folders_.begin(), folders_.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
}

std::string PathsHidden::in(std::string text) const {
  for (const std::string& folder : folders_) {
    const std::string_view bare(folder.data(), folder.size() - 1);
    for (std::size_t at = text.find(bare); at != std::string::npos; at = text.find(bare, at)) {
      const bool has_more = text.compare(at, folder.size(), folder) == 0;
      // "/root" is not the beginning of "/rootless".
      const std::size_t end = at + bare.size();
      const bool is_whole = end == text.size() ||
                            std::string_view(" :,;\"')").find(text[end]) != std::string_view::npos;
      if (has_more) {
        text.erase(at, folder.size());
      } else if (is_whole) {
        text.replace(at, bare.size(), "the server's folder");
      } else {
        at = end;
      }
    }
  }
  return text;
}

Error PathsHidden::in(Error error) const {
  error.message = in(std::move(error.message));
  error.hint = in(std::move(error.hint));
  return error;
}

HttpAnswer error_answer(int status, const Error& error) {
  HttpAnswer out;
  out.status = status;
  out.body = std::make_shared<const std::string>(to_json(error));
  return out;
}

HttpAnswer error_answer(const Error& error) {
  return error_answer(meaning_of(error.code).http_status, error);
}

FieldName field_names_of(const Route& route) {
  return [&route](std::string_view field) {
    for (const Parameter& parameter : route.parameters) {
      if (parameter.field_name() == field) return parameter.name;
    }
    return std::string(field);
  };
}

}  // namespace wattree
