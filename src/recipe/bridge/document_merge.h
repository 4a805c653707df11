#pragma once

#include <vector>

#include "yaml/node.h"

namespace epwise::recipe {

/// Makes one document of several: mappings merge key by key, anything else is replaced by the later
/// document's. Leaves a single document behind.
void merge_documents(std::vector<yaml::Document>& documents);

}  // namespace epwise::recipe
