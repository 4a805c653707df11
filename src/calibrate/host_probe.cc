#include "calibrate/host_probe.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace epwise::calibrate {

namespace {

/// One line a round: microseconds of one operation; or "missing" and a reason.
constexpr const char* kScript = R"(
import sys, time
try:
    import torch
    import transformer_engine.pytorch as te
except Exception as error:
    print("missing", str(error).splitlines()[0])
    sys.exit(0)
if not torch.cuda.is_available():
    print("missing PyTorch sees no GPU")
    sys.exit(0)
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

constexpr double kMicro = 1e-6;

/// Hands out the rounds that one run of the script printed.
class HostMeasurement : public Measurement {
 public:
  explicit HostMeasurement(std::vector<double> seconds) : seconds_(std::move(seconds)) {
    check_.what = "a time of the host has no result";
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

std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  const char* at = text.c_str();
  while (true) {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    if (end == at) {
      return numbers;
    }
    if (value > 0 && std::isfinite(value)) {
      numbers.push_back(value * kMicro);
    }
    at = end;
  }
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
    constexpr std::string_view kMissing = "missing ";
    if (printed.starts_with(kMissing)) {
      prepared.reason = printed.substr(kMissing.size());
      prepared.reason.erase(prepared.reason.find_last_not_of(" \r\n") + 1);
      return prepared;
    }
    std::vector<double> seconds = numbers_of(printed);
    constexpr std::size_t kLeast = 6;
    if (seconds.size() >= kLeast) {
      prepared.measurement = std::make_unique<HostMeasurement>(std::move(seconds));
    } else if (prepared.reason.empty()) {
      prepared.reason = "Python told no times";
    }
    return prepared;
  }

  void trim() override { inner_->trim(); }

 private:
  std::unique_ptr<Backend> inner_;
  RunPython run_;
};

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char sign : text) {
    result += sign == '\'' ? std::string("'\\''") : std::string(1, sign);
  }
  return result + "'";
}

}  // namespace

std::unique_ptr<Backend> with_host_probe(std::unique_ptr<Backend> inner, RunPython run) {
  return std::make_unique<HostProbe>(std::move(inner), std::move(run));
}

std::string run_python(const std::string& interpreter,
                       const std::string& script,
                       std::string& reason) {
  const std::string command = quoted(interpreter) + " -c " + quoted(script) + " 2>/dev/null";
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) {
    reason = interpreter + " can't be started";
    return {};
  }
  std::string printed;
  std::array<char, 4096> part{};
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe)) {
    printed.append(part.data(), size);
  }
  if (::pclose(pipe) != 0 && printed.empty()) {
    reason = interpreter + " ended with an error";
  }
  return printed;
}

}  // namespace epwise::calibrate
