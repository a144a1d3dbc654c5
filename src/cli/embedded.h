// What the binary carries inside: the page and the demo model (see cmake/embed.cmake).
#pragma once

#include <span>
#include <string_view>

#include "base/mapped_file.h"

namespace hymt::cli {

// A file of web/.
struct Asset {
  std::string_view path;          // "/css/page.css"; the page itself is "/index.html"
  std::string_view content_type;  // "text/css; charset=utf-8"
  Bytes bytes;
  std::string_view etag;  // in its quotes; changes with the content and with nothing else
};

// Ordered by path. Both live as long as the process and are never written: any thread.
std::span<const Asset> assets();

// The GGUF file models/demo.gguf, 64-byte aligned.
Bytes demo_model();

}  // namespace hymt::cli
