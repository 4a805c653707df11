#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "support/choices.h"

namespace epwise::support {

/// Makes shell scripts of the parts that launch scripts consist of: assignments, lists, expansions,
/// conditions, loops, functions, and calls of `torchrun` with what they made. Every script ends by
/// itself, names no file, and reads no variable of its environment. `undecided`: some conditions are
/// whether the command `unknown` succeeds, and end loops, functions or the script.
class ScriptMaker {
 public:
  explicit ScriptMaker(Choices& choices, bool undecided = false)
      : choices_(choices),
        undecided_(undecided) {}

  std::string make() {
    script_ = "A=alpha B='two words' N=3 P=dir/run.v1.sh\nL=(one 'two 2' --three=3)\nE=\n";
    statements(2 + choices_.below(10), 0);
    line(0, "torchrun --last \"${L[@]}\" $A \"$B\" $N");
    return script_;
  }

 private:
  static constexpr std::size_t kDeepest = 3;

  void line(std::size_t depth, const std::string& text) {
    script_ += std::string(2 * depth, ' ') + text + "\n";
  }

  /// `text` with each `@1` replaced.
  static std::string filled(std::string_view text, const std::string& by) {
    std::string result(text);
    for (std::size_t at = result.find("@1"); at != std::string::npos; at = result.find("@1")) {
      result.replace(at, 2, by);
    }
    return result;
  }

  const std::string& name() {
    static const std::array<std::string, 5> kNames = {"A", "B", "N", "P", "E"};
    return choices_.of(kNames);
  }

  /// Text without quotes, which a shell leaves as it is.
  std::string_view plain() {
    static constexpr std::array<std::string_view, 12> kTexts = {"x",
                                                                "8",
                                                                "--flag",
                                                                "--num-layers=4",
                                                                "a/b.c",
                                                                "3",
                                                                "alpha",
                                                                "0",
                                                                "-1",
                                                                "key=1,2",
                                                                "v1.2",
                                                                "fp8"};
    return choices_.of(kTexts);
  }

  /// `$A`, `${A%.*}`, …; of a list too.
  std::string expansion() {
    static constexpr std::array<std::string_view, 40> kForms = {
        "$@1",         "${@1}",          "${@1:-none}", "${@1:+--set $@1}",
        "${@1#*/}",    "${@1##*/}",      "${@1%.*}",    "${@1%%.*}",
        "${@1/a/o}",   "${@1//a/}",      "${@1:1}",     "${@1:0:2}",
        "${@1: -2}",   "${#@1}",         "${@1^^}",     "${@1,,}",
        "${@1^}",      "${Q:-$@1}",      "${Q:=deft}",  "${@1-unset}",
        "${E:-empty}", "${E-kept}",      "${@1/#a/}",   "${@1/%a/z}",
        "${L[@]}",     "${L[*]}",        "${#L[@]}",    "${L[1]}",
        "${L[0]}",     "${L}",           "${L[@]:1}",   "${L[@]:0:2}",
        "${L[-1]}",    "${L[$((N-2))]}", "$((N + 1))",  "$((N * 2 > 5 ? 8 : 4))",
        "${!V}",       "${L[@]/#/--}",   "${L[@]%.*}",  "${!L[@]}"};
    return filled(choices_.of(kForms), name());
  }

  std::string word() {
    switch (choices_.below(9)) {
      case 0:
        return "'" + std::string(plain()) + " $A'";
      case 1:
        return "\"" + std::string(plain()) + " " + expansion() + "\"";
      case 2:
      case 3:
        return "\"" + expansion() + "\"";
      case 4:
        return expansion();
      case 5:
        return std::string(plain()) + expansion();
      case 6:
        return "\"" + expansion() + "\"" + std::string(plain());
      case 7:
        return choices_.below(2) == 0 ? "$'t\\tb'" : "esc\\ aped";
      default:
        return std::string(plain());
    }
  }

  std::string words() {
    std::string text;
    for (std::size_t count = choices_.below(4); count > 0; --count) {
      text += (text.empty() ? "" : " ") + word();
    }
    return text;
  }

