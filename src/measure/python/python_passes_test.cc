#include "src/measure/python/python_passes.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "src/base/file.h"
#include "src/base/test_folder.h"

namespace wattree {
namespace {

class PythonPasses : public ::testing::Test {
 protected:
  // Of a program that is called as Python is: -c SCRIPT REQUEST.
  Result<std::vector<PythonPass>> timed_by(const std::string& program) {
    const std::filesystem::path file = folder_.path() / "python";
    EXPECT_TRUE(write_file(file, "#!/bin/sh\n" + program + "\n").ok());
    ::chmod(file.c_str(), 0755);
    PythonOptions options;
    options.program = file.string();
    return time_python_passes(options, [] { return false; });
  }
  std::string refusal_of(const std::string& program) {
    const auto timed = timed_by(program);
    return timed.ok() ? "" : timed.error().message;
  }

 private:
  TestFolder folder_;
};

TEST_F(PythonPasses, AreTimedAtSeveralMoments) {
  const auto timed = timed_by("echo '[0.01, 0.02, 0.03, 0.04]'; echo '[0.02, 0.02, 0.03, 0.05]'");
  ASSERT_TRUE(timed.ok()) << timed.error().message;
  ASSERT_EQ(timed.value().size(), 4U);
  EXPECT_EQ(timed.value()[0].pass.class_name, "BertModel");
  EXPECT_EQ(timed.value()[1].pass.class_name, "GPT2Model");
  ASSERT_EQ(timed.value()[3].times.size(), 2U);
  EXPECT_EQ(timed.value()[3].times[1].value, 0.05);
}

TEST_F(PythonPasses, AreAskedForByConfigAndSize) {
  const auto timed = timed_by(
      "case \"$3\" in *'\"batch\":1,'*'\"model_type\":\"gpt2\"'*'\"length\":24'*'\"rounds\":12'*) "
      "echo '[1, 2, 3, 4]';; esac");
  EXPECT_TRUE(timed.ok()) << timed.error().message;
}

TEST_F(PythonPasses, SayWhyTheyWereNotTimed) {
  EXPECT_NE(refusal_of("echo Traceback >&2; echo 'it has no torch' >&2; exit 1").find("no torch"),
            std::string::npos);
  EXPECT_NE(refusal_of("exit 7").find("it ended with 7"), std::string::npos);
  EXPECT_NE(refusal_of("true").find("printed no times"), std::string::npos);
  for (const char* line : {"'[1, 2, 3]'", "'[1, 2, 3, -4]'", "'[1, 2, 3, null]'", "'hello'"}) {
    EXPECT_NE(refusal_of(std::string("echo ") + line).find("instead of times"), std::string::npos)
        << line;
  }
}

}  // namespace
}  // namespace wattree
