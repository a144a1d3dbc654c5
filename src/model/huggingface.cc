#include "model/huggingface.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json.h"
#include "base/mapped_file.h"
#include "checkpoint/safetensors.h"
#include "model/family.h"
#include "model/generation.h"
#include "model/gguf_vocabulary.h"
#include "model/hf_config.h"
#include "model/hf_tensors.h"

namespace hymt::model {
namespace {

using checkpoint::Checkpoint;
using nlohmann::json;
using tokenizer::Token;
using tokenizer::TokenKind;
using tokenizer::Vocabulary;

constexpr size_t kMaxConfigBytes = size_t{4} << 20;
constexpr size_t kMaxTokenizerBytes = size_t{64} << 20;

// A file of the folder, if it is there.
struct File {
  std::string path;
  std::shared_ptr<const MappedFile> mapped;

  std::string_view text() const {
    return {reinterpret_cast<const char*>(mapped->bytes().data()), mapped->bytes().size()};
  }
};

class Folder {
 public:
  explicit Folder(std::string path) : path_(std::move(path)) {}

  Result<std::optional<File>> open(const char* name, size_t max_bytes) const {
    const std::string path = (std::filesystem::path(path_) / name).string();
    auto mapped = MappedFile::open(path);
    if (!mapped) {
      if (mapped.error().code == Code::not_found) return std::nullopt;
      return tl::unexpected(std::move(mapped).error());
    }
    if ((*mapped)->bytes().size() > max_bytes) {
      return fail(Code::invalid_argument,
                  path + ": has more than " + std::to_string(max_bytes >> 20) + " MiB");
    }
    return File{path, *std::move(mapped)};
  }

  // The parsed file; null where there is none.
  Result<json> open_json(const char* name) const {
    const auto file = HYMT_TRY(open(name, kMaxConfigBytes));
    if (!file) return json();
    return parse_json(file->text(), file->path);
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Result<Vocabulary> read_vocabulary_of(const Folder& folder) {
  if (const auto file = HYMT_TRY(folder.open("tokenizer.json", kMaxTokenizerBytes))) {
    return tokenizer::read_tokenizer_json(file->text(), file->path);
  }
  if (const auto file = HYMT_TRY(folder.open("hy.tiktoken", kMaxTokenizerBytes))) {
    return tokenizer::read_tiktoken(file->text(), file->path);
  }
  return fail(Code::not_found, folder.path() + ": neither tokenizer.json nor hy.tiktoken is there");
}

// Rows of the embedding beyond the tokens get tokens that are never used: other programs want as
// many tokens as rows.
void pad(Vocabulary& vocabulary, const Checkpoint& checkpoint) {
  const auto wanted = get_int(checkpoint, "hunyuan-dense.vocab_size");
  if (!wanted || *wanted > static_cast<int64_t>(tokenizer::kMaxTokens)) return;
  const size_t size = std::max(vocabulary.tokens.size(), static_cast<size_t>(*wanted));
  vocabulary.tokens.resize(size);
  vocabulary.kinds.resize(size, TokenKind::unused);
}

// All ids that a configuration's eos_token_id names, one or a list.
Result<void> add_eos_ids(const json& config, const std::string& source, std::vector<int64_t>& ids) {
  if (!config.is_object() || !config.contains("eos_token_id")) return {};
  const json& value = config["eos_token_id"];
  if (value.is_null()) return {};
  for (const json& id : value.is_array() ? value : json::array({value})) {
    if (!id.is_number_integer()) {
      return fail(Code::invalid_argument, source + ": eos_token_id is no token id or list of them",
                  "eos_token_id");
    }
    const auto one = id.get<int64_t>();
    if (std::find(ids.begin(), ids.end(), one) == ids.end()) ids.push_back(one);
  }
  return {};
}

// The begin and end that a file names are the family's where the vocabulary has them:
// configurations name wrong ones (a begin of 1, in the first 7B).
void set_begin_and_end(const Vocabulary& vocabulary, const std::vector<int64_t>& eos_ids,
                       Checkpoint& checkpoint) {
  auto& metadata = checkpoint.metadata;
  if (!eos_ids.empty()) {
    metadata["tokenizer.ggml.eos_token_id"] = eos_ids.front();
    metadata["hymt.eos_token_ids"] = eos_ids;
  }
  if (const Family* family = find_family(vocabulary)) {
    metadata["tokenizer.ggml.bos_token_id"] = int64_t{find_control(vocabulary, family->bos)};
    metadata["tokenizer.ggml.eos_token_id"] = int64_t{find_control(vocabulary, family->answer_end)};
  }
  metadata["tokenizer.ggml.add_bos_token"] = false;  // the template writes it
}

// For other programs; hymt has its own.
void set_chat_template(const json& tokenizer_config, const std::optional<File>& file,
                       Checkpoint& checkpoint) {
  if (file) {
    checkpoint.metadata["tokenizer.chat_template"] = std::string(file->text());
  } else if (tokenizer_config.is_object() && tokenizer_config.contains("chat_template") &&
             tokenizer_config["chat_template"].is_string()) {
    checkpoint.metadata["tokenizer.chat_template"] =
        tokenizer_config["chat_template"].get<std::string>();
  }
}

}  // namespace

Result<Checkpoint> open_huggingface(const std::string& path) {
  const Folder folder(path);
  const std::string config_path = (std::filesystem::path(path) / "config.json").string();
  const json config = HYMT_TRY(folder.open_json("config.json"));
  if (config.is_null()) {
    return fail(Code::not_found,
                path +
                    ": no config.json; a model is a .gguf file or a folder with config.json "
                    "and its .safetensors");
  }
  Checkpoint described;  // what it is, before the weights are looked for
  HYMT_TRY(translate_config(config, config_path, described));
  Vocabulary vocabulary = HYMT_TRY(read_vocabulary_of(folder));
  pad(vocabulary, described);
  HYMT_TRY(write_vocabulary(vocabulary, described));

  const json generation = HYMT_TRY(folder.open_json("generation_config.json"));
  std::vector<int64_t> eos_ids;
  HYMT_TRY(add_eos_ids(config, config_path, eos_ids));
  HYMT_TRY(add_eos_ids(generation, path + "/generation_config.json", eos_ids));
  set_begin_and_end(vocabulary, eos_ids, described);
  const json tokenizer_config = HYMT_TRY(folder.open_json("tokenizer_config.json"));
  set_chat_template(tokenizer_config, HYMT_TRY(folder.open("chat_template.jinja", kMaxConfigBytes)),
                    described);

  Checkpoint checkpoint = HYMT_TRY(checkpoint::read_safetensors(path));
  checkpoint.path = path;
  checkpoint.metadata = std::move(described.metadata);
  checkpoint.metadata["general.name"] = path_name(path);
  const bool tied = config.value("tie_word_embeddings", json(false)) == json(true);
  translate_tensors(checkpoint, tied);
  if (config.value("tie_word_embeddings", json(true)) == json(false) &&
      !checkpoint.find("output.weight")) {
    return fail(Code::invalid_argument,
                path +
                    ": tensor 'lm_head.weight' is missing, and config.json says that the "
                    "embedding is not tied",
                "lm_head.weight");
  }
  return checkpoint;
}

}  // namespace hymt::model
