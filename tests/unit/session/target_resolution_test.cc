#include <array>
#include <utility>

#include <doctest/doctest.h>

#include "session/settings/effective_settings.h"
#include "session/target/resolution.h"
#include "support/app_run.h"

using epwise::os::UsageError;
using epwise::recipe::Framework;
using epwise::session::effective_settings;
using epwise::session::EffectiveSetting;
using epwise::session::framework_version;
using epwise::session::resolve_target;
using epwise::session::ResolvedTarget;
using epwise::session::Setting;
using epwise::session::TargetSettings;
using epwise::session::ThisMachine;

namespace {

/// Containers that no table has.
epwise::lint::Knowledge knowledge() {
  epwise::lint::Knowledge result;
  result.containers = {{"box-1", {"bridge=0.5.0", "te=2.8.0", "torch=2.9.0"}, "", ""},
                       {"box-2", {"te=2.10.0"}, "", ""}};
  return result;
}

/// Resolves on a machine that has nothing.
ResolvedTarget resolve(const std::vector<TargetSettings>& sources) {
  epwise::support::AppRun world;
  const epwise::support::MemoryVariables variables;
  const ThisMachine machine({world.files, variables, world.devices});
  std::vector<const TargetSettings*> pointers;
  for (const TargetSettings& source : sources) {
    pointers.push_back(&source);
  }
  return resolve_target(pointers, knowledge(), machine);
}

std::string version(const ResolvedTarget& resolved, const char* component) {
  const auto* found = resolved.target.stack.find(component);
  return found != nullptr && found->version ? found->version->text() : "";
}

TargetSettings with_stack(std::vector<Setting> stack) {
  TargetSettings settings;
  settings.stack = std::move(stack);
  return settings;
}

}  // namespace

TEST_CASE("The strongest source that names a value gives it, with its place") {
  TargetSettings flags;
  flags.gpus = Setting{"16", "--gpus"};
  TargetSettings file;
  file.hw = Setting{"H100", ".epwise.yaml:2"};
  file.gpus = Setting{"64", ".epwise.yaml:3"};
  file.framework = Setting{"mlm", ".epwise.yaml:4"};
  const ResolvedTarget resolved = resolve({flags, file});
  REQUIRE(resolved.target.hw != nullptr);
  CHECK(resolved.target.hw->name == "h100");
  CHECK(resolved.target.hw_source == ".epwise.yaml:2");
  CHECK(resolved.target.gpus == 16);
  CHECK(resolved.target.gpus_source == "--gpus");
  CHECK(resolved.framework == Framework::mlm);
}

TEST_CASE("What nobody says is unknown") {
  const ResolvedTarget resolved = resolve({TargetSettings{}});
  CHECK(resolved.target.hw == nullptr);
  CHECK_FALSE(resolved.target.gpus.has_value());
  CHECK(resolved.target.stack.components().empty());
  CHECK_FALSE(resolved.framework.has_value());
}

TEST_CASE("Stacks are joined component by component; a container replaces weaker ones") {
  const TargetSettings weak = with_stack({{"te=2.6.0", "c:1"}, {"deepep=1.2.1", "c:1"}});
  const ResolvedTarget refined = resolve({with_stack({{"te=2.14.0", "--stack"}}), weak});
  CHECK(version(refined, "te") == "2.14.0");
  CHECK(version(refined, "deepep") == "1.2.1");
  CHECK(refined.target.stack.find("te")->source == "--stack");

  const ResolvedTarget replaced = resolve({with_stack({{"box-1", "--stack"}}), weak});
  CHECK(version(replaced, "te") == "2.8.0");
  CHECK(version(replaced, "deepep").empty());
  CHECK(replaced.target.stack.find("te")->source == "container box-1");

  // A single component refines the container beside it, wherever it stands.
  const ResolvedTarget both =
      resolve({with_stack({{"te=2.9.0", "--stack"}, {"box-1", "--stack"}, {"box-2", "--stack"}})});
  CHECK(version(both, "te") == "2.9.0");
  CHECK(version(both, "torch") == "2.9.0");
}

TEST_CASE("Variables are joined by name, and a bare name unsets") {
  TargetSettings flags;
  flags.environment = {{"A=1", "--env"}, {"B", "--env"}};
  TargetSettings file;
  file.environment = {{"A=0", "c:1"}, {"B=0", "c:1"}, {"C=x=y", "c:1"}};
  const auto environment = resolve({flags, file}).target.environment;
  CHECK(environment.at("A") == "1");
  CHECK(environment.at("B") == std::nullopt);
  CHECK(environment.at("C") == "x=y");
}

TEST_CASE("Harness options are typed as Python would") {
  TargetSettings flags;
  flags.harness = {{"a=true", "--harness"}, {"b=3", "--harness"}, {"c=x", "--harness"}};
  const auto harness = resolve({flags}).target.harness;
  CHECK(*harness.at("a").boolean());
  CHECK(*harness.at("b").integer() == 3);
  CHECK(*harness.at("c").text() == "x");
}

