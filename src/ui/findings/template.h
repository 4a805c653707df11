#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/findings/writer.h"

namespace epwise::report {

/// A report rendered with a user's Mustache template: the report is one object, with `files` and
/// their `findings`, and with all `findings` in one list.
///   "{{#findings}}{{{path}}}:{{line}} {{{message}}}{{^last}}, {{/last}}{{/findings}}"
/// `{{x}}` is escaped for HTML and XML, `{{{x}}}` is not. Keeps all findings until the end.
std::unique_ptr<Writing> start_template(const LintReport& report,
                                        const Style& style,
                                        const std::string& text);

/// The names available to a template.
std::span<const std::string_view> template_names();

/// What is wrong with a template; empty if it is valid.
std::string template_problem(const std::string& text);

/// Unknown names in a template: Mustache itself would print nothing for them.
std::vector<std::string> unknown_template_names(std::string_view text);

}  // namespace epwise::report
