#include "recipe/bridge/unsupported_values.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace epwise::recipe {
namespace {

using yaml::Node;

/// 2026-08-01, alone or with a time behind it.
bool is_date(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-dd";
  if (text.size() < kShape.size()) {
    return false;
  }
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == 'd' ? !digit : text[i] != kShape[i]) {
      return false;
    }
  }
  return text.size() == kShape.size() || text[kShape.size()] == 'T' || text[kShape.size()] == ' ';
}

bool is_plain_tag(std::string_view tag) {
  constexpr std::array<std::string_view, 8> kTags = {
      "!!str", "!!int", "!!float", "!!bool", "!!null", "!!seq", "!!map", "!"};
  return tag.empty() || std::find(kTags.begin(), kTags.end(), tag) != kTags.end();
}

class Check {
 public:
  Check(bool dump, std::vector<text::Diagnostic>& diagnostics)
      : dump_(dump),
        diagnostics_(diagnostics) {}

  void run(const Node& node) {
    if (!is_plain_tag(node.tag)) {
      complain(node, fmt::format("the loader has no constructor for the tag `{}`", node.tag));
    } else if (node.is_scalar()) {
      scalar(node);
    }
    for (const Node& item : node.items) {
      run(item);
    }
    for (const yaml::Entry& entry : node.entries) {
      run(entry.value);
    }
  }

 private:
  void scalar(const Node& node) {
    const bool plain = node.plain && node.tag.empty();
    if (plain && (node.scalar == "=" || node.scalar == "<<")) {
      complain(node, fmt::format("the loader refuses a plain `{}` as a value", node.scalar));
    } else if (plain && dump_ && is_date(node.scalar)) {
      complain(node,
               fmt::format("the loader reads `{}` as a date and then refuses it", node.scalar));
    } else if (dump_ && node.scalar == "???") {
      complain(node, "`???` marks a value that is still to be given", "give it a value");
    }
  }

  void complain(const Node& node,
                std::string message,
                std::string help = "put it in quotes if it is a text") {
    diagnostics_.push_back(
        {"recipe/unsupported-value", node.mark, std::move(message), {}, std::move(help)});
  }

  bool dump_ = false;
  std::vector<text::Diagnostic>& diagnostics_;
};

}  // namespace

void check_supported(const Node& root, bool dump, std::vector<text::Diagnostic>& diagnostics) {
  Check(dump, diagnostics).run(root);
}

}  // namespace epwise::recipe
