#include "model/generation.h"

#include <array>
#include <filesystem>

#include "base/quote.h"

namespace hymt::model {
namespace {

using checkpoint::Checkpoint;

constexpr std::array<std::string_view, 4> kNames = {"hunyuan-mt", "hy-mt1.5", "hy-mt2", "chimera"};

// "HY-MT1.5-1.8B" as "hymt1518b": publishers, converters and quantisers spell names in many ways.
std::string plain(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
  }
  return out;
}

std::optional<Generation> generation_in(std::string_view name, const Family& family) {
  const std::string text = plain(name);
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  if (has("hymt2") || has("hunyuanmt2")) return Generation::hy_mt2;
  if (has("hymt15") || has("hunyuanmt15")) return Generation::hy_mt1_5;
  if (family.user_start.empty()) {  // the first generation and Chimera are 7B models
    if (has("chimera")) return Generation::chimera;
    if (has("hunyuanmt")) return Generation::hunyuan_mt;
  }
  return std::nullopt;
}

// A name fit for a line and for JSON, whatever bytes the file has for it.
std::string in_line(const std::string& name) {
  const std::string quoted = in_quotes(name, 200);
  return quoted.substr(1, quoted.size() - 2);
}

struct Named {
  std::string where;
  std::string name;
};

std::vector<Named> names_of(const Checkpoint& checkpoint) {
  std::vector<Named> names;
  const auto add = [&](const std::string& key, const checkpoint::Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) names.push_back({key, *text});
  };
  for (const char* key : {"general.name", "general.basename", "general.finetune"}) {
    const auto at = checkpoint.metadata.find(key);
    if (at != checkpoint.metadata.end()) add(key, at->second);
  }
  for (auto at = checkpoint.metadata.lower_bound("general.base_model.");
       at != checkpoint.metadata.end() && at->first.starts_with("general.base_model."); ++at) {
    if (at->first.ends_with(".name")) add(at->first, at->second);
  }
  names.push_back({"the file's name", path_name(checkpoint.path)});
  return names;
}

}  // namespace

std::string_view name(Generation generation) {
  return kNames[static_cast<size_t>(generation)];
}

std::optional<Generation> generation_named(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Generation>(i);
  }
  return std::nullopt;
}

std::string path_name(const std::string& path) {
  std::error_code error;  // "." is called something as well
  std::filesystem::path where = std::filesystem::absolute(path, error).lexically_normal();
  if (!where.has_filename()) where = where.parent_path();
  // The cache calls the folder by a hash and its grandparent "models--owner--name".
  if (where.parent_path().filename() == "snapshots") {
    const std::string cache = where.parent_path().parent_path().filename().string();
    if (const size_t at = cache.rfind("--"); at != std::string::npos) return cache.substr(at + 2);
  }
  return where.extension() == ".gguf" ? where.stem().string() : where.filename().string();
}

std::string model_name(const Checkpoint& checkpoint) {
  const auto at = checkpoint.metadata.find("general.name");
  if (at != checkpoint.metadata.end()) {
    const auto* text = std::get_if<std::string>(&at->second);
    if (text && !text->empty()) return in_line(*text);
  }
  return in_line(path_name(checkpoint.path));
}

Result<Found> find_generation(const Checkpoint& checkpoint, const Family& family,
                              std::optional<Generation> prompts) {
  const auto found = [](Generation generation, const std::string& reason) {
    return Found{generation, "prompts of " + std::string(name(generation)) + ": " + reason};
  };
  if (prompts) return found(*prompts, "asked for");

  if (checkpoint.metadata.contains("hymt.prompts")) {
    const std::string text = HYMT_TRY(get_string(checkpoint, "hymt.prompts"));
    const auto named = generation_named(text);
    if (named) return found(*named, "hymt.prompts says so");
    std::string all;
    for (const std::string_view one : kNames) all += (all.empty() ? "" : ", ") + std::string(one);
    return fail(Code::invalid_argument,
                checkpoint.path + ": hymt.prompts is " + in_quotes(text) + ", none of " + all,
                "hymt.prompts");
  }
  for (const Named& one : names_of(checkpoint)) {
    if (const auto generation = generation_in(one.name, family)) {
      return found(*generation, one.where + " is " + in_quotes(one.name));
    }
  }
  const bool first = family.user_start.empty();
  return found(
      first ? Generation::hunyuan_mt : Generation::hy_mt1_5,
      "no name tells, and the special tokens are the " + std::string(family.name) + " family's");
}

}  // namespace hymt::model
