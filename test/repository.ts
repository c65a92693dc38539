/**
 * URL of the root folder of the repository, with a slash at its end.
 * Compiled tests run from build/, where paths relative to `import.meta.url` do not lead to fixtures.
 */
export const REPOSITORY = new URL('./', import.meta.resolve('claimlink/package.json'));
