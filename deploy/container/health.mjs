// Exit 0: the service in this container answers on its metrics port, or a coordinator on the port of its API.
const { WEBFARER_METRICS = '', WEBFARER_LISTEN = '', WEBFARER_HEALTH_URL } = process.env;
const port = (address) => /:(\d+)$/.exec(address)?.[1];
const urls = WEBFARER_HEALTH_URL
  ? [WEBFARER_HEALTH_URL]
  : [
      `http://127.0.0.1:${port(WEBFARER_LISTEN) ?? 7311}/health`,
      `http://127.0.0.1:${port(WEBFARER_METRICS) ?? 9464}/metrics`,
    ];
const failures = [];
for (const url of urls) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(4000) });
    if (answer.ok) process.exit(0);
    failures.push(`${url}: status ${answer.status}`);
  } catch (error) {
    failures.push(`${url}: ${error.cause?.message ?? error.message}`);
  }
}
console.error(`Nothing answers: ${failures.join('; ')}. Set WEBFARER_HEALTH_URL if the port uses TLS.`);
process.exit(1);
