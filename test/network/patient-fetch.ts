import { setTimeout as sleep } from 'node:timers/promises';

const everyMs = 1_000;
const mostTries = 60;

/** Repeats a question in a moment where the store of the coordinator is silent, as the refusal says; a busy machine may cause that. */
export async function patientFetch(url: string, request: RequestInit): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const answer = await fetch(url, request);
    if (request.method !== 'GET' || answer.status !== 503 || tries === mostTries) return answer;
    const problem = (await answer.clone().json()) as { code?: string };
    if (problem.code !== 'store-silent') return answer;
    await answer.body?.cancel();
    await sleep(everyMs);
  }
}
