/** `webfarer/client`: the API of a coordinator with types, in Node and in browsers. */
export {
  type ApiClient,
  type ClientOptions,
  type ClientRequest,
  createClient,
  openStreamClient,
  type StreamClient,
  type StreamClientOptions,
  type StreamNotice,
  type StreamSocket,
  type Subscribing,
} from '@webfarer/protocol/api';
