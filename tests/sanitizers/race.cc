// Deliberate: two threads write one variable without a lock.
#include <thread>

int shared_number = 0;

int main() {
  auto count = [] {
    for (int i = 0; i < 1000; ++i) ++shared_number;
  };
  std::thread other(count);
  count();
  other.join();
}
