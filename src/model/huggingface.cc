#include "model/huggingface.h"

namespace hymt::model {

Result<checkpoint::Checkpoint> open_huggingface(const std::string& folder) {
  return fail(Code::unsupported, folder + ": todo");
}

}  // namespace hymt::model
