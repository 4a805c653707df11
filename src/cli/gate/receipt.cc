#include "cli/gate/receipt.h"

#include <cstdint>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/version.h"
#include "data/embedded.h"
#include "report/place.h"
#include "text/sha256.h"

namespace epwise::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "epwise.receipt/1";
constexpr std::string_view kSeal = ",\n\"seal\":\"";
constexpr std::size_t kMost = std::size_t{64} << 20U;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
  hash = (hash ^ word) * kFactor;
  return hash ^ (hash >> 29U);
}

/// Names the compiled rules and vocabularies; fast, because a launcher waits for it.
std::string rule_set() {
  std::uint64_t hash = 0;
  for (const std::string_view table : {data::compiled_rules(), data::compiled_vocabulary()}) {
    hash = mixed(hash, table.size());
    for (std::size_t at = 0; at + sizeof hash <= table.size(); at += sizeof hash) {
      std::uint64_t word = 0;
      std::memcpy(&word, table.data() + at, sizeof word);
      hash = mixed(hash, word);
    }
  }
  return fmt::format("{:016x}", hash);
}

std::string sealed(std::string text) {
  const std::string seal = text::sha256(text);
  return fmt::format("{}{}{}\"}}\n", std::move(text), kSeal, seal);
}

/// The part under the seal; empty where the seal is broken.
std::string_view unsealed(std::string_view text) {
  const std::size_t at = text.rfind(kSeal);
  if (at == std::string_view::npos) {
    return {};
  }
  const std::string_view part = text.substr(0, at);
  const std::string_view rest = text.substr(at + kSeal.size());
  return rest == text::sha256(part) + "\"}\n" ? part : std::string_view();
}

Json recipe_json(const report::LintedFile& file) {
  Json values = Json::object();
  for (const auto& [name, field] : file.recipe->fields) {
    values[name] = field.value.is_unknown() ? "?" : field.value.to_text();
  }
  for (const model::Rewrite& rewrite : file.result.effective) {
    values[rewrite.field] = rewrite.after.is_unknown() ? "?" : rewrite.after.to_text();
  }
  for (const auto& [name, variable] : file.recipe->variables) {
    values["env." + name] = variable.value.is_unknown() ? "?" : variable.value.to_text();
  }
  return {{"path", file.path},
          {"framework", recipe::to_string(file.recipe->framework)},
          {"version", file.result.framework_version},
          {"target", file.target},
          {"launch", lint::to_string(file.result.launch.verdict)},
          {"accepted", file.result.accepted.size()},
          {"values", std::move(values)}};
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void Receipt::add(const report::LintedFile& file) {
  for (const auto& source : file.recipe->files) {
    if (report::is_real_file(source->name()) && !hashes_.contains(source->name())) {
      const std::string mark = source->had_byte_order_mark() ? "\xEF\xBB\xBF" : "";
      hashes_.emplace(source->name(), text::sha256(mark + std::string(source->bytes())));
    }
  }
  recipes_.add(recipes_.empty() ? "\n" : ",\n");
  recipes_.add(dumped(recipe_json(file)));
}

std::string Receipt::text(const report::LintReport& report) const {
  Json files = Json::array();
  for (const auto& [path, hash] : hashes_) {
    files.push_back({{"path", path}, {"sha256", hash}});
  }
  std::string recipes;
  recipes_.give([&recipes](std::string_view part) { recipes += part; });
  Json budgets = Json::array();
  for (const report::Budget& budget : report.budgets) {
    budgets.push_back({{"path", budget.path},
                       {"option", budget.option},
                       {"limit", budget.limit},
                       {"kept", budget.state == report::Budget::State::kept},
                       {"text", budget.text}});
  }
  return sealed(fmt::format(
      "{{\"schema\":\"{}\",\n\"tool\":\"{}\",\n\"rules\":\"{}\",\n\"exit_code\":{},\n\"files\":{},"
      "\n\"recipes\":[{}],\n\"budgets\":{}",
      kSchema,
      report.tool_version,
      rule_set(),
      report.exit_code,
      dumped(files),
      recipes,
      dumped(budgets)));
}

Verification verify_receipt(const world::Files& files, const std::string& path) {
  Verification result;
  std::string text;
  try {
    text = files.read(path, kMost);
  } catch (const world::MissingError& error) {
    return {ExitCode::unreadable, {error.what()}};
  }
  const std::string_view part = unsealed(text);
  if (part.empty()) {
    return {ExitCode::unreadable, {fmt::format("{}: no receipt, or its seal is broken", path)}};
  }
  const Json json = Json::parse(std::string(part) + "}", nullptr, false);
  if (!json.is_object() || json.value("schema", "") != kSchema) {
    return {ExitCode::unreadable, {fmt::format("{}: no receipt of this program", path)}};
  }
  const auto object = [&](std::string sentence) {
    result.code = ExitCode::findings;
    result.sentences.push_back(fmt::format("{}: {}", path, std::move(sentence)));
  };
  if (json.value("exit_code", -1) != 0) {
    object("the gate did not pass");
  }
  if (json.value("tool", "") != tool_version() || json.value("rules", "") != rule_set()) {
    object("it was written with other rules: run `epwise gate` again");
  }
  const Json& listed = json.at("files");
  if (listed.empty()) {
    object("it speaks of no file");
  }
  for (const Json& entry : listed) {
    const std::string name = entry.value("path", "");
    try {
      if (text::sha256(files.read(name, kMost)) != entry.value("sha256", "")) {
        object(fmt::format("{} has changed since", name));
      }
    } catch (const world::MissingError& error) {
      object(error.what());
    }
  }
  return result;
}

}  // namespace epwise::cli
