#include "perf/sim/constants/constants.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "base/embedded/archive.h"
#include "yaml/parse.h"
#include "yaml/reader.h"

namespace epwise::sim {

using units::Dimension;

// NOLINTNEXTLINE(readability-function-size): a table, a row a constant
const std::vector<ConstantColumn>& constant_columns() {
  static const std::vector<ConstantColumn> columns = {
      {"gemm_hopper", Dimension::none, &Constants::gemm_hopper},
      {"gemm_blackwell", Dimension::none, &Constants::gemm_blackwell},
      {"fp8_hopper", Dimension::none, &Constants::fp8_hopper},
      {"fp8_blackwell", Dimension::none, &Constants::fp8_blackwell},
      {"fp4_blackwell", Dimension::none, &Constants::fp4_blackwell},
      {"grouped_gemm", Dimension::none, &Constants::grouped_gemm},
      {"expert_fusion", Dimension::none, &Constants::expert_fusion},
      {"attention", Dimension::none, &Constants::attention},
      {"ultra_attention", Dimension::none, &Constants::ultra_attention},
      {"fp8_attention", Dimension::none, &Constants::fp8_attention},
      {"unfused_softmax_passes", Dimension::none, &Constants::unfused_softmax_passes},
      {"fused_softmax", Dimension::none, &Constants::fused_softmax},
      {"memory_kernels", Dimension::none, &Constants::memory_kernels},
      {"scan", Dimension::none, &Constants::scan},
      {"router", Dimension::none, &Constants::router},
      {"router_fusion", Dimension::none, &Constants::router_fusion},
      {"permute_unfused", Dimension::none, &Constants::permute_unfused},
      {"cross_entropy", Dimension::none, &Constants::cross_entropy},
      {"kernel_launch", Dimension::seconds, &Constants::kernel_launch},
      {"alltoall_nic", Dimension::none, &Constants::alltoall_nic},
      {"alltoall_nvlink", Dimension::none, &Constants::alltoall_nvlink},
      {"flex_nic", Dimension::none, &Constants::flex_nic},
      {"flex_nvlink", Dimension::none, &Constants::flex_nvlink},
      {"alltoall_launch", Dimension::seconds, &Constants::alltoall_launch},
      {"flex_launch", Dimension::seconds, &Constants::flex_launch},
      {"flex_preparation", Dimension::seconds, &Constants::flex_preparation},
      {"tensor_parallel", Dimension::none, &Constants::tensor_parallel},
      {"tensor_parallel_exposed", Dimension::none, &Constants::tensor_parallel_exposed},
      {"pipeline_transfer", Dimension::none, &Constants::pipeline_transfer},
      {"imbalance_forced", Dimension::none, &Constants::imbalance_forced},
      {"imbalance_natural", Dimension::none, &Constants::imbalance_natural},
      {"imbalance_exchange", Dimension::none, &Constants::imbalance_exchange},
      {"capacity_padding", Dimension::none, &Constants::capacity_padding},
      {"host_x86", Dimension::seconds, &Constants::host_x86},
      {"host_arm", Dimension::seconds, &Constants::host_arm},
      {"host_expert_launch", Dimension::none, &Constants::host_expert_launch},
      {"host_quantised_gemm", Dimension::none, &Constants::host_quantised_gemm},
      {"host_overlap", Dimension::none, &Constants::host_overlap},
      {"host_delayed_wgrad", Dimension::none, &Constants::host_delayed_wgrad},
      {"host_chunk", Dimension::none, &Constants::host_chunk},
      {"host_sync", Dimension::seconds, &Constants::host_sync},
      {"host_parameter", Dimension::none, &Constants::host_parameter},
      {"host_unbound", Dimension::none, &Constants::host_unbound},
      {"host_replay", Dimension::none, &Constants::host_replay},
      {"overlap_exchange", Dimension::none, &Constants::overlap_exchange},
      {"overlap_sms", Dimension::none, &Constants::overlap_sms},
      {"overlap_loss", Dimension::none, &Constants::overlap_loss},
      {"step_fixed", Dimension::seconds, &Constants::step_fixed},
      {"optimizer", Dimension::none, &Constants::optimizer},
      {"dp_window", Dimension::none, &Constants::dp_window},
      {"dp_ring", Dimension::none, &Constants::dp_ring},
      {"share_quantise", Dimension::none, &Constants::share_quantise},
      {"share_optimizer", Dimension::none, &Constants::share_optimizer},
      {"share_nic", Dimension::none, &Constants::share_nic},
      {"share_nvlink", Dimension::none, &Constants::share_nvlink},
      {"share_host_link", Dimension::none, &Constants::share_host_link},
      {"small_head_blackwell", Dimension::none, &Constants::small_head_blackwell},
      {"small_head_hopper", Dimension::none, &Constants::small_head_hopper},
      {"softmax_span", Dimension::none, &Constants::softmax_span},
      {"scan_rate", Dimension::bytes_per_second, &Constants::scan_rate},
      {"share_host_update", Dimension::none, &Constants::share_host_update},
      {"overlapped_host_update", Dimension::none, &Constants::overlapped_host_update},
      {"unfused_rope", Dimension::none, &Constants::unfused_rope},
      {"unfused_residual", Dimension::none, &Constants::unfused_residual},
      {"unfused_activation", Dimension::none, &Constants::unfused_activation},
      {"unfused_loss", Dimension::none, &Constants::unfused_loss},
      {"compiled_loss", Dimension::none, &Constants::compiled_loss},
      {"separate_allocations", Dimension::none, &Constants::separate_allocations},
      {"separate_swizzle", Dimension::none, &Constants::separate_swizzle},
      {"graph_launch", Dimension::none, &Constants::graph_launch},
      {"launch_latency", Dimension::seconds, &Constants::launch_latency},
      {"transfer_latency", Dimension::seconds, &Constants::transfer_latency},
      {"width_base", Dimension::none, &Constants::width_base},
      {"width_routing", Dimension::none, &Constants::width_routing},
      {"width_softmax", Dimension::none, &Constants::width_softmax},
      {"width_overlap", Dimension::none, &Constants::width_overlap},
      {"width_tensor_parallel", Dimension::none, &Constants::width_tensor_parallel},
      {"width_hardware", Dimension::none, &Constants::width_hardware},
      {"width_host", Dimension::none, &Constants::width_host},
      {"width_no_study", Dimension::none, &Constants::width_no_study},
      {"width_one_study", Dimension::none, &Constants::width_one_study},
      {"width_new_model", Dimension::none, &Constants::width_new_model},
      {"width_pair", Dimension::none, &Constants::width_pair},
      {"width_apart", Dimension::none, &Constants::width_apart},
  };
  return columns;
}

double Constants::*constant_member(std::string_view name) {
  for (const ConstantColumn& column : constant_columns()) {
    if (column.name == name) {
      return column.member;
    }
  }
  return nullptr;
}

namespace {

using units::Dimension;

std::string_view units_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::seconds:
      return "a time (us, ms)";
    case Dimension::bytes_per_second:
      return "a rate (GB/s)";
    default:
      return "a ratio (1)";
  }
}

