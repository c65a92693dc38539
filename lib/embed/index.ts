/**
 * Shows the page of a link in a frame of your page, as high as its content. It runs in browsers and imports nothing.
 *
 * @module claimlink/embed
 */

/** Options of `embedClaim`. Only messages of the frame, from the origin of the link, call the functions. */
export interface EmbedOptions {
  /** Name of the frame for screen readers, in the language of your page. Default: `Claim form`. */
  title?: string;
  /** Height of the frame in CSS pixels until its page has told its own. Default: 600. */
  heightPixels?: number;
  /**
   * true: the frame has no header and no contact for help. Your page then has both, on each page with the frame. The language stays
   * in the frame. Default: false.
   */
  compact?: boolean;
  /** Called when a page has loaded in the frame: the form, or the page that says why there is none. */
  onReady?: () => void;
  /** Called after the frame got the height of its page, in CSS pixels. */
  onResize?: (message: { height: number }) => void;
  /** Called when the user gives the first answer, once for each page that has loaded. */
  onStarted?: () => void;
  /** Called when the claim is stored. A repeated submission calls it again, with the same reference. */
  onSubmitted?: (message: { reference: string }) => void;
  /** Called when the link takes no claim: `code` says why, such as `link_expired`. */
  onUnavailable?: (message: { code: string }) => void;
}

/** A claim form in your page. */
export interface EmbeddedClaim {
  /** The frame. */
  readonly frame: HTMLIFrameElement;
  /** Removes the frame, and ends the messages. It may be called again. */
  readonly remove: () => void;
}

/**
 * Appends a frame with the page of a link to an element. The client of the link must list the origin of your page in
 * `frameAncestors`.
 * @param url URL of the link, as `createLink` returns it. It is secret: see "Frame the page" in docs/pages.md.
 * @throws TypeError for a URL that is not an http or https URL.
 */
export function embedClaim(element: Element, url: string | URL, options: EmbedOptions = {}): EmbeddedClaim {
  const target = new URL(url, location.href);
  const { origin, protocol } = target;
  // The frame would run the code of a `javascript:` URL in the origin of this page.
  if (!/^https?:$/.test(protocol)) throw new TypeError('The URL of the link must be an http or https URL.');
  const { title = 'Claim form', heightPixels = 600, compact = false } = options;
  if (compact) target.searchParams.set('view', 'compact');
  const frame = document.createElement('iframe');
  frame.title = title;
  frame.referrerPolicy = 'no-referrer';
  // For the buttons of the receipt. A browser that cannot share complains about the second.
  frame.allow = `clipboard-write${'share' in navigator ? '; web-share' : ''}`;
  // A policy blocks style attributes in markup, and not these properties.
  Object.assign(frame.style, { display: 'block', width: '100%', height: `${heightPixels}px`, border: '0' });

  function receive({ data, origin: sender, source }: MessageEvent<unknown>): void {
    if (source === null || source !== frame.contentWindow || sender !== origin) return;
    const { type, height, top, reference, code } = Object(data) as Record<string, unknown>;
    if (type === 'claimlink:ready') options.onReady?.();
    else if (type === 'claimlink:started') options.onStarted?.();
    else if (type === 'claimlink:resize' && isLength(height)) {
      frame.style.height = `${height}px`;
      options.onResize?.({ height });
    } else if (type === 'claimlink:focus' && isLength(top)) showPlace(top);
    else if (type === 'claimlink:submitted' && typeof reference === 'string')
      options.onSubmitted?.({ reference });
    else if (type === 'claimlink:unavailable' && typeof code === 'string') options.onUnavailable?.({ code });
  }

  /** Scrolls to a place in the frame that the window does not show: its page cannot scroll the window around it. */
  function showPlace(top: number): void {
    const place = frame.getBoundingClientRect().top + top;
    if (place < 0 || place > innerHeight) scrollBy(0, place - innerHeight / 4);
  }

  addEventListener('message', receive);
  frame.src = target.href;
  element.append(frame);
  return {
    frame,
    remove() {
      removeEventListener('message', receive);
      frame.remove();
    },
  };
}

function isLength(value: unknown): value is number {
  return Number.isFinite(value) && (value as number) >= 0;
}
