#include "model/model.h"

#include <filesystem>

#include "base/quote.h"
#include "checkpoint/gguf.h"
#include "model/gguf_vocabulary.h"
#include "model/huggingface.h"

namespace hymt::model {

Result<checkpoint::Checkpoint> open_checkpoint(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    return fail(Code::not_found, in_quotes(path, 4096) +
                                     ": no such file or folder; a model is a .gguf file or a "
                                     "folder with config.json and its .safetensors");
  }
  if (std::filesystem::is_directory(status)) return open_huggingface(path);
  if (path.ends_with(".safetensors")) {
    return fail(Code::invalid_argument,
                path + ": give its folder instead, which holds config.json and the tokenizer too");
  }
  return checkpoint::read_gguf(path);
}

Result<Model> load(checkpoint::Checkpoint checkpoint, std::optional<Generation> prompts) {
  Model model;
  model.checkpoint = std::make_shared<const checkpoint::Checkpoint>(std::move(checkpoint));
  model.config = HYMT_TRY(read_config(*model.checkpoint));
  model.weights = HYMT_TRY(find_weights(*model.checkpoint, model.config));
  model.vocabulary = HYMT_TRY(read_vocabulary(*model.checkpoint));
  model.card = HYMT_TRY(read_card(*model.checkpoint, model.vocabulary, prompts));
  return model;
}

}  // namespace hymt::model
