// The nodes of one model as IrEne's rows name them, the same for every size it was run at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace wattree {

class IrenePaths {
 public:
  static constexpr std::int32_t kRoot = 0;

  struct Path {
    std::string scope;  // root.encoder.0.attention
    std::int32_t parent = -1;
    std::string class_name;   // Of the first row there; empty where no tree has one.
    std::int32_t leaves = 0;  // The most that any tree has at or below it.
  };

  IrenePaths() { add({"root", -1, "", 0}); }

  // First every row of every tree, then find().
  void note(std::string_view dotted) { rows_.insert(dotted); }
  // The node of encoder.layer.0.attention, and so of everything above it. Containers are left out.
  std::int32_t find(std::string_view dotted);
  // The k-th functional op of a kind below a node: "root.encoder.0.attention:matmul.1".
  std::int32_t find_op(std::int32_t below, std::string_view class_name, int k);

  Path& operator[](std::int32_t path) { return paths_[static_cast<std::size_t>(path)]; }
  std::size_t size() const { return paths_.size(); }

 private:
  std::int32_t add(Path path);
  bool is_container(std::string_view dotted, std::string_view next) const;

  std::vector<Path> paths_;
  std::unordered_map<std::string, std::int32_t> by_scope_;
  std::unordered_map<std::string_view, std::int32_t> by_dotted_;
  std::unordered_set<std::string_view> rows_;
};

}  // namespace wattree
