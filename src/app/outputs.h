#pragma once

#include <vector>

#include "base/os/files.h"
#include "session/options/arguments.h"

namespace epwise::cli {

/// Refuses a command line whose output would replace one of its inputs: an operand, a file that
/// another option names, or a recipe or script below a directory that is an operand. A symbolic or
/// hard link to an input counts as that input. Refuses also two outputs that are the same file, by
/// whatever names. Throws os::UsageError:
///   epwise lint a.yaml -f json=a.yaml
///   → "--format: a.yaml is an input of this command; write the output to another file"
///   epwise gate a.yaml -f json=r.json --receipt ./r.json
///   → "--format json=r.json and --receipt ./r.json write the same file; give one of them another
///      name"
void check_outputs(const session::Arguments& arguments,
                   const std::vector<session::Option>& options,
                   const os::Files& files);

}  // namespace epwise::cli
