import { parentPort } from 'node:worker_threads';

/** What a thread is for: one piece of work after another, each of them answered. An error ends the thread. */
export function serveAside<Task, Answer>(work: (task: Task) => Answer | Promise<Answer>): void {
  parentPort?.on('message', (task: Task) => {
    void Promise.resolve(work(task)).then((answer) => parentPort?.postMessage(answer));
  });
}
