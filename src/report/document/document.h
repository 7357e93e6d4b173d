// A document of headings, paragraphs, tables and charts, as a page of its own or as Markdown.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "src/base/error_text.h"

namespace wattree {

struct Heading {
  std::string text;
};
struct Paragraph {
  std::string text;
};
struct DocumentTable {
  std::vector<std::string> titles;  // The first column is text, the others are numbers.
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> is_ours;  // By row: shown with weight. Empty: none.
  bool is_text = false;       // The other columns are text too.
};
struct Chart {
  std::string svg;      // A whole element, without anything from elsewhere.
  std::string caption;  // Says the same in words, for Markdown and for who cannot see it.
};

struct Document {
  std::string title;
  std::vector<std::variant<Heading, Paragraph, DocumentTable, Chart>> blocks;
};

// With the fields of requests that paragraphs mention, such as "<report>", in a shell's words.
Document with_fields_named(Document document, const FieldName& name);

// One file that asks for nothing from anywhere, runs no script, and is readable in light and dark.
std::string to_html(const Document& document);
std::string to_markdown(const Document& document);

}  // namespace wattree
