// The log: lines with a time, a level and a message, to standard error. Any thread.
#pragma once

#include <memory>
#include <string_view>

namespace hymt {

class Log {
 public:
  enum class Level { debug, info, warning, error, off };

  explicit Log(Level level = Level::info);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void debug(std::string_view message) { write(Level::debug, message); }
  void info(std::string_view message) { write(Level::info, message); }
  void warning(std::string_view message) { write(Level::warning, message); }
  void error(std::string_view message) { write(Level::error, message); }

 private:
  void write(Level level, std::string_view message);

  struct Sink;  // keeps the logging library out of this header
  std::unique_ptr<Sink> sink_;
};

}  // namespace hymt
