const tones = ['done', 'accent', 'client', 'failed', 'dead', 'refused', 'queued', 'leased'];
const categories = Array.from({ length: 8 }, (_, i) => `c${i}`);

/** How pictures look. Colours are those of the theme, so that a picture follows it without script. */
export const plotStyle = `
${[...tones, ...categories].map((tone) => `svg .${tone}{fill:var(--${tone})}i.${tone}{background:var(--${tone})}`).join('')}
${categories.map((name) => `svg .outside.${name}{fill:color-mix(in srgb,var(--${name}) 38%,var(--card))}`).join('')}
svg .none{fill:var(--faint)}
figure{margin:0;min-width:0;display:flex;flex-direction:column}
figcaption{display:grid;grid-template-columns:1fr auto;gap:.1rem .8rem;align-items:start;margin-bottom:.8rem}
figcaption p{grid-column:1/-1;margin:0;color:var(--soft);font-size:.87rem;max-width:60rem}
figcaption .csv{font-size:.8rem;padding:.16rem .6rem;visibility:hidden}.js figcaption .csv{visibility:visible}
.plot{overflow-x:auto;margin-bottom:auto}
.plot>svg{display:block;width:100%;height:auto}
.plot text{font-size:11.5px;fill:var(--soft)}
.plot .mid{text-anchor:middle}.plot .end{text-anchor:end}.plot .ink{fill:var(--ink)}
.plot .big{font-size:21px;font-weight:650;fill:var(--ink);letter-spacing:-.02em}
.plot .on{fill:var(--on);font-weight:600;pointer-events:none}.plot .thin{font-weight:400}
.plot .onring{fill:var(--on);font-size:10.5px;pointer-events:none}
.plot .halo{paint-order:stroke;stroke:var(--card);stroke-width:3.5px;stroke-linejoin:round;pointer-events:none}
.rule{stroke:var(--line);fill:none}.axis{stroke:var(--queued);fill:none}
.hit{fill:transparent}.hit:hover,g:hover>.hit{fill:var(--ink);fill-opacity:.06}
.pause{fill:var(--faint)}.shade{fill:var(--shade)}
.box{fill:var(--accent);fill-opacity:.75}.whisker{stroke:var(--soft);fill:none}.median{stroke:var(--ink);stroke-width:2;fill:none}
.dot{fill:var(--accent);fill-opacity:.75}.dot:hover{fill:var(--failed)}
.ring1{fill-opacity:.82}.ring2{fill-opacity:.66}.ring3{fill-opacity:.52}.ring4{fill-opacity:.4}
svg .rest{fill:var(--line)}
path[class*=ring]:hover,.host:hover{fill-opacity:1;stroke:var(--ink);stroke-width:1.5}
.branch{fill:none;stroke:var(--queued);stroke-opacity:.55;stroke-width:.8}
.tie{fill:none;stroke:var(--queued);stroke-opacity:.32;stroke-width:.8}
.host{stroke:var(--card);stroke-width:1.5}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.15rem 1rem;margin:.6rem 0 0;padding:0;font-size:.84rem;color:var(--soft)}
.legend i{display:inline-block;width:.7rem;height:.7rem;border-radius:3px;margin-right:.35rem}
details{margin-top:1rem;border-top:1px solid var(--line);padding-top:.5rem;font-size:.84rem}
summary{cursor:pointer;color:var(--soft);width:max-content}summary .n{margin-left:.4rem}
details .scroll{max-height:20rem;overflow:auto;margin-top:.5rem}details table{font-size:.84rem;width:auto;min-width:50%}
details td{padding:.18rem 1.2rem .18rem 0;overflow-wrap:anywhere;min-width:4rem}
.tip{position:fixed;z-index:20;max-width:22rem;padding:.35rem .65rem;border-radius:8px;background:var(--ink);color:var(--bg);
font-size:.82rem;line-height:1.35;pointer-events:none;overflow-wrap:anywhere;box-shadow:0 4px 14px #0003}
`;
