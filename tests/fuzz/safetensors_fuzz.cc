// Any bytes as the JSON of a safetensors header or index, and as a whole file.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "checkpoint/quantize.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/safetensors_header.h"

namespace {

// One folder a process, for the whole file; in memory where the system has such a place.
struct Folder {
  std::string path;

  Folder() {
    for (std::string name : {"/dev/shm/hymt-fuzz-XXXXXX", "/tmp/hymt-fuzz-XXXXXX"}) {
      if (::mkdtemp(name.data())) {
        path = name;
        return;
      }
    }
    std::abort();
  }
  ~Folder() {
    std::remove((path + "/model.safetensors").c_str());
    ::rmdir(path.c_str());
  }
};

void check(const hymt::Error& error) {
  if (error.message.empty() || error.message.find('\n') != std::string::npos) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folder folder;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto index = hymt::checkpoint::parse_safetensors_index(text, "index");
  if (!index) check(index.error());

  std::FILE* file = std::fopen((folder.path + "/model.safetensors").c_str(), "wb");
  if (!file || std::fwrite(data, 1, size, file) != size || std::fclose(file) != 0) std::abort();
  const auto checkpoint = hymt::checkpoint::read_safetensors(folder.path);
  if (!checkpoint) return check(checkpoint.error()), 0;
  for (const auto& tensor : checkpoint->tensors) {
    std::vector<float> row(static_cast<size_t>(tensor.columns()));
    hymt::checkpoint::dequantize_row(tensor.type, tensor.data.data(), tensor.columns(), row.data());
  }
  return 0;
}
