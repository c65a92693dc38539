// The signer writes HMAC signatures itself: the bytes are those of jsonwebtoken, for each algorithm.
import jwt from 'jsonwebtoken';
import t from 'tap';
import { createLinkSigner, type LinkAlgorithm } from '../../lib/index.js';

const secret = '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef';
const issuedAt = new Date('2026-05-04T12:00:00.999Z');
const expiresAt = new Date('2026-05-05T12:00:00Z');

for (const algorithm of ['HS256', 'HS384', 'HS512'] satisfies LinkAlgorithm[]) {
  t.test(`a token signed with ${algorithm} is byte for byte what jsonwebtoken signs`, async (t) => {
    const issuer = 'https://claims.example.com/ä';
    const signer = createLinkSigner({ keys: [{ kid: 'key-1', algorithm, secret }], issuer });
    const token = signer.sign({ accessCode: 'code', clientId: 'Zoë “&” 客', issuedAt, expiresAt });
    const expected = jwt.sign(
      {
        iss: issuer,
        aud: jwt.decode(token, { json: true })?.aud,
        jti: 'code',
        client_id: 'Zoë “&” 客',
        iat: Math.floor(issuedAt.getTime() / 1000),
        exp: expiresAt.getTime() / 1000,
      },
      secret,
      { algorithm, header: { alg: algorithm, typ: 'claim-link+jwt', kid: 'key-1' } },
    );
    t.equal(token, expected);
    t.match(signer.verify(token, issuedAt), { accessCode: 'code', clientId: 'Zoë “&” 客' });
  });
}
