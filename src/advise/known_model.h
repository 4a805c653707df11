#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "base/text/source_file.h"

namespace epwise::advise {

/// Ranks and dimensions of multi-latent attention.
struct LatentSizes {
  int query = 0;  // rank; 0: queries are not compressed
  int key_value = 0;
  int head = 0;
  int rotary = 0;
  int value = 0;
};

/// The sizes of a mixture-of-experts model.
struct KnownModel {
  std::string name;    // "qwen3-30b-a3b"
  std::string source;  // repository of the published config.json; empty: given by the user
  double total = 0;    // parameters, in billions, as published
  double active = 0;
  int layers = 0;
  int hidden = 0;
  int heads = 0;
  int groups = 0;  // query groups; 0: as many as heads
  int head = 0;    // dimension; 0: hidden / heads
  int experts = 0;
  int topk = 0;
  int ffn = 0;     // FFN hidden size of one expert
  int shared = 0;  // FFN hidden size of the shared expert; 0: none
  int vocabulary = 0;
  int dense_layers = 0;  // leading layers without experts
  int dense_ffn = 0;     // their width
  LatentSizes latent;    // key_value 0: grouped-query attention
};

/// knowledge/models.yaml → models; reports missing values and values that are not positive numbers.
std::vector<KnownModel> read_models(const text::SourceFile& file,
                                    std::vector<text::Diagnostic>& problems);

/// A mixture-of-experts model of the table of public models, under the last part of its id in lower
/// case, by its id on the Hugging Face hub; nullopt for unknown and for dense ones.
///   public_known_model("Qwen/Qwen3-30B-A3B")->name   → "qwen3-30b-a3b"
std::optional<KnownModel> public_known_model(std::string_view id);

/// Parameters of all layers and both embeddings; exact except for norms and biases.
double parameters_of(const KnownModel& model);

}  // namespace epwise::advise
