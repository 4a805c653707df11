#include "calibrate/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace epwise::calibrate {

/// The SM counts of a plan's points: full curves, or a few points of them (`quick`). A device with
/// few SMs, such as the CPU backend, uses fractions.
///   SmCounts{132, true}.beside() → 8, 16, 24, 32
struct SmCounts {
  int device = 0;
  bool quick = false;

  /// For exchanges alone, including the count used by the recipe (0: unknown).
  std::vector<int> of_exchange(int stated) const;

  /// For exchanges concurrent with compute.
  std::vector<int> beside() const;

  /// The time an exchange waits for its SMs while compute occupies all of them: a separate term
  /// that depends more on the compute kernel's blocks than on the SM count.
  std::vector<int> of_delay() const;

  /// For compute: all SMs, then those left by exchanges.
  std::vector<int> left() const;
};

namespace {

// Largest first: its buffers serve the rest of the sweep.
constexpr std::array<double, 3> kTokenScales = {2, 1, 0.5};

struct Product {
  std::string_view name;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

class Planner {
 public:
  Planner(const Subject& subject, const PlanSettings& settings)
      : subject_(subject),
        settings_(settings),
        shape_(subject.shape),
        sms_{settings.sms, settings.quick} {}

  std::vector<Sweep> plan() {
    add_host();
    add_ceilings();
    add_contention();
    if (settings_.domain > 1) {
      add_exchanges(Scope::domain);
    }
    add_exchanges(Scope::device);
    add_grouped();
    add_dense();
    if (settings_.ranks > settings_.domain) {
      add_collectives(Scope::nodes, settings_.ranks);
    }
    if (settings_.domain > 1) {
      add_collectives(Scope::domain, settings_.domain);
      add_peers();
    }
    add_memory();
    drop_repeated();
    return std::move(sweeps_);
  }

 private:
  std::vector<double> token_scales() const { return {kTokenScales.begin(), kTokenScales.end()}; }

  Request request(std::string id, const Work& work, Scope scope = Scope::device) const {
    Request made;
    made.id = std::move(id);
    made.work = work;
    made.scope = scope;
    made.seed = settings_.seed;
    return made;
  }

  static Work plain(Kernel kernel) {
    Work work;
    work.kernel = kernel;
    return work;
  }

  Work exchange(Kernel direction, Structure structure, int sms, double scale = 1) const {
    Work work = plain(direction);
    work.shape = shape_;
    work.shape.tokens = scaled(shape_.tokens, scale);
    work.structure = structure;
    work.sms = sms;
    return work;
  }

  Work grouped(const Product& product, Stage stage, double scale = 1) const {
    const std::int64_t local = std::max<std::int64_t>(shape_.experts / shape_.ranks, 1);
    Work work = plain(Kernel::grouped_gemm);
    work.stage = stage;
    work.format = subject_.format;
    work.shape.groups = local;
    work.shape.m = std::max<std::int64_t>(
        scaled(shape_.tokens * shape_.topk * shape_.ranks / shape_.experts, scale), 1);
    work.shape.n = product.n;
    work.shape.k = product.k;
    return work;
  }

  static std::int64_t scaled(std::int64_t size, double scale) {
    return std::max<std::int64_t>(std::llround(static_cast<double>(size) * scale), 1);
  }

  std::array<Product, 2> expert_products() const {
    return {Product{"fc1", 2 * shape_.inter, shape_.hidden},
            Product{"fc2", shape_.hidden, shape_.inter}};
  }

  Sweep& sweep(std::string name) {
    sweeps_.push_back({std::move(name), {}});
    return sweeps_.back();
  }

  /// Sizes that round to the same point are one point.
  void drop_repeated() {
    std::set<std::string> seen;
    for (Sweep& each : sweeps_) {
      const auto repeated = [&seen](const Request& one) { return !seen.insert(one.id).second; };
      auto& requests = each.requests;
      requests.erase(std::remove_if(requests.begin(), requests.end(), repeated), requests.end());
    }
  }

