// One process of the steps: node server.mjs <port> <case> [<another checkout of claimlink, built>]
import { pathToFileURL } from 'node:url';
import { host, port } from '../speed/servers/listen.mjs';
import { createLinkTurns } from './link.mjs';
import { createListingTurns } from './listing.mjs';
import { createTurnsServer } from './turns.mjs';

const TURNS = { 'listing-10': createListingTurns, link: createLinkTurns };
const [, id, against] = process.argv.slice(2);
const here = new URL('../../', import.meta.url);

const turns = [...(await TURNS[id]()), await claimlinkTurn('claimlink', here)];
if (against !== undefined) turns.push(await claimlinkTurn(against, pathToFileURL(`${against}/`)));
createTurnsServer(turns).listen(port, host);

async function claimlinkTurn(name, root) {
  const { createService } = await import(new URL('bench/speed/service.mjs', root));
  const { createNodeHandler } = await import(new URL('dist/lib/adapters/node.js', root));
  return { name, answers: 'same', handler: createNodeHandler(createService()) };
}
