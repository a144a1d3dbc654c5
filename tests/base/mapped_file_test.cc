#include "base/mapped_file.h"

#include <gtest/gtest.h>

namespace hymt {
namespace {

TEST(MappedFile, NamesWhatIsWrong) {
  EXPECT_EQ(MappedFile::open("/no/such/file").error().code, Code::not_found);
  EXPECT_EQ(MappedFile::open("/tmp").error().code, Code::invalid_argument);
  EXPECT_EQ(MappedFile::open("/dev/null").error().code, Code::invalid_argument);
  EXPECT_NE(MappedFile::open("/no/such/file").error().message.find("/no/such/file"),
            std::string::npos);
}

}  // namespace
}  // namespace hymt
