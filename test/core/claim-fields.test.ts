// The table of the fields of a claim: what follows a change of one entry.
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { en, Faker } from '@faker-js/faker';
import { build } from 'esbuild';
import t from 'tap';
import type * as Table from '../../lib/core/claim-fields.js';
import {
  CLAIM_FIELDS,
  type ClaimField,
  FIELDS,
  type FieldShape,
  PERSON,
} from '../../lib/core/claim-fields.js';
import type * as Schemas from '../../lib/core/schemas.js';
import type * as Stored from '../../lib/core/stored-claim.js';
import type * as Validators from '../../lib/core/validators.js';
import type * as Responses from '../../lib/http/response-schemas.js';
import type { ClientForm, SelectedPolicy } from '../../lib/index.js';
import type * as Samples from '../../lib/testing/contract-suite/samples.js';
import type * as Widget from '../../lib/widget/index.js';
import type * as MockSchemas from '../../mock-server/schemas/session.js';
import type * as Seed from '../../mock-server/seed/seed-answers.js';
import type * as Rows from '../docs/member-rows.js';
import { REPOSITORY } from '../repository.js';
import { formView } from '../widget/views.js';

const MODULES = [
  'lib/core/claim-fields.ts',
  'lib/core/schemas.ts',
  'lib/core/stored-claim.ts',
  'lib/http/response-schemas.ts',
  'lib/core/validators.ts',
  'lib/widget/index.ts',
  'lib/testing/contract-suite/samples.ts',
  'mock-server/schemas/session.ts',
  'mock-server/seed/seed-answers.ts',
  'test/docs/member-rows.ts',
];
type Modules = typeof Table &
  typeof Schemas &
  typeof Stored &
  typeof Responses &
  typeof Validators &
  typeof Widget &
  typeof Samples &
  typeof MockSchemas &
  typeof Seed &
  typeof Rows;

/** Imports what uses the table, with a changed copy of its source. */
async function withTable(change: (source: string) => string): Promise<Modules> {
  const { outputFiles } = await build({
    stdin: {
      contents: MODULES.map((path) => `export * from './${path}';`).join('\n'),
      resolveDir: fileURLToPath(REPOSITORY),
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'copy of the table',
        setup({ onLoad }) {
          onLoad({ filter: /core\/claim-fields\.ts$/ }, async ({ path }) => {
            const source = await readFile(path, 'utf8');
            const contents = change(source);
            if (contents === source) throw new Error('The copy has no change.');
            return { contents, loader: 'ts' };
          });
        },
      },
    ],
  });
  return import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? '').toString('base64')}`
  );
}

/** Each field that has a limit, by the pointer of its input in the form. */
const LIMITED = [
  ...CLAIM_FIELDS.map((field) => [field, FIELDS[field]] as const),
  ...Object.entries(PERSON).map(([name, shape]) => [`/policy/linkedContacts/0/${name}`, shape] as const),
].flatMap(([pointer, shape]) => ('maxLength' in shape ? [[pointer, shape.maxLength] as const] : []));

const FORM = {
  fields: Object.fromEntries(CLAIM_FIELDS.map((field) => [field, 'required'] as const)),
  incidentTypes: [{ key: 'collision', texts: { en: 'Collision' } }],
};

t.test('a limit is in the table only: the schemas, the page and the documents follow it', async (t) => {
  const copy = await withTable((source) =>
    source.replaceAll(/maxLength: (\d+)/g, (_, limit) => `maxLength: ${Number(limit) - 1}`),
  );
  const valuesOf = (schema: Parameters<typeof copy.memberRows>[0]) =>
    new Map(copy.memberRows(schema).map(([name = '', , value]) => [name.replaceAll('`', ''), value]));
  const claim = valuesOf(copy.claimSubmissionSchema);
  const stored = valuesOf(copy.storedClaimSchema);
  const prefill = valuesOf(copy.linkRequestSchema);
  const view = formView();
  const link = { ...view.link, settings: { form: FORM } };
  const { html } = copy.createStandaloneWidget().renderForm({ ...view, link });
  for (const [pointer, limit] of LIMITED) {
    const member = pointer.slice(1).replaceAll('/', '.').replace('.0.', '[].');
    const value = `up to ${(limit - 1).toLocaleString('en')} UTF-16 code units`;
    t.equal(claim.get(member), value, `${member} in the claim`);
    t.equal(stored.get(member.replace(/^policy/, 'selectedPolicy')), value, `${member} in a stored claim`);
    if (member.startsWith('policy'))
      t.equal(prefill.get(`config.${member}`), value, `${member} in a prefill`);
    const [tag] = new RegExp(`<(?:input|textarea)[^>]* name="${pointer}"[^>]*>`).exec(html) ?? [];
    t.match(tag, ` data-max="${limit - 1}"`, `${member} in the page`);
  }
  t.match(html, 'Up to 3999 characters', 'the hint of the description');
});

