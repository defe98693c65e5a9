import { theme } from '../page/theme.ts';

const tones = ['done', 'accent', 'client', 'failed', 'dead', 'refused'];
const categories = Array.from({ length: 8 }, (_, i) => `c${i}`);

export const explorerStyle = `${theme}
*{box-sizing:border-box}
html,body{height:100%}
body{margin:0;display:flex;flex-direction:column;background:var(--bg);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;font-variant-numeric:tabular-nums}
a{color:var(--link);text-decoration:none;overflow-wrap:anywhere}a:hover{text-decoration:underline}
:focus-visible{outline:3px solid var(--focus);outline-offset:1px;border-radius:4px}
header{display:flex;flex-wrap:wrap;gap:.6rem 1.2rem;align-items:center;padding:.7rem 1.2rem;border-bottom:1px solid var(--line);background:var(--card)}
h1{font-size:1.15rem;margin:0;letter-spacing:-.01em;max-width:24rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
[role=tablist]{display:flex;gap:.2rem;background:var(--faint);border-radius:10px;padding:.2rem}
button{font:inherit;color:inherit;background:var(--faint);border:1px solid var(--line);border-radius:8px;padding:.28rem .8rem;cursor:pointer}
[role=tab]{border-color:transparent;background:none}[role=tab][aria-selected=true]{background:var(--card);border-color:var(--line);font-weight:600}
input{flex:1 1 12rem;max-width:26rem;font:inherit;color:inherit;background:var(--bg);border:1px solid var(--line);border-radius:8px;padding:.34rem .7rem}
.theme{margin-left:auto;font-size:.85rem}
main{flex:1;min-height:0;display:grid;grid-template-columns:minmax(0,1fr) 22rem}
[role=tabpanel]{overflow:auto;min-height:0}#hosts{overflow:hidden}[hidden]{display:none!important}
aside{border-left:1px solid var(--line);background:var(--card);padding:1.1rem 1.2rem;overflow:auto;font-size:.92rem}
aside h2{font-size:1.02rem;margin:0 0 .5rem;overflow-wrap:anywhere;letter-spacing:-.01em}aside h3{font-size:.84rem;color:var(--soft);margin:1.1rem 0 .3rem;font-weight:600}
aside dl{display:grid;grid-template-columns:auto 1fr;gap:.15rem .9rem;margin:.5rem 0}aside dt{color:var(--soft)}aside dd{margin:0}
aside ol,aside ul{margin:0;padding-left:1.3rem}aside ul{list-style:none;padding:0}aside li{padding:.12rem 0;overflow-wrap:anywhere}
aside li button{border:0;background:none;padding:0;color:var(--link);text-align:left;overflow-wrap:anywhere}aside li button:hover{text-decoration:underline}
.soft{color:var(--soft)}
svg{display:block}#map{width:100%;height:100%;touch-action:none;cursor:grab}
${[...tones, ...categories].map((tone) => `.${tone}{fill:var(--${tone})}`).join('')}
${categories.map((name) => `.outside.${name}{fill:color-mix(in srgb,var(--${name}) 38%,var(--card))}`).join('')}
.node{cursor:pointer}.node text{font-size:12.5px;fill:var(--ink);paint-order:stroke;stroke:var(--bg);stroke-width:4px}.node .more{fill:var(--soft)}.node:hover text{text-decoration:underline}
.node.on circle{stroke:var(--ink);stroke-width:2}.node.on text{font-weight:700}
.branch,.tie{fill:none;stroke:var(--queued);stroke-opacity:.55}.tie{stroke-opacity:.25;stroke-width:.8;vector-effect:non-scaling-stroke}
.way{fill:none;stroke:var(--brand);stroke-width:2.2}
.host{stroke:var(--card);cursor:pointer}.dim .host:not(.near){fill-opacity:.18;stroke-opacity:.3}.dim .tie{stroke-opacity:.07}
.host.on{stroke:var(--ink)}.own{fill:none;stroke:var(--brand);stroke-opacity:.7;vector-effect:non-scaling-stroke}
#map text{fill:var(--ink);paint-order:stroke;stroke:var(--bg);text-anchor:middle;pointer-events:none}.dim text:not(.near){opacity:.15}
@media (max-width:52rem){main{grid-template-columns:1fr;grid-template-rows:minmax(0,1fr) 16rem}aside{border-left:0;border-top:1px solid var(--line)}}
`;
