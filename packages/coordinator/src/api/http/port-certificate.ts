import type { DatedClock } from '@webfarer/protocol';
import type { Metrics } from '@webfarer/protocol/metrics';
import type { HttpServer, ServerTls } from './http-server.ts';
import type { TlsFiles } from './tls-files.ts';
import type { EventBus } from '../../events/event-bus.ts';

/** The certificate of a port, whose changes and end are told as events. */
export function certificateNews(
  files: TlsFiles,
  clock: DatedClock,
  events: () => EventBus | undefined,
): ServerTls {
  const file = files.certFile;
  return {
    ...files,
    clock,
    renewed: () => events()?.publish({ type: 'certificate-changed', file }),
    expires: ({ expiresAtMs: atMs }) => events()?.publish({ type: 'certificate-expires', file, atMs }),
    refused: ({ message }) => events()?.publish({ type: 'certificate-refused', message }),
  };
}

export function reportCertificate(metrics: Metrics, face: Pick<HttpServer, 'certificateExpiresAtMs'>): void {
  metrics.collect((sample) => {
    const atMs = face.certificateExpiresAtMs();
    if (atMs !== undefined) sample('webfarer_certificate_expires_seconds', {}, atMs / 1_000);
  });
}
