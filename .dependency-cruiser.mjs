// Import rules: which folder may import which, and which packages belong to which part. Run by `npm run lint`.

/** Creates a rule: files of `from` may import files and packages of `to` only. */
function allowOnly(name, from, to, except) {
  return {
    name,
    severity: 'error',
    from: { path: from, ...(except && { pathNot: except }) },
    to: { pathNot: to },
  };
}

/** Creates a rule: only files of `users` may import a package. */
function onlyFor(name, packages, users) {
  return {
    name,
    severity: 'error',
    from: { path: '^(lib|mock-server|cli)/', pathNot: users },
    to: { path: `node_modules/(${packages})/` },
  };
}

/** Folders that import the files of the folder that they are in. */
const TOP_FOLDERS = '^(lib|mock-server)/(adapters|widget/browser|dashboard)/';

/** The jobs of an operator: use cases over those of a request. */
const ADMINISTRATION = '^lib/core/administration/';

/** The pages of a link, over the HTTP of all routes. */
const PAGES = '^lib/http/pages/';

export default {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-missing', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-circles-between-folders',
      comment: 'Folders do not import each other in a circle.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(lib|mock-server|cli)/' },
      to: { circular: true },
    },
    {
      name: 'folders-do-not-import-the-one-above',
      comment:
        'The rule above does not compare a folder with the one that it is in, whose files may import it.',
      severity: 'error',
      from: { path: '^(.+)/[^/]+/[^/]+$', pathNot: [TOP_FOLDERS, ADMINISTRATION, PAGES] },
      to: { path: '^$1/[^/]+$' },
    },
    {
      name: 'top-folders-are-not-imported',
      comment: 'These folders import the one that they are in.',
      severity: 'error',
      from: { path: '^(lib|mock-server)/', pathNot: TOP_FOLDERS },
      to: { path: TOP_FOLDERS.replace('(lib|mock-server)', '$1') },
    },
    {
      name: 'requests-need-no-administration',
      comment: 'The administration imports the rest of core, and not the other way round.',
      severity: 'error',
      from: { path: '^lib/(core|http|adapters|storage|widget)/', pathNot: ADMINISTRATION },
      to: { path: ADMINISTRATION },
    },
    allowOnly(
      'core-is-independent',
      '^lib/core/',
      '^(lib/(core|generated)/|(crypto|diagnostics_channel|util)$|node_modules/(jsonwebtoken|qr|@types/\\w+)/)',
    ),
    allowOnly(
      'http-imports-core',
      '^lib/http/',
      '^(lib/(core|generated|http)/|(crypto|diagnostics_channel|fs/promises|os|path|stream)$|node_modules/(@fastify/busboy|negotiator|secure-json-parse|@types/\\w+)/)',
    ),
    allowOnly('generated-code-is-bundled', '^lib/generated/', '^$'),
    allowOnly('storage-imports-core', '^lib/storage/', '^(lib/(core|storage)/|crypto$)'),
    allowOnly(
      'photos-import-core',
      '^lib/photos/',
      '^(lib/(core|photos)/|(crypto|fs/promises|path|stream)$)',
    ),
    allowOnly(
      'widget-imports-core',
      '^lib/widget/',
      '^lib/(core/|generated/|widget/|http/policy\\.ts$)',
      '^lib/widget/browser/',
    ),
    allowOnly(
      'browser-code-runs-in-browsers',
      '^lib/widget/browser/',
      '^lib/widget/(browser/|(answers|dates|device-key|fields|format-locale|frame-message|messages|outcome|reference|urls|values|locales/texts)\\.ts$)',
    ),
    allowOnly('webhooks-import-core', '^lib/webhooks/', '^(lib/(core|webhooks)/|(crypto|dns|https|net)$)'),
    allowOnly('embed-is-one-file', '^lib/embed/', '^$'),
    allowOnly(
      'testing-imports-core',
      '^lib/testing/',
      '^(lib/(core|generated|http|testing)/|(assert/strict|crypto)$)',
    ),
    allowOnly(
      'adapters-import-core',
      '^lib/adapters/',
      '^(lib/(core|http|adapters)/|lib/claimlink\\.ts$|(http|stream|stream/promises|net)$|node_modules/(fastify|fastify-plugin)/)',
    ),
    {
      name: 'adapters-are-independent',
      severity: 'error',
      from: { path: '^lib/adapters/(fastify|node|fetch)\\.ts$' },
      to: { path: '^lib/adapters/(fastify|node|fetch)\\.ts$' },
    },
    {
      name: 'lib-imports-lib',
      severity: 'error',
      from: { path: '^lib/' },
      to: { path: '^(mock-server|cli|fixtures|test|bench|examples|scripts)/' },
    },
    {
      name: 'the-mock-does-not-import-the-command-line',
      severity: 'error',
      from: { path: '^mock-server/' },
      to: { path: '^cli/' },
    },
    {
      name: 'two-commands-open-a-database',
      severity: 'error',
      from: { path: '^cli/', pathNot: '^cli/(postgres|sqlite)-database\\.ts$' },
      to: { path: '^lib/storage/' },
    },
    {
      name: 'commands-call-the-administration',
      comment: 'Only the files that open a database know the port of a storage.',
      severity: 'error',
      from: { path: '^cli/', pathNot: '^cli/(database|command-database|module-storage)\\.ts$' },
      to: { path: '^lib/core/(guarded-)?storage\\.ts$' },
    },
    {
      name: 'shipped-code-imports-dependencies',
      comment: 'The published package has no devDependencies.',
      severity: 'error',
      from: { path: '^(lib|mock-server|cli)/', pathNot: '^mock-server/dashboard/' },
      // pg is a peer dependency as well.
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/pg/',
      },
    },
    onlyFor('faker-is-for-the-mock', '@faker-js/faker', '^mock-server/seed/'),
    onlyFor('jsonwebtoken-is-for-the-link-signer', 'jsonwebtoken', '^lib/core/link-(signer|keys)\\.ts$'),
    onlyFor('qr-is-for-qr-codes', 'qr', '^lib/core/qr-code\\.ts$'),
    onlyFor('busboy-is-for-forms-in-parts', '@fastify/busboy', '^lib/http/multipart\\.ts$'),
    onlyFor('pg-is-for-the-command-line', 'pg', '^cli/'),
    onlyFor(
      'fastify-is-for-adapter-and-mock',
      'fastify|fastify-plugin',
      '^(lib/adapters/fastify\\.ts$|mock-server/)',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
