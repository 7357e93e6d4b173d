#include "src/measure/dataset/json_lines_reader.h"

#include <functional>
#include <unordered_map>
#include <utility>

#include "src/base/in_quotes.h"
#include "src/base/line_reader.h"
#include "src/measure/dataset/tree_parser.h"

namespace wattree {

struct DatasetReader::State {
  State(LineReader reader, std::string name, ReadOptions given)
      : lines(std::move(reader)), origin(std::move(name)), options(given) {}

  std::optional<DatasetTree> read_line();
  bool has_new_ids(const DatasetTree& tree, const std::string& where);
  std::string where() const { return origin + ":" + std::to_string(lines.number()); }

  LineReader lines;
  std::string origin;
  ReadOptions options;
  TreeParser parser;
  Problems problems;
  Status failure;
  std::size_t trees = 0;
  std::size_t skipped = 0;
  bool is_done = false;
  // The line on which each id is, by the id's 64-bit hash: the ids themselves would be a fifth of
  // the file. That two of a million ids share a hash has a chance of 3 in 100 million.
  std::unordered_map<std::size_t, std::size_t> ids;
};

// Notes the ids of a tree; one that is there already is a problem.
bool DatasetReader::State::has_new_ids(const DatasetTree& tree, const std::string& where) {
  const std::size_t before = problems.count();
  for (const DatasetNode& node : tree.nodes) {
    const auto [at, is_new] = ids.emplace(std::hash<std::string_view>()(node.id), lines.number());
    if (is_new) continue;
    problems.add(where + ": the id " + in_quotes(node.id) + " of " + in_quotes(node.scope) +
                 " is taken already, on line " + std::to_string(at->second));
  }
  return problems.count() == before;
}

// Reads on to the next good tree.
std::optional<DatasetTree> DatasetReader::State::read_line() {
  for (;;) {
    const LineReader::Found status = lines.next();
    if (status == LineReader::Found::kFailed || status == LineReader::Found::kEnd) break;
    std::optional<DatasetTree> tree;
    if (status == LineReader::Found::kTooLong) {
      problems.add(where() + ": the line is longer than " + std::to_string(options.max_line_bytes) +
                   " bytes");
    } else if (lines.line().find_first_not_of(" \t") == std::string_view::npos) {
      continue;
    } else {
      tree = parser.parse(lines.line(), where(), problems);
    }
    if (tree && has_new_ids(*tree, where())) return tree;
    ++skipped;
  }
  return std::nullopt;
}

DatasetReader::DatasetReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
DatasetReader::DatasetReader(DatasetReader&&) noexcept = default;
DatasetReader& DatasetReader::operator=(DatasetReader&&) noexcept = default;
DatasetReader::~DatasetReader() = default;

Result<DatasetReader> DatasetReader::open(const std::filesystem::path& path, ReadOptions options) {
  Result<LineReader> lines = LineReader::open(path, options.max_line_bytes);
  if (!lines.ok()) return lines.error();
  return DatasetReader(std::make_unique<State>(std::move(lines).value(), path.string(), options));
}

const Status& DatasetReader::failure() const { return state_->failure; }
const Problems& DatasetReader::problems() const { return state_->problems; }
std::size_t DatasetReader::skipped_lines() const { return state_->skipped; }

std::optional<DatasetTree> DatasetReader::next() {
  State& state = *state_;
  if (state.is_done) return std::nullopt;
  std::optional<DatasetTree> tree = state.read_line();
  if (tree && (state.problems.empty() || state.options.skips_bad)) {
    ++state.trees;
    return tree;
  }
  while (tree) tree = state.read_line();
  state.is_done = true;
  if (!state.lines.failure().ok()) {
    state.failure = state.lines.failure();
  } else if (!state.problems.empty() && !state.options.skips_bad) {
    state.failure = state.problems.error(state.origin);
  } else if (state.trees == 0) {
    state.failure = Error{ErrorCode::kInvalidInput,
                          state.problems.empty() ? state.origin + " has no trees"
                                                 : "every tree in " + state.origin +
                                                       " is bad:\n  " + state.problems.text(),
                          "a dataset has one tree a line, in JSON: see docs/datasets.md"};
  }
  return std::nullopt;
}

Result<Dataset> read_dataset(const std::filesystem::path& path, ReadOptions options) {
  Result<DatasetReader> opened = DatasetReader::open(path, options);
  if (!opened.ok()) return opened.error();
  DatasetReader reader = std::move(opened).value();
  Dataset out;
  while (std::optional<DatasetTree> tree = reader.next()) out.trees.push_back(std::move(*tree));
  if (!reader.failure().ok()) return reader.failure().error();
  out.problems = reader.problems();
  out.skipped = reader.skipped_lines();
  return out;
}

std::optional<DatasetTree> parse_tree(std::string_view line, const std::string& where,
                                      Problems& problems) {
  return TreeParser().parse(line, where, problems);
}

}  // namespace wattree
