#include <algorithm>

#include "calibrate/plan.h"

namespace epwise::calibrate {

namespace {

cost::Format format_of(model::Precision precision) {
  switch (precision) {
    case model::Precision::bf16:
      return cost::Format::bf16;
    case model::Precision::fp8_tensor:
      return cost::Format::fp8;
    case model::Precision::fp8_block:
    case model::Precision::mxfp8:
      return cost::Format::fp8_block;
    case model::Precision::nvfp4:
      return cost::Format::nvfp4;
  }
  return cost::Format::bf16;
}

/// Outputs of the projection in front of attention, and inputs of the one behind it.
void set_attention(const model::Architecture& shape, int tensor_parallel, Subject& subject) {
  const model::GroupedAttention& grouped = shape.attention;
  const model::LatentAttention& latent = shape.latent;
  if (latent.key_value_rank > 0) {
    const int heads = std::max(grouped.heads, 1);
    subject.attention_n = std::int64_t{heads} * (latent.head_dim + latent.rotary_dim);
    subject.attention_k = std::int64_t{heads} * latent.value_dim;
  } else {
    subject.attention_n = std::int64_t{grouped.heads + 2 * grouped.groups} * grouped.head_dim;
    subject.attention_k = std::int64_t{grouped.heads} * grouped.head_dim;
  }
  subject.attention_n = std::max<std::int64_t>(subject.attention_n / tensor_parallel, 64);
  subject.attention_k = std::max<std::int64_t>(subject.attention_k / tensor_parallel, 64);
}

}  // namespace

Subject subject_of(const model::Workload& job) {
  const model::Architecture& shape = job.architecture;
  Subject subject;
  subject.shape.tokens = static_cast<std::int64_t>(job.tokens());
  subject.shape.hidden = shape.dispatch_width();
  subject.shape.inter = std::max(shape.experts.ffn, 1);
  subject.shape.experts = std::max(shape.experts.count, 1);
  subject.shape.topk = std::max(shape.experts.topk, 1);
  subject.shape.ranks = std::max(job.parallel.expert, 1);
  set_attention(shape, std::max(job.parallel.tensor, 1), subject);
  subject.format = format_of(job.precision);
  subject.sms = job.exchange.sms;
  return subject;
}

Subject usual_subject() {
  Subject subject;
  subject.shape.tokens = 4096;
  subject.shape.hidden = 7168;
  subject.shape.inter = 2048;
  subject.shape.experts = 256;
  subject.shape.topk = 8;
  subject.shape.ranks = 8;
  subject.attention_n = 24576;
  subject.attention_k = 16384;
  subject.sms = 20;
  return subject;
}

Subject reduced(const Subject& subject) {
  Subject small = subject;
  Shape& shape = small.shape;
  shape.tokens = std::min<std::int64_t>(shape.tokens, 128);
  shape.hidden = std::min<std::int64_t>(shape.hidden, 64);
  shape.inter = std::min<std::int64_t>(shape.inter, 32);
  shape.ranks = std::min<std::int64_t>(shape.ranks, 4);
  shape.experts = std::min<std::int64_t>(shape.experts, 4 * shape.ranks);
  shape.topk = std::min<std::int64_t>({shape.topk, 4, shape.experts});
  small.attention_n = std::min<std::int64_t>(small.attention_n, 96);
  small.attention_k = std::min<std::int64_t>(small.attention_k, 64);
  small.format = cost::Format::bf16;
  small.reduced = true;
  return small;
}

}  // namespace epwise::calibrate
