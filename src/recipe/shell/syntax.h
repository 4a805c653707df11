#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/text/diagnostic.h"

namespace epwise::shell {

/// A text to be parsed as shell commands, with the file location of each piece: a whole script, or
/// the argument of `eval`, `bash -c` or a here-document, composed of pieces.
class Source {
 public:
  /// Bytes from `begin` on, up to the next piece.
  struct Piece {
    std::size_t begin = 0;
    text::Mark mark;                      // their location
    bool verbatim = true;                 // the file contains exactly these bytes at the mark
    bool before_srun = false;             // as of shell::Piece
    int condition = 0;                    // as of shell::Piece
    std::vector<std::string> needs = {};  // of the condition
  };

  explicit Source(const text::SourceFile& file);

  Source() = default;

  void add(std::string_view bytes, Piece piece);

  const std::string& text() const { return text_; }

  /// The location of [begin, end); for bytes from several files, that of the first ones.
  text::Mark mark(std::size_t begin, std::size_t end) const;

  /// The piece that contains this offset.
  const Piece& piece(std::size_t at) const;

  /// Where the next piece after this offset begins; the size of the text for the last one.
  std::size_t piece_end(std::size_t at) const;

 private:
  std::string text_;
  std::vector<Piece> pieces_;
};

}  // namespace epwise::shell

/// The tree of a shell script, for the part of bash used in launchers. Anything that the parser
/// does not support becomes a part or command of kind `unknown`, never an error.

namespace epwise::shell {

struct Word;
struct Command;

/// A part of a word.
struct Part {
  enum class Kind : std::uint8_t {
    text,
    parameter,   // $name, ${name…}
    arithmetic,  // $((…))
    command,     // $(…), `…`, <(…): operation "<("
  };
  Kind kind = Kind::text;
  bool quoted = false;
  bool verbatim = false;     // text: the file contains it literally at the mark
  bool before_srun = false;  // of the source from which it was read, as its condition
  int condition = 0;
  std::vector<std::string> needs = {};  // of that condition
  text::Mark mark = {};
  std::string text;            // the literal; the name of a parameter; the output of a command
  std::string operation = {};  // of a parameter: "", ":-", "%%", …; "#" for ${#x}, "!" for ${!x}
  std::vector<Word> index;     // ${x[index]}: none or one
  // ${x:-operand}, $((operand)): none or one; ${x/pattern/replacement}: two
  std::vector<Word> operand;
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

/// A word of one text, without quotes.
Word literal_word(std::string text, const text::Mark& mark);

/// NAME=word, NAME+=word, NAME=(word …), NAME[index]=word
struct Assignment {
  std::string name;
  bool append = false;
  std::vector<Word> index = {};  // none or one
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

/// What a text begins and does not end: bash runs nothing from there on.
struct Unclosed {
  text::Mark mark = {};   // its first word or character; nowhere: everything is closed
  std::string what = {};  // "this `if` has no `fi`"
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
    counted,     // for ((words[0])); children[0] is the body
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
  std::vector<Word> source = {};  // the file that is standard input instead: none or one
  std::vector<Word> output = {};  // the file that receives standard output: none or one
  std::vector<Command> children = {};
  std::vector<Clause> clauses = {};
  text::Mark mark = {};
};

}  // namespace epwise::shell