  void add_host() {
    Sweep& host = sweep("host");
    for (const Kernel kernel : {Kernel::host_operation,
                                Kernel::launch,
                                Kernel::graph_launch,
                                Kernel::stream_hop,
                                Kernel::host_sync}) {
      Work work = plain(kernel);
      work.shape.experts = kernel == Kernel::host_sync ? shape_.experts : 0;
      host.requests.push_back(request(fmt::format("host.{}", to_string(kernel)), work));
    }
  }

  std::vector<cost::Format> formats() const {
    return settings_.fp8 ? std::vector{cost::Format::bf16, cost::Format::fp8}
                         : std::vector{cost::Format::bf16};
  }

  double largest_bytes() const { return subject_.reduced ? 2097152 : 1073741824; }

  /// Peak rates of memory and matrix units. The effect of exchanges on concurrent compute is
  /// relative to the memory rate, so this comes first.
  void add_ceilings() {
    Sweep& ceilings = sweep("ceilings");
    for (const Kernel kernel : {Kernel::hbm_copy, Kernel::hbm_read, Kernel::hbm_write}) {
      add_stream(ceilings, kernel, largest_bytes());
    }
    const std::int64_t square = subject_.reduced ? 96 : 8192;
    for (const cost::Format format : formats()) {
      add_gemm(
          ceilings, fmt::format("gemm.{}", format_word(format)), format, square, square, square);
    }
  }

  void add_stream(Sweep& to, Kernel kernel, double bytes) const {
    Work work = plain(kernel);
    work.shape.bytes = bytes;
    to.requests.push_back(request(fmt::format("memory.{}.b{}", to_string(kernel), bytes), work));
  }

  void add_contention() {
    const auto products = expert_products();
    const Work attention =
        gemm(cost::Format::bf16, shape_.tokens, subject_.attention_n, shape_.hidden);
    add_pair("experts", grouped(products[0], Stage::forward), Kernel::dispatch);
    add_pair("wgrad", grouped(products[0], Stage::weight_gradient), Kernel::combine);
    add_pair("attention", attention, Kernel::combine);
  }

  void add_pair(std::string_view box, const Work& compute, Kernel direction) {
    Sweep& pair = sweep(fmt::format("contention {}", box));
    pair.requests.push_back(request(fmt::format("contention.{}.alone", box), compute));
    for (const int sms : sms_.beside()) {
      Work other = exchange(direction, Structure::direct, sms);
      other.pace = settings_.pace;
      pair.requests.push_back(request(fmt::format("contention.{}.exchange.k{}", box, sms), other));
      Request both = request(fmt::format("contention.{}.pair.k{}", box, sms), compute);
      both.beside = other;
      pair.requests.push_back(both);
      Request held = request(fmt::format("contention.{}.occupied.k{}", box, sms), compute);
      held.beside = plain(Kernel::occupier);
      held.beside->sms = sms;
      pair.requests.push_back(held);
    }
    for (const int sms : sms_.of_delay()) {
      Work other = exchange(direction, Structure::direct, sms);
      other.pace = settings_.pace;
      Request late = request(fmt::format("contention.{}.delay.k{}", box, sms), other);
      late.beside = compute;
      pair.requests.push_back(late);
    }
  }

  void add_exchanges(Scope scope) {
    const std::vector<Structure> structures =
        settings_.quick
            ? std::vector<Structure>{Structure::direct}
            : std::vector<Structure>{Structure::direct, Structure::pipelined, Structure::staged};
    for (const Structure structure : structures) {
      for (const Kernel direction : {Kernel::dispatch, Kernel::combine}) {
        const std::string name =
            fmt::format("{}{}.{}",
                        scope == Scope::device ? "" : fmt::format("{}.", to_string(scope)),
                        to_string(direction),
                        to_string(structure));
        Sweep& curve = sweep(name);
        for (const double scale : token_scales()) {
          for (const int sms : sms_.of_exchange(subject_.sms)) {
            Work work = exchange(direction, structure, sms, scale);
            work.shape.ranks = scope == Scope::domain ? settings_.domain : shape_.ranks;
            curve.requests.push_back(
                request(fmt::format("{}.t{}.k{}", name, work.shape.tokens, sms), work, scope));
          }
        }
      }
    }
  }

