#include "base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace hymt {
namespace {

spdlog::level::level_enum to_spdlog(Log::Level level) {
  switch (level) {
    case Log::Level::debug:
      return spdlog::level::debug;
    case Log::Level::info:
      return spdlog::level::info;
    case Log::Level::warning:
      return spdlog::level::warn;
    case Log::Level::error:
      return spdlog::level::err;
    case Log::Level::off:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

}  // namespace

struct Log::Sink {
  spdlog::logger logger;
};

Log::Log(Level level)
    : sink_(new Sink{spdlog::logger("hymt", std::make_shared<spdlog::sinks::stderr_sink_mt>())}) {
  sink_->logger.set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  sink_->logger.set_level(to_spdlog(level));
}

Log::~Log() = default;

void Log::write(Level level, std::string_view message) {
  sink_->logger.log(to_spdlog(level), spdlog::string_view_t(message.data(), message.size()));
}

}  // namespace hymt
