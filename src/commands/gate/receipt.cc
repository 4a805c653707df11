#include "commands/gate/receipt.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/embedded/embedded.h"
#include "base/os/regular_files.h"
#include "base/text/sha256.h"
#include "base/text/source_file.h"
#include "recipe/load.h"
#include "session/files/file_selection.h"
#include "ui/json.h"
#include "ui/place.h"
#include "ui/version.h"

namespace epwise::cli {

namespace {

using report::Json;
using report::json_line;

constexpr std::string_view kSchema = "epwise.receipt/1";
constexpr std::string_view kSeal = ",\n\"seal\":\"";
constexpr std::size_t kMostReceiptBytes = std::size_t{256} << 20U;  // of a receipt
constexpr std::size_t kMostFile = std::size_t{64} << 20U;           // of the files that it lists

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
  hash = (hash ^ word) * kFactor;
  return hash ^ (hash >> 29U);
}

/// Identifies the compiled rules and vocabularies; fast, because a launcher waits for it.
std::string rule_set() {
  std::uint64_t hash = 0;
  for (const std::string_view table :
       {embedded::compiled_rules(), embedded::compiled_vocabulary()}) {
    hash = mixed(hash, table.size());
    for (std::size_t at = 0; at + sizeof hash <= table.size(); at += sizeof hash) {
      std::uint64_t word = 0;
      std::memcpy(&word, table.data() + at, sizeof word);
      hash = mixed(hash, word);
    }
  }
  return fmt::format("{:016x}", hash);
}

void seal(std::string& text) {
  const std::string hash = text::sha256(text);
  text.append(kSeal).append(hash).append("\"}\n");
}

/// The part covered by the checksum; empty if it does not match.
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
  for (const facts::Rewrite& rewrite : file.result.effective) {
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

/// The parts of a receipt needed for verification; builds no tree for recipes and budgets, which
/// are most of it.
Json read_attestation_head(std::string_view part) {
  const Json::parser_callback_t wanted = [](int depth, Json::parse_event_t event, Json& parsed) {
    return depth != 1 || event != Json::parse_event_t::key ||
           (parsed != "recipes" && parsed != "budgets");
  };
  return Json::parse(part, wanted, false);
}

/// What a directory or a pattern selects, by name.
std::vector<std::string> selected(const os::Files& files, const std::string& operand) {
  std::vector<std::string> names;
  for (const session::Input& input : session::select_files(files, {operand}, "").inputs) {
    names.push_back(input.path);
  }
  return names;
}

Json hashes_json(const std::map<std::string, std::string>& hashes) {
  Json result = Json::array();
  for (const auto& [path, hash] : hashes) {
    result.push_back({{"path", path}, {"sha256", hash}});
  }
  return result;
}

std::string text_at(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool is_receipt(const Json& json) {
  return text_at(json, "schema") == kSchema && json.contains("files") && json["files"].is_array() &&
         json.contains("exit_code") && json["exit_code"].is_number_integer();
}

/// What a receipt says against what is there now.
class ReceiptCheck {
 public:
  ReceiptCheck(const os::Files& files, const std::string& path, const Json& json)
      : files_(files),
        path_(path),
        json_(json) {}

  void head(const std::string& today) {
    if (json_["exit_code"] != 0) {
      object("the gate did not pass");
    }
    if (text_at(json_, "tool") != tool_version() || text_at(json_, "rules") != rule_set()) {
      object("it was written with other rules: run `epwise gate` again");
    }
    if (const std::string until = text_at(json_, "valid_until"); !until.empty() && today > until) {
      object(fmt::format("a finding was accepted until {}: run `epwise gate` again", until));
    }
  }

  void files() {
    if (json_["files"].empty()) {
      object("it lists no files");
    }
    for (const Json& entry : json_["files"]) {
      const std::string name = text_at(entry, "path");
      try {
        if (content_hash(name) != text_at(entry, "sha256")) {
          object(fmt::format("{} has changed since", name));
        }
      } catch (const os::MissingError& error) {
        object(error.what());
      }
    }
    for (const Json& entry : items(json_, "absent")) {
      if (entry.is_string() && files_.is_file(entry.get<std::string>())) {
        object(fmt::format("{} exists now", entry.get<std::string>()));
      }
    }
  }

  /// Files that joined a directory, and files that were not recipes and are now.
  void selection() {
    for (const Json& folder : items(json_, "folders")) {
      std::set<std::string> before;
      for (const Json& name : items(folder, "files")) {
        before.insert(name.is_string() ? name.get<std::string>() : std::string());
      }
      for (const std::string& name : selected(files_, text_at(folder, "path"))) {
        if (!before.contains(name)) {
          object(fmt::format("{} was added since", name));
        }
      }
    }
    for (const Json& other : items(json_, "others")) {
      const std::string name = text_at(other, "path");
      if (became_recipe(name, text_at(other, "sha256"))) {
        object(fmt::format("{} was not a recipe and is one now", name));
      }
    }
  }

  Verification result() const { return result_; }

 private:
  void object(const std::string& sentence) {
    result_.code = ExitCode::findings;
    result_.sentences.push_back(fmt::format("{}: {}", path_, sentence));
  }

  static Json items(const Json& json, const char* key) {
    const auto found = json.is_object() ? json.find(key) : json.end();
    return found != json.end() && found->is_array() ? *found : Json::array();
  }

  std::string content_hash(const std::string& name) const {
    return text::sha256(os::read_regular(files_, name, kMostFile));
  }

  bool became_recipe(const std::string& name, const std::string& hash) const {
    try {
      const std::string text = os::read_regular(files_, name, kMostFile);
      return text::sha256(text) != hash && recipe::sniff(text::SourceFile(name, text)).has_value();
    } catch (const os::MissingError&) {
      return false;  // nothing depends on it
    }
  }

  const os::Files& files_;
  const std::string& path_;
  const Json& json_;
  Verification result_;
};

}  // namespace

void Receipt::add(const report::LintedFile& file) {
  for (const auto& source : file.recipe->files) {
    if (report::is_real_file(source->name()) && !hashes_.contains(source->name())) {
      const std::string mark = source->had_byte_order_mark() ? "\xEF\xBB\xBF" : "";
      hashes_.emplace(source->name(), text::sha256(mark + std::string(source->bytes())));
    }
  }
  for (const lint::Accepted& accepted : file.result.accepted) {
    if (!accepted.until.empty() && (valid_until_.empty() || accepted.until < valid_until_)) {
      valid_until_ = accepted.until;
    }
  }
  recipes_.add(recipes_.empty() ? "\n" : ",\n");
  recipes_.add(json_line(recipe_json(file)));
}

void Receipt::add(const os::Files& files, const std::vector<std::string>& operands) {
  for (const std::string& operand : operands) {
    const bool many = files.is_directory(operand) || session::is_glob(operand);
    if (!session::is_standard_input(operand) && many && !files.is_file(operand)) {
      folders_.emplace(operand, selected(files, operand));
    }
  }
}

void Receipt::add(const WitnessFiles& files, const std::vector<std::string>& skipped) {
  hashes_.insert(files.read_files().begin(), files.read_files().end());
  for (const std::string& path : skipped) {
    if (const auto found = hashes_.extract(path)) {
      others_.emplace(path, found.mapped());
    }
  }
  absent_ = files.absent();
}

std::string Receipt::text(const report::LintReport& report) const {
  Json folders = Json::array();
  for (const auto& [path, names] : folders_) {
    folders.push_back({{"path", path}, {"files", names}});
  }
  Json budgets = Json::array();
  for (const report::Budget& budget : report.budgets) {
    budgets.push_back({{"path", budget.path},
                       {"option", budget.option},
                       {"limit", budget.limit},
                       {"kept", budget.state == report::Budget::State::kept},
                       {"text", budget.text}});
  }
  // Appends in place: with many recipes this is large and should be in memory only once.
  std::string text = fmt::format(
      "{{\"schema\":\"{}\",\n\"tool\":\"{}\",\n\"rules\":\"{}\",\n\"exit_code\":{},\n\"valid_"
      "until\":{},"
      "\n\"files\":{},\n\"absent\":{},\n\"folders\":{},\n\"others\":{},\n\"recipes\":[",
      kSchema,
      report.tool_version,
      rule_set(),
      report.exit_code,
      json_line(valid_until_.empty() ? Json() : Json(valid_until_)),
      json_line(hashes_json(hashes_)),
      json_line(Json(absent_)),
      json_line(folders),
      json_line(hashes_json(others_)));
  recipes_.give([&text](std::string_view part) {
    text += part;
    if (text.size() > kMostReceiptBytes) {
      throw os::MissingError(
          fmt::format("no receipt written: it would be larger than {} MiB; gate fewer paths per "
                      "run, each with its own receipt",
                      kMostReceiptBytes >> 20U));
    }
  });
  text += "],\n\"budgets\":" + json_line(budgets);
  seal(text);
  return text;
}

Verification verify_receipt(const os::Files& files,
                            const std::string& path,
                            const std::string& today) {
  Verification result;
  std::string text;
  try {
    text = os::read_regular(files, path, kMostReceiptBytes);
  } catch (const os::MissingError& error) {
    return {ExitCode::unreadable, {error.what()}};
  }
  if (text.size() > kMostReceiptBytes) {
    return {
        ExitCode::unreadable,
        {fmt::format("{}: not a receipt, or larger than {} MiB", path, kMostReceiptBytes >> 20U)}};
  }
  const std::size_t size = unsealed(text).size();
  if (size == 0) {
    return {ExitCode::unreadable, {fmt::format("{}: not a receipt, or it was modified", path)}};
  }
  text.resize(size);
  text += '}';
  const Json json = read_attestation_head(text);
  if (!is_receipt(json)) {
    return {ExitCode::unreadable, {fmt::format("{}: not a receipt of this program", path)}};
  }
  ReceiptCheck check(files, path, json);
  check.head(today);
  check.files();
  check.selection();
  return check.result();
}

}  // namespace epwise::cli
