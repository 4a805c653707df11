#include "report/page/parts.h"

namespace epwise::report {

std::string_view page_style() {
  return R"(
:root{color-scheme:light dark;
--page:#f6f7f9;--card:#fff;--ink:#1b1f24;--soft:#5b6570;--line:#d9dee4;--grid:#eceff3;
--compute:#3867b0;--dispatch:#d9822b;--combine:#b8562f;--contention:#8a5aa8;--host:#7b8794;
--imbalance:#bfa12f;--bubble:#9fb0c3;--data_parallel:#2b9186;--optimizer:#52667a;
--attention:#3867b0;--experts:#5b4bb0;--wgrad:#8f83cf;--other:#7b8794;
--weights:#3867b0;--gradients:#6f9bd8;--states:#5b4bb0;--activations:#2b9186;--loss:#bfa12f;
--transient:#d9822b;--graphs:#8a5aa8;--buffers:#b8562f;--context:#9aa5b1;
--limit:#c62f2f;--bad:#b3261e;--good:#1d7a46}
@media(prefers-color-scheme:dark){:root{
--page:#14171b;--card:#1d2126;--ink:#e8ebee;--soft:#a0a9b3;--line:#363d45;--grid:#2a3037;
--compute:#5b8fdb;--dispatch:#e39a4d;--combine:#d0764f;--contention:#ab80c8;--host:#8b97a4;
--imbalance:#d2b64c;--bubble:#71849a;--data_parallel:#47b1a5;--optimizer:#7d93a8;
--attention:#5b8fdb;--experts:#8779dc;--wgrad:#5f55a0;--other:#8b97a4;
--weights:#5b8fdb;--gradients:#39639f;--states:#8779dc;--activations:#47b1a5;--loss:#d2b64c;
--transient:#e39a4d;--graphs:#ab80c8;--buffers:#d0764f;--context:#66717d;
--limit:#f06a6a;--bad:#f2837b;--good:#63c48d}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
font-variant-numeric:tabular-nums}
main{max-width:1120px;margin:0 auto;padding:24px 20px 48px}
header{margin:8px 0 16px}
h1{font-size:1.45rem;line-height:1.25;margin:0;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:0 0 2px}
p{margin:0 0 10px}
.sub,.note{color:var(--soft)}.note{font-size:.88rem;margin:0 0 14px;max-width:105ch}
.bad{color:var(--bad);font-weight:600}
section,.tile{background:var(--card);border:1px solid var(--line);border-radius:10px}
section{padding:18px 20px;margin:0 0 16px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:12px;margin:0 0 16px}
.tile{padding:14px 16px}.tile b{display:block;font-size:1.5rem;line-height:1.3;font-weight:650}
.tile span{color:var(--soft);font-size:.85rem}
.row{display:grid;grid-template-columns:150px minmax(0,1fr) 132px;gap:12px;align-items:center;
min-height:30px}
.row>.value{text-align:right;white-space:nowrap}.row>.value small{color:var(--soft);display:inline-block;width:4.2em}
.track{position:relative;height:18px;background:
repeating-linear-gradient(to right,var(--grid) 0 1px,transparent 1px 20%);border-right:1px solid var(--grid)}
.bar{position:absolute;top:0;bottom:0;min-width:1px;border-radius:2px}.bar.none{display:none}
.total{border-top:1px solid var(--line);margin-top:4px;padding-top:6px;font-weight:600}
.whisker{position:absolute;top:3px;bottom:3px;border:solid var(--ink);border-width:0 2px;opacity:.75}
.whisker::before{content:"";position:absolute;left:0;right:0;top:50%;border-top:2px solid var(--ink)}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:.85rem;color:var(--soft);margin:0 0 12px;padding:0;list-style:none}
.legend i{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:6px;vertical-align:-1px}
.scroll{overflow-x:auto;padding-bottom:4px}
.lanes{min-width:680px;margin:0 0 18px}
.lane{display:grid;grid-template-columns:112px minmax(0,1fr);gap:10px;align-items:center;margin:0 0 6px}
.lane>span{color:var(--soft);font-size:.88rem}
.blocks{position:relative;height:34px;background:var(--grid);border-radius:3px}
.lane.thin .blocks{height:20px}
.block{position:absolute;top:0;bottom:0;overflow:hidden;border-radius:2px;border-left:1px solid var(--card);
color:#fff;font-size:.75rem;line-height:34px;padding:0 5px;white-space:nowrap;text-overflow:ellipsis}
.lane.thin .block{line-height:20px}
.block.narrow{padding:0;font-size:0}
.block.back{background-image:linear-gradient(rgba(0,0,0,.24),rgba(0,0,0,.24))}
.block.late{background-image:repeating-linear-gradient(135deg,rgba(255,255,255,.18) 0 5px,transparent 5px 10px)}
.block.critical{box-shadow:inset 0 -4px 0 var(--limit)}
.ticks{position:relative;height:20px;margin-left:122px;color:var(--soft);font-size:.78rem}
.ticks span{position:absolute;transform:translateX(-50%);border-top:5px solid transparent;white-space:nowrap}
.ticks span:first-child{transform:none}.ticks span:last-child{transform:translateX(-100%)}
h3{font-size:.92rem;font-weight:600;margin:0 0 8px}
.plot{position:relative;height:230px;margin:6px 8px 30px 76px;border-left:1px solid var(--line);border-bottom:1px solid var(--line)}
.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
.plot .y,.plot .x{position:absolute;color:var(--soft);font-size:.8rem;white-space:nowrap}
.plot .y{right:100%;margin-right:8px;transform:translateY(50%)}
.plot .x{top:100%;margin-top:6px;transform:translateX(-50%)}
.plot .gridline{position:absolute;left:0;right:0;border-top:1px solid var(--grid)}
.plot .flat{position:absolute;top:0;bottom:0;background:var(--good);opacity:.13}
.plot .dot{position:absolute;width:11px;height:11px;margin:-5px;border-radius:50%;border:2px solid var(--card)}
.plot .tag{position:absolute;font-size:.82rem;font-weight:600;white-space:nowrap;transform:translate(-50%,-26px)}
.plot .tag.left{transform:translate(-100%,-26px)}.plot .tag.right{transform:translate(0,-26px)}
.memory{position:relative}
.memory .track{height:22px;background:var(--grid)}
.limit{position:absolute;top:-3px;bottom:-3px;border-left:2px dashed var(--limit)}
.limits{position:relative;height:22px;font-size:.82rem;color:var(--limit);font-weight:600}
.limits span{position:absolute;transform:translateX(-50%);white-space:nowrap}
.limits span.end{transform:translateX(-100%)}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;padding:5px 12px 5px 0;border-bottom:1px solid var(--grid);vertical-align:top}
th{color:var(--soft);font-weight:600}td:last-child{color:var(--soft)}
tr.assumed td:nth-child(3){color:var(--dispatch);font-weight:600}
footer{color:var(--soft);font-size:.85rem;margin-top:20px}
@media(max-width:640px){main{padding:14px 12px 32px}section{padding:14px}
.row{grid-template-columns:1fr auto;gap:2px 10px;padding:5px 0}.row>.track{grid-column:1/-1;grid-row:2}
td:last-child,th:last-child{display:none}.plot{margin-left:64px}
.memory .row{padding-bottom:8px}}
@media print{body{background:#fff}section,.tile{break-inside:avoid}}
)";
}

}  // namespace epwise::report
