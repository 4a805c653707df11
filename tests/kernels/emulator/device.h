#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

/// A GPU of patience: runs the kernels of kernels/ on the CPU, every thread a fiber, in an order
/// drawn from a seed. Barriers, warps, the bulk-copy engine (which takes its time, and reads and
/// writes at different moments) and streams are there; speed and weak memory order are not. A
/// kernel that forgets a barrier or reuses a buffer too early goes wrong under some seeds.
namespace epwise::emulator {

using Body = void (*)(const void* arguments);

struct Kernel {
  const char* name;
  Body body;
  std::size_t argument_bytes;
  int most_threads;
};

/// All kernels of kernels/, by name; null pointer for none.
const Kernel* find_kernel(const std::string& name);

struct Launch {
  const Kernel* kernel = nullptr;
  int blocks = 1;
  int threads = 32;
  std::size_t shared_bytes = 0;
  bool together = false;  // cooperative: all blocks at once, or not at all
  std::vector<std::byte> arguments = {};
};

/// One thing a stream does. Waits until `ready`, then for `takes` ns, then acts, then runs the
/// launch to its end.
struct Operation {
  std::function<bool()> ready = nullptr;
  std::uint64_t takes = 0;
  std::function<void()> act = nullptr;
  std::optional<Launch> launch = std::nullopt;
};

class Fiber;
class Grid;
struct Block;

/// State of a barrier in shared memory, by its address.
struct BarrierState {
  std::uint32_t arrivals = 0;  // of a phase
  std::uint32_t missing = 0;
  std::int64_t bytes = 0;  // still to come in this phase
  std::uint32_t phase = 0;
};

/// A transfer of the copy engine.
struct Transfer {
  Block* block = nullptr;
  std::byte* target = nullptr;
  const std::byte* source = nullptr;
  std::size_t bytes = 0;
  std::uint64_t* barrier = nullptr;  // loads
  Fiber* storer = nullptr;           // stores
  std::size_t group = 0;
  std::vector<std::byte> taken = {};  // stores, once shared memory was read
  bool is_taken = false;
};

class Device {
 public:
  explicit Device(std::uint64_t seed, int sms = 4, std::size_t shared_limit = 232448);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  void enqueue(int stream, Operation operation);

  /// Runs all streams until `done`. Throws std::runtime_error when a kernel broke a rule of the
  /// machine, when nothing moves any more, or after too many steps.
  void run_until(const std::function<bool()>& done);

  bool idle(int stream) const;

  /// One launch from start to end.
  void run(const Launch& launch);

  int sms() const { return sms_; }

  std::size_t shared_limit() const { return shared_limit_; }

  std::uint64_t now() const { return now_; }

  // What kernels/machine.cuh means here; called from fibers.
  bool draw(std::uint32_t one_in);
  std::uint64_t tick(std::uint64_t ns);
  void yield();
  void meet(std::uint64_t& generation, int& arrived, int count);

  std::map<std::uint64_t*, BarrierState>& barriers() { return barriers_; }

  void arrive(std::uint64_t* barrier);
  void start(Transfer transfer);

 private:
  struct Stream;

  bool advance_streams();
  bool skip_time();
  void run_fiber();
  void move_one_transfer();
  void settle(BarrierState& state) const;
  void check(const Transfer& transfer) const;

  std::mt19937_64 random_;
  int sms_;
  std::size_t shared_limit_;
  std::uint64_t now_ = 1000;
  std::uint64_t steps_ = 0;
  std::map<int, std::unique_ptr<Stream>> streams_;
  std::vector<Fiber*> ready_ = {};
  std::vector<Transfer> transfers_ = {};
  std::map<std::uint64_t*, BarrierState> barriers_ = {};
  std::map<const std::uint64_t*, std::vector<Fiber*>> waiting_ = {};
  std::string failure_ = {};

  friend class Grid;
};

/// The machine and the thread whose code runs; only inside kernels.
Device& device();

struct Warp {
  std::uint64_t generation = 0;
  int arrived = 0;
  std::uint64_t values[2][32] = {};
};

struct Block {
  int index = 0;
  int unfinished = 0;
  std::vector<std::byte> memory = {};
  std::byte* shared = nullptr;  // aligned as on the device
  std::size_t shared_bytes = 0;
  std::vector<Warp> warps = {};
  std::uint64_t generations[16] = {};
  int arrived[16] = {};
};

/// Bulk stores of a thread between two closings: how many the copy engine has still to read out of
/// shared memory, and to write.
struct StoreGroup {
  int unread = 0;
  int unwritten = 0;
};

/// What a thread knows of itself.
struct Thread {
  int index = 0;
  int threads = 0;
  int blocks = 0;
  Block* block = nullptr;
  std::vector<StoreGroup> store_groups = {{}};  // the last one is open
};

Thread& current_thread();
Fiber* current_fiber();
Thread& thread_of(Fiber& fiber);

}  // namespace epwise::emulator
