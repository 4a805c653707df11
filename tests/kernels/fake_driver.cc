#include "fake_driver.h"

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>

#include "gpu/abi/numbers.h"

namespace epwise::kernel_tests {

namespace {

using cuda::Address;
using cuda::Result;

constexpr Result kInvalidValue = 1;
constexpr Result kOutOfMemory = 2;
constexpr Result kNotFound = 500;
constexpr Result kLaunchFailed = 719;
constexpr std::size_t kAlignment = 256;

struct FakeEvent {
  bool is_recorded = false;
  std::uint64_t at = 0;
  std::uint64_t asked = 0;  // records queued
  std::uint64_t done = 0;   // records that happened
};

struct FakeGraph {
  std::vector<emulator::Operation> operations;
};

struct FakeState {
  emulator::Device* device = nullptr;
  std::size_t limit = 0;
  std::size_t used = 0;
  std::map<Address, std::pair<std::vector<std::byte>, std::size_t>> memory = {};
  std::map<int, FakeGraph*> captures = {};
  int streams = 0;
  std::string failure = {};
};

FakeState* state = nullptr;  // functions of a driver have no other way to their device

int number_of(cuda::Stream stream) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(stream));
}

void* place_of(Address address) {
  return reinterpret_cast<void*>(address);
}

void enqueue(cuda::Stream stream, emulator::Operation operation) {
  const auto capture = state->captures.find(number_of(stream));
  if (capture != state->captures.end()) {
    capture->second->operations.push_back(std::move(operation));
    return;
  }
  state->device->enqueue(number_of(stream), std::move(operation));
}

/// Runs on for a while, and longer when a condition is given.
Result advance(const std::function<bool()>& done) {
  if (!state->failure.empty()) {
    return kLaunchFailed;
  }
  try {
    state->device->run_until(done);
  } catch (const std::exception& problem) {
    state->failure = problem.what();
    return kLaunchFailed;
  }
  return cuda::kSuccess;
}

/// A query is a moment in which the device goes on.
Result advance_a_little(int stream) {
  int turns = 0;
  return advance([&turns, stream] { return ++turns > 50 || state->device->idle(stream); });
}

Result allocate(Address* address, std::size_t bytes) {
  if (state->used + bytes > state->limit) {
    return kOutOfMemory;
  }
  std::vector<std::byte> memory(bytes + 2 * kAlignment, std::byte{0xdd});
  void* start = memory.data();
  std::size_t room = memory.size();
  *address = reinterpret_cast<Address>(std::align(kAlignment, bytes, start, room));
  state->used += bytes;
  state->memory.emplace(*address, std::make_pair(std::move(memory), bytes));
  return cuda::kSuccess;
}

Result release(Address address) {
  const auto found = state->memory.find(address);
  if (found == state->memory.end()) {
    return kInvalidValue;
  }
  state->used -= found->second.second;
  state->memory.erase(found);
  return cuda::kSuccess;
}

/// Whether all of a range was allocated.
bool is_inside(Address address, std::size_t bytes) {
  auto next = state->memory.upper_bound(address);
  if (next == state->memory.begin()) {
    return false;
  }
  --next;
  return address + bytes <= next->first + next->second.second;
}

Result attribute(int* value, int which, cuda::DeviceNumber /*device*/) {
  const std::map<int, int> values = {
      {cuda::kMultiprocessors, state->device->sms()},
      {cuda::kL2Bytes, 4096},
      {cuda::kCapabilityMajor, 9},
      {cuda::kCapabilityMinor, 0},
      {cuda::kSharedMemoryLimit, static_cast<int>(state->device->shared_limit())},
      {cuda::kClockRate, 1'980'000},
      {cuda::kCooperativeLaunch, 1}};
  const auto found = values.find(which);
  if (found == values.end()) {
    return kInvalidValue;
  }
  *value = found->second;
  return cuda::kSuccess;
}

