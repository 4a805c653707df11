#include "app/app.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/app_run.h"
#include "ui/command.h"

using epwise::support::AppRun;

namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("epwise alone shows what it can do, and that this was not a command") {
  AppRun app;
  CHECK(app.run({}) == 2);
  CHECK(app.out.empty());
  CHECK(holds(app.err, "Examples:"));
  CHECK(app.run({"-h"}) == 0);
  CHECK(app.err.empty());
  CHECK(app.out.find("Examples:") < app.out.find("Usage:"));
  CHECK(app.run({"--help"}) == 0);
  CHECK(holds(app.out, "EPWISE_COLOR"));
}

TEST_CASE("The version names rules and tables") {
  AppRun app;
  CHECK(app.run({"-V"}) == 0);
  CHECK(app.out.starts_with("epwise "));
  CHECK(holds(app.out, " rules\n"));
  CHECK(holds(app.out, "Megatron-Bridge "));
  CHECK(holds(app.out, "Megatron-LM "));
}

TEST_CASE("Every command has short and full help, with examples first") {
  for (const epwise::cli::Command& command : epwise::cli::commands()) {
    const std::string name(command.name);
    CAPTURE(name);
    AppRun app;
    CHECK(app.run({name, "-h"}) == 0);
    const std::string brief = app.out;
    CHECK(brief.find("Examples:") < brief.find("Usage: epwise " + name));
    CHECK(app.run({name, "--help"}) == 0);
    const std::string full = app.out;
    for (const epwise::cli::Option& option : epwise::cli::all_options(command)) {
      CHECK(holds(full, std::string(option.name)));
    }
    CHECK(app.run({"help", name}) == 0);
    CHECK(app.out == full);
    CHECK(app.run({"--help", name}) == 0);
    CHECK(app.out == full);
  }
}

TEST_CASE(
    "Every command's full help has examples, usage and exit codes, and names each code once") {
  for (const epwise::cli::Command& command : epwise::cli::commands()) {
    const std::string name(command.name);
    CAPTURE(name);
    CHECK_FALSE(command.examples.empty());
    AppRun app;
    CHECK(app.run({name, "--help"}) == 0);
    const auto examples = app.out.find("\nExamples:\n  epwise " + name);
    const auto usage = app.out.find("\nUsage: epwise " + name);
    const auto exits = app.out.find("\nEXIT CODES\n  0 ");
    CHECK(examples < usage);
    CHECK(usage < exits);
    REQUIRE(exits != std::string::npos);
    const std::string section = app.out.substr(exits);
    for (const std::string code : {"0", "2", "3", "70", "130"}) {
      CAPTURE(code);
      const auto at = section.find("\n  " + code + " ");
      CHECK(at != std::string::npos);
      CHECK(section.find("\n  " + code + " ", at + 1) == std::string::npos);
    }
    CHECK_FALSE(holds(command.about.empty() ? "" : std::string(command.about), "EXIT CODES"));
  }
}

TEST_CASE("A purpose that does not exist is refused with the nearest one, wherever it is said") {
  AppRun app;
  app.files.put("r.yaml", "model: {num_layers: 2}\n");
  CHECK(app.run({"lint", "r.yaml", "--purpose", "benchmrk"}) == 2);
  CHECK(holds(app.err, "did you mean `benchmark`?"));
  CHECK(app.run({"lint", "r.yaml", "--purpose", "benchmark"}) != 2);
  app.files.put("h.yaml", "# epwise: --purpose trainig\nmodel: {num_layers: 2}\n");
  CHECK(app.run({"lint", "h.yaml"}) == 2);
  CHECK(holds(app.err, "did you mean `training`?"));
}

TEST_CASE("Every option of lint has a variable of its own name") {
  for (const epwise::cli::Command& command : epwise::cli::commands()) {
    if (command.name != "lint") {
      continue;
    }
    for (const epwise::cli::Option& option : epwise::cli::all_options(command)) {
      std::string variable = "EPWISE_";
      for (const char c : option.name.substr(2)) {
        variable += c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
      }
      if (option.name != "--help" && option.name != "-h") {
        CHECK(option.variable == variable);
      }
    }
  }
}

TEST_CASE("Misspelt commands and options get the nearest name") {
  AppRun app;
  CHECK(app.run({"lnit"}) == 2);
  CHECK(holds(app.err, "unknown command `lnit`, did you mean `lint`?"));
  CHECK(app.run({"lint", "--gpu", "8"}) == 2);
  CHECK(holds(app.err, "did you mean `--gpus`?"));
  CHECK(app.run({"--gpus", "8", "lint"}) == 2);
  CHECK(app.run({"rules", "lst"}) == 2);
  CHECK(holds(app.err, "did you mean `list`?"));
  CHECK(app.run({"rules"}) == 2);
  CHECK(app.run({"completions", "tcsh"}) == 2);
  CHECK(app.run({"help", "lintt"}) == 2);
  CHECK(app.run({"lint"}) == 2);
  CHECK(holds(app.err, "nothing to lint"));
}

