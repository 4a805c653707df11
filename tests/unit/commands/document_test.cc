#include "ui/document.h"

#include <doctest/doctest.h>

using epwise::cli::Page;
using epwise::cli::two_columns;

namespace {

Page sample() {
  Page document;
  document.title = "overlap/x (EPO999)";
  document.subtitle = "error, proven";
  Page::Chapter why{"Why"};
  why.paragraphs = {"One sentence that is longer than the terminal is wide, so it wraps."};
  Page::Chapter fixes{"Fixes"};
  fixes.points = {"Switch it off, which is easy to do and costs nothing", "Or not"};
  Page::Chapter examples{"Examples"};
  examples.code = "# fails\nmodel: {}\n";
  Page::Chapter rows{"Condition"};
  rows.rows = {{"when", "a"}, {"must hold", "b"}};
  document.chapters = {why, fixes, examples, rows};
  return document;
}

}  // namespace

TEST_CASE("A document on a terminal") {
  CHECK(to_text(sample(), 40) ==
        "overlap/x (EPO999)\n"
        "error, proven\n"
        "\n"
        "WHY\n"
        "  One sentence that is longer than the\n"
        "  terminal is wide, so it wraps.\n"
        "\n"
        "FIXES\n"
        "  - Switch it off, which is easy to do\n"
        "    and costs nothing\n"
        "  - Or not\n"
        "\n"
        "EXAMPLES\n"
        "    # fails\n"
        "    model: {}\n"
        "\n"
        "CONDITION\n"
        "  when       a\n"
        "  must hold  b\n");
}

TEST_CASE("A document as Markdown") {
  CHECK(to_markdown(sample()) ==
        "# overlap/x (EPO999)\n"
        "\n"
        "error, proven\n"
        "\n"
        "## Why\n"
        "\n"
        "One sentence that is longer than the terminal is wide, so it wraps.\n"
        "\n"
        "## Fixes\n"
        "\n"
        "- Switch it off, which is easy to do and costs nothing\n"
        "- Or not\n"
        "\n"
        "## Examples\n"
        "\n"
        "```yaml\n"
        "# fails\n"
        "model: {}\n"
        "```\n"
        "\n"
        "## Condition\n"
        "\n"
        "- `when`: a\n"
        "- `must hold`: b\n");
}

TEST_CASE("Two columns: a name that is too long has its line to itself") {
  CHECK(
      two_columns({{"a", "first text here"}, {std::string(40, 'n'), "second"}, {"b", ""}}, 2, 30) ==
      "  a  first text here\n  " + std::string(40, 'n') + "\n     second\n  b\n");
}
