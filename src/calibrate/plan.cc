#include "calibrate/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "calibrate/sm_counts.h"

namespace epwise::calibrate {

namespace {

// The largest first: its buffers serve the others of the sweep.
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

  Request request(std::string id, Work work, Scope scope = Scope::device) const {
    Request made;
    made.id = std::move(id);
    made.work = std::move(work);
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

  /// The most that memory and matrix units give. What exchanges take from compute beside them is
  /// told in shares of the memory's rate, so this comes before.
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
      for (double bytes = most; bytes >= 65536; bytes /= step) {
        Work work = plain(kernel);
        work.shape.bytes = bytes;
        work.shape.ranks = ranks;
        line.requests.push_back(request(fmt::format("{}.b{}", name, bytes), work, scope));
      }
    }
  }

  /// To the next GPU by the copy engine, and by a few SMs: what a link carries.
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

  /// The same with SMs taken away.
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

}  // namespace epwise::calibrate