TEST_CASE("No command writes an output over its input, by whatever name") {
  const std::string recipe = "model: {num_layers: 2}\ntrain: {global_batch_size: 8}\n";
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"lint", "a.yaml", "-f", "json=NAME"},
           {"gate", "a.yaml", "--gpus", "8", "--receipt", "NAME"},
           {"simulate", "a.yaml", "--hw", "h100", "--gpus", "8", "-f", "html=NAME"},
           {"advise", "a.yaml", "--hw", "h100", "--gpus", "8", "-f", "json=NAME"},
           {"learn", "a.yaml", "--fresh", "-o", "NAME"}}) {
    for (const std::string name : {"a.yaml", "./a.yaml", "b.yaml"}) {
      AppRun app;
      app.files.put("a.yaml", recipe);
      app.files.link("a.yaml", "b.yaml");
      std::vector<std::string> line = words;
      line.back().replace(line.back().find("NAME"), 4, name);
      CAPTURE(line);
      CHECK(app.run(line) == 2);
      CHECK(holds(app.err, name + " is an input of this command"));
      CHECK(app.files.read("a.yaml") == recipe);
      CHECK(app.files.read("b.yaml") == recipe);
    }
  }
}

TEST_CASE("Standard input has several names") {
  const std::string recipe = "model: {num_layers: 2}\ntrain: {global_batch_size: 8}\n";
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"lint", "NAME", "--gpus", "8"},
                                             {"lint", "NAME", "--fix"},
                                             {"lint", "NAME", "--stdin-filename", "a.yaml"},
                                             {"gate", "NAME", "--gpus", "8"},
                                             {"watch", "NAME"},
                                             {"why", "num_layers", "NAME"},
                                             {"diff", "NAME", "a.yaml"},
                                             {"simulate", "NAME", "--hw", "h100", "--gpus", "8"},
                                             {"explain", "--from-log", "NAME"},
                                             {"cost", "--batch", "NAME"}}) {
    std::vector<std::string> line = words;
    const auto place = std::ranges::find(line, "NAME");
    *place = "-";
    AppRun dash;
    dash.files.put("a.yaml", recipe);
    dash.input = recipe;
    const int code = dash.run(line);
    for (const std::string name : {"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}) {
      *place = name;
      CAPTURE(line);
      AppRun app;
      app.files.put("a.yaml", recipe);
      app.files.put(name, "model: {num_layers: 3}\n");
      app.input = recipe;
      CHECK(app.run(line) == code);
      CHECK(app.out == dash.out);
      if (words.front() != "watch") {  // it names the operand
        CHECK(app.err == dash.err);
      }
      CHECK(app.files.read(name) == "model: {num_layers: 3}\n");
    }
  }
}

TEST_CASE("The page of explore is not offered for a recipe that it cannot send back") {
  AppRun app;
  app.files.put("a.yaml", "model: {num_layers: 2}\n#" + std::string(4 << 20, 'x') + "\n");
  CHECK(app.run({"explore", "a.yaml", "--hw", "h100", "--gpus", "8"}) == 3);
  CHECK(app.out.empty());
  CHECK(holds(app.err, "cannot serve a.yaml: it is larger than 4 MiB"));
}

TEST_CASE("No command writes two outputs to one file, by whatever names") {
  const std::string recipe = "model: {num_layers: 2}\ntrain: {global_batch_size: 8}\n";
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"lint", "a.yaml", "-f", "json=r.json", "-f", "sarif=NAME"},
           {"gate", "a.yaml", "--gpus", "8", "-f", "json=r.json", "--receipt", "NAME"},
           {"simulate",
            "a.yaml",
            "--hw",
            "h100",
            "--gpus",
            "8",
            "-f",
            "json=r.json",
            "-f",
            "html=NAME"}}) {
    for (const bool exists : {false, true}) {
      for (const std::string name : {"r.json", "./r.json", "x/../r.json", "/r.json", "b.json"}) {
        if (name == "b.json" && !exists) {
          continue;  // a link to nothing is replaced itself
        }
        AppRun app;
        app.files.put("a.yaml", recipe);
        app.files.put("x/c.yaml", recipe);
        if (exists) {
          app.files.put("r.json", "old");
          app.files.link("r.json", "b.json");
        }
        std::vector<std::string> line = words;
        line.back().replace(line.back().find("NAME"), 4, name);
        CAPTURE(line);
        CHECK(app.run(line) == 2);
        CHECK(holds(app.err, "json=r.json and --"));
        CHECK(holds(app.err, name + " write the same file"));
        CHECK(app.files.is_file("r.json") == exists);
      }
    }
  }
  AppRun app;
  app.files.put("a.yaml", recipe);
  app.run({"lint", "a.yaml", "-f", "json=r.json", "-f", "sarif=s.json"});
  CHECK(app.files.is_file("r.json"));
  CHECK(app.files.is_file("s.json"));
}

TEST_CASE("Output that can't be written is no success") {
  struct Broken : std::streambuf {};  // takes nothing

  Broken broken;
  std::ostream out(&broken);
  std::istringstream in;
  std::ostringstream err;
  AppRun world;
  const epwise::support::MemoryVariables variables;
  epwise::cli::App app({in, out, err, world.files, variables, {}, world.devices});
  CHECK(app.run({"--help"}) == 3);
  CHECK(holds(err.str(), "cannot write to standard output"));
}
