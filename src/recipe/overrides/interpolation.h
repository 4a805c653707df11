#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "recipe/bridge/config_tree.h"
#include "recipe/load.h"

namespace epwise::recipe {

/// Resolves `${a.b}`, `${.sibling}`, `${..uncle}`, `${oc.env:X}`, `${oc.env:X,default}`,
/// `${oc.select:a.b,default}` and `${oc.decode:text}` in place, as OmegaConf does; `\${` is an
/// escape. A value that consists of a single interpolation takes the type of the other value,
/// otherwise texts are concatenated.
///
/// Variables come only from `environment`; an unlisted one leaves the value Unknown {"${X}"}. A key
/// that the tree lacks is Unknown {"a.b"} if `elsewhere` reports that the framework has it, otherwise
/// a recipe/interpolation diagnostic.
void interpolate(ConfigNode& root,
                 const Environment& environment,
                 const ConfigSchema& schema,
                 std::vector<text::Diagnostic>& diagnostics);

/// Offset of the brace that closes the interpolation whose content starts at `begin` ("${a.${b}}":
/// 2 → 8); npos if there is none.
std::size_t closing_brace(std::string_view text, std::size_t begin);

/// A text without surrounding blanks and quotes.
std::string_view strip_blanks(std::string_view text);
std::string_view strip_quotes(std::string_view text);

/// "a.b[c].0" → a, b, c, 0
std::vector<std::string> path_parts(std::string_view path);

}  // namespace epwise::recipe