  void add_collectives(Scope scope, int ranks) {
    for (const Kernel kernel :
         {Kernel::all_to_all, Kernel::all_gather, Kernel::reduce_scatter, Kernel::send_recv}) {
      const std::string name = fmt::format("{}.{}", to_string(scope), to_string(kernel));
      Sweep& line = sweep(name);
      const double step = settings_.quick ? 8 : 2;
      const double most = settings_.quick ? 268435456 : 1073741824;
      double bytes = most;
      while (bytes >= 65536) {
        Work work = plain(kernel);
        work.shape.bytes = bytes;
        work.shape.ranks = ranks;
        line.requests.push_back(request(fmt::format("{}.b{}", name, bytes), work, scope));
        bytes /= step;
      }
    }
  }

  /// To the next GPU by the copy engine, and by a few SMs: the rate of a link.
  void add_peers() {
    const std::string name = fmt::format("{}.{}", to_string(Scope::domain), "peer_copy");
    Sweep& peers = sweep(name);
    for (const int sms : {0, 4, 16, 32}) {
      if (sms < settings_.sms) {
        Work work = plain(Kernel::peer_copy);
        work.shape.bytes = 67108864;
        work.shape.ranks = settings_.domain;
        work.sms = sms;
        peers.requests.push_back(
            request(sms == 0 ? name : fmt::format("{}.k{}", name, sms), work, Scope::domain));
      }
    }
  }

  void add_grouped() {
    for (const Stage stage : {Stage::forward, Stage::data_gradient, Stage::weight_gradient}) {
      Sweep& boxes = sweep(fmt::format("grouped {}", to_string(stage)));
      for (const Product& product : expert_products()) {
        for (const double scale : token_scales()) {
          const Work work = grouped(product, stage, scale);
          boxes.requests.push_back(request(
              fmt::format("grouped.{}.{}.m{}", to_string(stage), product.name, work.shape.m),
              work));
        }
      }
      add_left(boxes,
               fmt::format("grouped.{}.fc1", to_string(stage)),
               grouped(expert_products()[0], stage));
    }
  }

  /// The same with fewer SMs.
  void add_left(Sweep& boxes, const std::string& name, const Work& whole) {
    for (const int left : sms_.left()) {
      Work work = whole;
      work.sms = left;
      work.placement = Placement::target;
      boxes.requests.push_back(request(fmt::format("{}.s{}", name, left), work));
    }
  }

  void add_dense() {
    const std::array<Product, 2> projections = {
        Product{"in", subject_.attention_n, shape_.hidden},
        Product{"out", shape_.hidden, subject_.attention_k}};
    for (const cost::Format format : formats()) {
      const std::string name = fmt::format("gemm.{}", format_word(format));
      Sweep& boxes = sweep(name);
      for (const Product& product : projections) {
        for (const double scale : token_scales()) {
          add_gemm(boxes, name, format, scaled(shape_.tokens, scale), product.n, product.k);
        }
      }
      add_left(boxes, name, gemm(format, shape_.tokens, projections[0].n, projections[0].k));
    }
  }

  static Work gemm(cost::Format format, std::int64_t m, std::int64_t n, std::int64_t k) {
    Work work = plain(Kernel::gemm);
    work.format = format;
    work.shape.m = m;
    work.shape.n = n;
    work.shape.k = k;
    return work;
  }

