#include "report/lint/fingerprint.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace epwise::report {
namespace {

/// FNV-1a, 64 bits: stable over versions and machines, which std::hash is not.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return hash;
}

constexpr char kSeparator = '\x1f';
constexpr std::size_t kLongLine = 4096;  // bytes; of a longer line, those from the mark on

}  // namespace

std::string Fingerprints::counted(const std::string& text) {
  const int count = ++seen_[text];
  return fmt::format("{:016x}:{}", hash_of(text), count);
}

std::string Fingerprints::of_finding(std::string_view uri, const lint::Finding& finding) {
  std::vector<std::string> pointers{finding.primary.pointer};
  for (const lint::Location& related : finding.related) {
    pointers.push_back(related.pointer);
  }
  std::sort(pointers.begin(), pointers.end());
  std::vector<std::string> values;
  for (const lint::Evidence& evidence : finding.evidence) {
    values.push_back(evidence.name + '=' + evidence.value);
  }
  std::sort(values.begin(), values.end());
  std::string text = "finding";
  const auto add = [&](std::string_view part) {
    text += kSeparator;
    text += part;
  };
  add(finding.rule->id);
  add(uri);
  std::for_each(pointers.begin(), pointers.end(), add);
  std::for_each(values.begin(), values.end(), add);
  return counted(text);
}

std::string Fingerprints::of_failure(std::string_view sentence) {
  std::string text = "failure";
  text += kSeparator;
  text += sentence;
  return counted(text);
}

std::string Fingerprints::of_line(std::string_view uri, const lint::Finding& finding) {
  std::string text = "line";
  text += kSeparator;
  text += uri;
  text += kSeparator;
  if (const text::Mark& mark = finding.primary.mark; !mark.nowhere()) {
    std::string_view line = mark.file->line(mark.start().line);
    if (line.size() > kLongLine) {
      line = mark.file->bytes().substr(mark.begin, kLongLine);
    }
    std::copy_if(line.begin(), line.end(), std::back_inserter(text), [](char c) {
      return c != ' ' && c != '\t';
    });
  }
  return counted(text);
}

}  // namespace epwise::report
