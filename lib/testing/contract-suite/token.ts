// Rules about the access code and the token in the URL of a link.

import { readCompact } from '../../core/compact-token.js';
import type { CreatedLink, Deployment } from './deployment.js';
import { expect, fail, listed, NotApplicableError, objectOf } from './expect.js';
import type { ContractSection } from './rule.js';
import { FULL_CONFIG } from './samples.js';

/** The parts of a token, not verified. */
export interface TokenParts {
  header: Readonly<Record<string, unknown>>;
  payload: Readonly<Record<string, unknown>>;
  /** The three parts, still encoded. */
  encoded: readonly [header: string, payload: string, signature: string];
}

/** Parses a compact JWS (RFC 7515, 7.1). The rules of a JWS do not apply to a compact token of claimlink. */
export function readToken({ token }: CreatedLink): TokenParts {
  if (readCompact(token) !== undefined)
    throw new NotApplicableError('the token is a compact token, without header and JSON');
  const [header = '', payload = '', signature = '', ...rest] = token.split('.');
  const decoded = { header: decode(header), payload: decode(payload) };
  if (!decoded.header || !decoded.payload || signature === '' || rest.length > 0)
    return fail('the token', 'no compact JWS (RFC 7515)', 'header.payload.signature, base64url');
  return { header: decoded.header, payload: decoded.payload, encoded: [header, payload, signature] };
}

function decode(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return objectOf(JSON.parse(Buffer.from(part, 'base64url').toString()));
  } catch {
    return undefined;
  }
}

/** Returns the time when the token was issued, by the clock of the deployment, in milliseconds. */
export function issuedAtMs(link: CreatedLink): number {
  const { iat } = readToken(link).payload;
  return typeof iat === 'number' ? iat * 1000 : fail('the token', 'no iat', 'iat, in seconds');
}

/** Header and claims of a token, before they are encoded. */
const TOKEN_SAMPLE = [
  '{"alg":"HS256","typ":"claim-link+jwt","kid":"key-1"}',
  '{"iss":"{base_url}","aud":"claimlink/standalone","jti":"<access_code>","client_id":"<client id>","iat":1772445600,"exp":1772532000}',
].join('\n');

const CLAIMS = ['iss', 'aud', 'jti', 'client_id', 'iat', 'exp'];

async function tokenOf(deployment: Deployment): Promise<TokenParts> {
  return readToken(await deployment.createLink());
}

