import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runFetching } from '../outside/tools.ts';

const version = '4.1.1';
const folder = resolve(import.meta.dirname, `../../.tools/kafka-${version}`);

/** The broker alone: 45 jars, 43 MB. */
const pom = `<project><modelVersion>4.0.0</modelVersion>
<groupId>local</groupId><artifactId>kafka</artifactId><version>1</version>
<dependencies><dependency>
<groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${version}</version>
</dependency></dependencies></project>`;

/** The folder with the jars of Kafka, fetched once into `.tools/`. */
export async function kafkaJars(): Promise<string> {
  if (existsSync(folder)) return folder;
  const work = await mkdtemp(join(tmpdir(), 'webfarer-kafka-jars-'));
  try {
    await writeFile(join(work, 'pom.xml'), pom);
    // Not in the folder of the others: a run that is cut off leaves nothing there.
    const target = `${folder}.new`;
    await rm(target, { recursive: true, force: true });
    await mkdir(target, { recursive: true });
    const copy = ['-q', '-f', work, 'dependency:copy-dependencies', `-DoutputDirectory=${target}`];
    await runFetching('mvn', copy, { maxBuffer: 1e8 });
    await rename(target, folder);
    return folder;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
