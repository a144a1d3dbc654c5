#include "cli/inspect_text.h"

#include <nlohmann/json.hpp>

#include "base/quote.h"
#include "cli/sizes.h"

namespace hymt::cli {
namespace {

using nlohmann::ordered_json;

constexpr size_t kLabel = 16;       // columns of what stands before a value
constexpr size_t kKey = 48;         // the same for metadata, whose keys are longer
constexpr size_t kTextBytes = 60;   // shown of a text
constexpr size_t kShownInList = 4;  // elements of a list

std::string row(const std::string& label, const std::string& value, size_t width = kLabel) {
  std::string out = "  " + label;
  if (out.size() < width + 2) out.resize(width + 2, ' ');
  return out + " " + value + "\n";
}

// JSON's text of a number or a truth value; quotes and harmless characters around a text.
std::string scalar(const ordered_json& value) {
  if (value.is_string()) return in_quotes(value.get_ref<const std::string&>(), kTextBytes);
  return value.dump();
}

std::string list(const ordered_json& values, size_t length) {
  std::string out;
  for (size_t i = 0; i < values.size() && i < kShownInList; ++i) {
    out += (i > 0 ? ", " : "") + scalar(values[i]);
  }
  if (length > kShownInList) out += ", ... (" + std::to_string(length) + ")";
  return "[" + out + "]";
}

std::string shown(const ordered_json& value) {
  if (value.is_array()) return list(value, value.size());
  if (value.is_object()) return list(value["first"], value["length"].get<size_t>());
  return scalar(value);
}

std::string tokens(const ordered_json& values) {
  std::string out;
  for (const auto& one : values) {
    out += (out.empty() ? "" : ", ") + one["id"].dump() + " " + scalar(one["text"]);
  }
  return out.empty() ? "none" : out;
}

std::string joined(const ordered_json& texts) {
  std::string out;
  for (const auto& one : texts) {
    const std::string text = scalar(one);
    out += (out.empty() ? "" : ", ") + text.substr(1, text.size() - 2);
  }
  return out;
}

std::string model_text(const ordered_json& model) {
  std::string out = "Model\n";
  out += row("name", scalar(model["name"]));
  out += row("prompts", model["prompts"].get<std::string>());
  const auto& languages = model["languages"];
  out += row("languages", languages.empty() ? "all that the family speaks" : joined(languages));
  out += row("begins with", tokens(model["chat"]["bos"]));
  const auto& start = model["chat"]["user_start"];
  out += row("user's text", (start.empty() ? "" : "after " + tokens(start) + ", ") + "before " +
                                tokens(model["chat"]["user_end"]));
  out += row("stops at", tokens(model["stop"]));
  const auto& sampling = model["recommended"];
  out += row("recommended", "temperature " + sampling["temperature"].dump() + ", top_k " +
                                sampling["top_k"].dump() + ", top_p " + sampling["top_p"].dump() +
                                ", repetition_penalty " + sampling["repetition_penalty"].dump());
  out += "Why\n";
  for (const auto& reason : model["reasons"]) {
    const std::string text = in_quotes(reason.get_ref<const std::string&>(), 400);
    out += "  " + text.substr(1, text.size() - 2) + "\n";
  }
  return out;
}

std::string config_text(const ordered_json& config) {
  std::string out = "Shape\n";
  for (const auto& [name, value] : config.items()) out += row(name, value.dump());
  return out;
}

std::string tokenizer_text(const ordered_json& tokenizer) {
  std::string out = "Tokenizer\n";
  out += row("pre-tokenizer", scalar(tokenizer["pre_tokenizer"]));
  out += row("tokens", tokenizer["tokens"].dump() + ": " + tokenizer["normal"].dump() +
                           " normal, " + tokenizer["control"].dump() + " control, " +
                           tokenizer["user_defined"].dump() + " user-defined, " +
                           tokenizer["unused"].dump() + " unused");
  out += row("merges", tokenizer["by_rank"] == true ? "by rank" : tokenizer["merges"].dump());
  return out;
}

std::string tensors_text(const ordered_json& tensors) {
  const auto sum = [](const ordered_json& one) {
    return one["tensors"].dump() + " tensors, " + one["weights"].dump() + " weights, " +
           size_text(one["bytes"].get<uint64_t>());
  };
  std::string out = "Tensors\n";
  if (tensors.contains("types")) {
    for (const auto& [type, one] : tensors["types"].items()) out += row(type, sum(one));
  }
  return out + row("together", sum(tensors));
}

std::string metadata_text(const ordered_json& metadata) {
  std::string out = "Metadata\n";
  for (const auto& [key, value] : metadata.items()) {
    const std::string harmless = in_quotes(key, 200);
    out += row(harmless.substr(1, harmless.size() - 2), shown(value), kKey);
  }
  return out;
}

}  // namespace

std::string inspect_text(const ordered_json& report) {
  std::string out = report["file"].get<std::string>() + "\n";
  if (report.contains("model")) {
    out += model_text(report["model"]) + config_text(report["config"]) +
           tokenizer_text(report["tokenizer"]);
  }
  return out + tensors_text(report["tensors"]) + metadata_text(report["metadata"]);
}

}  // namespace hymt::cli
