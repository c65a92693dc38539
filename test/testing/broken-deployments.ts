// All broken deployments. A key completes the sentence "a deployment that ...".
import { BROKEN_ERRORS } from './broken-errors.js';
import { BROKEN_LINKS } from './broken-links.js';
import { BROKEN_LISTINGS } from './broken-listings.js';
import { BROKEN_SUBMISSIONS } from './broken-submissions.js';
import type { BrokenDeployment } from './interceptors.js';

export const BROKEN_DEPLOYMENTS: Readonly<Record<string, BrokenDeployment>> = {
  ...BROKEN_LISTINGS,
  ...BROKEN_ERRORS,
  ...BROKEN_LINKS,
  ...BROKEN_SUBMISSIONS,
};
