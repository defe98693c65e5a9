/** As much of it as tests use; it has no types of its own. */
declare module 'oidc-provider' {
  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    callback(): (request: unknown, response: unknown) => Promise<void>;
  }
}
