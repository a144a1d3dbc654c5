// Expected behaviour: RFC 9112 (HTTP/1.1 message syntax), and its section 11 on smuggling.
#include "server/http/reader.h"

#include <gtest/gtest.h>

namespace hymt::server::http {
namespace {

struct Outcome {
  bool ok = false;
  Code code = Code::internal;
  Request request;
  bool keep_alive = false;
  size_t left = 0;
};

// Feeds `bytes`, `step` at a time, as a connection does.
Outcome read_all(std::string_view bytes, size_t step, const Options& options = {}) {
  RequestReader reader(options);
  Outcome outcome;
  std::string pending;
  bool head = false;
  for (size_t fed = 0; fed < bytes.size() || !pending.empty();) {
    const size_t n = std::min(step, bytes.size() - fed);
    pending.append(bytes.substr(fed, n));
    fed += n;
    while (true) {
      size_t used = 0;
      const auto result = reader.read(pending, used);
      pending.erase(0, used);
      if (!result) {
        outcome.code = result.error().code;
        return outcome;
      }
      if (*result == RequestReader::Step::more) break;
      if (*result == RequestReader::Step::head) head = true;
      if (*result == RequestReader::Step::complete || !reader.has_body()) {
        outcome.ok = head;
        outcome.request = std::move(reader.request());
        outcome.keep_alive = reader.keep_alive();
        outcome.left = pending.size() + bytes.size() - fed;
        return outcome;
      }
    }
    if (n == 0) break;  // never complete
  }
  return outcome;
}

TEST(RequestReader, ReadsTheSameRequestInPiecesOfAnySize) {
  const std::string_view bytes =
      "POST /v1/translate?x=1 HTTP/1.1\r\nHost: localhost:7860\r\nX-Empty:\r\nX-Space:  a b \t\r\n"
      "Transfer-Encoding: chunked\r\n\r\n"
      "5;name=value\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\nHost: trailer\r\nX: y\r\n\r\nNEXT";
  for (const size_t step : {1, 2, 3, 7, 64, 1000}) {
    const auto outcome = read_all(bytes, step);
    ASSERT_TRUE(outcome.ok) << step;
    const Request& request = outcome.request;
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/v1/translate");
    EXPECT_EQ(request.query, "x=1");
    EXPECT_EQ(request.host, "localhost:7860");
    EXPECT_EQ(request.header("x-space"), "a b");
    EXPECT_EQ(request.body, "hello world");
    EXPECT_EQ(request.header("X"), "") << "trailers are no headers";
    EXPECT_TRUE(outcome.keep_alive);
    EXPECT_EQ(outcome.left, 4u);
  }
}

TEST(RequestReader, ReadsALengthBody) {
  const auto outcome = read_all(
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabcde", 1);
  ASSERT_TRUE(outcome.ok);
  EXPECT_EQ(outcome.request.body, "abc");
  EXPECT_EQ(outcome.left, 2u);
  EXPECT_FALSE(outcome.keep_alive);
}

TEST(RequestReader, OverlooksEmptyLinesBeforeARequest) {
  for (const size_t step : {1, 100}) {
    EXPECT_TRUE(read_all("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", step).ok);
  }
}

TEST(RequestReader, SpeaksHttp10) {
  const auto outcome = read_all("GET / HTTP/1.0\r\n\r\n", 100);
  ASSERT_TRUE(outcome.ok);
  EXPECT_EQ(outcome.request.version, 10);
  EXPECT_FALSE(outcome.keep_alive);
  EXPECT_TRUE(read_all("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 100).keep_alive);
}

TEST(RequestReader, TheAbsoluteFormNamesTheHost) {
  const auto outcome = read_all("GET http://a.example/x HTTP/1.1\r\nHost: b.example\r\n\r\n", 100);
  ASSERT_TRUE(outcome.ok);
  EXPECT_EQ(outcome.request.host, "a.example");
  EXPECT_EQ(outcome.request.path, "/x");
}

TEST(RequestReader, RefusesWhatTwoReadersCouldReadDifferently) {
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
  const std::string rest = "\r\n0\r\n\r\n";
  const std::vector<std::string> bad = {
      post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n" + rest,
      post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n" + rest,
      post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n123456",
      post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n12345",
      post + "Content-Length: 5, 5\r\n\r\n12345",
      post + "Content-Length: +5\r\n\r\n12345",
      post + "Content-Length: -1\r\n\r\n",
      post + "Content-Length: 0x5\r\n\r\n12345",
      post + "Content-Length: 5 5\r\n\r\n12345",
      post + "Content-Length:\r\n\r\n",
      post + "Content-Length: 99999999999999999999\r\n\r\n",
      post + "Transfer-Encoding: gzip\r\n" + rest,
      post + "Transfer-Encoding: gzip, chunked\r\n" + rest,
      post + "Transfer-Encoding: chunked, gzip\r\n" + rest,
      post + "Transfer-Encoding: xchunked\r\n" + rest,
      post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n" + rest,
      post + "Transfer-Encoding : chunked\r\n" + rest,
      post + "Transfer-Encoding:\r\n chunked\r\n" + rest,
      post + "X: a\r\n b\r\n\r\n",
      post + "X: a\r\n\tb\r\n\r\n",
      post + " X: a\r\n\r\n",
      post + "X\r\n\r\n",
      post + ": a\r\n\r\n",
      post + "X: a\nContent-Length: 5\r\n\r\n12345",
      post + "X: a\rContent-Length: 5\r\n\r\n12345",
      post + std::string("X: a\0b\r\n\r\n", 10),
      "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n" + rest,
      "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
  };
  for (const auto& bytes : bad) {
    for (const size_t step : {1, 1000}) {
      const auto outcome = read_all(bytes, step);
      EXPECT_FALSE(outcome.ok) << bytes;
      EXPECT_EQ(outcome.code, Code::invalid_argument) << bytes;
    }
  }
}

TEST(RequestReader, RefusesBrokenRequestLines) {
  for (const char* line :
       {"GET", "GET /", "GET / HTTP/2.0", "GET / HTTP/0.9", "GET / HTTP/1.2", "GET  / HTTP/1.1",
        "GET / / HTTP/1.1", "GET / http/1.1", "G\x01T / HTTP/1.1", "G(T / HTTP/1.1",
        " GET / HTTP/1.1", "GET / HTTP/1.1 ", "GET /\x7f HTTP/1.1", "\x16\x03\x01\x02",
        "GET health HTTP/1.1", "CONNECT a:443 HTTP/1.1", "GET /%zz HTTP/1.1"}) {
    const auto outcome = read_all(std::string(line) + "\r\nHost: a\r\n\r\n", 1);
    EXPECT_FALSE(outcome.ok) << line;
    EXPECT_EQ(outcome.code, Code::invalid_argument) << line;
  }
}

TEST(RequestReader, RefusesBrokenChunks) {
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const char* body : {"x\r\n", "-1\r\n", "5\r\nhelloX\r\n0\r\n\r\n", "5 hello", "\r\n",
                           "fffffffffffffffff\r\n", "0x5\r\nhello\r\n", "5\nhello\n0\n\n"}) {
    for (const size_t step : {1, 1000}) {
      const auto outcome = read_all(post + body + std::string(20, 'z'), step);
      EXPECT_FALSE(outcome.ok) << body;
      EXPECT_NE(outcome.code, Code::unavailable) << body;
    }
  }
}

TEST(RequestReader, BoundsTheHead) {
  Options options;
  options.max_header = 1000;
  options.max_headers = 10;
  const auto fits = [&](const std::string& head, size_t step) {
    const auto outcome = read_all("GET / HTTP/1.1\r\nHost: a\r\n" + head + "\r\n", step, options);
    EXPECT_TRUE(outcome.ok || outcome.code == Code::too_large);
    return outcome.ok;
  };
  for (const size_t step : {1, 50, 5000}) {
    EXPECT_TRUE(fits("X: " + std::string(900, 'a') + "\r\n", step));
    EXPECT_FALSE(fits("X: " + std::string(1000, 'a') + "\r\n", step));
    std::string many;
    for (int i = 0; i < 9; ++i) many += "X: a\r\n";
    EXPECT_TRUE(fits(many, step));
    EXPECT_FALSE(fits(many + "X: a\r\n", step));
    std::string drops;  // each small, all together large
    for (int i = 0; i < 200; ++i) drops += "X: aaaaaa\r\n";
    EXPECT_FALSE(fits(drops, step));
  }
}

TEST(RequestReader, BoundsAChunkedBody) {
  Options options;
  options.max_body = 10;
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_TRUE(read_all(post + "5\r\nhello\r\n5\r\nhello\r\n0\r\n\r\n", 1, options).ok);
  for (const char* body : {"b\r\nhello world\r\n0\r\n\r\n",
                           "5\r\nhello\r\n6\r\nworld!\r\n0\r\n\r\n", "ffffffffffffffff\r\n"}) {
    EXPECT_EQ(read_all(post + body, 1, options).code, Code::too_large) << body;
  }
}

}  // namespace
}  // namespace hymt::server::http
