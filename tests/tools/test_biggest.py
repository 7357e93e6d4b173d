"""The counter of lines counts what a reader would, whatever braces stand in strings and lists."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def counted(text):
    loader = importlib.machinery.SourceFileLoader("biggest", str(ROOT / "tools/biggest"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("biggest", loader))
    loader.exec_module(module)
    return list(module.functions(text))


def test_functions_are_found_wherever_they_stand():
    assert counted("""#define WRAP(x) { x
namespace wattree {
struct Point {
  Point() : x_{1}, y_(2) {
    draw("}");  // }
  }
  int x() const { return x_; }
  int x_{0}, y_ = 0;
};
constexpr Table kTable{{1, 2},
                       {3, 4}};
const std::map<int, int (*)(int)> kCalls{
    {1, [](int i) { return i; }}};
bool Point::operator==(const Point& other) const {
  return std::all_of(begin(), end(), [&](int i) {
    return i == 1'000 || i == '{';
  });
}
template <class T>
T twice(T value) {
  struct Local {
    T value;
  };
  return R"x(})x" + value;
}
}  // namespace wattree
""") == [("Point", 3), ("x", 1), ("Point::operator==", 5), ("twice", 7)]


def test_a_commit_and_the_working_tree_can_be_listed():
    for arguments in ([], ["--rev", "HEAD"]):
        if arguments and not (ROOT / ".git").exists():
            continue
        done = subprocess.run([sys.executable, ROOT / "tools/biggest", *arguments, "--top", "3"], stdout=subprocess.PIPE,
                              text=True, check=True)
        assert done.stdout.count("\n") == 1 + 3 * (2 + 3)
