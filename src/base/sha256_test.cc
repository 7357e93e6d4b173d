#include "src/base/sha256.h"

#include <gtest/gtest.h>

#include "src/base/hex_text.h"

namespace wattree {
namespace {

std::string hash(std::string_view text) {
  const auto bytes = sha256(text);
  return hex_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// The examples of FIPS 180-4 and of NIST's validation program.
TEST(Sha256, AgreesWithTheStandard) {
  EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(hash(std::string("\xbd", 1)),
            "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b");
}

}  // namespace
}  // namespace wattree
