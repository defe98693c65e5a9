/** What `webfarer --help` shows of a command. */
export interface CommandHelp {
  /** What follows its name: `[options]` where it has any, and its arguments. */
  usage: string;
  summary: string;
}

/** Every command in the list of commands, which is printed without loading the code of any. */
export const commandHelp: Readonly<Record<string, CommandHelp>> = {
  crawl: { usage: '[options] <url|host...>', summary: 'crawl a site; run the same command again to resume' },
  init: { usage: '[options] [file]', summary: 'write a job file, with a few questions' },
  run: { usage: '[options] <job.yml>', summary: 'run a job file; run it again to resume' },
  check: {
    usage: '[options] <url|folder>',
    summary: 'find the broken links of a site, and every page that has them',
  },
  retry: { usage: '[options] [folder]', summary: 'fetch again what failed or was refused' },
  forget: { usage: '[options] <host> [folder]', summary: 'delete everything of a host from a crawl' },
  pause: { usage: '[options] [folder|crawl]', summary: 'pause a running crawl' },
  resume: { usage: '[options] [folder|crawl]', summary: 'resume a paused crawl' },
  stop: { usage: '[options] [folder|crawl]', summary: 'stop a running crawl' },
  coordinator: { usage: '[options] [job.yml|url...]', summary: 'serve crawls to workers on any machine' },
  worker: { usage: '[options] <url...>', summary: 'fetch for a coordinator' },
  dev: { usage: '[options] <job.yml|url...>', summary: 'run a small network in one terminal and break it' },
  start: { usage: '[options] <job.yml|url...>', summary: 'give a coordinator a crawl' },
  ls: { usage: '[options]', summary: 'list the crawls of a coordinator' },
  edit: { usage: '[options] <crawl>', summary: 'change limits, pace or scope of a crawl while it runs' },
  schedule: { usage: '', summary: 'let a coordinator start crawls at given times' },
  results: { usage: '[options] [crawl]', summary: 'print what a crawl of a coordinator has recorded' },
  sink: { usage: '[options] [crawl]', summary: 'hand the results of a crawl on to Kafka' },
  logs: { usage: '[options] [crawl]', summary: 'print what happened to a crawl, or at a coordinator' },
  quotas: { usage: '[options] [team]', summary: 'show the quotas of a team and what it has used' },
  status: { usage: '[options] [folder|url|crawl]', summary: 'show the progress of a crawl' },
  top: {
    usage: '[options] [folder|url]',
    summary: 'watch a coordinator: its machines, its workers, its rate and what it waits for',
  },
  console: { usage: '[options] [folder]', summary: 'look at a crawl of this machine in a browser' },
  explain: { usage: '[options] <url>', summary: 'why a URL was crawled, or why not' },
  shell: {
    usage: '[options] <url|folder> [url]',
    summary: 'try out code on a page, fetched as a crawl would or saved by one',
  },
  search: { usage: '[options] <folder> <words...>', summary: 'find pages of a crawl by the words on them' },
  report: { usage: '[options] [folder]', summary: 'broken, failed, refused and slow URLs' },
  stats: {
    usage: '[options] [folder] [other]',
    summary: 'a census of the crawl: status, types, languages, servers, sizes',
  },
  graph: { usage: '[options] [folder]', summary: 'explore the link graph: paths, centrality, dependencies' },
  replay: {
    usage: '[options] <job> [folder]',
    summary: 'run a handler over the pages of a crawl, without a request',
  },
  mcp: {
    usage: '[options]',
    summary: 'give agents tools to fetch, map, crawl and search (Model Context Protocol)',
  },
  export: {
    usage: '[options] [folder]',
    summary: 'results as CSV, JSON lines or Parquet, the host graph, the archive as WACZ',
  },
  warc: { usage: '', summary: 'list, print, validate or repair WARC files' },
  storage: { usage: '', summary: 'the archive of a crawl in object storage' },
  validate: { usage: '[options] <job.yml>', summary: 'check a job file without running it' },
  identity: { usage: '', summary: 'make the key that requests are signed with' },
  login: { usage: '[options] <url>', summary: 'log in to a site, for crawls that read it with your account' },
  backup: { usage: '[options] <folder>', summary: 'copy a crawl or a coordinator while it runs' },
  rebuild: {
    usage: '[options] <folder...>',
    summary: 'begin a crawl anew from its archive, after its store was lost',
  },
  store: { usage: '', summary: 'list, erase and move crawls in a Redis or Valkey store' },
  token: { usage: '', summary: 'manage the tokens of workers, viewers, operators and admins' },
  docs: { usage: '[topic]', summary: 'read the guides that came with this version' },
  doctor: { usage: '[options] [folder]', summary: 'check this machine and its crawls' },
  size: { usage: '[options]', summary: 'estimate what a crawl needs: time, machines, memory, disk' },
  completion: { usage: '<shell>', summary: 'completion of commands and options for your shell' },
};
