// The links of a client: their URLs, and the answers of their recipients, whom the mock plays.
import { toSummary } from '../../lib/core/administration/links.js';
import { recipientQuestion } from '../../lib/core/recipient-check.js';
import { linkUrl } from '../../lib/core/url.js';
import {
  hashAccessCode,
  type LinkSigner,
  type RecipientProof,
  type RecipientQuestion,
} from '../../lib/index.js';
import type { MockLink, MockLinkFilter } from '../control/types.js';
import { DEFAULT_LIMIT } from '../schemas/defaults.js';
import { type ClientRecords, MAX_LINKS } from './client-records.js';
import { sizeOfValue } from './json-pieces.js';
import type { Space } from './space.js';

/** The answers to a question of a client for links that have none of their own. */
const DEFAULT_ANSWERS = { text: 'answer', date: '1990-01-31' } as const;
/** Links beyond the maximum are removed together, because each removal copies the storage. */
const MAX_EXCESS_LINKS = 1000;
/** The URL of a link, with its linkId. */
const URL_BYTES = 600;
/** A full client drops half of its links for a new one. Of fewer links, that would free too little. */
const MIN_DROPPED_LINKS = 10;

export type ClientLinks = ReturnType<typeof createClientLinks>;

export function createClientLinks(records: ClientRecords, space: Space) {
  const { clientId, memory, now } = records;

  function describe(linkId: string): MockLink | undefined {
    const url = records.data.urls.get(linkId);
    const stored = memory.findLink({ clientId, accessCodeHash: linkId });
    if (url === undefined || stored === undefined) return undefined;
    const { link, session } = stored;
    const record = { link, ...(session && { reference: session.reference }) };
    return { clientId, url, callbackUrl: link.callbackUrl, ...toSummary(record, now()) };
  }

  function emitLink(linkId: string): void {
    const link = describe(linkId);
    if (link) records.emit({ type: 'link', clientId, link });
  }

  function matching({ userId, state }: MockLinkFilter): MockLink[] {
    return [...records.data.urls.keys()]
      .reverse()
      .flatMap((linkId) => describe(linkId) ?? [])
      .filter(
        (link) => (userId === undefined || link.userId === userId) && (state ?? link.state) === link.state,
      );
  }

  const answerOf = (linkId: string, question?: RecipientQuestion): string =>
    records.data.answers.get(linkId) ?? DEFAULT_ANSWERS[question?.kind ?? 'text'];

  /** Returns what the recipient of a link has to answer, if anything: the mock plays the recipient. */
  function proofOf(linkId: string): RecipientProof {
    const stored = memory.findLink({ clientId, accessCodeHash: linkId });
    const question = stored && recipientQuestion(stored);
    if (question === undefined) return {};
    const { asked, expected = answerOf(linkId, asked.question) } = question;
    return { recipientAnswer: expected };
  }

  const withAnswer = (link: MockLink): MockLink => ({ ...link, ...proofOf(link.linkId) });

  return {
    emitLink,
    answerOf,
    /** Reserves space for a link to insert. Drops old links if there are too many. @throws `storage_unavailable` */
    reserve(size: number): void {
      if (records.data.urls.size >= MAX_LINKS + MAX_EXCESS_LINKS) records.dropExcess();
      space.reserve(size + URL_BYTES, () => {
        const { size } = records.data.urls;
        if (size >= MIN_DROPPED_LINKS) records.dropExcess(Math.floor(size / 2));
      });
    },
    /** Returns a signer that remembers the URL of each link that it signs. */
    rememberingSigner: (signer: LinkSigner, publicUrl: string): LinkSigner => ({
      ...signer,
      sign(claims) {
        const token = signer.sign(claims);
        const linkId = hashAccessCode(claims.accessCode);
        records.data.urls.set(linkId, linkUrl(publicUrl, claims.accessCode, token));
        emitLink(linkId);
        return token;
      },
    }),

    methods: {
      /** Returns a link by its URL or `linkId`. */
      findLink(link: string): MockLink | undefined {
        const code = /\/verify\/([^/?#]+)(?:[?#]|$)/.exec(link)?.[1];
        const described = describe(code === undefined ? link : hashAccessCode(code));
        return described && withAnswer(described);
      },
      proofOf,
      /** Sets what the recipient of a link answers to a question of the client. @throws `storage_unavailable` for too much */
      setAnswer(linkId: string, answer: string): void {
        space.reserve(sizeOfValue(answer) + URL_BYTES);
        records.data.answers.set(linkId, answer);
        emitLink(linkId);
      },
      links: ({ limit = DEFAULT_LIMIT, ...filter }: MockLinkFilter = {}) =>
        matching(filter).slice(0, limit).map(withAnswer),
      countLinks: (filter: MockLinkFilter = {}) => matching(filter).length,
      /** Returns which of its user's links it is, from 1. */
      ordinalOf(linkId: string): number {
        const ofUser = matching({ userId: describe(linkId)?.userId ?? '' }).reverse();
        return ofUser.findIndex((link) => link.linkId === linkId) + 1;
      },
      expireLink(linkId: string): void {
        memory.expireLink({ clientId, accessCodeHash: linkId, at: now() });
        emitLink(linkId);
      },
    },
  };
}
