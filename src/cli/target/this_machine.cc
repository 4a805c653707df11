#include "cli/target/this_machine.h"

namespace epwise::cli {

const hw::Machine& ThisMachine::get() const {
  std::call_once(once_, [this] {
    machine_ = hw::inspect(session_.files, session_.variables, session_.devices);
  });
  return machine_;
}

}  // namespace epwise::cli
