import { z } from 'zod';

/**
 * A live view of a browser in which a person logs in to a site from elsewhere: JSON texts on a WebSocket. The viewer sends
 * `hello` with a ticket first, then input; the other side sends pictures, each after the viewer has shown the one before.
 */
export const liveViewPath = '/v1/live-view/page';
export const liveViewSocketPath = '/v1/live-view/socket';

/** Of one frame that a viewer sends; a pasted text is the longest. */
export const maxViewerFrameBytes = 65_536;

/** In CSS pixels of the page. Outside of the page the browser ignores them. */
const place = { x: z.number().min(-10_000).max(10_000), y: z.number().min(-10_000).max(10_000) };
const modifiers = z.int().min(0).max(15).describe('Alt 1, Ctrl 2, Meta 4, Shift 8');
const keyName = z.string().max(40);

/** What a person does in the view. */
export const viewerInput = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('mouse'),
    action: z.enum(['move', 'down', 'up']),
    ...place,
    button: z.enum(['none', 'left', 'middle', 'right']),
    clicks: z.int().min(0).max(3),
    modifiers,
  }),
  z.strictObject({
    type: z.literal('wheel'),
    ...place,
    dx: z.number().min(-5_000).max(5_000),
    dy: z.number().min(-5_000).max(5_000),
    modifiers,
  }),
  z.strictObject({
    type: z.literal('key'),
    action: z.enum(['down', 'up']),
    key: keyName,
    code: keyName,
    keyCode: z.int().min(0).max(255),
    text: z.string().max(8),
    repeat: z.boolean(),
    modifiers,
  }),
  z.strictObject({ type: z.literal('text'), text: z.string().min(1).max(10_000) }),
  z.strictObject({ type: z.literal('go'), to: z.enum(['back', 'forward', 'reload']) }),
  z.strictObject({
    type: z.literal('size'),
    width: z.int().min(320).max(1_920),
    height: z.int().min(240).max(1_440),
  }),
]);
export type ViewerInput = z.infer<typeof viewerInput>;

/** What a viewer sends. */
export const viewerFrame = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('hello'), ticket: z.string().min(1).max(100) }),
  z.strictObject({ type: z.literal('shown').describe('The last picture was drawn') }),
  z.strictObject({ type: z.literal('done').describe('The person is logged in') }),
  z.strictObject({ type: z.literal('cancel') }),
  ...viewerInput.options,
]);

/** How a live login ended. */
export const liveLoginEnds = ['kept', 'cancelled', 'expired', 'failed'] as const;
export type LiveLoginEndKind = (typeof liveLoginEnds)[number];

/** What a viewer is sent. */
export type ViewFrame =
  /** `ticket`: opens the view again, once. */
  | { type: 'welcome'; ticket: string; site: string; as: string; leftMs: number }
  | ({ type: 'picture' } & LivePicture)
  | ({ type: 'page' } & LivePage)
  | { type: 'note'; text: string }
  | { type: 'ended'; how: LiveLoginEndKind | 'elsewhere'; text: string };

export interface LivePicture {
  /** Base64. */
  jpeg: string;
  /** Of the page, in CSS pixels. */
  width: number;
  height: number;
}

export interface LivePage {
  url: string;
  title: string;
}

/** A browser that is looked at and used from elsewhere. */
export interface LiveBrowser {
  /** Begins with what is there now. Answers how to stop. Another screen takes the place of this one. */
  show(screen: LiveScreen): () => void;
  /** Resolves when the page has taken it, or was too slow to. */
  input(input: ViewerInput): Promise<void>;
  /** Resolves when the browser has ended, by itself or by `close`. */
  readonly gone: Promise<void>;
  close(): Promise<void>;
}

export interface LiveScreen {
  /** Resolves when it was drawn: the next one waits for that, so that a slow viewer is sent fewer. */
  picture(picture: LivePicture): Promise<void>;
  page(page: LivePage): void;
  /** What cannot be seen in the picture. */
  note(text: string): void;
}
