// A whole service on a free port, with the fake translator behind it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"
#include "client.h"
#include "fake_translator.h"
#include "server/server.h"

namespace hymt::test {

using Json = nlohmann::json;

class ServiceTest : public testing::Test {
 protected:
  ServiceTest() { options.port = 0; }

  // Tests change `options` and `assets` before.
  void start(bool with_translator = true) {
    service = std::make_unique<server::Server>(options, assets, metrics, log);
    const auto started = service->start();
    ASSERT_TRUE(started) << started.error().message;
    if (with_translator) service->set_translator(fake);
    port = service->port();
  }

  HttpReply translate(const Json& body) { return post(port, "/v1/translate", body.dump()); }
  std::string translate_request(const Json& body) {
    return post_request("/v1/translate", body.dump());
  }

  // The value of a series in GET /metrics; -1: there is none.
  double metric(const std::string& series) {
    const std::string text = get(port, "/metrics").body;
    const auto at = text.find("\n" + series + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size() + 2));
  }

  // That is, until a drain has closed the port.
  void wait_until_nobody_is_accepted() {
    while (get(port, "/health").status != 0) std::this_thread::yield();
  }

  metrics::Registry metrics;
  Log log{Log::Level::off};
  std::shared_ptr<FakeTranslator> fake = std::make_shared<FakeTranslator>();
  server::Options options;
  std::vector<server::Asset> assets;
  std::unique_ptr<server::Server> service;
  uint16_t port = 0;
};

// "code field" of an error reply, and that it has its shape.
inline std::string error_of(const HttpReply& reply) {
  EXPECT_EQ(reply.headers.at("content-type"), "application/json");
  const Json error = Json::parse(reply.body).at("error");
  EXPECT_FALSE(error.at("message").get<std::string>().empty());
  std::string out = error.at("code");
  if (!error.at("field").is_null()) out.append(" ").append(error.at("field").get<std::string>());
  return out;
}

}  // namespace hymt::test
