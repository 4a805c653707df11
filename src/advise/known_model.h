#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/diagnostic.h"
#include "text/source_file.h"

namespace epwise::advise {

/// Ranks and dimensions of multi-latent attention.
struct LatentSizes {
  int query = 0;  // rank; 0: queries have none
  int key_value = 0;
  int head = 0;
  int rotary = 0;
  int value = 0;
};

/// A mixture-of-experts model by its sizes.
struct KnownModel {
  std::string name;    // "qwen3-30b-a3b"
  std::string source;  // repository of the config.json that says so; empty: the user
  double total = 0;    // parameters, in billions, as published
  double active = 0;
  int layers = 0;
  int hidden = 0;
  int heads = 0;
  int groups = 0;  // of queries; 0: as many as heads
  int head = 0;    // dimension; 0: hidden / heads
  int experts = 0;
  int topk = 0;
  int ffn = 0;     // width of one expert
  int shared = 0;  // width of the shared expert; 0: none
  int vocabulary = 0;
  int dense_layers = 0;  // leading layers without experts
  int dense_ffn = 0;     // their width
  LatentSizes latent;    // key_value 0: grouped queries
};

/// knowledge/models.yaml → models; problems where something is missing or no positive number.
std::vector<KnownModel> read_models(const text::SourceFile& file,
                                    std::vector<text::Diagnostic>& problems);

/// Parameters of all layers and both embeddings; exact but for norms and biases.
double parameters_of(const KnownModel& model);

}  // namespace epwise::advise
