#include "checkpoint/safetensors_header.h"

#include <nlohmann/json.hpp>
#include <unordered_set>

#include "base/quote.h"

namespace hymt::checkpoint {
namespace {

using nlohmann::json;

// Where in the document we are: objects and arrays opened, and the key last seen in each object.
// Subclasses are told of what lies outside the values that they skip.
class Events : public json::json_sax_t {
 public:
  bool null() override { return scalar("null"); }
  bool boolean(bool) override { return scalar("a truth value"); }
  bool number_integer(number_integer_t value) override {
    return scalar(std::to_string(value).c_str());
  }
  bool number_unsigned(number_unsigned_t value) override { return skipping() || number(value); }
  bool number_float(number_float_t, const string_t& text) override { return scalar(text.c_str()); }
  bool string(string_t& value) override { return skipping() || text(value); }
  bool binary(binary_t&) override { return scalar("binary"); }

  bool start_object(size_t) override { return start(false); }
  bool end_object() override { return end(); }
  bool start_array(size_t) override { return start(true); }
  bool end_array() override { return end(); }
  bool key(string_t& value) override { return skipping() || named(value); }

  bool parse_error(size_t at, const std::string&, const nlohmann::detail::exception&) override {
    return refuse("malformed JSON at byte " + std::to_string(at));
  }

  const std::string& error() const { return error_; }

 protected:
  // All return false (after refuse) to end the parse. depth() counts the brackets open before.
  virtual bool opened(bool array) = 0;
  virtual bool closed() = 0;
  virtual bool named(const std::string& key) = 0;
  virtual bool number(uint64_t value) = 0;
  virtual bool text(const std::string& value) = 0;

  int depth() const { return depth_; }
  // Called from opened(): the value that begins here is of no interest.
  void skip() { skip_from_ = depth_; }

  bool refuse(const std::string& what) {
    if (error_.empty()) error_ = what;
    return false;
  }

 private:
  bool skipping() const { return skip_from_ >= 0; }
  bool scalar(const char* shown) {
    return skipping() || refuse(std::string("unexpected ") + shown);
  }
  bool start(bool array) {
    if (!skipping() && !opened(array)) return false;
    ++depth_;
    return true;
  }
  bool end() {
    --depth_;
    if (skip_from_ == depth_) {
      skip_from_ = -1;
      return true;
    }
    return skipping() || closed();
  }

  int depth_ = 0;
  int skip_from_ = -1;  // the depth at which the skipped value lies
  std::string error_;
};

// {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {...}}
class HeaderEvents final : public Events {
 public:
  std::vector<SafetensorsEntry> entries;

 private:
  static constexpr size_t kMaxDimensions = 8;

  bool opened(bool array) override {
    switch (depth()) {
      case 0:
        return !array || refuse("the header is an array, not an object");
      case 1:
        if (array) return refuse(in_quotes(name_) + " is an array, not an object");
        if (name_ == "__metadata__") {
          skip();
        } else {
          entry_ = {.name = name_};
          seen_ = {};
        }
        return true;
      case 2:
        if (array && (field_ == "shape" || field_ == "data_offsets")) {
          offsets_.clear();
          return true;
        }
        [[fallthrough]];
      default:
        return refuse("unexpected brackets in " + in_quotes(name_) + "." + in_quotes(field_));
    }
  }

  bool closed() override {
    if (depth() == 2 && field_ == "data_offsets") {
      if (offsets_.size() != 2)
        return refuse(in_quotes(name_) + ": data_offsets are not two numbers");
      entry_.begin = offsets_[0];
      entry_.end = offsets_[1];
    }
    if (depth() == 1) {
      for (const char* field : {"dtype", "shape", "data_offsets"}) {
        if (!seen_.contains(field)) return refuse(in_quotes(name_) + " has no " + field);
      }
      entries.push_back(std::move(entry_));
    }
    return true;
  }

  bool named(const std::string& key) override {
    if (depth() == 1) {
      name_ = key;
      return names_.insert(key).second || refuse(in_quotes(key) + " appears twice");
    }
    field_ = key;
    if (key != "dtype" && key != "shape" && key != "data_offsets") {
      return refuse(in_quotes(name_) + " has the unknown field " + in_quotes(key));
    }
    return seen_.insert(key).second || refuse(in_quotes(name_) + " has " + key + " twice");
  }

  bool number(uint64_t value) override {
    if (depth() != 3) return refuse(in_quotes(name_) + ": a number where none belongs");
    auto& list = field_ == "shape" ? entry_.shape : offsets_;
    if (list.size() == kMaxDimensions) return refuse(in_quotes(name_) + ": too long a " + field_);
    list.push_back(value);
    return true;
  }

  bool text(const std::string& value) override {
    if (depth() != 2 || field_ != "dtype") {
      return refuse(in_quotes(name_) + ": a string where none belongs");
    }
    entry_.dtype = value;
    return true;
  }

  std::string name_, field_;
  SafetensorsEntry entry_;
  std::vector<uint64_t> offsets_;
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> seen_;  // fields of the entry
};

// {"metadata": {...}, "weight_map": {"name": "file", ...}}
class IndexEvents final : public Events {
 public:
  std::vector<std::pair<std::string, std::string>> files;

 private:
  bool opened(bool array) override {
    if (depth() == 0) return !array || refuse("the index is an array, not an object");
    if (depth() == 1 && field_ != "weight_map") {
      skip();
      return true;
    }
    if (depth() == 1 && !array) return true;
    return refuse("unexpected brackets in weight_map");
  }
  bool closed() override { return true; }
  bool named(const std::string& key) override {
    if (depth() == 1) {
      field_ = key;
    } else {
      name_ = key;
      if (!names_.insert(key).second) return refuse(in_quotes(key) + " appears twice");
    }
    return true;
  }
  bool number(uint64_t) override {
    return depth() == 1 || refuse(in_quotes(name_) + " is a number, not a file's name");
  }
  bool text(const std::string& value) override {
    if (depth() == 2) files.emplace_back(name_, value);
    return true;
  }

  std::string field_, name_;
  std::unordered_set<std::string> names_;
};

Result<void> parse(std::string_view text, Events& events, const std::string& source) {
  try {
    if (json::sax_parse(text, &events)) return {};
  } catch (const std::exception& error) {
    return fail(Code::invalid_argument, source + ": " + error.what());
  }
  return fail(Code::invalid_argument, source + ": " + events.error());
}

}  // namespace

Result<std::vector<SafetensorsEntry>> parse_safetensors_header(std::string_view text,
                                                               const std::string& source) {
  HeaderEvents events;
  HYMT_TRY(parse(text, events, source));
  return std::move(events.entries);
}

Result<std::vector<std::pair<std::string, std::string>>> parse_safetensors_index(
    std::string_view text, const std::string& source) {
  IndexEvents events;
  HYMT_TRY(parse(text, events, source));
  return std::move(events.files);
}

}  // namespace hymt::checkpoint
