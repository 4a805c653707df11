#include "recipe/shell/interpreter.h"

#include <memory>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "base/text/source_file.h"

namespace epwise::shell {
namespace {

/// "run|--a|4|$X?": the words of each program, unknown ones with a question mark, those under a
/// condition with a tilde; "; " between programs.
std::string words_of(const std::string& script, const Surroundings& surroundings = {}) {
  const text::SourceFile file("run.sh", script);
  std::string out;
  for (const Invocation& invocation : follow(file, surroundings).invocations) {
    out += out.empty() ? "" : "; ";
    std::string words;
    for (const Field& field : invocation.words) {
      words += words.empty() ? "" : "|";
      words += field.condition() != 0 ? "~" : "";
      words += field.text();
      words += field.known() || field.condition() != 0 ? "" : "?";
    }
    out += words;
  }
  return out;
}

TEST_CASE("words, quotes and escapes") {
  CHECK(words_of("run a 'b c' \"d  e\" f\\ g") == "run|a|b c|d  e|f g");
  CHECK(words_of("run a \\\n  b # comment\n") == "run|a|b");
  CHECK(words_of("run a#b '' \"\"") == "run|a#b||");
  CHECK(words_of("run \"a\\\"b\\n\"") == "run|a\"b\\n");
  CHECK(words_of("run a; run b & run c") == "run|a; run|b; run|c");
  CHECK(words_of("run a 2>&1 > log | tee x") == "run|a; tee|x");
  CHECK(words_of("run $'a b' {1,2}") == "run|a b|1|2");
}

TEST_CASE("variables") {
  CHECK(words_of("A=4\nrun $A ${A} \"$A\" '$A' x$A") == "run|4|4|4|$A|x4");
  CHECK(words_of("run ${A:-4} ${A-5} ${A:+6} ${A:=7} $A") == "run|4|5|7|7");
  CHECK(words_of("run $A ${A:?no}") == "run|$A?|${A:?no}?");
  CHECK(words_of("A='x y'\nrun $A \"$A\"") == "run|x|y|x y");
  CHECK(words_of("A=a.tar.gz\nrun ${A%.gz} ${A%%.*} ${A#*.} ${A##*.} ${#A}") ==
        "run|a.tar|a|tar.gz|gz|8");
  CHECK(words_of("A=1\nA+=2\nrun $A") == "run|12");
  CHECK(words_of("A=$(date)\nrun $A ${A:-1}") == "run|$A?|${A:-1}?");
  CHECK(words_of("unset A\nrun ${A:-4}") == "run|4");
  CHECK(words_of("run ${SLURM_NNODES:-1}") == "run|${SLURM_NNODES:-1}?");
  Surroundings caller;
  caller.environment = {{"A", "9"}, {"B", std::nullopt}};
  CHECK(words_of("run $A ${A:-4} ${B:-5}", caller) == "run|9|9|5");
}

TEST_CASE("a command that only names the script's folder among its words prints something else") {
  CHECK(words_of("A=$(cd \"$(dirname \"$0\")/..\" && pwd)\nrun $A") == "run|./..");
  CHECK(words_of("A=$(python3 \"$(dirname \"$0\")/../ranks.py\")\nrun $A") == "run|$A?");
}

TEST_CASE("arithmetic") {
  CHECK(words_of("N=4\nrun $((N * 8)) $(($N*2+1)) $((2**3)) $((7 % 4)) $((N > 3 ? 1 : 0))") ==
        "run|32|9|8|3|1");
  CHECK(words_of("run $((1/0)) $((X * 2)) $((9223372036854775807 + 1))") ==
        "run|$((1/0))?|$((X * 2))?|$((9223372036854775807 + 1))?");
}

TEST_CASE("what arithmetic assigns, and what is local") {
  CHECK(words_of("N=1\n((N=4))\nlet M=8 K=M*2\nrun $N $M $K") == "run|4|8|16");
  CHECK(words_of("N=1\n((N++))\nrun $N") == "run|2");
  CHECK(words_of("N=1\nunset M\n[ -v N ] && run n\n[[ -v M ]] || run m") == "run|n; run|m");
  CHECK(words_of("N=1\nif ((N == 4)); then run a; fi\nrun $N") == "run|1");
  CHECK(words_of("N=1\nprintf -v N %d 4\nrun $N") == "run|4");
  CHECK(words_of("N=2; f() { local N=8; run $N; }\nf\nrun $N") == "run|8; run|2");
  CHECK(words_of("f() { local N; N=8; declare -g M=3; K=5; }\nf\nrun ${N:-1} $M $K") ==
        "run|1|3|5");
  CHECK(words_of("N=1; g() { N=7; }; f() { local N=2; g; run $N; }\nf\nrun $N") == "run|7; run|1");
}

TEST_CASE("lists") {
  CHECK(words_of("A=(--x 1 # no\n  --y 'a b'\n)\nrun \"${A[@]}\" z") == "run|--x|1|--y|a b|z");
  CHECK(words_of("A=(a 'b c')\nrun ${A[@]} ${A[0]} ${A[1]} ${#A[@]} $A \"${A[*]}\"") ==
        "run|a|b|c|a|b|c|2|a|a b c");
  CHECK(words_of("A=(a)\nA+=(b c)\nrun \"${A[@]}\"") == "run|a|b|c");
  CHECK(words_of("A=()\nrun x \"${A[@]}\" y") == "run|x|y");
}

TEST_CASE("conditions that are known") {
  CHECK(words_of("A=1\nif [ $A -eq 1 ]; then run a; else run b; fi") == "run|a");
  CHECK(words_of("A=x\nif [[ \"$A\" == y || $A == x* ]]; then run a; else run b; fi") == "run|a");
  CHECK(words_of("if [ -z \"$A\" ]; then A=3; fi\nrun $A") == "run|3");
  CHECK(words_of("[[ -n ${A} ]] && B=1\nrun ${B:-0}") == "run|0");
  CHECK(words_of("(( 3 > 2 )) && run a") == "run|a");
  CHECK(words_of("A=h100\ncase $A in\n a100) run a ;;\n h100|h200) run h ;;\n *) run x ;;\nesac") ==
        "run|h");
  CHECK(words_of("for i in 1 2; do run $i; done") == "run|1; run|2");
}

TEST_CASE("conditions that are open") {
  CHECK(words_of("F=(--a)\nif [ $X = 1 ]; then F+=(--b 2); fi\nrun \"${F[@]}\"") ==
        "run|--a|~--b|~2");
  CHECK(words_of("P='--a'\nif [ $X = 1 ]; then P=\"$P --b 2\"; else P=\"$P --c\"; fi\nrun $P") ==
        "run|--a|~--b|~2|~--c");
  CHECK(words_of("if [ $X = 1 ]; then T=4; else T=8; fi\nrun --t $T") == "run|--t|$T?");
  CHECK(words_of("if [ $X = 1 ]; then T=8; else T=8; fi\nrun --t $T") == "run|--t|8");
  CHECK(words_of("if [ -f x ]; then T=4; else exit 1; fi\nrun --t $T") == "run|--t|4");
  CHECK(words_of("for i in $(seq 3); do run $i; done") == "run|1; run|2; run|3");
}

TEST_CASE("functions, subshells and arguments") {
  CHECK(words_of("go() { run \"$@\" $1; }\ngo a b") == "run|a|b|a");
  CHECK(words_of("function go {\n  T=4\n}\ngo\nrun $T") == "run|4");
  CHECK(words_of("(T=4)\nrun ${T:-1}") == "run|1");
  CHECK(words_of("run $1 \"$@\" ${2:-x}") == "run|$1?|x");
  Surroundings called;
  called.arguments = {field_of("a"), field_of("b c")};
  CHECK(words_of("run $1 \"$@\" ${2:-x}", called) == "run|a|a|b c|b|c");
  CHECK(words_of("if [ $# -lt 1 ]; then echo usage; exit 1; fi\nrun a") == "run|a");
  // what a guard excludes is not the value
  CHECK(words_of("A=${A:-}\nif [[ -z \"$A\" ]]; then exit 1; fi\nrun a=$A") == "run|a=$A?");
  CHECK(words_of("A=${A:-}\n[ -n \"$A\" ] || { echo set A >&2; exit 1; }\nrun a=$A") ==
        "run|a=$A?");
  CHECK(words_of("A=${A:-}\n[[ -z $A ]] && exit 2\nrun a=$A") == "run|a=$A?");
  CHECK(words_of("A=none\nif [ \"$A\" = none ]; then exit 1; fi\nrun a=$A") == "run|a=$A?");
  CHECK(words_of("A=4\nif [ \"$A\" -gt 8 ]; then exit 1; fi\nrun a=$A") == "run|a=4");
  CHECK(words_of("A=${A:-}\nif [[ -z \"$A\" ]]; then echo none; fi\nrun a=$A") == "run|a=");
  CHECK(words_of("conda activate x\nconda run -n x run a") == "conda|run|-n|x|run|a");
  CHECK(words_of("run a\nexit 0\nrun b") == "run|a");
  CHECK(words_of("run a\nif [ -z \"$B\" ]; then exit 1; fi\npython b.py") == "run|a; python|b.py");
  CHECK(words_of("python a.py\nif [ -z \"$B\" ]; then exit 1; fi\nrun b") == "python|a.py");
}

TEST_CASE("shells in shells") {
  CHECK(words_of("srun -N 2 bash -c 'A=1; run $A'") == "srun|-N|2|run|1");
  CHECK(words_of("A=1\nsrun bash -c \"run $A \\$A\"") == "srun|run|1|1");
  CHECK(words_of("C=\"run --a 1\"\neval $C") == "run|--a|1");
  CHECK(words_of("sbatch -N 2 <<EOF\n#!/bin/bash\nrun ${A:-4}\nEOF\nrun b") ==
        "sbatch|-N|2|run|4; run|b");
  CHECK(words_of("cat <<'EOF'\nrun a\nEOF\nrun b") == "cat; run|b");
}

TEST_CASE("a script that another program runs") {
  Surroundings around;
  around.open = [](const std::string& path) {
    return std::make_shared<const text::SourceFile>(path, "run $1 $A\n");
  };
  CHECK(words_of("export A=4\nsrun -N 2 ./inner.sh x", around) == "srun|-N|2|run|x|4");
  CHECK(words_of("srun --task-prolog a.sh python x.py", around) ==
        "srun|--task-prolog|a.sh|python|x.py");
  CHECK(words_of("srun python x.py ./inner.sh", around) == "srun|python|x.py|./inner.sh");
}

TEST_CASE("patterns inside quotes, and lists that are not known") {
  CHECK(words_of("S=a=4\nrun \"${S#*=}\" \"--${S%%=*}\" \"${S#\"a=\"}\"") == "run|4|--a|4");
  CHECK(words_of("declare -A M=([a]=4)\nrun \"${M[@]}\"") != "run|[a]=4");
  CHECK(words_of("mapfile -t M < f\nrun \"${M[@]}\"") == "run|${M[@]}?");
}

TEST_CASE("what a substituted cat or echo prints") {
  Surroundings around;
  around.open = [](const std::string& path) {
    return path == "args.txt"
               ? std::make_shared<const text::SourceFile>(path, "--tp 2\n--pp  4\n\n")
               : nullptr;
  };
  CHECK(words_of("run $(cat args.txt) \"$(< args.txt)\"", around) ==
        "run|--tp|2|--pp|4|--tp 2\n--pp  4");
  CHECK(words_of("run $(cat none.txt)", around) == "run|$(cat none.txt)?");
  CHECK(words_of("A=\"$(echo -n --tp 2)\"\nrun $A $(echo)", around) == "run|--tp|2");
  CHECK(words_of("run $(echo $X)", around) == "run|$X?");
  CHECK(words_of("N=4\nA=$(cat <<E\n{\"a\": $N}\nE\n)\nrun \"$A\"", around) == "run|{\"a\": 4}");
  CHECK(words_of("run $(cat a b) $(cat args.txt | head)", around) ==
        "run|$(cat a b)?|$(cat args.txt | head)?");
  const text::SourceFile script("run.sh", "run --a $(cat args.txt)");
  const Trace trace = follow(script, around);
  REQUIRE(trace.invocations.size() == 1);
  const Field& word = trace.invocations.front().words.back();
  CHECK(word.mark.file->bytes().substr(word.mark.begin, word.mark.end - word.mark.begin) == "4");
}

TEST_CASE("arguments that the script sets, and what the scheduler exports") {
  CHECK(words_of("set -- a b\nrun $2 $#") == "run|b|2");
  CHECK(words_of("set -euo pipefail\nrun a") == "run|a");
  Surroundings around;
  around.open = [](const std::string& path) {
    return std::make_shared<const text::SourceFile>(path, "run $SLURM_NNODES $A\n");
  };
  Variable nodes;
  nodes.kind = Variable::Kind::text;
  nodes.fields = {field_of("4")};
  around.presets = {{"SLURM_NNODES", nodes}};
  CHECK(words_of("A=1\nsrun ./inner.sh", around) == "srun|run|4|$A?");
}

TEST_CASE("an unknown value may be several words") {
  const auto quoted = [](const std::string& script) {
    const text::SourceFile file("run.sh", script);
    return follow(file, {}).invocations.front().words.back().pieces.back().quoted;
  };
  CHECK_FALSE(quoted("X=\"$(date)\"\nrun $X"));
  CHECK_FALSE(quoted("X=$Y\nrun --a 1 $X"));
  CHECK(quoted("X=$(date)\nrun \"$X\""));
}

TEST_CASE("words that read takes from a text") {
  CHECK(words_of("read -r -a P <<< \"--tp 4 $X\"\nrun \"${P[@]}\"") == "run|--tp|4|$X?");
  CHECK(words_of("read A B <<< \"1 2\"\nrun $A$B") == "run|12");
  CHECK(words_of("IFS=, read -ra P <<< '1,2'\nrun ${P[1]}") == "run|2");
  CHECK(words_of("read A <<< \"1 2\"\nrun $A") == "run|1|2");
}

TEST_CASE("what ends a function, loop or script behind an undecided condition") {
  CHECK(words_of("f() { A=1; [ -f x ] && return; A=2; }\nf\nrun $A") == "run|$A?");
  CHECK(words_of("f() { A=1; [ -f x ] && { B=3; return; }; A=1; }\nf\nrun $A $B") == "run|1|$B?");
  CHECK(words_of("f() { if [ -f x ]; then return; else A=2; fi; }\nA=1\nf\nrun $A") == "run|$A?");
  CHECK(words_of("f() { local A=3; [ -f x ] && return; A=4; }\nA=1\nf\nrun $A") == "run|1");
  CHECK(words_of("for A in 1 2; do [ -f x ] && break; done\nrun $A") == "run|$A?");
  CHECK(words_of("A=1\nfor i in 1 2; do [ -f x ] && continue; A=2; done\nrun $A") == "run|$A?");
  CHECK(words_of("for i in 1 2; do for j in 1 2; do run $i $j; break 2; done; done") == "run|1|1");
  CHECK(words_of("A=1\n[ -f x ] && { A=2; exit; }\nrun $A") == "run|1");
  CHECK(words_of("f() { A=2; exit 1; }\nA=1\n[ -f x ] && f\nrun $A") == "run|1");
  CHECK(words_of("bash -c 'run a; exit; run b'\nrun c") == "run|a; run|c");
  CHECK(words_of("(run a; exit; run b)\nrun c") == "run|a; run|c");
}

TEST_CASE("arguments and functions that an undecided branch sets") {
  CHECK(words_of("set -- a\n[ -f x ] && set -- b\nrun \"$1\" $#") == "run|$1?|$#?");
  CHECK(words_of("set -- a b\n[ -f x ] && shift\nrun \"$1\"") == "run|$1?");
  CHECK(words_of("f() { A=1; }\n[ -f x ] && f() { A=2; }\nf\nrun $A") == "run|$A?");
  CHECK(words_of("[ -f x ] && L=(a b) || L=(c)\nrun ${#L[@]}") == "run|${#L[@]}?");
}

TEST_CASE("rounds that are not known") {
  CHECK(words_of("A=v B=v\nwhile [ -f x ]; do A=$B; B=x; done\nrun $A $B") == "run|$A?|$B?");
  CHECK(words_of("N=1\nwhile [ -f x ]; do N=$((N + 1)); A=2; done\nrun $N ${A:-2}") ==
        "run|$N?|${A:-2}?");
}

TEST_CASE("words next to a list whose length is not known") {
  CHECK(words_of("L=(a)\n[ -f x ] && L+=(--b)\nrun \"${L[@]}\"--c") == "run|${L[@]}--c?");
  CHECK(words_of("L=(a)\n[ -f x ] && L+=(b)\nA=\"${L[*]}\"\nrun \"$A\"") == "run|a$A$A?");
}

TEST_CASE("arguments that the caller may give") {
  Surroundings open;
  open.more_arguments = true;
  CHECK(words_of("run a \"$@\" $# ${1:-b}", open) == "run|a|$@?|0|b");
  CHECK(words_of("f() { run \"$@\" $#; }\nf a \"$@\"\nf a", open) == "run|a|$@?|1; run|a|1");
  CHECK(words_of("for a in \"$@\"; do A=1; done\nset -- b \"$@\"\nrun $A \"$@\"", open) ==
        "run|$A?|b|$@?");
  CHECK(words_of("set -- b\nrun \"$@\"", open) == "run|b");
}

TEST_CASE("what exceeds a limit is named") {
  const auto beyond = [](const std::string& script) {
    const text::SourceFile file("run.sh", script);
    return follow(file, {}).beyond;
  };
  std::string many;
  for (int i = 0; i < 257; ++i) {
    many += "run " + std::to_string(i) + "\n";
  }
  CHECK(beyond(many) == "programs after the first 256");
  CHECK(beyond(many.substr(0, many.rfind("run"))).empty());
  CHECK(beyond("f() { f; }\nf") == "commands nested more than 64 deep");
  CHECK(beyond("while true; do nvidia-smi; sleep 1; done\nrun").empty());
}

TEST_CASE("loops over the lines of files and of other commands") {
  CHECK(words_of(
            "cat > f <<EOF\na 1\nb 2\nEOF\nwhile read A B; do run $A $B; done < f\nrun \"$A\"") ==
        "run|a|1; run|b|2; run|");
  CHECK(words_of("while read -r A; do run $A; done < <(seq 1 2)") == "run|1; run|2");
  CHECK(words_of("while read A; do run $A; done < <(printf 'a\\nb')\nrun $A") == "run|a; run|b");
  CHECK(words_of("while read A; do run \"$A\"; done < other") == "run|$A?");
  CHECK(words_of("mapfile -t L < <(echo a; echo b)\nrun \"${L[@]}\"") == "run|${L[@]}?");
  CHECK(words_of("mapfile -t L < <(echo a)\nrun \"${L[@]}\"") == "run|a");
  CHECK(words_of("run --config <(echo a)") == "run|--config|<(echo a)?");
}

TEST_CASE("expressions of a template engine") {
  CHECK(words_of("run --tp {{ .Values.tp }} '--pp={{ pp }}' \"{{x}}\"") ==
        "run|--tp|{{ .Values.tp }}?|--pp={{ pp }}?|{{x}}?");
  CHECK(words_of("A={{ a }}\nrun $A") == "run|$A?");
}

TEST_CASE("parallel") {
  CHECK(words_of("parallel -j2 run --lr {} ::: 1 2") == "run|--lr|1; run|--lr|2");
  CHECK(words_of("parallel run ::: 1 2") == "run|1; run|2");
  CHECK(words_of("parallel 'run --lr {}; run b' ::: 1") == "run|--lr|1; run|b");
  CHECK(words_of("parallel run --lr {} < file") == "run|--lr|{}?");
  CHECK(words_of("parallel run {1} {2} ::: 1 ::: 2").find('?') != std::string::npos);
}

TEST_CASE("options behind the end of a command") {
  const auto cut = [](const std::string& script) {
    const text::SourceFile file("run.sh", script);
    std::string out;
    for (const Field& field : follow(file, {}).cut_off) {
      out += field.text() + "|";
    }
    return out;
  };
  CHECK(cut("python x.py --a 1 \\\n  # why\n  --b 2 \\\n  --c 3\n") == "--b|");
  CHECK(cut("python -m verl.trainer.main_ppo \\\n\n  actor.lr=1\n") == "actor.lr=1|");
  CHECK(cut("python x.py --a 1\nmkdir --parents x\n") == "");
  CHECK(cut("--b 2\npython x.py\n") == "");
}

TEST_CASE("a loop over the arguments") {
  const std::string loop =
      "A=1\nwhile [[ $# -gt 0 ]]; do\n case $1 in\n  --a) A=$2; shift 2 ;;\n"
      "  *) R=$1; shift ;;\n esac\ndone\nrun $A ${R:-none}";
  Surroundings called;
  called.arguments = {field_of("--a"), field_of("4"), field_of("rest")};
  CHECK(words_of(loop, called) == "run|4|rest");
  called.arguments = {field_of("--a")};  // bash shifts nothing, and loops for ever
  CHECK(words_of(loop, called).starts_with("run|"));
  CHECK(words_of("while true; do run a; done", called) == "run|a");
}

TEST_CASE("a word is marked where it was written") {
  const std::string script =
      "T=4\nARGS=(\n  --tp $T\n  --pp 2\n)\nMORE=\"--ep 8\"\nrun \"${ARGS[@]}\" $MORE\n";
  const text::SourceFile file("run.sh", script);
  const Trace trace = follow(file, {});
  REQUIRE(trace.invocations.size() == 1);
  std::string places;
  for (const Field& field : trace.invocations.front().words) {
    const auto at = field.mark.start();
    places += field.text() + "@" + std::to_string(at.line) + ":" + std::to_string(at.column) + " ";
  }
  CHECK(places == "run@7:1 --tp@3:3 4@3:8 --pp@4:3 2@4:8 --ep@6:7 8@6:12 ");
}

TEST_CASE("what is exported") {
  const text::SourceFile file("run.sh",
                              "export A=1\nB=2\nexport B\nC=3\nD=4 run x\nexport E=$(date)\nrun y");
  const Trace trace = follow(file, {});
  REQUIRE(trace.invocations.size() == 2);
  std::string names;
  for (const auto& [name, variable] : trace.invocations[0].environment) {
    names += name + "=" + variable.fields.front().text() + " ";
  }
  CHECK(names == "A=1 B=2 D=4 ");
  const auto& later = trace.invocations[1].environment;
  CHECK(later.count("D") == 0);
  CHECK_FALSE(later.at("E").fields.front().known());
}

TEST_CASE("broken text ends") {
  for (const std::string script : {"if",
                                   "if [ x",
                                   "run \"a",
                                   "A=(a",
                                   "case x in",
                                   "for",
                                   "$((",
                                   "${A",
                                   "cat <<EOF",
                                   "f() { f; }\nf",
                                   "while true; do run a; done",
                                   ")))\nfi\n}",
                                   "A=$A$A$A$A\nfor i in 1 2 3 4 5 6 7 8; do A=$A$A; done",
                                   "x='; eval $x"}) {
    CAPTURE(script);
    CHECK_NOTHROW(words_of(script));
  }
}

}  // namespace
}  // namespace epwise::shell