TEST_CASE("Wrong names and numbers say where they stand") {
  const auto message = [](const TargetSettings& settings) -> std::string {
    try {
      resolve({settings});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  TargetSettings settings;
  settings.hw = Setting{"h10", ".epwise.yaml:2"};
  CHECK(message(settings).starts_with(
      ".epwise.yaml:2: unknown hardware profile `h10`, did you mean "));
  settings = {};
  for (const char* wrong : {"0", "-8", "8x", "", "99999999999", "eight"}) {
    settings.gpus = Setting{wrong, "--gpus"};
    CHECK(message(settings).find("is not a valid number of GPUs") != std::string::npos);
  }
  CHECK(message(with_stack({{"box-11", "--stack"}}))
            .starts_with("--stack: `box-11` is neither component=version nor a released container, "
                         "did you mean `box-1`"));
  CHECK_FALSE(message(with_stack({{"tee=1.0", "--stack"}})).empty());
  CHECK_FALSE(message(with_stack({{"te=new", "--stack"}})).empty());
  settings = {};
  settings.environment = {{"=1", "--env"}};
  CHECK(message(settings) == "--env: `=1` is neither NAME=value nor NAME");
  settings = {};
  settings.harness = {{"a", "--harness"}};
  CHECK(message(settings) == "--harness: `a` is not of the form NAME=value");
}

TEST_CASE("auto on a machine that has nothing is a mistake, not a guess") {
  TargetSettings settings;
  settings.hw = Setting{"auto", "--hw"};
  CHECK_THROWS_AS(resolve({settings}), UsageError);
  settings = {};
  settings.gpus = Setting{"auto", "--gpus"};
  CHECK_THROWS_AS(resolve({settings}), UsageError);
}

TEST_CASE("Megatron-LM goes by its own version or by Megatron-Core's") {
  const ResolvedTarget own =
      resolve({with_stack({{"mlm=0.17.0", "--stack"}, {"mcore=0.16.0", "--stack"}})});
  CHECK(framework_version(own.target.stack, Framework::mlm) == "0.17.0");
  CHECK(framework_version(own.target.stack, Framework::bridge).empty());
  const ResolvedTarget core = resolve({with_stack({{"mcore=0.16.0", "--stack"}})});
  CHECK(framework_version(core.target.stack, Framework::mlm) == "0.16.0");
}

TEST_CASE("A release newer than its table is reported for every component with a table") {
  epwise::lint::Tables tables;
  tables.releases = {{"te", {"2.19.0", "2.20.2"}, "", ""},
                     {"mcore", {"0.19.2", "head"}, "", ""},
                     {"driver", {"590", "615"}, "", ""},
                     {"flash_attn", {"2.8.3", "4.0.0b36"}, "", ""}};
  const auto newest = [&](const char* component, const char* version) {
    const auto newer = epwise::session::newer_release(component, version, "--stack", tables);
    return newer ? newer->newest : "";
  };
  CHECK(newest("te", "2.20.3") == "2.20.2");
  CHECK(newest("te", "2.20.2+cu13").empty());
  CHECK(newest("te", "2.3").empty());
  CHECK(newest("te", "head").empty());
  CHECK(newest("mcore", "0.20.0") == "0.19.2");
  CHECK(newest("driver", "615.71.05").empty());
  CHECK(newest("driver", "620.11") == "615");
  CHECK(newest("flash_attn", "4.0.0b24").empty());
  CHECK(newest("flash_attn", "4.0.0") == "4.0.0b36");
  CHECK(newest("verl", "99").empty());
  epwise::recipe::Stack stack;
  for (const auto& [component, version] :
       {std::pair("te", "99"), std::pair("driver", "999"), std::pair("verl", "99")}) {
    stack.set(component, version, ".epwise.yaml:3");
  }
  const auto all = epwise::session::newer_releases(stack, tables);
  REQUIRE(all.size() == 2);
  CHECK(all[0].component == "driver");
  CHECK(all[1].sentence() ==
        "te 99 (.epwise.yaml:3) is newer than 2.20.2, the newest release that this version of "
        "epwise knows; it is checked as if nothing had changed since");
}

TEST_CASE("Every effective value knows who said it") {
  TargetSettings flags;
  flags.gpus = Setting{"16", "EPWISE_GPUS"};
  flags.environment = {{"A", "--env"}};
  TargetSettings file;
  file.hw = Setting{"h100", "c:1"};
  file.stack = {{"te=2.9.0", "c:2"}};
  file.environment = {{"A=0", "c:3"}, {"B=1", "c:3"}};
  epwise::session::RunSettings run;
  run.select = {{"overlap/", "c:4"}, {"EPO001", "c:4"}};
  run.extensions = {{{"memory/", "c:5"}, false}, {{"memory/hint", "--extend-select"}, true}};
  const std::array<const TargetSettings*, 2> sources{&flags, &file};
  const auto rows = effective_settings(sources, resolve({flags, file}), run, {});
  const std::vector<EffectiveSetting> expected = {
      {"hw", "h100", "c:1"},
      {"gpus", "16", "EPWISE_GPUS"},
      {"stack.te", "2.9.0", "c:2"},
      {"env.A", "(unset)", "--env"},
      {"env.B", "1", "c:3"},
      {"framework", "detected from the recipe's keys", "default"},
      {"select", "overlap/, EPO001", "c:4"},
      {"ignore", "no rule", "default"},
      {"extend_select", "memory/hint", "--extend-select"},
      {"extend_ignore", "memory/", "c:5"},
      {"fail_on", "error", "default"},
      {"strict", "false", "default"},
      {"baseline", "none", "default"},
      {"rules", "only the built-in ones", "default"},
  };
  CHECK(rows == expected);
}
