#include <array>

#include "emulator/device.h"

namespace epwise::emulator {

// Every kernel of kernels/; the linker finds each beside its body.
#define EPWISE_ALL_KERNELS(each)                                                               \
  each(memory_copy) each(memory_read) each(memory_write) each(memory_bulk_copy) each(fill)     \
      each(compare) each(permute) each(unpermute) each(swiglu) each(quantize) each(router)     \
          each(scan_counts) each(scan_places) each(gate) each(occupy) each(mark) each(count)   \
              each(clock) each(dispatch_direct) each(dispatch_pipelined) each(dispatch_staged) \
                  each(combine_direct) each(combine_pipelined) each(combine_staged)            \
                      each(copy_epilogue) each(reduce_epilogue) each(copy_pieces)              \
                          each(check_slots)

}  // namespace epwise::emulator

#define EPWISE_DECLARE(name) extern const epwise::emulator::Kernel epwise_##name##_entry;
EPWISE_ALL_KERNELS(EPWISE_DECLARE)
#undef EPWISE_DECLARE

namespace epwise::emulator {

const Kernel* find_kernel(const std::string& name) {
#define EPWISE_ENTRY(name) &epwise_##name##_entry,
  static constexpr std::array kKernels = {EPWISE_ALL_KERNELS(EPWISE_ENTRY)};
#undef EPWISE_ENTRY
  for (const Kernel* kernel : kKernels) {
    if (name == kernel->name) {
      return kernel;
    }
  }
  return nullptr;
}

}  // namespace epwise::emulator