  std::string condition() {
    static constexpr std::array<std::string_view, 24> kForms = {
        "[ $N -gt 2 ]",
        "[ \"$A\" = alpha ]",
        "[ \"$A\" == x ]",
        "[ -n \"$E\" ]",
        "[ -z \"$E\" ]",
        "[ -z \"${Q:-}\" ]",
        "[ ${#L[@]} -ge 3 ]",
        "[ ! \"$A\" != x ]",
        "[ \"$A\" = x -o \"$N\" -eq 3 ]",
        "[ \"$A\" = x -a \"$N\" -eq 3 ]",
        "[[ $A == al* ]]",
        "[[ $A != x && -n $B ]]",
        "[[ $A == \"al*\" ]]",
        "[[ $A =~ ^a.*a$ ]]",
        "[[ -z $E || $N == 1 ]]",
        "[[ $N -lt 5 ]]",
        "[[ $A == x || ( $N -ge 3 && ! -n $E ) ]]",
        "((N > 2))",
        "((N % 2 == 0))",
        "true",
        "false",
        "! false",
        "test -n \"$A\"",
        "[[ -v A ]]"};
    std::string text(choices_.of(kForms));
    if (undecided_ && choices_.below(3) == 0) {
      static constexpr std::array<std::string_view, 5> kUnknown = {
          "unknown", "unknown", "! unknown", "unknown && @1", "@1 || unknown"};
      return filled(choices_.of(kUnknown), text);
    }
    static constexpr std::array<std::string_view, 4> kMore = {
        "", "", " && [ -n \"$A\" ]", " || false"};
    return text + std::string(choices_.of(kMore));
  }

  void assignment(std::size_t depth) {
    static constexpr std::array<std::string_view, 4> kFronts = {"", "", "export ", "declare "};
    const std::string front(choices_.of(kFronts));
    switch (choices_.below(12)) {
      case 0:
        return line(depth, "L=(" + words() + ")");
      case 1:
      case 2:
        return line(depth, "L+=(" + words() + ")");
      case 3:
        return line(depth, "L[" + std::to_string(choices_.below(4)) + "]=" + word());
      case 4:
        return line(depth, name() + "+=" + word());
      case 5:
        return line(depth, "N=$((N + " + std::to_string(choices_.below(4)) + "))");
      case 6:
        return line(depth, choices_.below(2) == 0 ? "((N++))" : "let N+=2");
      case 7:
        return line(depth, "unset " + std::string(choices_.below(2) == 0 ? "E" : "'L[1]'"));
      case 8:
        return line(depth, "V=" + name());
      case 9:
        return line(depth, "L=(\"${L[@]}\" " + words() + ")");
      default:
        return line(depth, front + name() + "=" + word());
    }
  }

  /// `exit` only where it is undecided: one before every launch is for a call without arguments.
  std::string ending() {
    std::string text = "return";
    if (loops_ > 0 && choices_.below(3) > 0) {
      static constexpr std::array<std::string_view, 5> kEnds = {
          "break", "continue", "break", "break 2", "continue 2"};
      text = choices_.of(kEnds);
    } else if (calls_ == 0) {
      text = undecided_ ? "exit" : ":";
    }
    return text;
  }

  void ended(std::size_t depth) {
    const std::string how = ending();
    const std::string when = how == "exit" ? "unknown" : condition();
    switch (choices_.below(4)) {
      case 0:
        line(depth, "if " + when + "; then");
        statements(1, depth + 1);
        line(depth + 1, how);
        if (how != "exit" && choices_.below(2) == 0) {
          line(depth, "else");
          statements(1, depth + 1);
          line(depth + 1, ending() == "exit" ? ":" : how);
        }
        return line(depth, "fi");
      case 1:
        return line(depth, when + " && { L+=(--ends); " + how + "; }");
      case 2:
        return line(depth, (how == "exit" ? "" : "! ") + when + " || " + how);
      default:
        return line(depth, when + " && " + how);
    }
  }

  void loop(std::size_t depth) {
    switch (choices_.below(undecided_ ? 7 : 5)) {
      case 0:
        line(depth, "for A in " + words() + "; do");
        break;
      case 1:
        line(depth, "for A in \"${L[@]}\"; do");
        break;
      case 2:
        // a name of its own at each depth, or the loops would not end
        line(depth, filled("for ((i@1 = 0; i@1 < 3; i@1++)); do", std::to_string(depth)));
        break;
      case 3:
        line(depth, "for N in {1..3}; do");
        break;
      case 4:
        line(depth, "for N in $(seq 1 2); do");
        break;
      case 5:
        line(depth, "while unknown; do");
        break;
      default:
        line(depth, "for A in $(unknown && echo x; echo y); do");
        break;
    }
    ++loops_;
    statements(1 + choices_.below(2), depth + 1);
    if (choices_.below(undecided_ ? 2 : 4) == 0) {
      ended(depth + 1);
    }
    if (choices_.below(2) == 0) {
      line(depth + 1, "L+=(--of \"$A\")");
    }
    --loops_;
    line(depth, "done");
  }