Result launch(const cuda::LaunchConfiguration* configuration,
              cuda::Function function,
              void** arguments,
              void** /*extra*/) {
  const auto* kernel = reinterpret_cast<const emulator::Kernel*>(function);
  emulator::Launch launch;
  launch.kernel = kernel;
  launch.blocks = static_cast<int>(configuration->grid[0]);
  launch.threads = static_cast<int>(configuration->block[0]);
  launch.shared_bytes = configuration->shared_bytes;
  for (unsigned i = 0; i < configuration->attribute_count; ++i) {
    launch.together = launch.together || configuration->attributes[i].id == cuda::kCooperative;
  }
  const auto* bytes = static_cast<const std::byte*>(arguments[0]);
  launch.arguments.assign(bytes, bytes + kernel->argument_bytes);
  try {
    enqueue(configuration->stream, {.launch = std::move(launch)});
  } catch (const std::exception&) {
    return kInvalidValue;
  }
  return cuda::kSuccess;
}

Result copy_now(void* target, const void* source, std::size_t bytes) {
  std::memcpy(target, source, bytes);
  return cuda::kSuccess;
}

Result query(cuda::Stream stream) {
  if (state->device->idle(number_of(stream))) {
    return state->failure.empty() ? cuda::kSuccess : kLaunchFailed;
  }
  const Result result = advance_a_little(number_of(stream));
  if (result != cuda::kSuccess) {
    return result;
  }
  return state->device->idle(number_of(stream)) ? cuda::kSuccess : cuda::kNotReady;
}

FakeEvent* event_of(cuda::Event event) {
  return reinterpret_cast<FakeEvent*>(event);
}

Result record(cuda::Event event, cuda::Stream stream) {
  FakeEvent* fake = event_of(event);
  ++fake->asked;
  enqueue(stream, {.act = [fake] {
            fake->at = state->device->now();
            fake->is_recorded = true;
            ++fake->done;
          }});
  return cuda::kSuccess;
}

Result wait_event(cuda::Stream stream, cuda::Event event, unsigned /*flags*/) {
  const FakeEvent* fake = event_of(event);
  const std::uint64_t asked = fake->asked;
  enqueue(stream, {.ready = [fake, asked] { return fake->done >= asked; }});
  return cuda::kSuccess;
}

Result elapsed(float* milliseconds, cuda::Event from, cuda::Event to) {
  if (!event_of(from)->is_recorded || !event_of(to)->is_recorded) {
    return kInvalidValue;
  }
  const double ns = static_cast<double>(event_of(to)->at) - static_cast<double>(event_of(from)->at);
  *milliseconds = static_cast<float>(ns * 1e-6);
  return cuda::kSuccess;
}

