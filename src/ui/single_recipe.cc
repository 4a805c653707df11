#include "ui/single_recipe.h"

#include "session/files/file_selection.h"
#include "session/options/run_options.h"
#include "session/options/target_options.h"
#include "ui/command.h"
#include "ui/standard_input.h"

namespace epwise::cli {

std::vector<Option> single_recipe_options() {
  std::vector<Option> result = target_options();
  result.push_back(format_option());
  for (const auto& more : {selection_options(), configuration_options(), acceptance_options()}) {
    result.insert(result.end(), more.begin(), more.end());
  }
  result.push_back({.name = "--document",
                    .arity = Option::Arity::one,
                    .value = "N|merge",
                    .summary = "for a file with several recipes: the number of one, as FILE#N, or "
                               "merge for documents that make one"});
  return result;
}

Source source_of(const std::string& path, const Arguments& arguments, Console& console) {
  if (path.empty()) {
    return {"<command line>", std::nullopt, true};
  }
  if (session::is_standard_input(path)) {
    return {"<stdin>", read_standard_input(arguments, console), false};
  }
  const session::NumberedPath numbered = session::numbered_path(console.files, path);
  return {.path = numbered.path, .text = std::nullopt, .number = numbered.number};
}

std::vector<Analysis> analyses_of(const std::string& path,
                                  const Arguments& arguments,
                                  Console& console,
                                  Workspace& workspace) {
  return analyze(workspace.open(source_of(path, arguments, console)));
}

Analysis analyze_path(const std::string& path,
                      const Arguments& arguments,
                      Console& console,
                      Workspace& workspace) {
  return analyze_one(workspace.open(source_of(path, arguments, console)));
}

}  // namespace epwise::cli