t.test(
  'a new field of the incident is one entry, which schemas, checks, sample and seed follow',
  async (t) => {
    const copy = await withTable((source) =>
      source.replace(
        "'/incident/place':",
        "'/incident/example/name': { need: 'hidden', kind: 'text', maxLength: 70 },\n" +
          "  '/incident/example/since': { need: 'hidden', kind: 'date' },\n  $&",
      ),
    );
    const row = ['`incident.example.name`', 'no', 'up to 70 UTF-16 code units'].join();
    for (const schema of [copy.claimSubmissionSchema, copy.storedClaimSchema])
      t.ok(copy.memberRows(schema).some((cells) => cells.join() === row));
    t.match(copy.sampleClaim().incident, { example: { name: String, since: String } });
    t.match(copy.scenarioSessionSchema.properties.incident.properties, {
      example: { additionalProperties: false, properties: { name: { type: 'string' } } },
    });
    const claim = { ...copy.sampleClaim(), incident: { example: { since: '1899-12-31' } } };
    const problems = [{ pointer: '/incident/example/since', rule: 'format' }];
    t.throws(() => copy.parseClaimSubmission(claim, new Date()), { problems } as object as Error);
    const form = { fields: { '/incident/example/name': 'optional', '/incident/example/since': 'optional' } };
    t.match(copy.formAnswers(new Faker({ locale: en }), form as ClientForm, '2026-01-01'), {
      example: { name: String, since: '2026-01-01' },
    });
  },
);

/** A value of each kind. */
const VALUES: Readonly<Record<FieldShape['kind'], unknown>> = {
  text: 'a text',
  textarea: 'a text',
  code: 'CODE-1',
  email: 'person@example.com',
  phone: '+44 20 7946 0001',
  date: '2026-01-01',
  time: '12:00',
  choice: 'collision',
  boolean: false,
  contacts: [{ firstName: 'Max', lastName: 'Muster', email: 'max@example.com' }],
};

/** Returns the member of a value at a pointer. */
const memberAt = (value: unknown, pointer: string): unknown =>
  pointer
    .slice(1)
    .split('/')
    .reduce<unknown>((parent, name) => (parent as Record<string, unknown> | undefined)?.[name], value);

/** Fields that no contract documents, in each object of a policy. */
const NEW_FIELDS = ['/policy/example', '/policy/vehicle/example', '/policy/holder/example'];
const withNewFields = () =>
  withTable((source) =>
    source.replace(
      "'/policy/holder/firstName':",
      `${NEW_FIELDS.map((pointer) => `'${pointer}': { need: 'hidden', kind: 'text', maxLength: 70 },\n`).join('')}$&`,
    ),
  );

