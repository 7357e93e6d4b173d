#include "src/models/hub/download.h"

#include <algorithm>

#include "src/base/file.h"
#include "src/base/in_quotes.h"
#include "src/models/hub/http.h"
#include "src/models/hub/json_object.h"

namespace wattree {
namespace {

Status check_endpoint(const std::string& endpoint) {
  const bool has_scheme = endpoint.starts_with("https://") || endpoint.starts_with("http://");
  // No user or password in it, so that a message may show it; no query, since a path is appended.
  const bool is_plain = std::all_of(endpoint.begin(), endpoint.end(), [](char c) {
    return c > ' ' && c < '\x7f' && std::string_view("@?#\\\"<>").find(c) == std::string_view::npos;
  });
  if (has_scheme && is_plain) return {};
  return Error{ErrorCode::kInvalidInput,
               "HF_ENDPOINT is not an address of the form https://host: " + in_quotes(endpoint),
               "unset it for https://huggingface.co"};
}

// The token, or an empty one: most models need none.
Result<std::string> find_token(const HubOptions& options) {
  std::string token = options.token;
  std::string where = "HF_TOKEN";
  if (token.empty() && !options.token_file.empty()) {
    constexpr std::uint64_t kMaxToken = 4096;
    const Result<std::string> text = read_file(options.token_file, kMaxToken);
    if (!text.ok()) return std::string();
    token = text.value();
    where = options.token_file.string();
  }
  constexpr std::string_view kBlank = " \t\r\n";
  token.erase(0, token.find_first_not_of(kBlank));
  token.erase(token.find_last_not_of(kBlank) + 1);
  // It goes into a header: a line break in it would begin another.
  if (!std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; })) {
    return Error{ErrorCode::kInvalidInput, where + " holds characters that no token has",
                 "copy the token anew from https://huggingface.co/settings/tokens"};
  }
  return token;
}

std::string config_url(const RepoName& repo, const HubOptions& options) {
  std::string revision;
  for (const char c : repo.revision) {
    if (c == '/') {
      revision += "%2F";
    } else {
      revision += c;
    }
  }
  return options.endpoint + "/" + repo.org + "/" + repo.name + "/resolve/" + revision +
         "/config.json";
}

Error not_found(const RepoName& repo, const HubOptions& options, std::string_view error_code) {
  const std::string model = repo.org + "/" + repo.name;
  if (error_code == "EntryNotFound") {
    return {ErrorCode::kNotFound, model + " has no config.json at revision " + repo.revision,
            "it is no Transformers model; give the path of a config.json that describes it"};
  }
  if (error_code == "RevisionNotFound") {
    return {ErrorCode::kNotFound, model + " has no revision " + repo.revision,
            "see " + options.endpoint + "/" + model + "/tree/main for its branches and tags"};
  }
  return {ErrorCode::kNotFound, options.endpoint + " has no model " + model + ", or it is private",
          "check the spelling; for a private model, set HF_TOKEN to a token that may read it"};
}

Error not_allowed(const RepoName& repo, const HubOptions& options, const HttpReply& reply,
                  bool has_token) {
  const std::string page = options.endpoint + "/" + repo.org + "/" + repo.name;
  std::string message = page + " is closed (HTTP " + std::to_string(reply.status) + ")";
  if (const auto said = reply.header("x-error-message"); !said.empty())
    message += ": " + in_quotes(said, 200);
  if (!has_token) {
    return {ErrorCode::kPermission, message,
            "if it is gated, accept its licence at " + page +
                "; then set HF_TOKEN to a token from https://huggingface.co/settings/tokens"};
  }
  return {ErrorCode::kPermission, message,
          "check that the token (HF_TOKEN, or else the token file) is valid and may read it, and "
          "accept its licence at " +
              page};
}

Error busy(const HttpReply& reply, const std::string& url) {
  const std::string what = reply.status == 429 ? "too many requests" : "the server is in trouble";
  const std::string wait =
      reply.retry_after_s > 0
          ? "try again in " + std::to_string(reply.retry_after_s) + " s, as the server asks"
          : std::string("try again later");
  const std::string token =
      reply.status == 429 ? "; with HF_TOKEN set, more requests are allowed" : "";
  return {ErrorCode::kUnavailable,
          url + ": " + what + " (HTTP " + std::to_string(reply.status) + ")", wait + token};
}

Error explain_status(const HttpReply& reply, const RepoName& repo, const HubOptions& options,
                     bool has_token, const std::string& url) {
  const std::string_view error_code = reply.header("x-error-code");
  // Without a token the Hub answers 401 where nothing is, so as not to tell what is private.
  if (reply.status == 404 || error_code == "RepoNotFound")
    return not_found(repo, options, error_code);
  if (reply.status == 401 || reply.status == 403)
    return not_allowed(repo, options, reply, has_token);
  if (reply.status == 429 || reply.status >= 500) return busy(reply, url);
  return {ErrorCode::kUnavailable,
          url + ": an answer that means nothing here (HTTP " + std::to_string(reply.status) + ")",
          "check HF_ENDPOINT"};
}

Status check_config(const std::string& body, const std::string& url) {
  if (is_json_object(body)) return {};
  const auto begin = body.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) {
    return Error{ErrorCode::kUnavailable, url + ": the answer is empty", "try again later"};
  }
  if (body[begin] == '<') {
    return Error{
        ErrorCode::kUnavailable, url + ": a web page came instead of a config.json",
        "a network that asks for a log-in, or a proxy, may be answering; check HF_ENDPOINT"};
  }
  return Error{ErrorCode::kInvalidInput,
               url + ": not a JSON object; it begins " + in_quotes(body.substr(begin, 41), 40),
               "check HF_ENDPOINT and the model's name"};
}

}  // namespace

Result<Download> download_config(const RepoName& repo, const HubOptions& options) {
  if (const Status failure = check_endpoint(options.endpoint); !failure.ok())
    return failure.error();
  Result<std::string> token = find_token(options);
  if (!token.ok()) return token.error();

  HttpFetch request;
  request.url = config_url(repo, options);
  request.token = token.value();
  request.proxy = options.proxy;
  request.no_proxy = options.no_proxy;
  request.ca_bundle = options.ca_bundle;
  request.connect_timeout = options.connect_timeout;
  request.total_timeout = options.total_timeout;
  request.size_limit = options.size_limit;
  request.cancellation = options.cancellation;
  Result<HttpReply> got = http_get(request);
  if (!got.ok()) return got.error();
  HttpReply reply = std::move(got).value();

  if (reply.status != 200)
    return explain_status(reply, repo, options, !request.token.empty(), request.url);
  if (const Status failure = check_config(reply.body, request.url); !failure.ok())
    return failure.error();
  // The Hub itself says the commit, even where it then redirects to where the file lies.
  const std::string commit(reply.first_header("x-repo-commit"));
  return Download{std::move(reply.body), is_commit(commit) ? commit : ""};
}

}  // namespace wattree
