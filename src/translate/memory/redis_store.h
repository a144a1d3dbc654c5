// A Redis as the store that replicas share. It may be slow, full, restarted or gone: requests go on
// without it.
//
// One thread speaks to it; everybody else leaves commands in a mailbox. An answer that does not
// come within the time limit is not waited for, and after some failures in a row a breaker stops
// asking for a while (one for reading, one for writing: a full Redis can still be read). What waits
// on the connection is bounded in number and bytes; beyond that, questions are not asked and
// answers not kept. A connection that is lost, or says nothing for long, is made anew.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "translate/memory/breaker.h"
#include "translate/memory/redis_address.h"
#include "translate/memory/store.h"

namespace hymt::translate::memory {

struct RedisOptions {
  RedisAddress address;
  std::string password;                                 // empty: none
  std::chrono::milliseconds keep{24 * 3600 * 1000};     // Redis forgets a value after it
  Duration patience = std::chrono::milliseconds(20);    // that get() has
  Duration silence = std::chrono::seconds(5);           // after which a connection is given up
  Duration reconnect = std::chrono::milliseconds(100);  // first pause; doubles
  Duration longest_reconnect = std::chrono::seconds(5);
  Breaker::Options breaker;
  size_t max_questions = 1024;             // under way at once
  size_t max_value = 256 * 1024;           // bytes of one value
  size_t max_put_bytes = 8 * 1024 * 1024;  // under way at once
};

class RedisStore final : public Store {
 public:
  // Connects in the background. The registry and the log outlive the store.
  RedisStore(RedisOptions options, metrics::Registry& metrics, Log& log);
  ~RedisStore() override;  // answers what is still asked with nullopt

  bool get(const std::string& name, Found found) override;
  void put(std::string name, std::string value) override;

  bool connected() const;  // any thread

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace hymt::translate::memory
