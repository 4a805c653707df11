#include "session/version.h"

namespace epwise::session {

std::string_view tool_version() {
  return EPWISE_VERSION;
}

}  // namespace epwise::session
