#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/files.h"
#include "lint/knowledge.h"

/// Fingerprints of upstream text, without storing the text: the same hashes as rules/fragments.py.

namespace epwise::audit {

/// A source line with normalised blanks; comments and blank lines are omitted.
struct SourceLine {
  int number = 0;  // from 1, in the file
  std::string text;
};

std::vector<SourceLine> source_lines(std::string_view text);

/// FNV-1a (64 bits) of lines [first, first + count), joined by line ends.
std::uint64_t fingerprint(const std::vector<SourceLine>& lines,
                          std::size_t first,
                          std::size_t count);

/// A message in the form used by rules: hashes (8 hexadecimal digits) of its single words and of
/// every three adjacent words. Sorted.
std::vector<std::string> message_marks(std::string_view message);

/// The state of the upstream lines that a rule refers to.
enum class Ground : std::uint8_t {
  unchanged,  // the same lines at the same place
  moved,      // the same lines elsewhere in the file
  changed,    // the file exists, the lines do not
  gone,       // neither the file nor the function exists
  unknown,    // no fingerprint exists for this reference
};

std::string_view to_string(Ground ground);

struct Drift {
  const lint::Rule* rule = nullptr;
  const lint::Reference* reference = nullptr;
  Ground ground = Ground::unknown;
  std::string_view symbol;  // the function that contains the lines
  int shift = 0;            // moved: by how many lines
};

struct DriftReport {
  std::string repository;     // the repository of the sources: "NVIDIA/Megatron-LM"
  std::vector<Drift> drifts;  // by rule, in the order of its references
};

/// Compares the rules with the sources of one upstream repository in a folder. `repository` empty:
/// the one in which most of the references' files are found. Throws os::MissingError if the
/// folder does not exist, os::UsageError if it holds no file that a rule refers to.
DriftReport drift(const os::Files& files,
                  const std::string& folder,
                  std::string repository,
                  const lint::Knowledge& knowledge);

/// "owner/name@commit path:lines", the form of references in rules and fragments.
std::string place_of(const lint::Reference& reference);

const lint::Fragment* find_fragment(const lint::Knowledge& knowledge,
                                    const lint::Reference& reference);

}  // namespace epwise::audit
