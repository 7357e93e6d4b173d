#include "src/server/routes/web_files.h"

#include <algorithm>
#include <memory>
#include <string>

#include "src/server/routes/compress.h"

namespace wattree {

const WebFile* find_web_file(std::span<const WebFile> files, std::string_view path) {
  const auto named = [&](std::string_view name) -> const WebFile* {
    const auto found = std::find_if(files.begin(), files.end(),
                                    [&](const WebFile& file) { return file.path == name; });
    return found == files.end() ? nullptr : &*found;
  };
  if (const WebFile* file = named(path)) return file;
  const bool is_page = path.find('.') == std::string_view::npos && !path.starts_with("/api/");
  if (!is_page) return nullptr;
  if (const WebFile* file = named(std::string(path) + ".html")) return file;
  return named("/index.html");
}

HttpAnswer web_answer(const WebFile& file, const HttpCall& call) {
  HttpAnswer out;
  const bool is_gzip = accepts_gzip(call.header("accept-encoding"));
  const std::string tag = '"' + std::string(file.tag) + (is_gzip ? "-gzip\"" : "\"");
  out.type = std::string(file.type);
  out.headers.emplace_back("ETag", tag);
  out.headers.emplace_back("Vary", "Accept-Encoding");
  out.headers.emplace_back("Cache-Control",
                           file.is_immutable ? "public, max-age=31536000, immutable" : "no-cache");
  if (const std::string_view known = call.header("if-none-match");
      !known.empty() && matches_tag(known, tag)) {
    out.status = 304;
    return out;
  }
  if (is_gzip) out.headers.emplace_back("Content-Encoding", "gzip");
  out.body =
      std::make_shared<const std::string>(is_gzip ? std::string(file.bytes) : gunzip(file.bytes));
  return out;
}

std::string_view plain_home_page() {
  return R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Wattree</title>
<link rel="stylesheet" href="/api/v1/docs/docs.css">
</head>
<body>
<main>
<h1>Wattree</h1>
<p>This server answers questions about the energy of machine-learning models. It was built without
its pages.</p>
<p><a href="/api/v1/docs">What it can be asked</a> ·
<a href="/api/v1/predict?model=bert-base-uncased&amp;batch=16&amp;seq=128&amp;depth=1">an example</a></p>
</main>
</body>
</html>
)";
}

}  // namespace wattree
