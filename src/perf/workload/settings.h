#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "perf/workload/field_reader.h"
#include "perf/workload/workload.h"

/// Which settings a prediction takes into account.
namespace epwise::workload {

enum class Treatment : std::uint8_t {
  priced,     // changes the predicted time or memory where it applies
  told,       // has an effect that the prediction lacks: reported where it is set
  no_effect,  // on the time and memory of a training step
};

/// Settings with one treatment; `name` may begin or end with `*`. The first row that matches a field
/// counts.
struct SettingRow {
  std::string_view name;
  Treatment treatment = Treatment::priced;
  /// told: the value that the prediction assumes, "" for the framework's default.
  std::string_view usual;
  std::string_view reason;  // told: what is left out; no_effect: why; priced: by what
};

/// Every field whose change is one of performance (`epwise diff` classifies them) has a row.
std::span<const SettingRow> setting_rows();

/// The same for the environment variables and the components of the stack that rules read.
std::span<const SettingRow> variable_rows();
std::span<const SettingRow> component_rows();

/// Null pointer without a row.
const SettingRow* setting_row(std::string_view field);

/// Null pointer without a row; "te" is a component.
const SettingRow* variable_row(std::string_view name);
const SettingRow* component_row(std::string_view name);

/// Adds an input `not_priced` for each setting and environment variable that the prediction leaves
/// out, if the recipe sets it to another value than the usual one.
void note_unpriced(const FieldReader& reader, Workload& workload);

}  // namespace epwise::workload
