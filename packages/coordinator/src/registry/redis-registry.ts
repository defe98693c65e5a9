import { WebfarerError } from '@webfarer/protocol';
import { operationId } from '../redis/client/operation.ts';
import type { Reply } from '../redis/wire/resp.ts';
import { scripts } from '../redis/client/scripts.ts';
import { storeTag } from '../redis/keys.ts';
import { replyArray } from '../redis/reply-array.ts';
import type { RedisStore, Script } from '../redis/store.ts';
import {
  checkId,
  checkLimit,
  type KeptHistory,
  keptHistory,
  mostDocs,
  mostPageBytes,
  auditPage,
  droppedOn,
  noteCursor,
  notePlaceIn,
  noteText,
  type Registry,
  type RegistryDoc,
  type RegistryKind,
  tooMany,
  readValue,
  valueText,
} from './registry.ts';

/** The registry of all coordinators of a store. Closing it leaves the store open. */
export function redisRegistry(store: RedisStore, kept: KeptHistory = keptHistory): Registry {
  const read = { durable: false };

  async function step(script: Script, args: (string | number)[], how = {}): Promise<Reply[]> {
    const [reply = null] = await store.run([{ key: storeTag, script, args }], how);
    return typeof reply === 'string' ? [reply] : replyArray(reply);
  }

  async function get(kind: RegistryKind, id: string): Promise<RegistryDoc | undefined> {
    const args = ['HGET', `${storeTag}R:${kind}`, id];
    const [reply = null] = await store.run([{ key: storeTag, args }], read);
    if (reply === null) return undefined;
    return docIn(kind, id, typeof reply === 'string' ? reply : replyArray(reply)[0]);
  }

  /** The stamp of what was written, or what is there instead. */
  async function write(
    kind: RegistryKind,
    id: string,
    { known, text }: { known: number; text: string },
  ): Promise<{ stamp: string } | { there: RegistryDoc | undefined }> {
    const args = [kind, id, known, operationId(), text, mostDocs, kept.changes];
    const [word, answer] = await step(scripts.registryWrite, args);
    if (word === 'FULL') throw tooMany(kind);
    if (word === 'OK') return { stamp: answer as string };
    return { there: answer === null ? undefined : docIn(kind, id, answer) };
  }

  return {
    get,
    async list(kind, { after, limit }) {
      const args = [kind, after, checkLimit(limit), mostPageBytes];
      const [more, ...flat] = await step(scripts.registryList, args, read);
      const docs: RegistryDoc[] = [];
      for (let i = 0; i < flat.length; i += 2) docs.push(docIn(kind, flat[i] as string, flat[i + 1]));
      return { docs, next: more === 1 ? docs.at(-1)?.id : undefined };
    },
    async put(kind, id, known, value) {
      checkId(id);
      const text = valueText(value);
      const written = await write(kind, id, { known, text });
      if ('there' in written) return { kind: 'stale', doc: written.there };
      return { kind: 'changed', doc: docIn(kind, id, `${written.stamp} ${text}`) };
    },
    async remove(kind, id, known) {
      const doc = await get(kind, id);
      if (doc?.version !== known) return { kind: 'stale', doc };
      const written = await write(kind, id, { known, text: '' });
      return 'there' in written ? { kind: 'stale', doc: written.there } : { kind: 'changed', doc };
    },
    async changes(since) {
      // Before the question: an answer of another epoch is then not taken for one of this.
      const epoch = store.epoch();
      const [then, number] = since.split(' ');
      const args = [then === epoch && number ? number : -1];
      const [latest, complete, names, nowMs] = await step(scripts.registryChanges, args, read);
      return {
        generation: `${epoch} ${latest as string}`,
        complete: complete === 1,
        nowMs: Number(nowMs),
        changed: (names as string[]).map((name) => {
          const at = name.indexOf(' ');
          return { kind: name.slice(0, at) as RegistryKind, id: name.slice(at + 1) };
        }),
      };
    },
    async note(entry) {
      await step(scripts.registryNote, [operationId(), noteText(entry), kept.notes]);
    },
    async notes(page) {
      const from = page.after === '' ? '' : noteCursor(notePlaceIn(page.after));
      checkLimit(page.limit);
      const args = [from, checkLimit(page.look) + 1, page.order];
      const [noted, left, ...flat] = await step(scripts.registryNotes, args, read);
      const rows = Array.from({ length: flat.length / 2 }, (_, n) => ({
        cursor: flat[2 * n] as string,
        text: flat[2 * n + 1] as string,
      }));
      const found = auditPage(rows, page);
      const forgotten = Number(noted) - Number(left);
      return { ...found, dropped: droppedOn(page, { next: found.next, forgotten }) };
    },
    close: () => Promise.resolve(),
  };
}

/** From `version changedAtMs text`. */
function docIn(kind: RegistryKind, id: string, packed: Reply | undefined): RegistryDoc {
  const [, version, changedAtMs, text] = /^(\d+) (\d+) (.*)$/s.exec(packed as string) ?? [];
  if (text === undefined) throw new WebfarerError('internal', `the store keeps no document as ${kind} ${id}`);
  return {
    kind,
    id,
    version: Number(version),
    changedAtMs: Number(changedAtMs),
    value: readValue(kind, text),
  };
}
