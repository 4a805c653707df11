#include <doctest/doctest.h>

#include "base/os/disk_files.h"
#include "commands/rules/rule_document.h"

namespace epwise::cli {
namespace {

TEST_CASE("one line a rule, by topic, and what is no rule") {
  lint::Knowledge knowledge;
  knowledge.rules.resize(2);
  knowledge.rules[0].id = "batch/a";
  knowledge.rules[0].code = "PAR001";
  knowledge.rules[0].what = "One | two";
  knowledge.rules[1].id = "shape/b";
  knowledge.rules[1].code = "PAR002";
  knowledge.rules[1].aliases = {"USR001"};
  knowledge.rules[1].versions = {{"bridge", "0.5.0", ""}};
  knowledge.tables.uncovered = {{"PAR003", "", "looks at a disk"}};
  const auto page = reference_page(knowledge);
  CHECK(page.find("## batch\n") != std::string::npos);
  CHECK(page.find("One \\| two") != std::string::npos);
  CHECK(page.find("| PAR002 (USR001) | [shape/b](shape/b.yaml) |") != std::string::npos);
  CHECK(page.find("Megatron-Bridge from 0.5.0") != std::string::npos);
  CHECK(page.find("| PAR003 | looks at a disk |") != std::string::npos);
}

TEST_CASE("rules/REFERENCE.md is up to date") {
  const os::DiskFiles files;
  if (!files.is_file("rules/REFERENCE.md")) {
    MESSAGE(
        "skipped: rules/REFERENCE.md is not there (epwise rules reference > rules/REFERENCE.md)");
    return;
  }
  const bool same = files.read("rules/REFERENCE.md") == reference_page(lint::load_knowledge());
  CHECK_MESSAGE(same, "run: epwise rules reference > rules/REFERENCE.md");
}

}  // namespace
}  // namespace epwise::cli
