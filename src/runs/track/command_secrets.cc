#include "src/runs/track/command_secrets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace wattree {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::string_view kBlank = " \t\n\r\"'`;|&()";

// The last part of a name that says: the value is a secret.
constexpr std::array<std::string_view, 16> kSecretEnds{
    "key",         "apikey", "accesskey", "secretkey",  "token",      "authtoken",
    "accesstoken", "pat",    "auth",      "passphrase", "credential", "pw",
    "credentials", "pwd",    "passwd",    "cookie"};
// These say it wherever they stand, but for where such a value lies.
constexpr std::array<std::string_view, 3> kSecretParts{"secret", "password", "passwd"};
constexpr std::array<std::string_view, 5> kPlaces{"file", "path", "dir", "env", "name"};

// How keys of services begin that say so.
constexpr std::array<std::string_view, 17> kKeyBeginnings{
    "sk-",   "sk_",  "hf_",  "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-",
    "xoxp-", "AKIA", "ASIA", "AIza", "wt_",  "eyJ",  "npm_",        "pypi-"};
constexpr std::size_t kShortestKey = 16;

bool is_key_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

template <std::size_t kSize>
bool has(const std::array<std::string_view, kSize>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// "--wandb.api-key" -> {"wandb", "api", "key"}
std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> out(1);
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      if (!out.back().empty()) out.emplace_back();
    } else {
      out.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  if (out.size() > 1 && out.back().empty()) out.pop_back();
  return out;
}

bool names_secret(std::string_view name) {
  const std::vector<std::string> parts = parts_of(name);
  if (has(kPlaces, parts.back())) return false;
  return has(kSecretEnds, parts.back()) || std::any_of(parts.begin(), parts.end(), [](auto& part) {
           return has(kSecretParts, part);
         });
}

// "https://me:secret@host" -> "https://me:***@host"
void mask_address(std::string& word) {
  const std::size_t scheme = word.find("://");
  if (scheme == std::string::npos) return;
  const std::size_t end = std::min(word.find_first_of("/?#", scheme + 3), word.size());
  const std::size_t at = word.rfind('@', end);
  const std::size_t colon = word.find(':', scheme + 3);
  if (at == std::string::npos || at < scheme || colon >= at) return;
  word.replace(colon + 1, at - colon - 1, kMask);
}

void mask_known_keys(std::string& word) {
  for (const std::string_view beginning : kKeyBeginnings) {
    for (std::size_t at = word.find(beginning); at != std::string::npos;
         at = word.find(beginning, at + 1)) {
      if (at > 0 && std::isalnum(static_cast<unsigned char>(word[at - 1])) != 0) continue;
      const std::size_t end =
          static_cast<std::size_t>(std::find_if_not(word.begin() + static_cast<std::ptrdiff_t>(at),
                                                    word.end(), is_key_character) -
                                   word.begin());
      if (end - at >= kShortestKey) word.replace(at, end - at, kMask);
    }
  }
}

// Word after word, since a word may say that the next one is a secret.
class Masker {
 public:
  std::string masked(std::string word) {
    if (word == ":") return word;  // Between a name and its value, in JSON.
    const bool is_secret = std::exchange(is_next_secret_, false);
    if (is_secret && !word.empty() && word.front() != '-') return std::string(kMask);
    if (const std::size_t begin = secret_value(word); begin != std::string::npos) {
      return word.substr(0, begin) + std::string(kMask);
    }
    is_next_secret_ = announces(word);
    mask_address(word);
    mask_known_keys(word);
    return word;
  }
  // In JSON: what stands before a colon.
  void note_name(std::string_view name) { is_next_secret_ = is_next_secret_ || names_secret(name); }

 private:
  // Where the first secret value of "a=b", "--env=A_KEY=b" or "a=b,password=c" begins; npos: none.
  static std::size_t secret_value(std::string_view word) {
    std::size_t begin = 0;
    for (std::size_t equals = word.find('='); equals != std::string_view::npos;
         equals = word.find('=', begin)) {
      const std::size_t comma = word.substr(0, equals).rfind(',');
      if (comma != std::string_view::npos && comma >= begin) begin = comma + 1;
      if (names_secret(word.substr(begin, equals - begin))) return equals + 1;
      begin = equals + 1;
    }
    return std::string_view::npos;
  }
  static bool announces(std::string_view word) {
    if (word.ends_with(':')) return names_secret(word.substr(0, word.size() - 1));
    const std::vector<std::string> parts = parts_of(word);
    if (parts.size() == 1 && (parts[0] == "bearer" || parts[0] == "basic")) return true;
    return word.starts_with('-') && names_secret(word);
  }
  bool is_next_secret_ = false;
};

// A word with blanks or quotes in it may be a command itself.
std::string masked_text(const std::string& text, Masker& masker) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
    if (end > at) out += masker.masked(text.substr(at, end - at));
    const std::size_t next = text.find_first_not_of(" \"'", end);
    if (end > at && next != std::string::npos && next > end && text[next] == ':') {
      masker.note_name(std::string_view(text).substr(at, end - at));
    }
    if (end < text.size()) out += text[end] == '\n' || text[end] == '\r' ? ' ' : text[end];
    at = end + 1;
  }
  return out;
}

}  // namespace

std::vector<std::string> without_secrets(const std::vector<std::string>& command) {
  std::vector<std::string> out;
  Masker masker;
  for (const std::string& word : command) {
    const std::string whole = masker.masked(word);
    const bool is_one_word = word.find_first_of(kBlank) == std::string::npos;
    // What a flag or a variable announces is a secret whatever is in it.
    const bool is_secret = whole == kMask || (whole.ends_with("=***") &&
                                              whole.find_first_of(kBlank) == std::string::npos);
    Masker inside;
    out.push_back(is_one_word || is_secret ? whole : masked_text(word, inside));
  }
  return out;
}

}  // namespace wattree
