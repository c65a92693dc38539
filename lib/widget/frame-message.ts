// What a framed page tells the page around it of its link. The claim is never part of it.

/** What became of the link. */
export type LinkMessage =
  | { type: 'claimlink:submitted'; reference: string }
  | { type: 'claimlink:unavailable'; code: string };

/** What the script of framed pages posts. `height` and `top` are CSS pixels of the page. */
export type FrameMessage =
  | { type: 'claimlink:ready' | 'claimlink:started' }
  | { type: 'claimlink:resize'; height: number }
  | { type: 'claimlink:focus'; top: number }
  | LinkMessage;

/** What the server tells the script of framed pages, as JSON in its attribute `data-frame`. */
export interface FrameData {
  /** Origins that may show the page in a frame. */
  origins: readonly string[];
  /** Absent for a form. */
  message?: LinkMessage | undefined;
}
