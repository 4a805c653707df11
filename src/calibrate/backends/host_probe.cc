#include "calibrate/backends/host_probe.h"

#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "perf/cost/cost.h"

namespace epwise::calibrate {

namespace {

/// One line per round: microseconds per operation; or "missing" and a reason.
constexpr const char* kScript = R"(
import importlib.util, os, sys, time
for name in ("torch", "transformer_engine"):
    if importlib.util.find_spec(name) is None:
        print("missing Python has no", name)
        sys.exit(0)
try:
    import torch
    import transformer_engine.pytorch as te
except Exception as error:
    print("missing", str(error).splitlines()[0])
    sys.exit(0)
if not torch.cuda.is_available():
    print("missing PyTorch sees no GPU")
    sys.exit(0)
ranks = ("LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID")
local = next((int(os.environ[name]) for name in ranks if name in os.environ), 0)
torch.cuda.set_device(local % torch.cuda.device_count())
layers, width, rows, passes = 16, 64, 32, 3
kind = dict(bias=False, params_dtype=torch.bfloat16, device="cuda")
model = torch.nn.Sequential(*[te.Linear(width, width, **kind) for _ in range(layers)])
data = torch.randn(rows, width, dtype=torch.bfloat16, device="cuda", requires_grad=True)
for number in range(50):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    out = model(data)
    out.backward(out)
    passed = time.perf_counter() - begin
    if number >= 10:
        print(passed / (layers * passes) * 1e6)
)";

/// Returns the rounds printed by one run of the script.
class HostMeasurement : public Measurement {
 public:
  explicit HostMeasurement(std::vector<double> seconds) : seconds_(std::move(seconds)) {
    check_.what = "a host time has no result to check";
  }

  const Check& check() const override { return check_; }

  double memory_bytes() const override { return 0; }

  double payload_bytes() const override { return 0; }

  Round round() override {
    Round round;
    round.seconds = seconds_[next_];
    next_ = (next_ + 1) % seconds_.size();
    return round;
  }

 private:
  std::vector<double> seconds_;
  std::size_t next_ = 0;
  Check check_;
};

/// The script's output: its lines among those that libraries print when loaded.
struct Told {
  std::vector<double> seconds;
  std::string missing;
};

Told told_by(const std::string& text) {
  constexpr std::string_view kMissing = "missing ";
  Told told;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line.erase(line.find_last_not_of(" \r") + 1);
    if (line.starts_with(kMissing)) {
      told.missing = line.substr(kMissing.size());
      continue;
    }
    char* end = nullptr;
    const double value = std::strtod(line.c_str(), &end);
    if (!line.empty() && *end == '\0' && value > 0 && std::isfinite(value)) {
      told.seconds.push_back(value * cost::kMicro);
    }
  }
  return told;
}

class HostProbe : public Backend {
 public:
  HostProbe(std::unique_ptr<Backend> inner, RunPython run)
      : inner_(std::move(inner)),
        run_(std::move(run)) {}

  std::string_view name() const override { return inner_->name(); }

  const Environment& environment() const override { return inner_->environment(); }

  Prepared prepare(const Request& request) override {
    if (request.work.kernel != Kernel::host_operation) {
      return inner_->prepare(request);
    }
    Prepared prepared;
    const std::string printed = run_(kScript, prepared.reason);
    Told told = told_by(printed);
    if (!told.missing.empty()) {
      prepared.reason = std::move(told.missing);
      return prepared;
    }
    constexpr std::size_t kLeast = 6;
    if (told.seconds.size() >= kLeast) {
      prepared.measurement = std::make_unique<HostMeasurement>(std::move(told.seconds));
    } else if (prepared.reason.empty()) {
      prepared.reason = "Python returned no times";
    }
    return prepared;
  }

  void trim() override { inner_->trim(); }

 private:
  std::unique_ptr<Backend> inner_;
  RunPython run_;
};

}  // namespace

std::unique_ptr<Backend> with_host_probe(std::unique_ptr<Backend> inner, RunPython run) {
  return std::make_unique<HostProbe>(std::move(inner), std::move(run));
}

}  // namespace epwise::calibrate
