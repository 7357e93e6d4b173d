// The fake NVML of tests/fake_nvml, with a script of the test's own.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "src/base/test_folder.h"

namespace wattree {

class FakeNvml {
 public:
  explicit FakeNvml(std::string_view script, const char* library = WATTREE_FAKE_NVML)
      : library_(library), handle_(::dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
    tree_.write("script", script);
    ::setenv("FAKE_NVML_SCRIPT", (tree_.path() / "script").c_str(), 1);
    if (handle_ == nullptr) std::abort();
    set_time_ms(0);
  }
  FakeNvml(const FakeNvml&) = delete;
  FakeNvml& operator=(const FakeNvml&) = delete;
  ~FakeNvml() {
    ::unsetenv("FAKE_NVML_SCRIPT");
    ::dlclose(handle_);
  }

  const std::string& library() const { return library_; }
  void set_time_ms(std::int64_t now) const {
    using SetTime = void (*)(std::int64_t);
    reinterpret_cast<SetTime>(::dlsym(handle_, "fake_nvml_set_time_ms"))(now);
  }

 private:
  TestFolder tree_;
  std::string library_;
  void* handle_;
};

}  // namespace wattree