export const tokenSection: ContractSection = {
  section: 'Decision: access code, token',
  advice: 'Sign links with the documented header and claims, and random access codes.',
  rules: [
    {
      name: 'the access code is base64url with room for at least 120 random bits',
      async check(deployment) {
        const { accessCode } = await deployment.createLink();
        const isAlphabet = /^[A-Za-z0-9_-]+$/.test(accessCode);
        expect(isAlphabet, 'the access code', 'characters that are not base64url', 'base64url');
        const actual = `${accessCode.length} characters, ${accessCode.length * 6} bits`;
        expect(accessCode.length >= 20, 'the access code', actual, 'at least 20 characters, 120 bits');
      },
    },
    {
      name: 'access codes differ in at least 20 characters',
      async check(deployment) {
        const codes: string[] = [];
        for (let n = 0; n < 8; n++) codes.push((await deployment.createLink()).accessCode);
        expect(
          new Set(codes).size === codes.length,
          '8 links',
          'the same access code twice',
          'different access codes',
        );
        const length = Math.min(...codes.map((code) => code.length));
        // The probability that a random position is the same in 8 codes is 1 in 64 to the power of 7.
        const fixed = Array.from(
          { length },
          (_, index) => new Set(codes.map((code) => code[index])).size === 1,
        );
        const count = fixed.filter(Boolean).length;
        expect(
          length - count >= 20,
          '8 links',
          `${count} positions with the same character`,
          'random characters in at least 20 positions',
        );
      },
    },
    {
      name: 'the token is a JWS with the type claim-link+jwt and a kid',
      sample: TOKEN_SAMPLE,
      async check(deployment) {
        const { typ, kid } = (await tokenOf(deployment)).header;
        expect(typ === 'claim-link+jwt', 'typ of the token', String(typ), 'claim-link+jwt');
        expect(typeof kid === 'string' && kid !== '', 'kid of the token', typeof kid, 'the name of a key');
      },
    },
    {
      name: 'the token is signed with HS, RS, PS or ES, never none',
      sample: TOKEN_SAMPLE,
      async check(deployment) {
        const { alg } = (await tokenOf(deployment)).header;
        const isKnown = /^(?:HS|RS|PS|ES)(?:256|384|512)$/.test(String(alg));
        expect(isKnown, 'alg of the token', String(alg), 'HS, RS, PS or ES with 256, 384 or 512');
      },
    },
    {
      name: `the claims of the token are ${CLAIMS.join(', ')}, and no others`,
      sample: TOKEN_SAMPLE,
      async check(deployment) {
        const actual = Object.keys((await tokenOf(deployment)).payload);
        const isSame = [...actual].sort().join() === [...CLAIMS].sort().join();
        expect(isSame, 'the token', `the claims ${listed(actual)}`, `the claims ${listed(CLAIMS)}`);
      },
    },
    {
      name: 'iss is {base_url}, jti the access code, client_id the client',
      sample: TOKEN_SAMPLE,
      async check(deployment) {
        const link = await deployment.createLink();
        const { baseUrl, clientId: expected } = deployment.target;
        const compact = readCompact(link.token);
        if (compact !== undefined) {
          const isSame = compact.clientId === expected;
          expect(isSame, 'client id of the token', 'another value', 'the client of the path');
          throw new NotApplicableError('a compact token contains the client only, and it is right');
        }
        const { iss, jti, client_id: clientId } = readToken(link).payload;
        expect(iss === baseUrl, 'iss of the token', String(iss), baseUrl);
        expect(jti === link.accessCode, 'jti of the token', 'another value', 'the access code');
        expect(clientId === expected, 'client_id of the token', 'another value', 'the client of the path');
      },
    },
    {
      name: 'the token expires 60 seconds to 30 days after it was issued',
      sample: TOKEN_SAMPLE,
      async check(deployment) {
        const { iat, exp } = (await tokenOf(deployment)).payload;
        const isWhole = Number.isInteger(iat) && Number.isInteger(exp);
        expect(isWhole, 'iat and exp of the token', `${typeof iat}, ${typeof exp}`, 'whole seconds');
        const seconds = Number(exp) - Number(iat);
        const isRight = seconds >= 60 && seconds <= 2_592_000;
        expect(isRight, 'the token', `a lifetime of ${seconds} seconds`, '60 to 2592000 seconds');
      },
    },
    {
      name: 'the token contains no personal data',
      async check(deployment) {
        const { userId } = deployment.target;
        const { config } = deployment.linkRequest();
        const link = await deployment.createLink({ config: { ...config, ...FULL_CONFIG } });
        const { header, payload } = readToken(link);
        const text = JSON.stringify([header, { ...payload, iss: '', client_id: '', jti: '' }]);
        const { holder, number, vehicle, linkedContacts: [person] = [] } = FULL_CONFIG.policy ?? {};
        const personalData: Readonly<Record<string, string | undefined>> = {
          'the user id': userId.length > 3 ? userId : undefined,
          "the holder's name": holder?.lastName,
          "the holder's e-mail address": holder?.email,
          "the holder's phone": holder?.phone,
          'the policy number': number,
          'the licence plate': vehicle?.licensePlate,
          "a contact's name": person?.lastName,
          "a contact's e-mail address": person?.email,
          "the contact's e-mail address": config.contact.email,
          "the contact's phone": config.contact.phone,
        };
        for (const [what, value] of Object.entries(personalData))
          expect(value === undefined || !text.includes(value), 'the token', what, 'no personal data');
      },
    },
  ],
};
