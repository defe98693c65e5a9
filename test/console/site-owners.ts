import type { SiteOwnersSettings } from '@webfarer/protocol/api';

/** Who runs the made-up network, as its page for owners of sites says. */
export const siteOwners: SiteOwnersSettings = {
  name: 'The Example Web Archive',
  contact: 'mailto:crawler@archive.example',
  text: 'We keep public pages of museums and libraries for research. Nothing is sold, and nothing trains a model.',
  addresses: ['192.0.2.0/28', '2001:db8:4::/64'],
  directory: 'https://archive.example',
  allowPrivate: [],
};
