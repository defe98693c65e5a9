import { documentation, type Maker } from './made-blocks.ts';

/** A page as a generator, a program for forums or a shop writes it, with its own names. */
export type Skeleton = (make: Maker) => string;

const page = (title: string, body: string, head = ''): string =>
  `<!doctype html><html><head><title>${title}</title>${head}</head><body>${body}</body></html>`;
const toc = (make: Maker): string =>
  make.times(3, (at) => `<li><a href="#part${at}">${make.other(1)}</a></li>`);

const docs: Record<string, Skeleton> = {
  sphinx: (make) =>
    page(
      'Guide',
      `<div class="related" role="navigation"><ul>${make.otherLinks(3)}</ul></div>
      <div class="document"><div class="documentwrapper"><div class="bodywrapper"><div class="body" role="main">
      <section id="guide">${make.heading(1)}${make.paragraph()}
      ${documentation(make, (kind, text) => `<div class="admonition ${kind}"><p class="admonition-title">${kind}</p><p>${text}</p></div>`)}
      </section></div></div></div><div class="sphinxsidebar" role="navigation"><h3>${make.other()}</h3><ul>${toc(make)}</ul></div></div>
      <div class="footer">${make.other(3)}</div>`,
    ),
  docusaurus: (make) =>
    page(
      'Guide',
      `<nav class="navbar"><ul>${make.otherLinks(5)}</ul></nav><aside class="theme-doc-sidebar-container"><ul>${make.otherLinks(12)}</ul></aside>
      <main><div class="row"><div class="col"><article><nav class="theme-doc-breadcrumbs"><ul>${make.otherLinks(2)}</ul></nav>
      <div class="theme-doc-markdown markdown"><header>${make.heading(1)}</header>${make.paragraph(1)}
      ${documentation(make, (kind, text) => `<div class="theme-admonition theme-admonition-${kind} alert alert--${kind}"><div class="admonitionHeading_x heading">${kind}</div><div><p>${text}</p></div></div>`)}
      </div><footer class="theme-doc-footer"><a href="/edit">${make.other()}</a></footer></article>
      <nav class="pagination-nav"><a href="/next">${make.other()}</a></nav></div>
      <div class="col col--3"><div class="theme-doc-toc-desktop table-of-contents"><ul>${toc(make)}</ul></div></div></div></main>${make.footer()}`,
    ),
  mkdocs: (make) =>
    page(
      'Guide',
      `${make.header()}<div class="md-container"><main class="md-main"><div class="md-main__inner">
      <div class="md-sidebar md-sidebar--primary"><nav class="md-nav"><ul>${make.otherLinks(10)}</ul></nav></div>
      <div class="md-content"><article class="md-content__inner md-typeset">${make.heading(1)}
      ${documentation(make, (kind, text) => `<div class="admonition ${kind}"><p class="admonition-title">${kind}</p><p>${text}</p></div>`)}
      <aside class="md-source-file"><span>${make.other(3)}</span></aside>
      <form class="md-feedback"><p>${make.other(4)}</p></form></article></div></div></main></div>${make.footer()}`,
    ),
  vitepress: (make) =>
    page(
      'Guide',
      `${make.header()}<div class="VPContent"><main class="main"><div class="vp-doc">${make.heading(1)}${make.paragraph()}
      ${documentation(make, (kind, text) => `<div class="${kind} custom-block"><p class="custom-block-title">${kind.toUpperCase()}</p><p>${text}</p></div>`)}
      </div></main><footer class="VPDocFooter"><div class="edit-info"><a href="/e">${make.other()}</a></div></footer></div>`,
    ),
  readme: (make) =>
    page(
      'project',
      `${make.header()}<main><div class="file-navigation">${make.other()}</div><article class="markdown-body entry-content">${make.heading(1)}
      ${documentation(make, (kind, text) => `<div class="markdown-alert markdown-alert-${kind}"><p class="markdown-alert-title">${kind}</p><p>${text}</p></div>`)}
      </article><div class="sidebar"><h2>${make.other()}</h2><ul>${make.otherLinks(4)}</ul></div></main>${make.footer()}`,
    ),
  asciidoctor: (make) =>
    page(
      'Guide',
      `<div id="header">${make.heading(1)}<div id="toc" class="toc"><div id="toctitle">${make.other()}</div><ul>${toc(make)}</ul></div></div>
      <div id="content"><div class="paragraph">${make.paragraph()}</div>
      ${documentation(make, (kind, text) => `<div class="admonitionblock ${kind}"><table><tr><td class="icon"><div class="title">${kind}</div></td><td class="content">${text}</td></tr></table></div>`)}
      </div><div id="footer"><div id="footer-text">${make.other(3)}</div></div>`,
    ),
  'named like its parts': (make) =>
    page(
      'Guide',
      `${make.header()}<main>${make.heading(1)}${make.paragraph()}
      ${['comments', 'subscriptions', 'sharing', 'related', 'login', 'footer-menu']
        .map(
          (id) =>
            `<section id="${id}"><h2>${id.replace('-', ' ')}</h2>${make.paragraph(1)}${make.code()}</section>`,
        )
        .join('')}</main>${make.footer()}`,
    ),
};

