import type { NodeInfo, SettingName } from './client/node-info.ts';

/** What the store's settings mean for its promises (F6), in a sentence for people. */
export interface SettingFinding {
  /** `broken`: acknowledged work can be lost or stuck. `weak`: the promise holds, but costs more or is unsure. */
  level: 'broken' | 'weak' | 'good';
  sentence: string;
  /** Addresses it is about. */
  nodes: string[];
  /** What to type at each of these nodes, with `redis-cli`. */
  mend?: string;
  /** May be over by itself in a moment: a server that was started again has to catch up first. */
  passing?: true;
}

interface SettingRule {
  name: SettingName;
  clusterOnly?: boolean;
  /** Undefined where the value is as it should be. */
  judge(value: string, replicas: number): Omit<SettingFinding, 'nodes'> | undefined;
}

const rules: SettingRule[] = [
  {
    name: 'appendonly',
    judge: (value) =>
      value === 'yes'
        ? undefined
        : {
            level: 'broken',
            sentence: 'The server does not log writes to disk, so a restart loses acknowledged URLs.',
            mend: 'CONFIG SET appendonly yes',
          },
  },
  {
    name: 'appendfsync',
    judge: (value) =>
      value === 'always'
        ? undefined
        : {
            level: 'broken',
            sentence: `The server does not wait for disk writes (appendfsync ${value}), so a power cut loses the URLs acknowledged in the last second or more.`,
            mend: 'CONFIG SET appendfsync always',
          },
  },
  {
    name: 'no-appendfsync-on-rewrite',
    judge: (value) =>
      value === 'no'
        ? undefined
        : {
            level: 'broken',
            sentence:
              'The server does not wait for the disk while it rewrites its log (no-appendfsync-on-rewrite yes), so a power cut then loses acknowledged URLs.',
            mend: 'CONFIG SET no-appendfsync-on-rewrite no',
          },
  },
  {
    name: 'maxmemory-policy',
    judge: (value) =>
      value === 'noeviction'
        ? undefined
        : {
            level: 'broken',
            sentence: `When memory is full the server evicts keys (${value}), so known URLs are lost.`,
            mend: 'CONFIG SET maxmemory-policy noeviction',
          },
  },
  {
    name: 'min-replicas-to-write',
    judge: (value, replicas) =>
      Number(value) >= replicas
        ? undefined
        : {
            level: 'weak',
            sentence:
              'A primary that has lost its replicas still accepts writes it cannot acknowledge. Nothing is lost, but the work is repeated.',
            mend: `CONFIG SET min-replicas-to-write ${replicas}`,
          },
  },
  {
    name: 'cluster-replica-validity-factor',
    clusterOnly: true,
    judge: (value) =>
      Number(value) >= 1
        ? undefined
        : {
            level: 'broken',
            sentence:
              'A replica may become primary however long it was disconnected, and bring back old data.',
            mend: 'CONFIG SET cluster-replica-validity-factor 10',
          },
  },
  {
    name: 'cluster-allow-replica-migration',
    clusterOnly: true,
    judge: (value) =>
      value === 'no'
        ? undefined
        : {
            level: 'broken',
            sentence:
              'Replicas may migrate to another shard, so the number of replicas to wait for is no longer right.',
            mend: 'CONFIG SET cluster-allow-replica-migration no',
          },
  },
];

/** What the nodes promise together when `replicas` of each primary are waited for. The worst comes first. */
export function explainSettings(nodes: NodeInfo[], replicas: number): SettingFinding[] {
  const isCluster = nodes.some(({ slots }) => slots > 0);
  const reached = nodes.filter(({ reachable }) => reachable);
  const findings = [
    ...rules
      .filter(({ clusterOnly }) => clusterOnly !== true || isCluster)
      .flatMap((rule) => judgeSetting(rule, reached, replicas)),
    ...judgeReplicas(nodes, replicas),
    ...judgeState(nodes),
  ];
  if (findings.every(({ level }) => level === 'weak')) findings.push(promise(reached, replicas));
  const order = ['broken', 'weak', 'good'];
  return findings.toSorted((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
}

/** Nodes with the same finding share one sentence. */
function judgeSetting(rule: SettingRule, nodes: NodeInfo[], replicas: number): SettingFinding[] {
  const found = new Map<string, SettingFinding>();
  for (const { address, settings } of nodes) {
    const value = settings[rule.name];
    const judged =
      value === undefined
        ? {
            level: 'weak' as const,
            sentence: `The setting ${rule.name} cannot be read, so it is not checked.`,
          }
        : rule.judge(value, replicas);
    if (judged === undefined) continue;
    const shared = found.get(judged.sentence);
    if (shared === undefined) found.set(judged.sentence, { ...judged, nodes: [address] });
    else shared.nodes.push(address);
  }
  return [...found.values()];
}

/** R of a primary is every replica that could be elected, and at least what the store was first used with. */
function judgeReplicas(nodes: NodeInfo[], replicas: number): SettingFinding[] {
  return nodes
    .filter(({ role, slots }) => role === 'primary' && (slots > 0 || !nodes.some((node) => node.slots > 0)))
    .flatMap(({ address, linkedReplicas, listedReplicas }) => {
      const needed = Math.max(replicas, listedReplicas);
      if (linkedReplicas >= needed) return [];
      const lower = `if they are permanently gone, HSET {wf}v replicas ${listedReplicas}`;
      return [
        {
          level: 'broken' as const,
          sentence: `Only ${linkedReplicas} of ${needed} replicas are connected: nothing can be acknowledged here until the others are back.`,
          nodes: [address],
          mend: `start the missing replicas${listedReplicas < replicas ? `; ${lower}` : ''}`,
          passing: true as const,
        },
      ];
    });
}

function judgeState(nodes: NodeInfo[]): SettingFinding[] {
  const silent = nodes.filter(({ reachable }) => !reachable).map(({ address }) => address);
  const moving = nodes.filter(({ movingSlots }) => movingSlots.length > 0).map(({ address }) => address);
  const findings: SettingFinding[] = [];
  if (silent.length > 0)
    findings.push({
      level: 'weak',
      sentence: 'These nodes do not respond, so their settings are unknown.',
      nodes: silent,
      mend: 'start them, or remove them from the cluster with CLUSTER FORGET on every other node',
    });
  if (moving.length > 0)
    findings.push({
      level: 'broken',
      sentence: 'Slots are moving between these nodes, and a group that is used halfway loses URLs.',
      nodes: moving,
      mend: 'webfarer store move --resume --store URL, once no move is running; if another tool started it, first run redis-cli --cluster fix',
    });
  return findings;
}

function promise(nodes: NodeInfo[], replicas: number): SettingFinding {
  const copies =
    replicas === 0
      ? 'one disk: it survives a crash and a power cut, not the loss of the disk'
      : `${replicas + 1} disks: it survives crashes, power cuts, partitions and the loss of ${replicas === 1 ? 'a node' : `${replicas} nodes`} of a shard`;
  return {
    level: 'good',
    sentence: `What is acknowledged is on ${copies}.`,
    nodes: nodes.map(({ address }) => address),
  };
}
