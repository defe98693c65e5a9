import { comesLater, type CommandHome } from './home.ts';

const later: Record<string, { what: string; instead: string }> = {
  pause: {
    what: 'Pausing a crawl from outside belongs to the network version, which',
    instead: 'On one machine: press p where it runs, or Ctrl-C and the same command again later.',
  },
  resume: {
    what: 'Resuming a crawl from outside belongs to the network version, which',
    instead: 'On one machine: run the command that started the crawl again.',
  },
  stop: {
    what: 'Stopping a crawl from outside belongs to the network version, which',
    instead: 'On one machine: press Ctrl-C where it runs. Nothing is lost.',
  },
};

/** Known by name, because people will try them. */
export function addNetworkCommands({ program }: CommandHome): void {
  for (const [name, { what, instead }] of Object.entries(later)) {
    program
      .command(name, { hidden: true })
      .argument('[crawl]')
      .action(() => {
        throw comesLater(what, instead);
      });
  }
}
