// The script of pages that may be framed. The pages of other clients do not have it.
import { parseUrl } from '../core/url.js';
import type { PageView } from '../core/widget.js';
import { FRAME_SCRIPT } from '../generated/page-assets.js';
import type { FrameData, LinkMessage } from './frame-message.js';
import { attributes, html, type Markup, raw } from './html.js';

/** Returns the script with its origins, or undefined if no page may frame this one. It comes after all others. */
export function frameScript(
  { nonce, frameAncestors = [] }: Pick<PageView, 'nonce' | 'frameAncestors'>,
  message: LinkMessage | undefined,
): Markup | undefined {
  // A storage of the host may have another text, such as `*`: a message to that would reach every page.
  const origins = frameAncestors.filter((origin) => parseUrl(origin)?.origin === origin);
  if (origins.length === 0) return undefined;
  const data: FrameData = { origins, message };
  const frame = attributes({ nonce, 'data-frame': JSON.stringify(data) });
  return html`<script${frame}>${raw(FRAME_SCRIPT)}</script>\n`;
}
