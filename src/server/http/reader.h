// Requests out of bytes: Beast's parser, and the rules it leaves to its user. No socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "server/http/message.h"
#include "server/http/options.h"

namespace hymt::server::http {

Error body_too_large(const Options& options);

// One request. Single-threaded.
class RequestReader {
 public:
  explicit RequestReader(const Options& options);
  ~RequestReader();

  enum class Step { more, head, complete };

  // Takes bytes from the front of `input`, saying how many in `consumed`; stops after the head
  // and again after the body. After an error the connection cannot be used further:
  //   invalid_argument: not HTTP/1.0 or 1.1, or a form whose length two readers could read
  //   differently (two lengths, length and transfer encoding, folded headers, ...)
  //   too_large: head or chunked body beyond the limits (an announced length is the caller's to
  //   compare, who then knows whose request it was)
  Result<Step> read(std::string_view input, size_t& consumed);

  // From Step::head on.
  Request& request() { return request_; }
  bool has_body() const;
  bool expects_continue() const { return expects_continue_; }
  bool keep_alive() const { return keep_alive_; }
  // Bytes of its body as announced, which may be beyond the limit; nothing where it is chunked.
  std::optional<uint64_t> announced() const;

 private:
  Result<void> take_head();
  Result<void> check_lengths() const;

  struct Parser;
  const Options& options_;
  std::unique_ptr<Parser> parser_;
  Request request_;
  size_t head_bytes_ = 0;
  bool expects_continue_ = false;
  bool keep_alive_ = false;
};

}  // namespace hymt::server::http
