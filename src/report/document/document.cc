#include "src/report/document/document.h"

#include <algorithm>
#include <string_view>

#include "src/base/html_text.h"
#include "src/base/text.h"

namespace wattree {
namespace {

constexpr std::string_view kHead =
    R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6673; --line: #d9dee4; --page: #fff;
  --shade: #f4f6f8; --a: #0072b2; --b: #b35400; --c: #00795a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #a3adb8; --line: #39424d;
  --page: #14181d; --shade: #1d232a; --a: #5ab4f0; --b: #f0a35a; --c: #4fd1a5; } }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--page);
  max-width: 56rem; margin: 2.5rem auto 4rem; padding: 0 1.25rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
p { max-width: 46rem; margin: .5rem 0; }
.scroll { overflow-x: auto; margin: .75rem 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .95rem; }
th { font-weight: 600; color: var(--soft); text-align: right; vertical-align: bottom; }
th, td { padding: .3rem .8rem; border-bottom: 1px solid var(--line); }
td { text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: .4rem; white-space: normal; }
table.text th, table.text td { text-align: left; white-space: normal; vertical-align: top; }
tr.ours td { background: var(--shade); font-weight: 600; }
figure { margin: 1rem 0; }
figcaption { color: var(--soft); font-size: .9rem; max-width: 46rem; }
svg { width: 100%; max-width: 760px; height: auto; display: block; }
svg text { font: 13px system-ui, sans-serif; fill: var(--ink); }
svg .soft { fill: var(--soft); }
svg .grid { stroke: var(--line); }
svg .curve { fill: none; stroke-width: 2.2; stroke-linejoin: round; }
svg .k0 { stroke: var(--a); } svg .k1 { stroke: var(--c); } svg .k2 { stroke: var(--b); }
svg .f0 { fill: var(--a); } svg .f1 { fill: var(--c); } svg .f2 { fill: var(--b); }
</style>
)";

std::string html_of(const Heading& heading) { return "<h2>" + html_text(heading.text) + "</h2>\n"; }
std::string html_of(const Paragraph& paragraph) {
  return "<p>" + html_text(paragraph.text) + "</p>\n";
}
std::string html_of(const Chart& chart) {
  return "<figure>" + chart.svg + "<figcaption>" + html_text(chart.caption) +
         "</figcaption></figure>\n";
}
std::string html_of(const DocumentTable& table) {
  std::string out = table.is_text ? "<div class=\"scroll\"><table class=\"text\">\n<thead><tr>"
                                  : "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const std::string& title : table.titles) {
    out += "<th scope=\"col\">" + html_text(title) + "</th>";
  }
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const bool is_ours = i < table.is_ours.size() && table.is_ours[i];
    out += is_ours ? "<tr class=\"ours\">" : "<tr>";
    for (const std::string& cell : table.rows[i]) out += "<td>" + html_text(cell) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

// At the beginning of a line it would mean a list, a heading, a quotation or a table.
bool begins_a_block(std::string_view word) {
  if (word == "-" || word == "+" || word == "*" || word.find_first_of("#>|") == 0) return true;
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  return digits > 0 && (word.substr(digits) == "." || word.substr(digits) == ")");
}

// Prose in lines of at most 100 characters, where words allow; Markdown joins them again.
std::string prose(std::string_view text) {
  constexpr std::size_t kColumns = 100;
  std::string out;
  std::size_t used = 0;
  for (const std::string& word : split(text, ' ')) {
    const std::size_t width = display_width(word);
    if (used == 0) {
      used = width;
    } else if (used + 1 + width > kColumns && !begins_a_block(word)) {
      out += '\n';
      used = width;
    } else {
      out += ' ';
      used += 1 + width;
    }
    out += word;
  }
  return out + "\n\n";
}

std::string markdown_of(const Heading& heading) { return "## " + heading.text + "\n\n"; }
std::string markdown_of(const Paragraph& paragraph) { return prose(paragraph.text); }
std::string markdown_of(const Chart& chart) { return prose(chart.caption); }
std::string markdown_of(const DocumentTable& table) {
  std::string out = "|";
  for (const std::string& title : table.titles) out += " " + title + " |";
  out += "\n|";
  for (std::size_t i = 0; i < table.titles.size(); ++i)
    out += i == 0 || table.is_text ? "---|" : "---:|";
  out += "\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const bool is_ours = i < table.is_ours.size() && table.is_ours[i];
    out += "|";
    for (const std::string& cell : table.rows[i]) {
      out += is_ours ? " **" + cell + "** |" : " " + cell + " |";
    }
    out += "\n";
  }
  return out + "\n";
}

}  // namespace

Document with_fields_named(Document document, const FieldName& name) {
  for (auto& block : document.blocks) {
    if (auto* paragraph = std::get_if<Paragraph>(&block)) {
      paragraph->text = with_fields_named(paragraph->text, name);
    }
  }
  return document;
}

std::string to_html(const Document& document) {
  std::string out(kHead);
  out += "<title>" + html_text(document.title) + "</title>\n</head>\n<body>\n<h1>" +
         html_text(document.title) + "</h1>\n";
  for (const auto& block : document.blocks) {
    out += std::visit([](const auto& b) { return html_of(b); }, block);
  }
  return out + "</body>\n</html>\n";
}

std::string to_markdown(const Document& document) {
  std::string out = "# " + document.title + "\n\n";
  for (const auto& block : document.blocks) {
    out += std::visit([](const auto& b) { return markdown_of(b); }, block);
  }
  out.pop_back();  // One line end is enough.
  return out;
}

}  // namespace wattree
