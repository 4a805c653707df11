// The Python module `epwise._core`: the C++ library (src/library/epwise.h), and the flags of Megatron-LM. What people
// import is epwise/ beside this file.

#include <exception>
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expr/value.h"
#include "library/epwise.h"
#include "recipe/vocabulary/vocabulary.h"

// glibc's flag for programs that never start a thread, which shared_ptr reads directly. Python does
// start threads: the linker uses this definition instead (CMakeLists.txt).
extern "C" {
extern const char epwise_single_threaded;
const char epwise_single_threaded = 0;
}

namespace epwise {

namespace {

namespace nb = nanobind;

/// A crash must not end the interpreter.
Session session_of(Options options) {
  options.contain_crashes = true;
  return Session(std::move(options));
}

nb::bytes bytes_of(const std::string& text) {
  return nb::bytes(text.data(), text.size());
}

/// What people read may quote bytes of a file that are no UTF-8.
nb::object text_of(const std::string& text) {
  return nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

Recipe recipe_of(std::string name,
                 const std::optional<nb::bytes>& text,
                 std::vector<std::string> words) {
  Recipe recipe;
  recipe.name = std::move(name);
  if (text) {
    recipe.text = std::string(text->c_str(), text->size());
  }
  recipe.words = std::move(words);
  return recipe;
}

/// Runs one call of a session while other threads of Python run.
template <class Work>
auto run(const Options& options, const Work& work) {
  const nb::gil_scoped_release release;
  return work(session_of(options));
}

nb::tuple lint(const Recipe& recipe, const Options& options) {
  const LintResult result =
      run(options, [&](const Session& session) { return session.lint(recipe); });
  return nb::make_tuple(text_of(result.json), bytes_of(result.source));
}

nb::object lint_text(const Recipe& recipe, const Options& options) {
  return text_of(run(options, [&](const Session& session) { return session.lint_text(recipe); }));
}

nb::tuple fix(const Recipe& recipe, const Options& options, int tier) {
  const FixResult result = run(options, [&](const Session& session) {
    return session.fix(recipe, static_cast<Tier>(tier));
  });
  return nb::make_tuple(text_of(result.json),
                        bytes_of(result.text),
                        result.words,
                        text_of(result.diff),
                        result.changed);
}

template <class Result>
nb::tuple answer_of(const Result& result) {
  return nb::make_tuple(text_of(result.json), text_of(result.text), result.exit_code);
}

nb::tuple simulate(const Recipe& recipe, const Options& options, bool force) {
  return answer_of(
      run(options, [&](const Session& session) { return session.simulate(recipe, force); }));
}

nb::tuple compare(const Recipe& a, const Recipe& b, const Options& options, bool force) {
  return answer_of(
      run(options, [&](const Session& session) { return session.compare(a, b, force); }));
}

nb::tuple advise(const Recipe& recipe, const Options& options, const AdviceOptions& how) {
  const Advice result =
      run(options, [&](const Session& session) { return session.advise(recipe, how); });
  nb::list texts;
  for (const std::vector<Plan>* plans : {&result.plans, &result.too_close}) {
    for (const Plan& plan : *plans) {
      texts.append(bytes_of(plan.text));
    }
  }
  return nb::make_tuple(text_of(result.json), text_of(result.text), result.exit_code, texts);
}

nb::tuple explain(const nb::bytes& log,
                  const std::string& name,
                  const std::optional<Recipe>& recipe,
                  const Options& options) {
  const std::string text(log.c_str(), log.size());
  return answer_of(run(options, [&](const Session& session) {
    return recipe ? session.explain_log(text, *recipe, name) : session.explain_log(text, name);
  }));
}

nb::tuple diff(const Recipe& before, const Recipe& after, const Options& options) {
  return answer_of(
      run(options, [&](const Session& session) { return session.diff(before, after); }));
}

nb::tuple gate(const std::vector<Recipe>& recipes, const Options& options, const GateOptions& how) {
  const GateResult result =
      run(options, [&](const Session& session) { return session.gate(recipes, how); });
  return nb::make_tuple(text_of(result.json), result.exit_code, result.problems);
}

nb::object gate_text(const std::vector<Recipe>& recipes,
                     const Options& options,
                     const GateOptions& how) {
  return text_of(
      run(options, [&](const Session& session) { return session.gate_text(recipes, how); }));
}

/// The library's errors become those of epwise/_errors.py.
void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  const auto raise = [](const char* name, const std::exception& error) {
    const nb::object kind = nb::module_::import_("epwise._errors").attr(name);
    PyErr_SetObject(kind.ptr(), text_of(error.what()).ptr());
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const UsageError& error) {
    raise("UsageError", error);
  } catch (const InternalError& error) {
    raise("InternalError", error);
  } catch (const Error& error) {
    raise("Error", error);
  }
}

/// For a list with values that Python cannot represent: its text, which no value of a recipe
/// equals.
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

/// The flags of Megatron-LM's parser in one version ("" and unknown ones: as in `epwise lint`), one
/// dict each; `default` is missing if only the running framework knows it.
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
  using namespace epwise;  // NOLINT(google-build-using-namespace)
  nb::register_exception_translator(translate);
  module.attr("version") = version();
  nb::class_<Options>(module, "Options")
      .def(nb::init<>())
      .def_rw("hw", &Options::hw)
      .def_rw("gpus", &Options::gpus)
      .def_rw("stack", &Options::stack)
      .def_rw("framework", &Options::framework)
      .def_rw("env", &Options::env)
      .def_rw("purpose", &Options::purpose)
      .def_rw("harness", &Options::harness)
      .def_rw("base", &Options::base)
      .def_rw("select", &Options::select)
      .def_rw("ignore", &Options::ignore)
      .def_rw("rules", &Options::rules)
      .def_rw("fail_on", &Options::fail_on)
      .def_rw("strict", &Options::strict)
      .def_rw("configuration", &Options::configuration)
      .def_rw("target_entry", &Options::target_entry)
      .def_rw("baseline", &Options::baseline)
      .def_rw("comments", &Options::comments)
      .def_rw("today", &Options::today)
      .def_rw("inputs", &Options::inputs)
      .def_rw("calibration", &Options::calibration)
      .def_rw("document", &Options::document);
  nb::class_<AdviceOptions>(module, "AdviceOptions")
      .def(nb::init<>())
      .def_rw("goal", &AdviceOptions::goal)
      .def_rw("keep", &AdviceOptions::keep)
      .def_rw("may_change", &AdviceOptions::may_change)
      .def_rw("top", &AdviceOptions::top)
      .def_rw("profile", &AdviceOptions::profile)
      .def_rw("among", &AdviceOptions::among);
  nb::class_<GateOptions>(module, "GateOptions")
      .def(nb::init<>())
      .def_rw("max_exposed_comm", &GateOptions::max_exposed_comm)
      .def_rw("min_headroom", &GateOptions::min_headroom)
      .def_rw("max_regression", &GateOptions::max_regression)
      .def_rw("against", &GateOptions::against)
      .def_rw("since", &GateOptions::since)
      .def_rw("staged", &GateOptions::staged)
      .def_rw("skip_others", &GateOptions::skip_others)
      .def_rw("receipt", &GateOptions::receipt);
  nb::class_<Recipe>(module, "Recipe")
      .def(nb::new_(&recipe_of), nb::arg("name"), nb::arg("text").none(), nb::arg("words"));
  module.def("flags", &flags, nb::arg("version"));
  module.def("lint", &lint, nb::arg("recipe"), nb::arg("options"));
  module.def("lint_text", &lint_text, nb::arg("recipe"), nb::arg("options"));
  module.def("fix", &fix, nb::arg("recipe"), nb::arg("options"), nb::arg("tier"));
  module.def("simulate", &simulate, nb::arg("recipe"), nb::arg("options"), nb::arg("force"));
  module.def("compare", &compare, nb::arg("a"), nb::arg("b"), nb::arg("options"), nb::arg("force"));
  module.def("advise", &advise, nb::arg("recipe"), nb::arg("options"), nb::arg("how"));
  module.def("explain",
             &explain,
             nb::arg("log"),
             nb::arg("name"),
             nb::arg("recipe").none(),
             nb::arg("options"));
  module.def("diff", &diff, nb::arg("before"), nb::arg("after"), nb::arg("options"));
  module.def("gate", &gate, nb::arg("recipes"), nb::arg("options"), nb::arg("how"));
  module.def("gate_text", &gate_text, nb::arg("recipes"), nb::arg("options"), nb::arg("how"));
}