  void branches(std::size_t depth) {
    if (choices_.below(3) == 0) {
      static constexpr std::array<std::string_view, 5> kPatterns = {
          "alpha|x", "a*", "*words", "\"$A\"", "[0-9]"};
      line(depth, "case \"$" + name() + "\" in");
      for (std::size_t count = 1 + choices_.below(2); count > 0; --count) {
        line(depth, std::string(choices_.of(kPatterns)) + ")");
        statements(1, depth + 1);
        line(depth + 1, ";;");
      }
      if (choices_.below(2) == 0) {
        line(depth, "*) L+=(--other) ;;");
      }
      return line(depth, "esac");
    }
    line(depth, "if " + condition() + "; then");
    statements(1 + choices_.below(2), depth + 1);
    if (choices_.below(3) == 0) {
      line(depth, "elif " + condition() + "; then");
      statements(1, depth + 1);
    }
    if (choices_.below(2) == 0) {
      line(depth, "else");
      statements(1, depth + 1);
    }
    line(depth, "fi");
  }

  void function(std::size_t depth) {
    const std::size_t loops = std::exchange(loops_, 0);
    ++calls_;
    line(depth, choices_.below(2) == 0 ? "f() {" : "function f {");
    if (choices_.below(2) == 0) {
      line(depth + 1, "local A=${1:-none} M=$#");
      line(depth + 1, "L+=(--of \"$A\" \"$M\")");
    }
    if (choices_.below(2) == 0) {
      line(depth + 1, "shift");
    }
    if (choices_.below(undecided_ ? 2 : 3) == 0) {
      ended(depth + 1);
    }
    if (depth < kDeepest && choices_.below(3) == 0) {
      statements(1, depth + 1);
    }
    static constexpr std::array<std::string_view, 6> kUses = {"torchrun f \"$@\"",
                                                              "L+=(\"$@\")",
                                                              "B=\"$*\"",
                                                              "torchrun $1 ${2:-two}",
                                                              "N=$#",
                                                              "E=\"${@:2}\""};
    line(depth + 1, std::string(choices_.of(kUses)));
    line(depth, "}");
    --calls_;
    loops_ = loops;
    line(depth, "f " + words());
  }

  void other(std::size_t depth) {
    static constexpr std::array<std::string_view, 17> kLines = {
        "B=$(IFS=', '; echo \"${L[*]}\")",
        "set -- one 'two 2' three",
        "set -- \"$@\" --more",
        "torchrun \"$@\"",
        "while [ $# -gt 0 ]; do case $1 in one) A=$1; shift ;; *) B=$1; shift ;; esac; done",
        "read -r A B <<< \"first second third\"",
        "IFS=, read -ra L <<< \"a,b c,d\"",
        "printf -v A '%s-%d' \"$B\" 4",
        "A=$(echo \"$B\" x)",
        "N=$(expr 2 + 3)",
        "A=$(printf '%s' \"$P\")",
        "P=$(basename \"$P\")",
        "P=$(dirname \"$P\")",
        "mapfile -t L <<< \"$B\"",
        "A=`echo back`",
        "N=$(( N > 0 ? N : 1 ))",
        "{ A=group; torchrun \"$A\"; }"};
    line(depth, std::string(choices_.of(kLines)));
  }

  void statements(std::size_t count, std::size_t depth) {
    for (; count > 0 && !choices_.done(); --count) {
      switch (choices_.below(12)) {
        case 0:
          depth < kDeepest ? loop(depth) : assignment(depth);
          break;
        case 1:
        case 2:
          depth < kDeepest ? branches(depth) : assignment(depth);
          break;
        case 3:
          function(depth);
          break;
        case 4:
          line(depth, "torchrun " + words());
          break;
        case 5:
          line(depth, condition() + (choices_.below(2) == 0 ? " && " : " || ") + "L+=(--when)");
          break;
        case 6:
          line(depth, "A=" + word() + " torchrun " + words() + " \\");
          line(depth + 2, "--next " + word());
          break;
        case 7:
          other(depth);
          break;
        case 8:
          undecided_&& calls_ + loops_ > 0 ? ended(depth) : assignment(depth);
          break;
        default:
          assignment(depth);
      }
    }
    if (count > 0 && depth > 0) {
      line(depth, ":");  // a body must not be empty
    }
  }

  Choices& choices_;
  bool undecided_;
  std::size_t loops_ = 0;  // around the line, in the same function
  std::size_t calls_ = 0;  // functions around it
  std::string script_;
};

}  // namespace epwise::support