std::optional<units::Quantity> unit_of(std::string_view text) {
  return text == "1" ? units::Quantity{1, Dimension::none} : units::parse_unit(text);
}

struct Source {
  std::string text;
  std::string date;
};

class ConstantReader {
 public:
  explicit ConstantReader(std::vector<text::Diagnostic>& problems) : problems_(problems) {}

  ConstantTable read(const yaml::Node& root) {
    yaml::MapReader in(root, "constants of the step model", problems_);
    in.required("sources");
    if (const yaml::Node* sources = in.mapping("sources")) {
      for (const yaml::Entry& entry : sources->entries) {
        yaml::MapReader source(entry.value, fmt::format("source `{}`", entry.key), problems_);
        const std::string text = source.required_text("text");
        sources_[entry.key] = {text, source.required_text("date")};
        source.finish();
      }
    }
    in.required("measured_on");
    table_.measured_on = in.texts("measured_on");
    table_.measured_cells = in.texts("measured_cells");
    table_.measured_models = in.texts("measured_models");
    in.required("constants");
    if (const yaml::Node* constants = in.mapping("constants")) {
      for (const yaml::Entry& entry : constants->entries) {
        read_constant(entry);
      }
      report_missing(*constants);
    }
    in.finish();
    return std::move(table_);
  }

