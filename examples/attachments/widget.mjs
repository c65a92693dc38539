// The page of the host: a form with photos. The pages of links that are submitted, expired, revoked or unknown are built in.
import { createStandaloneWidget, extendPolicy, jsonForScript } from 'claimlink/widget';
import { LIMITS } from './photo-limits.mjs';

/** Creates the widget. The host serves `page/` below /page. */
export function createPhotoWidget() {
  return {
    ...createStandaloneWidget(),
    locales: ['en'],
    renderForm: ({ nonce, locale, policy, link }) => ({
      html: `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Report damage</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/page/form.css" nonce="${nonce}">
</head>
<body>
<main>
<h1>Report damage</h1>
<noscript>This form needs JavaScript.</noscript>
<form hidden>
<label>When did it happen? <input name="date" type="date" required></label>
<label>What happened? <textarea name="description" rows="4" required></textarea></label>
<label>Photos of the damage, up to ${LIMITS.photos}
<input name="photos" type="file" accept="image/jpeg,image/png,image/webp" multiple></label>
<ul aria-label="Photos"></ul>
<button>Send claim</button>
</form>
<p role="status"></p>
</main>
<script type="application/json" id="config">${jsonForScript({ ...link.config, limits: LIMITS })}</script>
<script type="module" src="/page/form.js" nonce="${nonce}"></script>
</body>
</html>`,
      // The previews of the photos have blob: URLs.
      contentSecurityPolicy: extendPolicy(policy, { imgSrc: ['blob:'] }),
    }),
  };
}
