/** Public addresses of this network of its own; they lead to the machine itself. */
export const allowedAddress = '93.184.215.14';
export const allowedSix = '2606:2800:21f::14';

/** A public network with no way to it: a connection attempt ends at once. */
export const lostNetwork = '93.184.99.0/24';
export const lostAddress = '93.184.99.7';

/** Run before the program: every address of both families is this machine. */
export const everyAddressIsHere = [
  'ip route add local default dev lo',
  'ip -6 route add local default dev lo',
  // Probes come from the first; it is never chosen by itself, since the second is preferred.
  'ip -6 addr add fd99::99/128 dev lo nodad preferred_lft 0',
  `ip -6 addr add ${allowedSix}/128 dev lo nodad`,
  `ip route add unreachable ${lostNetwork} table local`,
];
