import { plotStyle } from './plot-style.ts';
import { theme } from './theme.ts';

/** The report's style sheet. Pictures are SVG, so that no style attribute is needed. */
export const style = `${theme}${plotStyle}
*{box-sizing:border-box}
html{scroll-padding-top:4rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;font-variant-numeric:tabular-nums}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px;border-radius:4px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--card);padding:.5rem 1rem;z-index:9}
.wrap{max-width:74rem;margin:0 auto;padding:0 1.25rem}
header.wrap{padding-top:2.75rem;padding-bottom:1.4rem}
.brand{display:flex;align-items:center;gap:.5rem;color:var(--soft);font-size:.82rem;font-weight:600;
letter-spacing:.06em;text-transform:uppercase}
.brand svg{width:1.35rem;height:1.35rem;color:var(--brand)}
h1{font-size:clamp(1.8rem,4.2vw,2.9rem);line-height:1.12;margin:.5rem 0 .35rem;letter-spacing:-.02em;
overflow-wrap:anywhere;font-weight:700}
.state{display:inline-block;vertical-align:.35em;margin-left:.6rem;padding:.18rem .7rem;border-radius:99px;
font-size:.82rem;font-weight:600;letter-spacing:0;border:1px solid currentColor;color:var(--brand)}
.state.finished{color:var(--done-ink)}.state.limited,.state.paused,.state.stopped{color:var(--refused-ink)}.state.blocked{color:var(--failed-ink)}
.facts{display:flex;flex-wrap:wrap;gap:.15rem 1.5rem;margin:.4rem 0 0;color:var(--soft);font-size:.92rem}
.facts div{display:flex;gap:.45rem}.facts dt{color:var(--soft)}.facts dd{margin:0;color:var(--ink)}
nav{position:sticky;top:0;z-index:5;background:color-mix(in srgb,var(--bg) 88%,transparent);
backdrop-filter:blur(8px);border-bottom:1px solid var(--line)}
nav ul.wrap{display:flex;gap:.15rem;list-style:none;padding-top:.4rem;padding-bottom:.4rem;overflow-x:auto;scrollbar-width:none}
nav li:first-child{margin-left:-.65rem}nav a{display:block;padding:.3rem .65rem;border-radius:8px;color:var(--ink);white-space:nowrap;font-size:.9rem}
nav a:hover{background:var(--faint);text-decoration:none}nav .n{color:var(--soft);margin-left:.3rem;font-size:.82rem}
nav .bad .n{color:var(--failed-ink);font-weight:700}
.card,section{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:1.25rem 1.4rem}
.card h2,section h2{margin:0 0 .2rem;font-size:1.15rem;letter-spacing:-.01em}
section{margin:1.25rem 0}
h2 .n{color:var(--soft);font-weight:500;margin-left:.35rem}
h3{margin:0;font-size:1rem;font-weight:650;letter-spacing:-.005em}
.theme{display:none;margin-left:auto;font-size:.82rem;font-weight:500;letter-spacing:0;text-transform:none;padding:.2rem .75rem}.js .theme{display:block}
.lead{margin:.1rem 0 .9rem;color:var(--soft);max-width:60rem}
.top{margin-top:1.4rem}
.sum{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1.4rem;margin:.5rem 0 1.1rem}.sheet{display:flex;flex-wrap:wrap;gap:.5rem 0;margin:0}
.sheet div{display:flex;flex-direction:column-reverse;position:relative;padding-right:2.6rem}
.sheet div::after{content:"+";position:absolute;right:.85rem;top:.05rem;font-size:1.35rem;color:var(--soft)}
.sheet div:first-child::after{content:"="}.sheet div:last-of-type{padding-right:0}.sheet div:last-of-type::after{content:none}
.sheet dd{margin:0;font-size:1.75rem;font-weight:650;letter-spacing:-.02em;line-height:1.2}
.sheet dt{font-size:.86rem;color:var(--soft)}.sheet dt i{display:inline-block;width:.62rem;height:.62rem;border-radius:3px;margin-right:.35rem}
.ok,.off{font-weight:600;padding:.25rem .8rem;border-radius:99px;background:var(--faint)}.ok{color:var(--done-ink)}.off{color:var(--failed-ink)}
.stack{display:block;width:100%;height:14px;border-radius:7px;overflow:hidden}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.8rem;margin:1rem 0 0}
.tile{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:.85rem 1.1rem}
.tile dt{color:var(--soft);font-size:.84rem}.tile dd{margin:0;font-size:1.45rem;font-weight:650;letter-spacing:-.02em}
.chapter{margin:2.6rem 0 .9rem;font-size:1.5rem;letter-spacing:-.02em;line-height:1.2}
.grid{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:1rem;margin:1rem 0 0}.chapter+.grid{margin-top:0}
.grid.three{grid-template-columns:repeat(3,minmax(0,1fr))}.wide{grid-column:1/-1}.short{align-self:start}.narrow{display:none}
@media (max-width:40rem){.broad{display:none}.narrow{display:block}.plot text{font-size:15px}.plot .big{font-size:24px}.plot .onring{font-size:14px}}
@media (max-width:56rem){.grid,.grid.three{grid-template-columns:minmax(0,1fr)}}
@media (min-width:56.01rem) and (max-width:70rem){.grid.three{grid-template-columns:repeat(2,minmax(0,1fr))}}
.bars{list-style:none;margin:0;padding:0;display:grid;grid-template-columns:fit-content(58%) minmax(3rem,1fr) max-content;gap:.45rem .8rem;font-size:.9rem}
.bars li{display:grid;grid-column:1/-1;grid-template-columns:subgrid;align-items:center}
.bars span:first-child{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;min-width:3.2rem}
.bars svg{width:100%;height:10px;border-radius:3px}.bars b{font-weight:500;color:var(--soft);text-align:right}
.jump{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:-.3rem 0 0;padding:0;list-style:none;font-size:.9rem}
.look{list-style:none;margin:.5rem 0 0;padding:0;display:grid;gap:.1rem}
.look li{display:grid;grid-template-columns:1.3rem 1fr auto;gap:.4rem;padding:.42rem 0;border-top:1px solid var(--line)}
.look li:first-child{border-top:0}.look .mark{font-weight:700;color:var(--failed-ink)}.look .mark.warn{color:var(--refused-ink)}
.look .mark.fine{color:var(--done-ink)}
code{font:.86em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--faint);padding:.12em .42em;border-radius:5px}
.tools{display:none;gap:.6rem;align-items:center;flex-wrap:wrap;margin:0 0 .6rem}.js .tools{display:flex}
.tools input{flex:1 1 14rem;max-width:24rem;font:inherit;color:inherit;background:var(--bg);border:1px solid var(--line);
border-radius:8px;padding:.38rem .7rem}
button{font:inherit;color:var(--ink);background:var(--faint);border:1px solid var(--line);border-radius:8px;padding:.34rem .8rem;cursor:pointer}
button:hover{border-color:var(--soft)}
.shown{color:var(--soft);font-size:.87rem;margin-left:auto}
.scroll{overflow-x:auto;margin:0 -1.4rem;padding:0 1.4rem}
table{border-collapse:collapse;width:100%;font-size:.91rem}
caption{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
th{text-align:left;font-weight:600;color:var(--soft);font-size:.82rem;padding:.35rem .9rem .35rem 0;border-bottom:2px solid var(--line);white-space:nowrap}
th button{all:unset;cursor:pointer}th button:focus-visible{outline:3px solid var(--focus);border-radius:4px}
th button::after{content:"";display:inline-block;width:1em;text-align:center;color:var(--brand)}
th[aria-sort=ascending] button::after{content:"\\2191"}th[aria-sort=descending] button::after{content:"\\2193"}
th.num button::after{content:none!important}th.num button::before{display:inline-block;width:1em;color:var(--brand)}
th.num[aria-sort=ascending] button::before{content:"\\2191"}th.num[aria-sort=descending] button::before{content:"\\2193"}
.js th button:hover{color:var(--ink)}
td{padding:.42rem .9rem .42rem 0;border-bottom:1px solid var(--line);vertical-align:top}
tbody tr:last-child td{border-bottom:0}tbody tr:hover td{background:color-mix(in srgb,var(--faint) 55%,transparent)}
td.num,th.num{text-align:right;white-space:nowrap;padding-right:0;padding-left:1.2rem}td.num+td:not(.num),th.num+th:not(.num){padding-left:1.2rem}td.num:first-child,th.num:first-child{padding-left:0}td.tight{white-space:nowrap}
td.url{min-width:16rem;max-width:38rem;overflow-wrap:anywhere}td.url .o{color:var(--soft)}
td .title{display:block;color:var(--soft);font-size:.86rem;overflow:hidden;text-overflow:ellipsis;display:-webkit-box;-webkit-line-clamp:1;-webkit-box-orient:vertical}
td ul{list-style:none;margin:0;padding:0}
.tag{display:inline-block;padding:.02rem .5rem;border-radius:6px;font-size:.84rem;font-weight:600;white-space:nowrap;background:var(--faint)}
.tag.failed{color:var(--failed-ink)}.tag.refused{color:var(--refused-ink)}.tag.done{color:var(--done-ink)}.tag.client{color:var(--client-ink)}
.more{margin:.8rem 0 0;color:var(--soft);font-size:.9rem}.more button{margin-right:.6rem}
.none{color:var(--soft);margin:.3rem 0 0}
footer{color:var(--soft);font-size:.87rem;padding:1rem 0 3rem}
@media (max-width:40rem){.look li{grid-template-columns:1.3rem 1fr}.look code{grid-column:2;justify-self:start}.card,section{padding:1rem}.scroll{margin:0 -1rem;padding:0 1rem}}
@media print{.grid{grid-template-columns:repeat(2,minmax(0,1fr))}.grid.three{grid-template-columns:repeat(3,minmax(0,1fr))}.plot{overflow:visible}.broad{display:block}.narrow{display:none}.plot text{font-size:11.5px}.tiles{grid-template-columns:repeat(6,auto)}
nav,.tools,.more button,.skip,.theme,.tip,details,.csv{display:none!important}section,.card,.tile{border:0;padding:.4rem 0}section{break-inside:auto}
.wrap{max-width:none;padding:0}figure,tr,.tile,.look li,.card.top{break-inside:avoid}.chapter,h2,h3{break-after:avoid}
thead{display:table-header-group}.scroll{overflow:visible;margin:0;padding:0}
body{font-size:10pt;print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`;
