#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "text/mark.h"

/// The tree of a shell script, for the part of bash that launchers are written in. What the parser
/// doesn't understand becomes a part or command of kind `unknown`, never an error.
namespace epwise::shell {

struct Word;
struct Command;

/// A stretch of a word.
struct Part {
  enum class Kind : std::uint8_t {
    text,
    parameter,   // $name, ${name…}
    arithmetic,  // $((…))
    command,     // $(…), `…`, <(…)
  };
  Kind kind = Kind::text;
  bool quoted = false;
  bool verbatim = false;                // text: the file holds it letter by letter at the mark
  int condition = 0;                    // of the source that it was read from
  std::vector<std::string> needs = {};  // of that condition
  text::Mark mark = {};
  std::string text;            // the literal; the name of a parameter; what a command says
  std::string operation = {};  // of a parameter: "", ":-", "%%", …; "#" for ${#x}, "!" for ${!x}
  std::vector<Word> index;     // ${x[index]}: none or one
  std::vector<Word> operand;   // ${x:-operand}, $((operand)): none or one
};

struct Word {
  std::vector<Part> parts;
  text::Mark mark;

  /// The text of a word that is one unquoted literal, "" for any other.
  std::string plain() const {
    const bool single = parts.size() == 1 && parts[0].kind == Part::Kind::text && !parts[0].quoted;
    return single ? parts[0].text : std::string();
  }
};

/// NAME=word, NAME+=word, NAME=(word …), NAME[index]=word
struct Assignment {
  std::string name;
  bool append = false;
  bool indexed = false;
  bool list = false;
  std::vector<Word> values;  // one without `list`
  text::Mark key;
  text::Mark mark;
};

/// `pattern|pattern) body ;;`
struct Clause {
  std::vector<Word> patterns;
  std::vector<Command> body;
};

struct Command {
  enum class Kind : std::uint8_t {
    simple,      // assignments, words, input
    pipeline,    // children
    both,        // children[0] && children[1]
    either,      // children[0] || children[1]
    sequence,    // children; also { … }
    subshell,    // children
    branch,      // if: children are condition, body, condition, body, …, perhaps a last body
    loop,        // while, until: condition, body
    each,        // for name in words; children[0] is the body
    choice,      // case words[0] in clauses
    function,    // name; children[0] is the body
    test,        // [[ words ]]
    arithmetic,  // (( words[0] ))
  };
  Kind kind = Kind::simple;
  bool negated = false;  // `! command`; until
  std::string name = {};
  std::vector<Assignment> assignments = {};
  std::vector<Word> words = {};
  std::vector<Word> input = {};   // a here-document or here-string: none or one
  std::vector<Word> output = {};  // the file that standard output goes to: none or one
  std::vector<Command> children = {};
  std::vector<Clause> clauses = {};
  text::Mark mark = {};
};

}  // namespace epwise::shell
