#include "emulator/device.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <exception>
#include <setjmp.h>
#include <stdexcept>
#include <ucontext.h>
#include <utility>

namespace epwise::emulator {

namespace {

constexpr std::size_t kStackBytes = std::size_t{96} * 1024;
constexpr std::uint64_t kMostSteps = 400'000'000;

Device* running_device =
    nullptr;  // of the thread that runs kernels; fibers have no other way to it
Fiber* running_fiber = nullptr;

}  // namespace

class Fiber {
 public:
  Fiber(Body body, const void* arguments, Thread what)
      : thread(std::move(what)),
        body_(body),
        arguments_(arguments),
        stack_(new char[kStackBytes]) {
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_.get();
    context_.uc_stack.ss_size = kStackBytes;
    context_.uc_link = nullptr;
    makecontext(&context_, &Fiber::enter, 0);
  }

  /// Until it yields, waits or ends. A context is entered once; from then on jumps switch, which,
  /// unlike swapcontext, don't ask the system for the signal mask each time.
  void run() {
    running_fiber = this;
    if (_setjmp(back_) == 0) {
      if (is_started_) {
        _longjmp(here_, 1);
      }
      is_started_ = true;
      setcontext(&context_);
    }
    running_fiber = nullptr;
  }

  void leave() {
    if (_setjmp(here_) == 0) {
      _longjmp(back_, 1);
    }
  }

  Thread thread;
  bool waits = false;
  bool finished = false;
  std::string failure = {};

 private:
  static void enter() {
    Fiber& self = *running_fiber;
    try {
      self.body_(self.arguments_);
    } catch (const std::exception& problem) {
      self.failure = problem.what();
    }
    self.finished = true;
    self.leave();
  }

  Body body_;
  const void* arguments_;
  std::unique_ptr<char[]> stack_;
  bool is_started_ = false;
  ucontext_t context_ = {};
  jmp_buf back_ = {};
  jmp_buf here_ = {};
};

/// A launch that runs.
class Grid {
 public:
  Grid(Device& device, Launch launch) : device_(device), launch_(std::move(launch)) {
    const int room = 2 * device.sms();
    if (launch_.together && launch_.blocks > room) {
      throw std::runtime_error("a cooperative launch needs more room than the device has");
    }
    while (next_ < launch_.blocks && static_cast<int>(blocks_.size()) < room) {
      start_block();
    }
  }

  bool over() const { return blocks_.empty(); }

  void end_block(const Block& block) {
    blocks_.erase(std::find_if(blocks_.begin(), blocks_.end(), [&block](const auto& other) {
      return other.block.get() == &block;
    }));
    if (next_ < launch_.blocks) {
      start_block();
    }
  }

  bool holds(const Block& block) const {
    return std::any_of(blocks_.begin(), blocks_.end(), [&block](const auto& other) {
      return other.block.get() == &block;
    });
  }

 private:
  struct Running {
    std::unique_ptr<Block> block;
    std::vector<std::unique_ptr<Fiber>> fibers;
  };

  void start_block() {
    auto block = std::make_unique<Block>();
    std::vector<std::unique_ptr<Fiber>> fibers;
    block->index = next_++;
    block->unfinished = launch_.threads;
    block->shared_bytes = launch_.shared_bytes;
    block->memory.assign(launch_.shared_bytes + 256, std::byte{0xcd});
    void* aligned = block->memory.data();
    std::size_t room = block->memory.size();
    block->shared = static_cast<std::byte*>(std::align(128, launch_.shared_bytes, aligned, room));
    block->warps.resize(static_cast<std::size_t>(launch_.threads / 32));
    for (int i = 0; i < launch_.threads; ++i) {
      const Thread thread = {
          .index = i, .threads = launch_.threads, .blocks = launch_.blocks, .block = block.get()};
      fibers.push_back(
          std::make_unique<Fiber>(launch_.kernel->body, launch_.arguments.data(), thread));
      device_.ready_.push_back(fibers.back().get());
    }
    blocks_.push_back({std::move(block), std::move(fibers)});
  }

