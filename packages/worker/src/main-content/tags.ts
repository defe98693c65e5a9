const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Elements whose text no reader sees as part of the page's text. */
export const silentTags = words(
  'audio button canvas datalist dialog embed iframe input map math menu meter noscript object optgroup option ' +
    'progress rp script select style svg template textarea title video',
);

/** Elements that flow within a line. Every other element starts a block of its own. */
export const inlineTags = words(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr picture q rb rt rtc ruby ' +
    's samp small source span strike strong sub sup time track tt u var wbr',
);

export const headingTags = words('h1 h2 h3 h4 h5 h6');

/** Landmarks that hold what surrounds the content. */
export const surroundingTags = words('aside footer nav');
export const surroundingRoles = words('alert banner complementary contentinfo dialog navigation search');

/** The page and the landmarks of content: no name makes them boilerplate. */
export const contentTags = words('article body html main');
