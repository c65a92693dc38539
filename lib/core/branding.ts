// What the members of the brand of a client do: the JSON Schema of a scenario and the flags of the command line are made of it. A
// host does not need it, and its bundle is without it. The checks are in client-settings.ts.
import type { SettingText } from './settings.js';
import type { Branding } from './types.js';

const TEXT = { type: 'string', json: 'string' } as const;

export const BRANDING_TEXTS: Readonly<Record<keyof Branding, SettingText>> = {
  displayName: {
    ...TEXT,
    effect: 'name on the pages instead of that of the client',
    flag: '--display-name <text>',
  },
  logoUrl: { ...TEXT, effect: 'image on the pages, an https URL', flag: '--logo-url <url>' },
  nameInLogo: {
    type: 'boolean',
    json: 'boolean',
    effect: 'true shows the logo without the name beside it',
    default: 'false',
  },
  primaryColor: {
    ...TEXT,
    effect: 'colour of buttons and links, with a contrast of 4.5:1 against white',
    flag: '--primary-color <#rrggbb>',
  },
  supportUrl: { ...TEXT, effect: 'page with help, an https URL', flag: '--support-url <url>' },
  imprintUrl: { ...TEXT, effect: 'legal notice, an https URL', flag: '--imprint-url <url>' },
};
