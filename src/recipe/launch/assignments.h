#pragma once

#include <map>
#include <string>

#include "recipe/recipe.h"
#include "shell/field.h"

namespace epwise::recipe {

/// Adds the variables that a word of a launcher sets, from a letter of it on: K=V, also K=V,L=W as
/// some containers take them. A word that is neither adds nothing; the later one of a name counts.
///   `A=1,B=2` → A: 1, B: 2
void add_variables(const shell::Field& word,
                   std::size_t begin,
                   std::map<std::string, shell::Field>& variables);

/// Those between commas, of a word without variables; names alone are left out: `ALL,A=1` → A: 1
void add_variable_list(const shell::Field& word,
                       std::size_t begin,
                       std::map<std::string, shell::Field>& variables);

/// Only K=V, whatever stands behind the sign: `A=1,B=2` → A: "1,B=2".
void add_variable(const shell::Field& word,
                  std::size_t begin,
                  std::map<std::string, shell::Field>& variables);

/// What the environment holds then: the text, or what it needs to be known.
Variable variable_of(const shell::Field& value, const text::Mark& key);

}  // namespace epwise::recipe
