#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/lint/writer.h"

namespace epwise::report {

/// A report by a Mustache template of the user's: the whole report is one object, with `files` and
/// their `findings`, and with all `findings` in one list.
///   "{{#findings}}{{{path}}}:{{line}} {{{message}}}{{^last}}, {{/last}}{{/findings}}"
/// `{{x}}` is escaped for HTML and XML, `{{{x}}}` is not. Holds all findings until the end.
std::unique_ptr<Writing> start_template(const LintReport& report,
                                        const Style& style,
                                        const std::string& text);

/// What a template may name.
std::span<const std::string_view> template_names();

/// What is wrong with a template; empty when nothing is.
std::string template_problem(const std::string& text);

/// Names in a template that mean nothing: Mustache itself would write nothing for them.
std::vector<std::string> unknown_template_names(std::string_view text);

}  // namespace epwise::report
