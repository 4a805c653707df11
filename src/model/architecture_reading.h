#pragma once

#include "model/architecture.h"
#include "model/field_reader.h"

namespace epwise::model {

/// The architecture of the recipe's model. What is missing is left to the reader's problems.
/// `tensor` is the tensor-parallel size, to which the vocabulary is padded.
Architecture read_architecture(FieldReader& reader, int tensor);

}  // namespace epwise::model
