#include "commands/simulate/inputs.h"

#include <algorithm>
#include <exception>
#include <ostream>

#include "session/files/file_selection.h"

namespace epwise::cli {

namespace {

std::vector<std::string> found_below(const os::Files& files, const std::string& operand) {
  const session::FileSelection selection = session::select_files(files, {operand}, "<stdin>");
  if (!selection.unreadable.empty()) {
    throw os::MissingError(selection.unreadable.front());
  }
  if (!selection.empty.empty()) {
    throw os::NothingError(selection.empty.front());
  }
  std::vector<std::string> paths;
  for (const session::Input& input : selection.inputs) {
    paths.push_back(input.path);
  }
  return paths;
}

/// Without the directory that was named.
std::string name_below(const std::string& path, const std::string& directory) {
  const std::size_t begin = path.starts_with(directory) ? directory.size() : 0;
  return path.substr(std::min(path.find_first_not_of('/', begin), path.size()));
}

}  // namespace

std::vector<PredictedInput> predicted_inputs(const os::Files& files,
                                             const std::vector<std::string>& operands) {
  std::vector<PredictedInput> inputs;
  for (const std::string& operand : operands) {
    const bool several =
        files.is_directory(operand) || (session::is_glob(operand) && !files.is_file(operand));
    if (!several) {
      inputs.push_back({operand});
      continue;
    }
    for (std::string& path : found_below(files, operand)) {
      inputs.push_back({std::move(path), false});
    }
  }
  return inputs;
}

ExitCode attempt(std::ostream& err, const std::function<void()>& work) {
  const auto told = [&err](const std::exception& error, ExitCode code) {
    err << "epwise: " << error.what() << '\n';
    return code;
  };
  try {
    work();
  } catch (const os::MissingError& error) {
    return told(error, ExitCode::unreadable);
  } catch (const os::NothingError& error) {
    return told(error, ExitCode::nothing_checked);
  } catch (const os::UsageError& error) {
    return told(error, ExitCode::usage);
  }
  return ExitCode::clean;
}

InputPairs paired_inputs(const os::Files& files, const std::string& a, const std::string& b) {
  InputPairs result;
  std::vector<std::string> others = found_below(files, b);
  for (const std::string& path : found_below(files, a)) {
    const std::string name = name_below(path, a);
    const auto other = std::ranges::find_if(
        others, [&](const std::string& each) { return name_below(each, b) == name; });
    if (other == others.end()) {
      result.only_a.push_back(path);
      continue;
    }
    result.pairs.push_back({path, *other});
    others.erase(other);
  }
  result.only_b = std::move(others);
  return result;
}

}  // namespace epwise::cli
