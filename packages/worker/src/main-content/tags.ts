const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

export const headingTags = words('h1 h2 h3 h4 h5 h6');

/** Landmarks that hold what surrounds the content. */
export const surroundingTags = words('aside footer nav');
export const surroundingRoles = words('alert banner complementary contentinfo dialog navigation search');

/** The page and the landmarks of content: no name makes them boilerplate. */
export const contentTags = words('article body html main');

/** Parts of lists, tables and figures: what a name says of them is about their contents. */
export const partTags = words('dd dl dt figcaption figure li pre table tbody td tfoot th thead tr caption');
