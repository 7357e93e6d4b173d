#include "src/base/json_writer.h"
#include "src/base/version.h"
#include "src/server/routes/handler.h"
#include "src/server/routes/tables.h"

namespace wattree {

// Generated from data/api-docs.
std::string_view api_docs_page();
std::string_view api_docs_style();
std::string_view api_docs_script();

namespace {

Route route(std::string path, std::string operation, std::string summary, std::string type,
            std::function<std::string()> text) {
  Route out;
  out.path = std::move(path);
  out.operation = std::move(operation);
  out.tag = "Server";
  out.summary = std::move(summary);
  out.answer_type = type;
  out.handle = [type = std::move(type), text = std::move(text)](const RouteCall&) {
    HttpAnswer answer = json_answer(text());
    answer.type = type;
    return Result<HttpAnswer>(std::move(answer));
  };
  return out;
}

std::string health_json() {
  JsonWriter out;
  out.begin_object();
  out.field("status", "ok");
  out.field("version", kVersion);
  out.end_object();
  return out.take() + "\n";
}

Route file(std::string path, std::string operation, std::string summary, std::string type,
           std::string_view text) {
  Route out = route(std::move(path), std::move(operation), std::move(summary), std::move(type),
                    [text] { return std::string(text); });
  out.is_cacheable = true;
  return out;
}

}  // namespace

Routes operation_routes(const ServerTexts& texts) {
  Routes out;
  Route health =
      route("/healthz", "healthz", "Whether the server answers.", "application/json", health_json);
  health.answer = "health";
  health.anonymous = Anonymous::kAlways;
  health.is_instant = true;
  out.push_back(std::move(health));
  Route metrics = route("/metrics", "metrics", "Counters for Prometheus.",
                        "text/plain; version=0.0.4; charset=utf-8", texts.metrics);
  metrics.anonymous = Anonymous::kNever;
  out.push_back(std::move(metrics));
  Route document =
      route("/api/v1/openapi.json", "openapi", "This document.", "application/json", texts.openapi);
  document.is_cacheable = true;
  out.push_back(std::move(document));
  out.push_back(file("/api/v1/docs", "docs", "This document as a page to read and to try.",
                     "text/html; charset=utf-8", api_docs_page()));
  out.push_back(file("/api/v1/docs/docs.css", "docs_style", "The style of that page.",
                     "text/css; charset=utf-8", api_docs_style()));
  out.push_back(file("/api/v1/docs/docs.js", "docs_script", "The script of that page.",
                     "text/javascript; charset=utf-8", api_docs_script()));
  return out;
}

Routes all_routes(const ServerTexts& texts) {
  Routes out = prediction_routes();
  append(out, irene_viz_routes());
  append(out, lookup_routes());
  append(out, dataset_routes());
  append(out, profile_routes());
  append(out, whatif_routes());
  append(out, run_routes());
  append(out, token_routes());
  append(out, operation_routes(texts));
  return out;
}

}  // namespace wattree
