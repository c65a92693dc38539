// The pages of the host: its form is the bundle of another origin, and the other pages are built in.
import { createStandaloneWidget, extendPolicy, jsonForScript } from 'claimlink/widget';

/** Creates the widget. `origin` serves the bundle: script, style, image and data. */
export function createClaimWidget(origin) {
  const sources = { scriptSrc: [origin], styleSrc: [origin], imgSrc: [origin], connectSrc: [origin] };
  return {
    ...createStandaloneWidget(), // the pages of links that are submitted, expired, revoked or unknown
    locales: ['en'],
    renderForm: ({ locale, policy, link }) => ({
      html: `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Report a claim</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="${origin}/claim.css">
</head>
<body>
<main><h1>Report a claim</h1><noscript>This form needs JavaScript.</noscript></main>
<script type="application/json" id="config">${jsonForScript(link.config)}</script>
<script type="module" src="${origin}/claim.js"></script>
</body>
</html>`,
      contentSecurityPolicy: extendPolicy(policy, sources),
    }),
  };
}