void fill_device_functions(cuda::Driver& driver) {
  driver.cuInit = [](unsigned) { return cuda::kSuccess; };
  driver.cuDriverGetVersion = [](int* version) {
    *version = 13000;
    return cuda::kSuccess;
  };
  driver.cuGetErrorName = [](Result result, const char** name) {
    *name = result == kOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_UNKNOWN";
    return cuda::kSuccess;
  };
  driver.cuDeviceGetCount = [](int* count) {
    *count = 1;
    return cuda::kSuccess;
  };
  driver.cuDeviceGet = [](cuda::DeviceNumber* device, int number) {
    *device = number;
    return cuda::kSuccess;
  };
  driver.cuDeviceGetName = [](char* name, int room, cuda::DeviceNumber) {
    std::strncpy(name, "Emulated", static_cast<std::size_t>(room));
    return cuda::kSuccess;
  };
  driver.cuDeviceGetAttribute = &attribute;
  driver.cuDeviceTotalMem_v2 = [](std::size_t* bytes, cuda::DeviceNumber) {
    *bytes = state->limit;
    return cuda::kSuccess;
  };
  driver.cuDeviceGetPCIBusId = [](char* name, int room, cuda::DeviceNumber) {
    std::strncpy(name, "0000:00:00.0", static_cast<std::size_t>(room));
    return cuda::kSuccess;
  };
  driver.cuDevicePrimaryCtxRetain = [](cuda::Context*, cuda::DeviceNumber) {
    return cuda::kSuccess;
  };
  driver.cuDevicePrimaryCtxRelease_v2 = [](cuda::DeviceNumber) { return cuda::kSuccess; };
  driver.cuCtxSetCurrent = [](cuda::Context) { return cuda::kSuccess; };
  driver.cuCtxSynchronize = [] { return cuda::kSuccess; };
  driver.cuModuleLoadData = [](cuda::Module*, const void*) { return cuda::kSuccess; };
  driver.cuModuleUnload = [](cuda::Module) { return cuda::kSuccess; };
  driver.cuModuleGetFunction = [](cuda::Function* function, cuda::Module, const char* name) {
    const emulator::Kernel* kernel = emulator::find_kernel(name);
    *function = reinterpret_cast<cuda::Function>(const_cast<emulator::Kernel*>(kernel));
    return kernel == nullptr ? kNotFound : cuda::kSuccess;
  };
  driver.cuFuncSetAttribute = [](cuda::Function, int, int) { return cuda::kSuccess; };
  driver.cuLaunchKernelEx = &launch;
}

void fill_memory_functions(cuda::Driver& driver) {
  driver.cuMemGetInfo_v2 = [](std::size_t* free, std::size_t* total) {
    *free = state->limit - state->used;
    *total = state->limit;
    return cuda::kSuccess;
  };
  driver.cuMemAlloc_v2 = &allocate;
  driver.cuMemFree_v2 = &release;
  driver.cuMemHostAlloc = [](void** place, std::size_t bytes, unsigned) {
    Address address = 0;
    const Result result = allocate(&address, bytes);
    *place = place_of(address);
    return result;
  };
  driver.cuMemHostGetDevicePointer_v2 = [](Address* address, void* place, unsigned) {
    *address = reinterpret_cast<Address>(place);
    return cuda::kSuccess;
  };
  driver.cuMemFreeHost = [](void* place) { return release(reinterpret_cast<Address>(place)); };
  driver.cuMemcpyHtoD_v2 = [](Address to, const void* from, std::size_t bytes) {
    return is_inside(to, bytes) ? copy_now(place_of(to), from, bytes) : kInvalidValue;
  };
  driver.cuMemcpyDtoH_v2 = [](void* to, Address from, std::size_t bytes) {
    return is_inside(from, bytes) ? copy_now(to, place_of(from), bytes) : kInvalidValue;
  };
  driver.cuMemcpyDtoHAsync_v2 = [](void* to, Address from, std::size_t bytes, cuda::Stream stream) {
    enqueue(stream, {.act = [=] { copy_now(to, place_of(from), bytes); }});
    return cuda::kSuccess;
  };
  driver.cuMemcpyDtoDAsync_v2 =
      [](Address to, Address from, std::size_t bytes, cuda::Stream stream) {
        enqueue(stream, {.act = [=] { copy_now(place_of(to), place_of(from), bytes); }});
        return cuda::kSuccess;
      };
  driver.cuMemsetD8Async =
      [](Address to, unsigned char value, std::size_t bytes, cuda::Stream stream) {
        if (!is_inside(to, bytes)) {
          return kInvalidValue;
        }
        enqueue(stream, {.act = [=] { std::memset(place_of(to), value, bytes); }});
        return cuda::kSuccess;
      };
  driver.cuIpcGetMemHandle = [](cuda::IpcHandle*, Address) { return kInvalidValue; };
  driver.cuIpcOpenMemHandle_v2 = [](Address*, cuda::IpcHandle, unsigned) { return kInvalidValue; };
  driver.cuIpcCloseMemHandle = [](Address) { return kInvalidValue; };
}

