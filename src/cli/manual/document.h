#pragma once

#include <string>
#include <utility>
#include <vector>

namespace epwise::cli {

/// A text in chapters that can be shown on a terminal and as Markdown: what `explain`, `rules
/// show`, `hw show` and `doctor` print.
struct Document {
  struct Chapter {
    std::string title;
    std::vector<std::string> paragraphs = {};
    std::vector<std::string> points = {};
    std::string code = {};                                       // shown as it is
    std::vector<std::pair<std::string, std::string>> rows = {};  // name, text
  };

  std::string title;
  std::string subtitle;
  std::vector<Chapter> chapters;
};

/// For people: titles in capitals, text wrapped at `width`.
std::string to_text(const Document& document, int width);

std::string to_markdown(const Document& document);

/// Rows in two columns, the second wrapped: the shape of every list that the program prints.
std::string two_columns(const std::vector<std::pair<std::string, std::string>>& rows,
                        int indent,
                        int width);

}  // namespace epwise::cli
