#include "server/http/reader.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "server/http/target.h"

namespace hymt::server::http {
namespace {

namespace beast_http = boost::beast::http;
using boost::beast::error_code;

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

Error malformed(std::string message) {
  return {Code::invalid_argument, std::move(message), {}};
}

// What Beast found wrong, for whoever wrote the client.
Error explain(const error_code& error, const Options& options) {
  if (error == beast_http::error::header_limit) {
    return {
        Code::too_large,
        "the head of the request is larger than " + std::to_string(options.max_header) + " bytes",
        {}};
  }
  if (error == beast_http::error::body_limit) {
    return body_too_large(options);
  }
  if (error == beast_http::error::bad_version) {
    return malformed("this service speaks HTTP/1.1 and HTTP/1.0");
  }
  return malformed("the request is not valid HTTP: " + error.message());
}

}  // namespace

Error body_too_large(const Options& options) {
  return {Code::too_large,
          "the body is larger than the limit of " + std::to_string(options.max_body) +
              " bytes: send less text at a time",
          {}};
}

struct RequestReader::Parser : beast_http::request_parser<beast_http::string_body> {};

RequestReader::RequestReader(const Options& options)
    : options_(options), parser_(std::make_unique<Parser>()) {
  parser_->header_limit(static_cast<uint32_t>(options.max_header));
  parser_->body_limit(boost::none);
}

RequestReader::~RequestReader() = default;

Result<RequestReader::Step> RequestReader::read(std::string_view input, size_t& consumed) {
  consumed = 0;
  const bool had_head = parser_->is_header_done();
  if (!had_head && !parser_->got_some()) {
    // Some clients send an empty line after a body; RFC 9112 2.2 asks to overlook it.
    while (input.substr(0, 2) == "\r\n") input.remove_prefix(2), consumed += 2;
    if (input.empty() || input == "\r") return Step::more;
  }
  parser_->eager(had_head);
  while (!input.empty() && !parser_->is_done()) {
    error_code error;
    const size_t n = parser_->put(boost::asio::buffer(input.data(), input.size()), error);
    consumed += n;
    if (!had_head) {
      // Fields are taken one by one as they arrive, and the parser's limit is for what it has not
      // taken yet; a folded field is always taken as a whole.
      head_bytes_ += n;
      if (head_bytes_ > options_.max_header) error = beast_http::error::header_limit;
      const auto taken = input.substr(0, n);
      if (taken.find("\r\n ") != taken.npos || taken.find("\r\n\t") != taken.npos) {
        error = beast_http::error::bad_obs_fold;
      }
      if (error && error != beast_http::error::need_more) {
        return tl::unexpected(explain(error, options_));
      }
    }
    input.remove_prefix(n);
    if (!had_head && parser_->is_header_done()) break;
    if (error == beast_http::error::need_more) return Step::more;
    if (error) return tl::unexpected(explain(error, options_));
    if (n == 0) return Step::more;
  }
  if (!had_head && parser_->is_header_done()) {
    HYMT_TRY(take_head());
    return Step::head;
  }
  if (!parser_->is_done()) return Step::more;
  request_.body = std::move(parser_->get().body());
  return Step::complete;
}

bool RequestReader::has_body() const {
  return !parser_->is_done();
}

std::optional<uint64_t> RequestReader::announced() const {
  const auto length = parser_->content_length();
  if (!length) return std::nullopt;
  return *length;
}

Result<void> RequestReader::take_head() {
  const auto& message = parser_->get();
  request_.arrived = std::chrono::steady_clock::now();
  request_.method = view(message.method_string());
  request_.target = view(message.target());
  request_.version = static_cast<int>(message.version());
  keep_alive_ = parser_->keep_alive();
  for (const auto& field : message) {
    request_.headers.emplace_back(view(field.name_string()), view(field.value()));
  }
  if (request_.headers.size() > options_.max_headers) {
    return fail(Code::too_large,
                "the request has more than " + std::to_string(options_.max_headers) + " headers");
  }
  HYMT_TRY(check_lengths());
  if (!announced()) parser_->body_limit(options_.max_body);
  auto target = HYMT_TRY(parse_target(request_.target));
  request_.path = std::move(target.path);
  request_.query = std::move(target.query);
  request_.host = target.authority.empty() ? request_.header("Host") : target.authority;
  const auto expect = request_.header("Expect");
  expects_continue_ = equal_ignoring_case(expect, "100-continue") && request_.version == 11;
  if (!expect.empty() && !equal_ignoring_case(expect, "100-continue")) {
    return fail(Code::invalid_argument, "this service knows no Expect but 100-continue");
  }
  return {};
}

// Beast refuses a length beside a chunked body and two different lengths. What it lets pass and
// another server on the way may read differently (request smuggling) is refused here.
Result<void> RequestReader::check_lengths() const {
  int hosts = 0, lengths = 0, encodings = 0;
  for (const auto& [name, value] : request_.headers) {
    if (equal_ignoring_case(name, "Host")) ++hosts;
    if (equal_ignoring_case(name, "Content-Length")) {
      ++lengths;
      if (value.empty() || value.find_first_not_of("0123456789") != std::string::npos) {
        return fail(Code::invalid_argument, "Content-Length must be one number");
      }
    }
    if (equal_ignoring_case(name, "Transfer-Encoding")) {
      ++encodings;
      if (!equal_ignoring_case(value, "chunked") || request_.version == 10) {
        return fail(Code::invalid_argument, "the only transfer encoding is chunked, in HTTP/1.1");
      }
    }
  }
  if (lengths + encodings > 1) {
    return fail(Code::invalid_argument, "a request has one Content-Length or Transfer-Encoding");
  }
  if (hosts > 1 || (hosts == 0 && request_.version == 11)) {
    return fail(Code::invalid_argument, "a request has one Host header");
  }
  return {};
}

}  // namespace hymt::server::http
