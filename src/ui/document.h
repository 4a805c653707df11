#pragma once

#include <string>
#include <utility>
#include <vector>

namespace epwise::cli {

/// A text with sections that can be rendered for a terminal or as Markdown: the output of
/// `explain`, `rules show`, `hw show` and `doctor`.
struct Page {
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
std::string to_text(const Page& document, int width);

std::string to_markdown(const Page& document);

/// Rows in two columns, the second wrapped: the layout of every list that the program prints.
std::string two_columns(const std::vector<std::pair<std::string, std::string>>& rows,
                        int indent,
                        int width);

}  // namespace epwise::cli