const reference: Record<string, Skeleton> = {
  autodoc: (make) =>
    page(
      'API',
      `<div class="sphinxsidebar">${make.other()}<ul>${make.otherLinks(8)}</ul></div><div class="document"><div class="body" role="main"><section>${make.heading(1)}
      ${make.times(6, (at) => `<dl class="py function"><dt id="f${at}">${make.code('py').replace('<div class="highlight">', '<div>')}</dt><dd>${make.paragraph(1)}${make.definitions(2, 'class="field-list"')}</dd></dl>`)}
      </section></div></div>${make.footer()}`,
    ),
  javadoc: (make) =>
    page(
      'Class',
      `<header role="banner"><nav><ul>${make.otherLinks(6)}</ul></nav></header><main role="main"><div class="header">${make.heading(1)}</div>
      <section class="class-description">${make.shortCode()}${make.paragraph()}</section>
      <section class="method-summary"><h2>Summary</h2>${make.table(6, 'class="memberSummary"')}</section>
      <section class="method-details">${make.times(5, () => `<section class="detail">${make.heading(3)}${make.shortCode()}<dl class="notes"><dt>Returns:</dt><dd>${make.text(1)}</dd></dl></section>`)}</section></main>
      <footer role="contentinfo"><p>${make.other(3)}</p></footer>`,
    ),
  man: (make) =>
    page(
      'tool(1)',
      `<table class="head"><tr><td>${make.other(1)}</td></tr></table><div class="manual-text" role="main">${make.heading(1)}
      <section class="Sh">${make.heading(2)}<p class="Pp">${make.text(1)}</p></section><section class="Sh">${make.heading(2)}${make.definitions(9, 'class="Bl-tag"')}</section>
      <section class="Sh">${make.heading(2)}${make.shortCode()}</section></div>`,
    ),
};

const indexes: Record<string, Skeleton> = {
  documentation: (make) =>
    page(
      'Docs',
      `${make.header()}<main>${make.heading(1)}${make.times(4, () => `${make.heading(2)}<ul>${make.linkItems(6)}</ul>`)}</main>${make.footer()}`,
    ),
  letters: (make) =>
    page(
      'Glossary',
      `${make.header()}<div id="content">${make.heading(1)}<ul class="letters">${make.times(8, (at) => `<li><a href="#l${at}">${make.other(1)}</a></li>`)}</ul>
      ${make.times(8, () => `${make.heading(2)}${make.definitions(3)}`)}</div>${make.footer()}`,
    ),
  blog: (make) =>
    page(
      'Blog',
      `${make.header()}<main id="primary" class="site-main">${make.times(7, () => `<article class="post">${make.heading(2, (text) => `<a href="/x">${text}</a>`)}${make.paragraph()}</article>`)}</main>
      <aside class="widget-area"><h2>${make.other()}</h2><ul>${make.otherLinks(6)}</ul></aside>${make.footer()}`,
    ),
  'no landmarks': (make) =>
    page(
      'Archive',
      `<div id="menu"><ul>${make.otherLinks(6)}</ul></div><div id="content">${make.heading(1)}<ul>${make.linkItems(25, 5)}</ul></div><div id="footer">${make.other(4)}</div>`,
    ),
};

const tables: Record<string, Skeleton> = {
  wiki: (make) =>
    page(
      'List',
      `<div id="mw-navigation"><ul>${make.otherLinks(9)}</ul></div><div id="content" class="mw-body" role="main">${make.heading(1)}<div id="bodyContent"><div id="mw-content-text">
      ${make.paragraph()}<div id="toc" class="toc"><ul>${toc(make)}</ul></div>${make.heading(2)}${make.table(12, 'class="wikitable"')}
      ${make.heading(2)}${make.table(6, 'class="wikitable"')}<div class="navbox" role="navigation">${make.other(6)}</div></div>
      <div id="catlinks" class="catlinks"><ul>${make.otherLinks(3)}</ul></div></div></div><div id="footer" role="contentinfo">${make.other(3)}</div>`,
    ),
  statistics: (make) =>
    page(
      'Results',
      `${make.header()}<main>${make.heading(1)}${make.table(30)}${make.heading(2)}${make.table(10)}</main>${make.footer()}`,
    ),
  settings: (make) =>
    page(
      'Settings',
      `${make.header()}<div class="layout"><div class="side-nav"><ul>${make.otherLinks(8)}</ul></div><article>${make.heading(1)}${make.paragraph(1)}${make.table(14)}</article></div>${make.footer()}`,
    ),
};

