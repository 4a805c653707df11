// The Python module `epwise._core`: the command line in memory, and the flags of Megatron-LM. What
// people import is epwise/ beside this file.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cli/app.h"
#include "expr/value.h"
#include "hw/driver_probe.h"
#include "recipe/vocabulary/vocabulary.h"
#include "world/disk_files.h"
#include "world/process_variables.h"
#include "world/programs.h"

// glibc's flag for programs that never start a thread, which shared_ptr reads directly. Python does
// start threads: the linker takes this for it (CMakeLists.txt).
extern "C" {
extern const char epwise_single_threaded;
const char epwise_single_threaded = 0;
}

namespace epwise {

namespace {

namespace nb = nanobind;

/// Parameters say what a call does; EPWISE_* variables are for people at a shell.
class JobVariables final : public world::Variables {
 public:
  std::optional<std::string> get(const std::string& name) const override {
    return name.starts_with("EPWISE_") ? std::nullopt : process_.get(name);
  }

 private:
  world::ProcessVariables process_;
};

/// What the command `epwise WORD…` would end with and print, with `input` on its standard input.
std::tuple<int, std::string, std::string> run(const std::vector<std::string>& words,
                                              const std::string& input) {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  world::DiskFiles files;
  const JobVariables variables;
  const hw::DriverProbe devices;
  const world::ProcessPrograms programs;
  cli::App app({in, out, err, files, variables, {}, devices, nullptr, &programs});
  const int code = app.run(words);
  return {code, out.str(), err.str()};
}

/// Of a list that holds what Python can't: its text, which no value of a recipe equals.
nb::object python_value(const expr::Value& value) {
  if (const auto* boolean = value.boolean()) {
    return nb::bool_(*boolean);
  }
  if (const auto* integer = value.integer()) {
    return nb::int_(*integer);
  }
  if (const auto* real = value.real()) {
    return nb::float_(*real);
  }
  if (const auto* list = value.list()) {
    nb::list items;
    for (const expr::Value& item : *list) {
      items.append(python_value(item));
    }
    return items;
  }
  if (value.is_unset()) {
    return nb::none();
  }
  const std::string text = value.to_text();
  return nb::str(text.c_str(), text.size());
}

std::string_view action_name(recipe::Flag::Action action) {
  switch (action) {
    case recipe::Flag::Action::store:
      return "store";
    case recipe::Flag::Action::store_true:
      return "store_true";
    case recipe::Flag::Action::store_false:
      return "store_false";
    case recipe::Flag::Action::store_const:
      return "store_const";
    case recipe::Flag::Action::append:
      return "append";
    case recipe::Flag::Action::help:
      break;
  }
  return "help";
}

/// The flags of Megatron-LM's parser in one version ("" and unknown ones: as `epwise lint` takes
/// them), one dict each; `default` is missing where only the running framework knows it.
nb::list flags(const std::string& version) {
  const auto vocabulary = recipe::Vocabulary::load(recipe::Framework::mlm, version);
  nb::list rows;
  for (const recipe::Flag& flag : vocabulary.flags()) {
    nb::dict row;
    row["spelling"] = flag.spellings.front();
    row["attribute"] = flag.attribute;
    row["action"] = action_name(flag.action);
    row["several"] =
        flag.values != recipe::Flag::Values::one && flag.values != recipe::Flag::Values::optional;
    row["required"] = flag.required;
    row["constant"] = python_value(flag.constant);
    const recipe::FieldSpec* field = vocabulary.find_attribute(flag.attribute);
    if (field != nullptr && field->has_default && field->default_value.is_known()) {
      const auto* boolean = field->default_value.boolean();
      row["default"] = field->inverted && boolean != nullptr ? nb::bool_(!*boolean)
                                                             : python_value(field->default_value);
    }
    rows.append(row);
  }
  return rows;
}

}  // namespace

}  // namespace epwise

NB_MODULE(_core, module) {
  module.def("run",
             &epwise::run,
             nanobind::arg("words"),
             nanobind::arg("input"),
             nanobind::call_guard<nanobind::gil_scoped_release>());
  module.def("flags", &epwise::flags, nanobind::arg("version"));
}
