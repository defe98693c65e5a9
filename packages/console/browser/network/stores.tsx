import { useConnection } from '../api/connected.tsx';
import { Name } from '../parts/name.tsx';
import { When } from '../parts/when.tsx';
import { storesText } from '../text/stores-text.ts';
import { useFormats, useTextOf } from '../text/use-text.tsx';
import { outlookWords, Use } from './coordinators.tsx';
import { Share } from './machine-use.tsx';
import { byShard, type DataFolder, type Finding, type StoreNode, useStores } from './use-stores.ts';

/** What crawls are kept in: the servers of a shared store, the data folder, and what is wrong with them. */
export function Stores() {
  const words = useTextOf(storesText);
  const { count } = useFormats();
  const connection = useConnection();
  const here = connection.state === 'live' ? connection.coordinator : '';
  const { nodes, findings, folder, isWhole } = useStores();
  if (!isWhole) return null;
  const isShared = nodes.length > 0;
  return (
    <section aria-labelledby="stores">
      <div className="list-head">
        <h2 id="stores">{words.title}</h2>
        <span className="soft">
          {isShared
            ? `${words.shared(count(nodes.length), nodes.length === 1)}, ${words.asSeenBy(here)}`
            : words.ownLead}
        </span>
      </div>
      {findings.map((finding) => (
        <Trouble key={finding.sentence} of={finding} />
      ))}
      <div className="machines">
        {byShard(nodes).map((node) => (
          <NodeCard key={node.address} node={node} />
        ))}
        {folder ? (
          <FolderCard folder={folder} title={isShared ? words.folderOf(here) : words.folder} />
        ) : null}
      </div>
    </section>
  );
}

function Trouble({ of: { level, sentence, mend, nodes } }: { of: Finding }) {
  const words = useTextOf(storesText);
  return (
    <div className={`panel store-trouble ${level}`} role="status">
      <p>
        <b>
          <bdi>{nodes.join(', ')}</bdi>
        </b>{' '}
        {sentence}
      </p>
      {mend === undefined ? null : (
        <p className="soft">
          {words.next} <bdi>{mend}</bdi>
        </p>
      )}
    </div>
  );
}

function NodeCard({ node }: { node: StoreNode }) {
  const words = useTextOf(storesText);
  const { roughSpan } = useFormats();
  const isWell = node.reachable && node.lastWriteOk !== false && node.linkUp !== false;
  return (
    <article className="card machine">
      <div className="card-head">
        <h3>
          <Name of={node.address} />
        </h3>
        <span className={`state ${isWell ? 'running' : 'failed'}`}>
          {words.roles[node.reachable ? node.role : 'away']}
        </span>
      </div>
      <p className="soft">
        <Place node={node} />
      </p>
      {node.reachable ? <NodeUses node={node} /> : null}
      {node.full ? <p className="says warn">{outlookWords(node.full, words, roughSpan)}</p> : null}
    </article>
  );
}

function Place({ node }: { node: StoreNode }) {
  const words = useTextOf(storesText);
  const { count } = useFormats();
  if (!node.reachable)
    return node.seenAtMs === undefined ? (
      words.neverSeen
    ) : (
      <>
        {words.seen}: <When atMs={node.seenAtMs} />
      </>
    );
  const place =
    node.role === 'replica' && node.of !== undefined
      ? words.of(node.of)
      : (node.slots ?? 0) > 0
        ? words.primaryOf(count(node.slots ?? 0))
        : words.primary;
  return (
    <bdi>
      {place} · {node.version}
    </bdi>
  );
}

function NodeUses({ node }: { node: StoreNode }) {
  const words = useTextOf(storesText);
  const { bytes, count } = useFormats();
  const { usedMemoryBytes = 0, maxMemoryBytes = 0, lastWriteOk, logsWrites, linkedReplicas = 0 } = node;
  const { listedReplicas = 0, lagBytes } = node;
  const log = lastWriteOk === false ? 'failed' : logsWrites ? 'on' : 'off';
  return (
    <dl className="uses">
      <Use name={words.memory}>
        {maxMemoryBytes > 0 ? <Share of={usedMemoryBytes / maxMemoryBytes} label={words.memory} /> : null}
        <span className="num">
          {maxMemoryBytes > 0
            ? words.memoryOf(bytes(usedMemoryBytes), bytes(maxMemoryBytes))
            : words.memoryUnbound(bytes(usedMemoryBytes))}
        </span>
      </Use>
      <Use name={words.log}>{words.logStates[log]}</Use>
      {node.role === 'replica' ? (
        <Use name={words.replication}>
          {node.linkUp === false
            ? words.lost
            : lagBytes === undefined || lagBytes === 0
              ? words.inStep
              : words.behind(bytes(lagBytes))}
        </Use>
      ) : (
        <Use name={words.replicas}>
          {Math.max(linkedReplicas, listedReplicas) === 0
            ? words.noReplicas
            : words.replicasOf(count(linkedReplicas), count(Math.max(linkedReplicas, listedReplicas)))}
        </Use>
      )}
      <Use name={words.operations}>{count(node.opsPerSecond ?? 0)}</Use>
      <Use name={words.evicted}>{count(node.evictedKeys ?? 0)}</Use>
      {node.policy === undefined ? null : <Use name={words.policy}>{node.policy}</Use>}
      {(node.moving ?? 0) > 0 ? <Use name={words.moving}>{count(node.moving ?? 0)}</Use> : null}
    </dl>
  );
}

function FolderCard({ folder, title }: { folder: DataFolder; title: string }) {
  const words = useTextOf(storesText);
  const { bytes, count, roughSpan } = useFormats();
  const holds = folder.isWhole ? words.files : words.filesAtLeast;
  return (
    <article className="card machine">
      <div className="card-head">
        <h3>
          <Name of={title} />
        </h3>
      </div>
      <p className="soft">
        <bdi>{folder.path}</bdi>
      </p>
      <dl className="uses">
        <Use name={words.used}>{holds(bytes(folder.bytes), count(folder.files))}</Use>
        {(['databases', 'results', 'archives', 'logs', 'other'] as const).map((use) =>
          (folder.byUse[use] ?? 0) > 0 ? (
            <Use key={use} name={words.uses[use]}>
              {bytes(folder.byUse[use] ?? 0)}
            </Use>
          ) : null,
        )}
        <Use name={words.free}>{words.freeOf(bytes(folder.freeBytes), bytes(folder.totalBytes))}</Use>
      </dl>
      {folder.full ? <p className="says warn">{outlookWords(folder.full, words.disk, roughSpan)}</p> : null}
    </article>
  );
}