 private:
  void read_constant(const yaml::Entry& entry) {
    const auto& columns = constant_columns();
    const auto column = std::ranges::find(columns, entry.key, &ConstantColumn::name);
    if (column == columns.end()) {
      problem(entry.key_mark, fmt::format("the step model has no constant `{}`", entry.key));
      return;
    }
    yaml::MapReader in(entry.value, fmt::format("constant `{}`", entry.key), problems_);
    ConstantNote note;
    note.name = entry.key;
    note.unit = in.required_text("unit");
    const double size = unit_size(entry, *column, note.unit);
    in.required("value");
    note.value = in.number("value").value_or(0) * size;
    in.required("log_sd");
    note.log_sd = in.number("log_sd").value_or(0);
    note.prior = in.number("prior").value_or(note.value / size) * size;
    note.prior_log_sd = in.number("prior_log_sd").value_or(note.log_sd);
    read_status(entry, in.required_text("status"), note);
    const auto source = sources_.find(in.required_text("source"));
    if (source == sources_.end()) {
      problem(entry.key_mark,
              fmt::format("the source of `{}` is not listed under `sources`", entry.key));
    } else {
      note.source = source->second.text;
      note.date = source->second.date;
    }
    note.meaning = in.required_text("meaning");
    in.finish();
    if (note.value <= 0 || note.log_sd < 0 || note.log_sd > 1) {
      problem(entry.key_mark,
              fmt::format("`{}` needs a value above 0 and a log_sd from 0 to 1", entry.key));
    }
    table_.values.*column->member = note.value;
    table_.notes.push_back(std::move(note));
  }

  void read_status(const yaml::Entry& entry, std::string_view status, ConstantNote& note) {
    if (status != "fitted" && status != "prior") {
      problem(
          entry.key_mark,
          fmt::format("the status of `{}` is `{}`, must be fitted or prior", entry.key, status));
    }
    note.status = status == "fitted" ? cost::Status::fitted : cost::Status::prior;
  }

  double unit_size(const yaml::Entry& entry, const ConstantColumn& column, std::string_view text) {
    const auto unit = unit_of(text);
    if (!unit || unit->dimension != column.dimension) {
      problem(entry.key_mark,
              fmt::format(
                  "constant `{}` must be {}, not {}", entry.key, units_of(column.dimension), text));
      return 1;
    }
    return unit->value;
  }

  void report_missing(const yaml::Node& constants) {
    for (const ConstantColumn& column : constant_columns()) {
      if (constants.find(column.name) == nullptr) {
        problem(constants.mark, fmt::format("constant `{}` is missing", column.name));
      }
    }
  }

  void problem(const text::Mark& mark, std::string message) {
    problems_.push_back({"config/invalid", mark, std::move(message), {}, {}});
  }

  std::vector<text::Diagnostic>& problems_;
  std::map<std::string, Source, std::less<>> sources_;
  ConstantTable table_;
};

}  // namespace

ConstantTable read_constants(const text::SourceFile& file,
                             std::vector<text::Diagnostic>& problems) {
  const yaml::Stream stream = yaml::parse(file);
  problems.insert(problems.end(), stream.diagnostics.begin(), stream.diagnostics.end());
  if (!stream.readable || stream.documents.empty()) {
    return {};
  }
  return ConstantReader(problems).read(stream.documents.front().root);
}

template <class Archive>
void transfer(Archive& archive, ConstantNote& note) {
  archive(note.name, note.value, note.unit, note.log_sd, note.prior, note.status);
  archive(note.prior_log_sd);
  archive(note.source, note.date, note.meaning);
}

std::string pack_constants(const ConstantTable& table) {
  std::vector<ConstantNote> notes = table.notes;
  std::vector<std::string> measured_on = table.measured_on;
  std::vector<std::string> cells = table.measured_cells;
  std::vector<std::string> models = table.measured_models;
  embedded::Writer writer;
  writer(notes, measured_on, cells, models);
  return writer.bytes();
}

ConstantTable unpack_constants(std::string_view bytes) {
  ConstantTable table;
  embedded::Reader reader(bytes);
  reader(table.notes, table.measured_on, table.measured_cells, table.measured_models);
  if (!reader.at_end()) {
    throw std::runtime_error("the compiled table of constants is damaged");
  }
  for (const ConstantNote& note : table.notes) {
    const auto member = constant_member(note.name);
    if (member == nullptr) {
      throw std::runtime_error("the compiled table of constants is from a different build");
    }
    table.values.*member = note.value;
  }
  return table;
}

}  // namespace epwise::sim
