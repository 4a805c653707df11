#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "commands/explain/job_messages.h"

namespace epwise::audit {

namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
constexpr double kOutside = 6.0 * kGiB;  // a CUDA context and NCCL's usual buffers take less
constexpr double kForeign = 2.0 * kGiB;

/// "9.27 GiB…" → bytes.
std::optional<double> size_at(std::string_view text) {
  const auto start = text.find_first_of("0123456789");
  if (start == std::string_view::npos) {
    return std::nullopt;
  }
  text.remove_prefix(start);
  double number = 0.0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) {
    return std::nullopt;
  }
  auto unit = text.substr(static_cast<std::size_t>(read.ptr - text.data()));
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits = {
      {{"GiB", kGiB}, {"MiB", 1024.0 * 1024.0}, {"KiB", 1024.0}, {"bytes", 1.0}}};
  for (const auto& [name, bytes] : kUnits) {
    if (unit.starts_with(name)) {
      return number * bytes;
    }
  }
  return std::nullopt;
}

/// The size directly after some words: "Tried to allocate 9.27 GiB".
std::optional<double> size_after(std::string_view text, std::string_view words) {
  const auto at = text.find(words);
  return at == std::string_view::npos ? std::nullopt : size_at(text.substr(at + words.size()));
}

/// The last size before some words: "60.90 GiB is reserved by PyTorch but unallocated".
std::optional<double> size_before(std::string_view text, std::string_view words) {
  const auto at = text.find(words);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  auto begin = at;
  for (int words_back = 0; begin > 0 && words_back < 2; --begin) {
    words_back += text[begin - 1] == ' ' && begin != at ? 1 : 0;
  }
  while (begin > 0 && text[begin - 1] != ' ' && text[begin - 1] != '(') {
    --begin;
  }
  return size_at(text.substr(begin, at - begin));
}

std::string gib(double bytes) {
  return fmt::format("{:.1f} GiB", bytes / kGiB);
}

/// The numbers of one message; what it does not state is empty.
struct Sizes {
  std::optional<double> asked;
  std::optional<double> capacity;
  std::optional<double> free;
  std::optional<double> used;       // by this process
  std::optional<double> allocated;  // by PyTorch's tensors
  std::optional<double> spare;      // reserved by PyTorch, in no tensor
  std::optional<double> graphs;     // in private pools
};

Sizes sizes_in(std::string_view message) {
  Sizes sizes;
  sizes.asked = size_after(message, "Tried to allocate ");
  sizes.capacity = size_after(message, "total capacity of ");
  sizes.free = size_before(message, " is free");
  sizes.used = size_before(message, " memory in use");
  sizes.allocated = size_before(message, " is allocated by PyTorch");
  sizes.spare = size_before(message, " is reserved by PyTorch but unallocated");
  sizes.graphs = size_before(message, " allocated in private pools");
  if (!sizes.capacity) {  // PyTorch 1.x
    sizes.capacity = size_before(message, " total capacity");
    sizes.allocated = size_before(message, " already allocated");
    sizes.free = size_before(message, " free");
    const auto reserved = size_before(message, " reserved in total by PyTorch");
    if (reserved && sizes.allocated) {
      sizes.spare = std::max(0.0, *reserved - *sizes.allocated);
    }
  }
  return sizes;
}

}  // namespace

bool excludes_fragmentation(std::string_view message) {
  const Sizes sizes = sizes_in(message);
  return sizes.asked && sizes.spare && *sizes.spare < *sizes.asked;
}

std::vector<std::string> memory_facts(std::string_view message) {
  const Sizes sizes = sizes_in(message);
  std::vector<std::string> facts;
  if (sizes.asked && sizes.spare && *sizes.spare >= *sizes.asked) {
    facts.push_back(fmt::format(
        "{} were reserved but unused, more than the {} requested: memory was fragmented. "
        "Expandable segments cure this without cost.",
        gib(*sizes.spare),
        gib(*sizes.asked)));
  } else if (sizes.asked && sizes.spare) {
    facts.push_back(fmt::format(
        "{} were requested and {} were reserved but unused: fragmentation is not the cause, "
        "the tensors themselves do not fit.",
        gib(*sizes.asked),
        gib(*sizes.spare)));
  }
  if (sizes.graphs && *sizes.graphs > kForeign) {
    facts.push_back(
        fmt::format("CUDA graphs hold {} in pools of their own, which nothing else can use.",
                    gib(*sizes.graphs)));
  }
  if (sizes.used && sizes.allocated) {
    const double outside = *sizes.used - *sizes.allocated - sizes.spare.value_or(0.0);
    if (outside > kOutside) {
      facts.push_back(fmt::format(
          "{} of the process are outside PyTorch: buffers of NCCL, NVSHMEM or the dispatcher, "
          "and the CUDA context.",
          gib(outside)));
    }
  }
  if (sizes.capacity && sizes.free && sizes.used) {
    const double others = *sizes.capacity - *sizes.free - *sizes.used;
    if (others > kForeign) {
      facts.push_back(
          fmt::format("Other processes hold {} of this GPU: look for a process left over from "
                      "an earlier job, or two ranks on one GPU.",
                      gib(others)));
    }
  }
  return facts;
}

}  // namespace epwise::audit
