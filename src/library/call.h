#pragma once

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/os/files.h"
#include "base/os/programs.h"
#include "hw/device.h"
#include "library/epwise.h"
#include "session/options/arguments.h"
#include "session/workspace.h"
#include "ui/console.h"

namespace epwise::library {

/// Options say what a call does; EPWISE_* variables and the terminal's width are for people at a
/// shell.
class OwnVariables final : public os::Variables {
 public:
  /// `today`: empty for the day that it is.
  explicit OwnVariables(std::string today) : today_(std::move(today)) {}

  std::optional<std::string> get(const std::string& name) const override;

 private:
  std::string today_;
};

/// The options as the engines of the commands read them. Throws os::UsageError for a word that an
/// option does not take.
session::Arguments arguments_of(const Options& options);

void add(session::Arguments& arguments, const char* option, const std::string& value);
void add(session::Arguments& arguments, const char* option, const std::vector<std::string>& values);

/// A recipe as a workspace opens it; a file is read here. Throws os::MissingError.
session::Source source_of(const Recipe& recipe, const os::Files& files);

/// The streams, files and devices that an engine uses during one call. Not movable.
class Call {
 public:
  Call(os::Files& files,
       const os::Variables& variables,
       const hw::DeviceProbe& devices,
       const os::Programs& programs,
       session::Arguments given,
       const std::vector<std::string>& words)
      : arguments(std::move(given)),
        console{in, out, err, files, variables, {}, devices, nullptr, &programs} {
    arguments.words = words;
    arguments.has_words = !words.empty();
  }

  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// The messages printed in addition to the result, one sentence each.
  std::vector<std::string> said() const;

  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  session::Arguments arguments;
  cli::Console console;
};

}  // namespace epwise::library