const forums: Record<string, Skeleton> = {
  phpbb: (make) =>
    page(
      'Topic',
      `<div id="page-header"><ul class="linklist">${make.otherLinks(5)}</ul></div><div id="page-body" role="main"><h2 class="topic-title"><a href="/t">${make.heading(1).replace(/<\/?h1>/g, '')}</a></h2>
      ${make.times(5, () => `<div class="post"><dl class="postprofile"><dt>${make.other(1)}</dt><dd>${make.other(2)}</dd></dl><div class="postbody"><ul class="post-buttons"><li><a href="/q">${make.other(1)}</a></li></ul><div class="content">${make.text(3)}</div><div class="signature">${make.other(5)}</div></div></div>`)}</div>
      <div id="page-footer"><div class="copyright">${make.other(4)}</div></div>`
        .replace('<h2 class="topic-title"><a href="/t">', '<h1><a href="/t">')
        .replace('</a></h2>', '</a></h1>'),
    ),
  discourse: (make) =>
    page(
      'Topic',
      `${make.header()}<div id="main-outlet"><div id="topic-title">${make.heading(1)}</div><div class="posts">
      ${make.times(6, () => `<div class="topic-post"><article><div class="topic-meta-data"><span>${make.other(1)}</span></div><div class="cooked">${make.paragraph()}${make.one([() => make.code(), () => `<blockquote><p>${make.text(1)}</p></blockquote>`])()}</div><div class="post-controls">${make.other(1)}</div></article></div>`)}</div>
      <div class="suggested-topics related-topics"><h3>${make.other()}</h3><ul>${make.otherLinks(5)}</ul></div></div>`,
    ),
  questions: (make) =>
    page(
      'Question',
      `${make.header()}<div class="container"><div id="left-sidebar"><ul>${make.otherLinks(5)}</ul></div><div id="content"><div id="question-header">${make.heading(1)}</div>
      <div id="mainbar"><div class="question"><div class="s-prose">${make.paragraph()}${make.code()}</div></div>${make.times(3, () => `<div class="answer"><div class="s-prose">${make.paragraph()}${make.code()}</div><div class="user-card">${make.other(2)}</div></div>`)}</div>
      <div id="sidebar"><h4>${make.other()}</h4><ul>${make.otherLinks(8)}</ul></div></div></div>${make.footer()}`,
    ),
};

const products: Record<string, Skeleton> = {
  woocommerce: (make) =>
    page(
      'Lamp',
      `${make.header()}<main class="site-main"><nav class="woocommerce-breadcrumb">${make.other()}</nav><div class="product"><div class="summary entry-summary">${make.heading(1)}<p class="price">${make.text(0)}</p>
      <div class="short-description">${make.paragraph(1)}</div><form class="cart"><button>${make.label()}</button></form></div>
      <div class="woocommerce-tabs"><div role="tabpanel">${make.heading(2)}${make.paragraph()}</div><div role="tabpanel" hidden>${make.table(5)}</div></div>
      <section class="related products"><h2>${make.other()}</h2><ul>${make.otherLinks(4)}</ul></section></div></main>${make.footer()}`,
    ),
  properties: (make) =>
    page(
      'Motor',
      `${make.header()}<main><div class="product-page">${make.heading(1)}<ul class="highlights">${make.items(4)}</ul>${make.definitions(8)}${make.paragraph()}</div>
      <div class="recommendations"><h3>${make.other()}</h3><ul>${make.otherLinks(6)}</ul></div></main>${make.footer()}`,
    ),
};

const articles: Record<string, Skeleton> = {
  news: (make) =>
    page(
      'Report',
      `${make.header()}<main><article>${make.heading(1)}<p class="standfirst">${make.text(1)}</p><div class="byline">${make.byline()}</div><div class="share-tools"><ul>${make.otherLinks(3)}</ul></div>
      <div class="article-body">${make.times(6, () => make.paragraph())}<div class="newsletter-signup">${make.otherProse()}</div>${make.heading(2)}${make.times(4, () => make.paragraph())}</div>
      <section class="related-stories"><h2>${make.other()}</h2><ul>${make.otherLinks(4)}</ul></section></article><div id="comments">${make.times(4, () => make.otherProse())}</div></main>${make.footer()}`,
      '<meta property="og:type" content="article">',
    ),
  tutorial: (make) =>
    page(
      'How to',
      `${make.header()}<div class="content-area"><article class="post">${make.heading(1)}<p class="post-meta">${make.byline()}</p><div class="entry-content">${make.paragraph()}
      ${make.times(4, () => `${make.heading(2)}${make.paragraph(1)}${make.code()}${make.shortCode()}`)}${make.table(3)}</div></article>
      <div class="sidebar"><h3>${make.other()}</h3><ul>${make.otherLinks(7)}</ul></div></div>${make.footer()}`,
      '<script type="application/ld+json">{"@type": "BlogPosting"}</script>',
    ),
};

export const skeletons: Record<string, Record<string, Skeleton>> = {
  documentation: docs,
  reference,
  index: indexes,
  table: tables,
  forum: forums,
  product: products,
  article: articles,
};