  Device& device_;
  Launch launch_;
  int next_ = 0;
  std::vector<Running> blocks_ = {};
};

struct Device::Stream {
  std::deque<Operation> operations = {};
  std::unique_ptr<Grid> grid = nullptr;
  std::uint64_t busy_until = 0;  // of the operation in front; 0: it has not begun
};

Device& device() {
  return *running_device;
}

Thread& current_thread() {
  return running_fiber->thread;
}

Fiber* current_fiber() {
  return running_fiber;
}

Thread& thread_of(Fiber& fiber) {
  return fiber.thread;
}

Device::Device(std::uint64_t seed, int sms, std::size_t shared_limit)
    : random_(seed),
      sms_(sms),
      shared_limit_(shared_limit) {}

Device::~Device() = default;

void Device::enqueue(int stream, Operation operation) {
  if (operation.launch) {
    const Launch& launch = *operation.launch;
    if (launch.kernel == nullptr || launch.threads % 32 != 0 ||
        launch.threads > launch.kernel->most_threads || launch.shared_bytes > shared_limit_ ||
        launch.arguments.size() != launch.kernel->argument_bytes || launch.blocks < 1) {
      throw std::runtime_error("a launch breaks the limits of its kernel");
    }
  }
  auto& place = streams_[stream];
  if (place == nullptr) {
    place = std::make_unique<Stream>();
  }
  place->operations.push_back(std::move(operation));
}

bool Device::idle(int stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() ||
         (found->second->operations.empty() && found->second->grid == nullptr);
}

void Device::run(const Launch& launch) {
  enqueue(0, {.launch = launch});
  run_until([this] { return idle(0); });
}

void Device::run_until(const std::function<bool()>& done) {
  running_device = this;
  while (!done()) {
    const bool moved = advance_streams();
    if (ready_.empty() && transfers_.empty()) {
      if (!moved && !skip_time() && !done()) {
        throw std::runtime_error(
            "the device stands still: some threads wait for others that ended");
      }
      continue;
    }
    // Streams and the condition change seldom; fibers often.
    for (int i = 0; i < 64 && !(ready_.empty() && transfers_.empty()); ++i) {
      run_fiber();
      if (!transfers_.empty() && draw(3)) {
        move_one_transfer();
      }
    }
    if (!failure_.empty()) {
      throw std::runtime_error(failure_);
    }
    if (++steps_ > kMostSteps / 64) {
      throw std::runtime_error("a kernel doesn't end");
    }
  }
}

bool Device::advance_streams() {
  bool moved = false;
  for (auto& [number, place] : streams_) {
    Stream& stream = *place;
    if (stream.grid != nullptr && stream.grid->over()) {
      stream.grid = nullptr;
      moved = true;
    }
    while (stream.grid == nullptr && !stream.operations.empty()) {
      Operation& operation = stream.operations.front();
      if (operation.ready && !operation.ready()) {
        break;
      }
      if (operation.takes > 0 && stream.busy_until == 0) {
        stream.busy_until = now_ + operation.takes;
      }
      if (now_ < stream.busy_until) {
        break;
      }
      stream.busy_until = 0;
      moved = true;
      if (operation.act) {
        operation.act();
      }
      if (operation.launch) {
        stream.grid = std::make_unique<Grid>(*this, std::move(*operation.launch));
      }
      stream.operations.pop_front();
    }
  }
  return moved;
}

/// To the end of the next operation that only takes time.
bool Device::skip_time() {
  std::uint64_t next = 0;
  for (const auto& [number, stream] : streams_) {
    if (stream->busy_until > now_ && (next == 0 || stream->busy_until < next)) {
      next = stream->busy_until;
    }
  }
  now_ = std::max(now_, next);
  return next > 0;
}

void Device::run_fiber() {
  ++now_;
  if (ready_.empty()) {
    return;
  }
  const std::size_t pick = random_() % ready_.size();
  Fiber* fiber = ready_[pick];
  ready_[pick] = ready_.back();
  ready_.pop_back();
  fiber->run();
  if (!fiber->failure.empty()) {
    failure_ = fiber->failure;
  }
  if (!fiber->finished) {
    if (!fiber->waits) {
      ready_.push_back(fiber);
    }
    return;
  }
  Block& block = *fiber->thread.block;
  if (--block.unfinished == 0) {
    const auto left = std::find_if(transfers_.begin(), transfers_.end(), [&block](const auto& one) {
      return one.block == &block;
    });
    if (left != transfers_.end() && failure_.empty()) {
      failure_ = "a block ended before its copies did";
    }
    for (auto& [number, stream] : streams_) {
      if (stream->grid != nullptr && stream->grid->holds(block)) {
        stream->grid->end_block(block);
        return;
      }
    }
  }
}

bool Device::draw(std::uint32_t one_in) {
  return random_() % one_in == 0;
}

std::uint64_t Device::tick(std::uint64_t ns) {
  now_ += ns;
  return now_;
}

void Device::yield() {
  running_fiber->leave();
}

void Device::meet(std::uint64_t& generation, int& arrived, int count) {
  if (++arrived == count) {
    arrived = 0;
    ++generation;
    for (Fiber* fiber : waiting_[&generation]) {
      fiber->waits = false;
      ready_.push_back(fiber);
    }
    waiting_.erase(&generation);
    return;
  }
  waiting_[&generation].push_back(running_fiber);
  running_fiber->waits = true;
  yield();
}

void Device::settle(BarrierState& state) const {
  if (state.missing == 0 && state.bytes == 0) {
    state.missing = state.arrivals;
    ++state.phase;
  }
}

void Device::arrive(std::uint64_t* barrier) {
  const auto found = barriers_.find(barrier);
  if (found == barriers_.end()) {
    throw std::logic_error("an arrival at a barrier that nobody opened");
  }
  if (found->second.missing == 0) {
    throw std::logic_error("more arrivals at a barrier than it was opened for");
  }
  --found->second.missing;
  settle(found->second);
}

void Device::check(const Transfer& transfer) const {
  const std::byte* shared = transfer.barrier != nullptr ? transfer.target : transfer.source;
  const std::byte* global = transfer.barrier != nullptr ? transfer.source : transfer.target;
  const Block& block = *transfer.block;
  if (transfer.bytes == 0 || transfer.bytes % 16 != 0 ||
      reinterpret_cast<std::uintptr_t>(shared) % 16 != 0 ||
      reinterpret_cast<std::uintptr_t>(global) % 16 != 0) {
    throw std::logic_error("a bulk copy is no multiple of 16 bytes, or misaligned");
  }
  if (shared < block.shared || shared + transfer.bytes > block.shared + block.shared_bytes) {
    throw std::logic_error("a bulk copy leaves the block's shared memory");
  }
}

void Device::start(Transfer transfer) {
  check(transfer);
  transfers_.push_back(std::move(transfer));
}

void Device::move_one_transfer() {
  Transfer& transfer = transfers_[random_() % transfers_.size()];
  if (transfer.barrier == nullptr && !transfer.is_taken) {
    transfer.taken.assign(transfer.source, transfer.source + transfer.bytes);
    transfer.is_taken = true;
    --transfer.storer->thread.store_groups[transfer.group].unread;
    return;
  }
  if (transfer.barrier != nullptr) {
    std::memcpy(transfer.target, transfer.source, transfer.bytes);
    BarrierState& state = barriers_[transfer.barrier];
    state.bytes -= static_cast<std::int64_t>(transfer.bytes);
    settle(state);
  } else {
    std::memcpy(transfer.target, transfer.taken.data(), transfer.bytes);
    --transfer.storer->thread.store_groups[transfer.group].unwritten;
  }
  std::swap(transfer, transfers_.back());
  transfers_.pop_back();
}

}  // namespace epwise::emulator
