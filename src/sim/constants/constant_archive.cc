#include <stdexcept>

#include "data/archive.h"
#include "sim/constants/constant_columns.h"
#include "sim/constants/constants.h"

namespace epwise::sim {

template <class Archive>
void transfer(Archive& archive, ConstantNote& note) {
  archive(note.name, note.value, note.unit, note.log_sd, note.prior, note.status);
  archive(note.prior_log_sd);
  archive(note.source, note.date, note.meaning);
}

std::string pack_constants(const ConstantTable& table) {
  std::vector<ConstantNote> notes = table.notes;
  std::vector<std::string> measured_on = table.measured_on;
  data::Writer writer;
  writer(notes, measured_on);
  return writer.bytes();
}

ConstantTable unpack_constants(std::string_view bytes) {
  ConstantTable table;
  data::Reader reader(bytes);
  reader(table.notes, table.measured_on);
  if (!reader.at_end()) {
    throw std::runtime_error("compiled table of constants is damaged");
  }
  for (const ConstantNote& note : table.notes) {
    const auto member = constant_member(note.name);
    if (member == nullptr) {
      throw std::runtime_error("compiled table of constants is of another build");
    }
    table.values.*member = note.value;
  }
  return table;
}

}  // namespace epwise::sim
