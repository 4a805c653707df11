#pragma once

#include <vector>

#include "recipe/bridge/config_schema.h"
#include "recipe/bridge/config_tree.h"
#include "recipe/load.h"
#include "text/diagnostic.h"

namespace epwise::recipe {

/// Resolves `${a.b}`, `${.sibling}`, `${..uncle}`, `${oc.env:X}`, `${oc.env:X,default}`,
/// `${oc.select:a.b,default}` and
/// `${oc.decode:text}` in place, as OmegaConf does; `\${` stands for itself. A value that is
/// nothing but one interpolation takes the other's type, otherwise texts are joined.
///
/// Variables come from `environment` alone; one that it does not name leaves the value Unknown
/// {"${X}"}. A key that the tree lacks is Unknown {"a.b"} where `elsewhere` says that the framework
/// has it, else a recipe/interpolation diagnostic.
void interpolate(ConfigNode& root,
                 const Environment& environment,
                 const ConfigSchema& schema,
                 std::vector<text::Diagnostic>& diagnostics);

}  // namespace epwise::recipe
