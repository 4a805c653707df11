#include "perf/workload/workload.h"

#include <algorithm>
#include <cmath>

#include "perf/workload/field_reader.h"
#include "perf/workload/settings.h"
#include "perf/workload/workload_reader.h"

namespace epwise::workload {

std::string_view to_string(InputStatus status) {
  switch (status) {
    case InputStatus::written:
      return "written";
    case InputStatus::standard:
      return "default";
    case InputStatus::profile:
      return "profile";
    case InputStatus::assumed:
      break;
  }
  return "assumed";
}

std::string_view to_string(Precision precision) {
  switch (precision) {
    case Precision::bf16:
      return "bf16";
    case Precision::fp8_tensor:
      return "fp8_cs";
    case Precision::fp8_block:
      return "fp8_block";
    case Precision::mxfp8:
      return "mxfp8";
    case Precision::nvfp4:
      break;
  }
  return "nvfp4";
}

std::string_view to_string(Dispatcher dispatcher) {
  switch (dispatcher) {
    case Dispatcher::alltoall:
      return "alltoall";
    case Dispatcher::allgather:
      return "allgather";
    case Dispatcher::deepep:
      return "deepep";
    case Dispatcher::hybridep:
      return "hybridep";
    case Dispatcher::ncclep:
      break;
  }
  return "ncclep";
}

double Routing::kept_rows() const {
  if (capacity <= 0) {
    return 1;
  }
  return padded ? capacity : std::min(1.0, capacity);
}

double Routing::limited(double natural) const {
  if (capacity <= 0) {
    return natural;
  }
  return padded ? 1 : std::clamp(capacity, 1.0, natural);
}

std::string_view to_string(Balance balance) {
  switch (balance) {
    case Balance::forced:
      return "forced";
    case Balance::dropped:
      return "dropped";
    case Balance::natural:
      break;
  }
  return "natural";
}

bool deduplicates(Dispatcher dispatcher) {
  return dispatcher != Dispatcher::alltoall && dispatcher != Dispatcher::allgather;
}

double Workload::group_tokens() const {
  return static_cast<double>(batch.micro) * architecture.sequence / parallel.context;
}

double Workload::tokens() const {
  return group_tokens() / parallel.tensor;
}

const Input* Workload::input(std::string_view key) const {
  const auto found = std::ranges::find(inputs, key, &Input::key);
  return found == inputs.end() ? nullptr : &*found;
}

WorkloadReading read_workload(const facts::Facts& facts, bool unpriced) {
  FieldReader reader(facts);
  WorkloadReading reading;
  Workload& workload = reading.workload;
  if (!facts.takes_steps()) {
    reader.problem("the reference model makes no training step", "predict the actor alone");
    reading.problems = reader.take_problems();
    return reading;
  }
  read_parallel(reader, workload);
  workload.architecture = read_architecture(reader, workload.parallel.tensor);
  workload.precision = read_precision(reader);
  workload.exchange = read_exchange(reader);
  workload.routing = read_routing(reader);
  workload.graphs = read_graphs(reader);
  workload.recompute = read_recompute(reader);
  workload.offload = read_offload(reader);
  workload.optimizer = read_optimizer(reader, workload.precision, workload.architecture.hidden);
  workload.sharding = read_sharding(reader);
  workload.machine = read_machine(reader);
  workload.batch = read_batch(reader, workload.parallel);
  if (!reader.failed()) {
    read_inputs(reader, workload);
    if (unpriced) {
      note_unpriced(reader, workload);
    }
    read_chunks(reader, workload);
  }
  reading.problems = reader.take_problems();
  return reading;
}

}  // namespace epwise::workload
