// POST /photos/:accessCode stores a photo for a link, DELETE /photos/:accessCode/:sha256 removes it.
import { LIMITS, Rejection, reasonOf } from './photo-limits.mjs';
import { drop } from './photo-store.mjs';

const ROUTE = /^\/photos\/([\w-]+)(?:\/([0-9a-f]{64}))?$/;

// #region upload
/** Stores the body of a request as a photo of a link. */
async function upload({ claimlink, store }, req, accessCode, token) {
  // Before a byte of the body is read. It throws for a link that takes no claim.
  const { linkId } = await claimlink.openLink(accessCode, token);
  if (Number(req.headers['content-length']) > LIMITS.bytes) throw new Rejection('bytes');
  const sha256 = await store.add(linkId, req);
  try {
    await claimlink.openLink(accessCode, token);
  } catch (error) {
    // The link was deleted while the photo arrived, and `data.deleted` may have been handled before the photo was stored.
    if (error.code === 'link_not_found') await store.remove(linkId, sha256);
    throw error;
  }
  return { sha256 };
}
// #endregion

/** Creates the route. It returns false for a request to another path. */
export function createUploadRoute({ claimlink, store, onError }) {
  async function answer(req, accessCode, sha256) {
    // The token is not in the URL: that may be logged.
    const [, token = ''] = /^Bearer (\S+)$/.exec(req.headers.authorization ?? '') ?? [];
    if (req.method === 'POST' && sha256 === undefined)
      return [201, await upload({ claimlink, store }, req, accessCode, token)];
    if (req.method !== 'DELETE' || sha256 === undefined) return [405, { detail: 'There is no such method.' }];
    const { linkId } = await claimlink.openLink(accessCode, token);
    await store.remove(linkId, sha256);
    return [204];
  }

  return async (req, res) => {
    const [, accessCode, sha256] = ROUTE.exec(req.url) ?? [];
    if (accessCode === undefined) return false;
    const [status, body] = await answer(req, accessCode, sha256).catch((error) => {
      const [status, detail] = reasonOf(error);
      if (status >= 500 && !req.destroyed) onError(error, { path: '/photos/:accessCode' });
      return [status, { detail }];
    });
    // A browser whose connection closes while it sends may not get the response. A caller without a link gets no such help.
    if (status !== 404) await drop(req);
    if (!req.complete) res.setHeader('connection', 'close'); // the rest of the body stays unread
    res.setHeader('cache-control', 'no-store').setHeader('content-type', 'application/json');
    res.writeHead(status).end(body && JSON.stringify(body));
    return true;
  };
}