t.test('a session keeps each field of a claim, also a new one of a policy', async (t) => {
  const copy = await withNewFields();
  const claim = Object.fromEntries(
    ['policy', 'incident'].map((name) => [
      name,
      copy.membersBelow(
        `/${name}`,
        ({ kind }) => VALUES[kind],
        (members) => members,
      ),
    ]),
  );
  t.strictSame(
    NEW_FIELDS.filter((pointer) => memberAt(claim, pointer) === undefined),
    [],
  );
  const { selectedPolicy, incident } = copy.toStoredClaim(
    copy.parseClaimSubmission(claim, new Date(), FORM),
    'user-1',
  );
  for (const pointer of copy.CLAIM_FIELDS)
    t.strictSame(
      memberAt({ policy: selectedPolicy, incident }, pointer),
      VALUES[copy.FIELDS[pointer].kind],
      pointer,
    );
});

t.test('a new field of a policy is one entry, which schemas, samples, webhook and seed follow', async (t) => {
  const copy = await withNewFields();
  for (const pointer of NEW_FIELDS) {
    const member = pointer.slice('/policy/'.length).replace('/', '.');
    for (const [schema, path] of [
      [copy.claimSubmissionSchema, 'policy'],
      [copy.linkRequestSchema, 'config.policy'],
      [copy.storedClaimSchema, 'selectedPolicy'],
    ] as const) {
      const row = [`\`${path}.${member}\``, 'no', 'up to 70 UTF-16 code units'].join();
      t.ok(
        copy.memberRows(schema).some((cells) => cells.join() === row),
        `${member} in ${schema.$id}`,
      );
    }
    const ofSchema = pointer.slice('/policy'.length).replaceAll('/', '/properties/');
    t.match(memberAt(copy.scenarioSessionSchema.properties.selectedPolicy, ofSchema), { type: 'string' });
    const { session } = copy.submissionWebhookSchema.properties.data.properties;
    t.match(memberAt(session.properties.selectedPolicy, ofSchema), { type: 'string', maxLength: 70 });
    t.equal(memberAt(copy.sessionSchema.properties.selectedPolicy, ofSchema), undefined, 'not listed');
    t.type(memberAt(copy.sampleClaim(), pointer), 'string');
    t.type(memberAt(copy.FULL_CONFIG, pointer), 'string');
    t.equal(memberAt({ policy: copy.expectedPolicy(copy.sampleClaim(), 'user-1') }, pointer), undefined);
    const seeded = copy.toSelectedPolicy({ number: '1' }, 'user-1');
    const asked = (form: object): SelectedPolicy => copy.askedPolicy(new Faker({ locale: en }), seeded, form);
    t.equal(memberAt({ policy: asked({}) }, pointer), undefined, 'no form asks for it');
    const form = { fields: { [pointer as ClaimField]: 'required' } };
    t.type(memberAt({ policy: asked(form) }, pointer), 'string');
  }
});

t.test('the comments of the types name the limits of the table', async (t) => {
  const types = await readFile('lib/core/types.ts', 'utf8');
  const [incident = ''] = /^export interface Incident \{[\s\S]*?^\}/m.exec(types) ?? [];
  const limits = [...incident.matchAll(/up to (\d+) UTF-16 code units\. \*\/\n +(\w+)\?/g)];
  t.strictSame(
    limits.map(([, limit, name]) => [`/incident/${name}`, Number(limit)]),
    LIMITED.filter(([pointer]) => /^\/incident\/\w+$/.test(pointer)),
  );
});

t.test(
  'a field is named in four files beside the languages: one is the seed, which may have a text of its own',
  async (t) => {
    const files = ['lib', 'mock-server', 'cli']
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
      )
      .filter((path) => /\.tsx?$/.test(path) && !/\/(?:generated|locales)\//.test(path))
      .filter((path) => readFileSync(path, 'utf8').includes('policeReference'));
    t.strictSame(files.sort(), [
      'lib/core/claim-fields.ts',
      'lib/core/types.ts',
      'lib/widget/form-model.ts',
      'mock-server/seed/seed-answers.ts',
    ]);
  },
);