  void add_gemm(Sweep& boxes,
                const std::string& name,
                cost::Format format,
                std::int64_t m,
                std::int64_t n,
                std::int64_t k) const {
    boxes.requests.push_back(
        request(fmt::format("{}.m{}.n{}.k{}", name, m, n, k), gemm(format, m, n, k)));
  }

  void add_memory() {
    Sweep& memory = sweep("memory");
    for (const Kernel kernel : {Kernel::hbm_copy, Kernel::hbm_read, Kernel::hbm_write}) {
      add_stream(memory, kernel, largest_bytes() / 4);
    }
    for (const Kernel kernel : {Kernel::permute,
                                Kernel::unpermute,
                                Kernel::swiglu,
                                Kernel::router,
                                Kernel::scan,
                                Kernel::copy_epilogue,
                                Kernel::reduce_epilogue}) {
      for (const double scale : token_scales()) {
        Work work = plain(kernel);
        work.shape = shape_;
        work.shape.tokens = scaled(shape_.tokens, scale);
        memory.requests.push_back(
            request(fmt::format("memory.{}.t{}", to_string(kernel), work.shape.tokens), work));
      }
    }
  }

  const Subject& subject_;
  const PlanSettings& settings_;
  const Shape& shape_;
  const SmCounts sms_;
  std::vector<Sweep> sweeps_;
};

}  // namespace

std::vector<Sweep> make_plan(const Subject& subject, const PlanSettings& settings) {
  return Planner(subject, settings).plan();
}

namespace {

cost::Format format_of(workload::Precision precision) {
  switch (precision) {
    case workload::Precision::bf16:
      return cost::Format::bf16;
    case workload::Precision::fp8_tensor:
      return cost::Format::fp8;
    case workload::Precision::fp8_block:
    case workload::Precision::mxfp8:
      return cost::Format::fp8_block;
    case workload::Precision::nvfp4:
      return cost::Format::nvfp4;
  }
  return cost::Format::bf16;
}

/// Outputs of the projection before attention, and inputs of the one after it.
void set_attention(const workload::Architecture& shape, int tensor_parallel, Subject& subject) {
  const workload::GroupedAttention& grouped = shape.attention;
  const workload::LatentAttention& latent = shape.latent;
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

Subject subject_of(const workload::Workload& job) {
  const workload::Architecture& shape = job.architecture;
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

namespace {

constexpr int kFewSms = 64;  // below that, counts are fractions of the device

}  // namespace

std::vector<int> SmCounts::of_exchange(int stated) const {
  std::vector<int> all;
  if (device < kFewSms) {
    for (const int share : {8, 4, 2}) {
      all.push_back(std::max(device / share, 1));
    }
    all.push_back(std::max(device * 3 / 4, 1));
  } else if (quick) {
    all = {4, 8, 16, 24, 32, 48};
  } else {
    all = {2, 4, 8, 12, 16, 20, 24, 32, 48, 64};
  }
  if (stated > 0 && stated < device) {
    all.push_back(stated);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<int> SmCounts::beside() const {
  if (device < kFewSms) {
    std::vector<int> all = {std::max(device / 4, 1), std::max(device / 2, 1)};
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
  return quick ? std::vector<int>{8, 16, 24, 32} : std::vector<int>{4, 8, 12, 16, 20, 24, 32, 48};
}

std::vector<int> SmCounts::of_delay() const {
  const std::vector<int> all = beside();
  return quick ? std::vector<int>{all[all.size() / 2]} : all;
}

std::vector<int> SmCounts::left() const {
  std::vector<int> counts = {device};
  const std::vector<int> taken = device < kFewSms ? std::vector<int>{device / 4, device / 2}
                                 : quick          ? std::vector<int>{16, 32}
                                                  : std::vector<int>{4, 8, 16, 24, 32, 48};
  for (const int k : taken) {
    if (k > 0 && k < device) {
      counts.push_back(device - k);
    }
  }
  return counts;
}

}  // namespace epwise::calibrate
