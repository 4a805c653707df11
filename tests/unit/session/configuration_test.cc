#include "session/settings/configuration.h"

#include <algorithm>

#include <doctest/doctest.h>

using epwise::session::Configuration;
using epwise::session::read_configuration;
using epwise::session::RunSettings;
using epwise::session::satisfies;
using epwise::session::Setting;
using epwise::text::Diagnostic;
using epwise::text::SourceFile;

namespace {

struct Read {
  Configuration configuration;
  std::vector<std::string> problems;  // "line: message"
};

Read read_text(const char* text) {
  const SourceFile file(".epwise.yaml", text);
  std::vector<Diagnostic> problems;
  Read result;
  result.configuration = read_configuration(file, "conf", problems);
  for (const Diagnostic& problem : problems) {
    result.problems.push_back(std::to_string(problem.mark.start().line) + ": " + problem.message);
  }
  return result;
}

}  // namespace

TEST_CASE("Every key is read with its line") {
  const Read result = read_text(R"(hw: gb200
gpus: 256
stack: nemo-25.09, te=2.14.0
env: {CUDA_DEVICE_MAX_CONNECTIONS: 1, NCCL_IB_TC: }
framework: bridge
select: [overlap/, EPO001]
ignore: memory/hint
fail_on: warning
strict: true
rules: our-rules
required_version: ">=0.1"
extend_select: [memory/hint]
extend_ignore: [price/, EPO002]
)");
  CHECK(result.problems.empty());
  const Configuration& configuration = result.configuration;
  CHECK(configuration.target.hw == Setting{"gb200", ".epwise.yaml:1"});
  CHECK(configuration.target.gpus == Setting{"256", ".epwise.yaml:2"});
  CHECK(configuration.target.stack ==
        std::vector<Setting>{{"nemo-25.09", ".epwise.yaml:3"}, {"te=2.14.0", ".epwise.yaml:3"}});
  CHECK(configuration.target.environment ==
        std::vector<Setting>{{"CUDA_DEVICE_MAX_CONNECTIONS=1", ".epwise.yaml:4"},
                             {"NCCL_IB_TC", ".epwise.yaml:4"}});
  CHECK(configuration.target.framework == Setting{"bridge", ".epwise.yaml:5"});
  CHECK(configuration.run.select ==
        std::vector<Setting>{{"overlap/", ".epwise.yaml:6"}, {"EPO001", ".epwise.yaml:6"}});
  CHECK(configuration.run.ignore == std::vector<Setting>{{"memory/hint", ".epwise.yaml:7"}});
  CHECK(configuration.run.extensions ==
        std::vector<RunSettings::Extension>{{{"memory/hint", ".epwise.yaml:12"}, true},
                                            {{"price/", ".epwise.yaml:13"}, false},
                                            {{"EPO002", ".epwise.yaml:13"}, false}});
  CHECK(configuration.run.fail_on == Setting{"warning", ".epwise.yaml:8"});
  CHECK(configuration.run.strict == Setting{"true", ".epwise.yaml:9"});
  CHECK(configuration.run.rules == Setting{"conf/our-rules", ".epwise.yaml:10"});
  CHECK(configuration.required_version == Setting{">=0.1", ".epwise.yaml:11"});
}

TEST_CASE("A version keeps its last zero, and stacks may be mappings or lists") {
  const Read mapping = read_text("stack:\n  te: 2.10\n  torch: 2.9.1\n");
  CHECK(mapping.problems.empty());
  CHECK(mapping.configuration.target.stack ==
        std::vector<Setting>{{"te=2.10", ".epwise.yaml:2"}, {"torch=2.9.1", ".epwise.yaml:3"}});
  const Read list = read_text("stack: [nemo-25.09, te=2.10]\n");
  CHECK(list.configuration.target.stack.size() == 2);
}

TEST_CASE("Targets apply to the files that their paths cover") {
  const Read result = read_text(R"(targets:
  - name: small
    paths: [recipes/h100/, "!recipes/h100/big.yaml"]
    hw: h100
  - paths: "*.yaml"
    gpus: 8
)");
  CHECK(result.problems.empty());
  REQUIRE(result.configuration.targets.size() == 2);
  const auto& small = result.configuration.targets[0];
  CHECK(small.name == "small");
  CHECK(small.source == ".epwise.yaml:2");
  CHECK(small.covers("recipes/h100/a.yaml"));
  CHECK_FALSE(small.covers("recipes/h100/big.yaml"));
  CHECK_FALSE(small.covers("recipes/b.yaml"));
  CHECK(result.configuration.targets[1].covers("deep/down/b.yaml"));
}

TEST_CASE("All problems of a file are named, each with its line") {
  const Read result = read_text(R"(hww: h100
gpus: [1, 2]
framework: nemo
fail_on: waring
strict: perhaps
required_version: soon
targets:
  - hw: h100
  - name: x
    pathes: a
)");
  CHECK(result.problems.size() == 8);
  const auto has = [&result](const char* problem) {
    return std::find(result.problems.begin(), result.problems.end(), problem) !=
           result.problems.end();
  };
  CHECK(has("1: unknown key `hww` in the configuration, did you mean `hw`?"));
  CHECK(has("2: `gpus` must be a single value"));
  CHECK(has("3: `framework` must be one of bridge, mlm, not `nemo`"));
  CHECK(
      has("4: `fail_on` must be one of error, warning, note, never, hang, wrong, memory, slow, not "
          "`waring`, did you mean `warning` or `wrong`?"));
  CHECK(has("5: `strict` must be one of true, false, not `perhaps`"));
  CHECK(has("6: `soon` is not a version bound"));
  CHECK(has("8: this entry of `targets` never applies"));
  CHECK(has("10: unknown key `pathes` in an entry of `targets`, did you mean `paths`?"));
}

TEST_CASE("A file without keys is a configuration, one that is no mapping is not") {
  CHECK(read_text("# nothing yet\n").configuration.path == ".epwise.yaml");
  CHECK(read_text("- hw\n").problems ==
        std::vector<std::string>{"1: a configuration must be a mapping of keys"});
  CHECK_FALSE(read_text("hw: [\n").problems.empty());
}

TEST_CASE("Version bounds") {
  CHECK(satisfies("0.1.0", ">=0.1") == true);
  CHECK(satisfies("0.1.0", ">=0.2") == false);
  CHECK(satisfies("0.1.0", ">=0.1, <0.3") == true);
  CHECK(satisfies("0.3.0", ">=0.1,<0.3") == false);
  CHECK(satisfies("0.1.0", "0.1.0") == true);
  CHECK(satisfies("0.1.0", "==0.1.1") == false);
  CHECK(satisfies("0.1.0", "!=0.1.1") == true);
  CHECK(satisfies("0.1.0", "0.1.*") == std::nullopt);
  CHECK(satisfies("0.1.0", "") == std::nullopt);
}
