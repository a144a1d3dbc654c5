// Any bytes from a socket: the same requests, or the same refusal, whether they arrive at once or
// in pieces (the first byte says how large). What a reader takes must not depend on the network.
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "server/http/reader.h"

namespace {

using namespace hymt;
using namespace hymt::server::http;

// The first request of `bytes`, as text; "more" if it is not complete.
std::string outcome(std::string_view bytes, size_t step, const Options& options) {
  RequestReader reader(options);
  std::string pending;
  for (size_t fed = 0; fed < bytes.size();) {
    pending.append(bytes.substr(fed, step));
    fed += std::min(step, bytes.size() - fed);
    while (true) {
      size_t used = 0;
      const auto result = reader.read(pending, used);
      HYMT_CHECK(used <= pending.size());
      pending.erase(0, used);
      if (!result) return "refused";
      if (*result == RequestReader::Step::more) break;
      if (*result == RequestReader::Step::head) {
        HYMT_CHECK(!reader.request().path.empty());
        if (reader.announced().value_or(0) > options.max_body) return "large";
      }
      if (*result == RequestReader::Step::complete || !reader.has_body()) {
        const Request& request = reader.request();
        HYMT_CHECK(request.body.size() <= options.max_body);
        HYMT_CHECK(request.headers.size() <= options.max_headers);
        return request.method + " " + request.path + "?" + request.query + " " + request.host +
               " " + std::to_string(request.headers.size()) + "\n" + request.body + "\n" +
               std::to_string(pending.size() + bytes.size() - fed);
      }
    }
  }
  return "more";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  Options options;
  options.max_header = 1024;
  options.max_headers = 20;
  options.max_body = 256;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = outcome(bytes, std::max<size_t>(bytes.size(), 1), options);
  const std::string pieces = outcome(bytes, 1 + data[0] % 16, options);
  // Where a request is refused anyway, pieces may show it before the whole is there.
  HYMT_CHECK(whole == pieces || (whole == "more" && pieces == "refused") ||
             (whole == "refused" && pieces == "more"));
  return 0;
}