void fill_stream_functions(cuda::Driver& driver) {
  driver.cuStreamCreateWithPriority = [](cuda::Stream* stream, unsigned, int) {
    *stream = reinterpret_cast<cuda::Stream>(static_cast<std::uintptr_t>(++state->streams));
    return cuda::kSuccess;
  };
  driver.cuCtxGetStreamPriorityRange = [](int* least, int* greatest) {
    *least = 0;
    *greatest = -5;
    return cuda::kSuccess;
  };
  driver.cuStreamDestroy_v2 = [](cuda::Stream) { return cuda::kSuccess; };
  driver.cuStreamSynchronize = [](cuda::Stream stream) {
    return advance([stream] { return state->device->idle(number_of(stream)); });
  };
  driver.cuStreamQuery = &query;
  driver.cuStreamWaitEvent = &wait_event;
  driver.cuStreamBeginCapture_v2 = [](cuda::Stream stream, int) {
    state->captures[number_of(stream)] = new FakeGraph();
    return cuda::kSuccess;
  };
  driver.cuStreamEndCapture = [](cuda::Stream stream, cuda::Graph* graph) {
    *graph = reinterpret_cast<cuda::Graph>(state->captures.at(number_of(stream)));
    state->captures.erase(number_of(stream));
    return cuda::kSuccess;
  };
  driver.cuEventCreate = [](cuda::Event* event, unsigned) {
    *event = reinterpret_cast<cuda::Event>(new FakeEvent());
    return cuda::kSuccess;
  };
  driver.cuEventDestroy_v2 = [](cuda::Event event) {
    delete event_of(event);
    return cuda::kSuccess;
  };
  driver.cuEventRecord = &record;
  driver.cuEventQuery = [](cuda::Event event) {
    return event_of(event)->done == event_of(event)->asked ? cuda::kSuccess : cuda::kNotReady;
  };
  driver.cuEventElapsedTime = &elapsed;
  driver.cuGraphInstantiateWithFlags = [](cuda::GraphRun* run,
                                          cuda::Graph graph,
                                          unsigned long long) {
    *run = reinterpret_cast<cuda::GraphRun>(new FakeGraph(*reinterpret_cast<FakeGraph*>(graph)));
    return cuda::kSuccess;
  };
  driver.cuGraphLaunch = [](cuda::GraphRun run, cuda::Stream stream) {
    for (const emulator::Operation& operation : reinterpret_cast<FakeGraph*>(run)->operations) {
      enqueue(stream, operation);
    }
    return cuda::kSuccess;
  };
  driver.cuGraphExecDestroy = [](cuda::GraphRun run) {
    delete reinterpret_cast<FakeGraph*>(run);
    return cuda::kSuccess;
  };
  driver.cuGraphDestroy = [](cuda::Graph graph) {
    delete reinterpret_cast<FakeGraph*>(graph);
    return cuda::kSuccess;
  };
}

constexpr std::array<std::byte, 4> kImage = {};

}  // namespace

void enqueue_on_device(cuda::Stream stream, std::function<void()> act, std::uint64_t ns) {
  enqueue(stream, {.takes = ns, .act = std::move(act)});
}

FakeDriver::FakeDriver(emulator::Device& device, std::size_t memory) {
  state = new FakeState{.device = &device, .limit = memory};
}

FakeDriver::~FakeDriver() {
  delete state;
  state = nullptr;
}

cuda::Doors FakeDriver::doors(bool blas) const {
  cuda::Doors doors;
  fill_device_functions(doors.driver.driver);
  fill_memory_functions(doors.driver.driver);
  fill_stream_functions(doors.driver.driver);
  doors.open_blas = blas ? &fake_blas : &no_blas;
  doors.nccl.reason = "NCCL is not installed";
  doors.image = kImage;
  return doors;
}

std::size_t FakeDriver::allocated() const {
  return state->used;
}

}  // namespace epwise::kernel_tests
