// The flags of the settings of a client, from their table in core.
import { assertRecipientQuestion } from '../lib/core/client-form.js';
import { plainText, type SettingTexts } from '../lib/core/settings.js';
import { Flag, listOf, readDataFile } from './flags.js';

/** A flag with the setting that it sets. */
interface SettingFlag {
  name: string;
  flag: Flag;
  /** true: the flag names a file with the value. */
  isFile?: true;
  /** Checks the value of a file. Its problems name the flag. */
  check?: (value: unknown, path: string) => void;
}

/** Creates the flags of settings whose values have members. The first one has the name of the setting. */
const WITH_MEMBERS: Readonly<Record<string, () => Omit<SettingFlag, 'name'>[]>> = {
  recipientCheck: () => [
    {
      flag: new Flag(
        '--recipient-check <pointer>',
        'member of the prefill to ask recipients for, such as /policy/vehicle/licensePlate, the first choice first (default: none)',
        listOf(String),
      ),
    },
    {
      flag: new Flag(
        '--recipient-question <file>',
        'question to ask recipients instead, which checkRecipient of the host answers, a file with JSON or YAML',
        String,
      ).conflicts('recipientCheck'),
      isFile: true,
      check: assertRecipientQuestion,
    },
  ],
  form: () => [
    {
      flag: new Flag('--form <file>', 'what the claim form asks, a file with JSON or YAML', String),
      isFile: true,
    },
  ],
};

/** Returns the flags of all settings. */
export function settingFlags(settings: SettingTexts): SettingFlag[] {
  return Object.entries(settings).flatMap(
    ([name, { effect, default: preset, json, flag }]): SettingFlag[] => {
      if (json === undefined) return WITH_MEMBERS[name]?.().map((created) => ({ name, ...created })) ?? [];
      const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const description = plainText(effect) + (preset === undefined ? '' : ` (default: ${preset})`);
      const read = json === 'string' ? String : readValue;
      return [{ name, flag: new Flag(flag ?? `--${words} <true|false>`, description, read).as(name) }];
    },
  );
}

/** The service rejects other texts. */
function readValue(text: string): unknown {
  if (/^(?:true|false)$/.test(text)) return text === 'true';
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** Returns the settings that flags change. An empty text becomes null: it removes a setting. */
export async function readSettings(settings: SettingTexts, values: object): Promise<Record<string, unknown>> {
  const changed: Record<string, unknown> = {};
  for (const { name, flag, isFile, check } of settingFlags(settings)) {
    const key = flag.attributeName();
    const text: unknown = Reflect.get(values, key);
    if (text === undefined) continue;
    const value = isFile && text !== '' ? await readDataFile(`${flag.long}`, String(text)) : text;
    if (text !== '') check?.(value, key);
    changed[name] = isEmpty(text) ? null : value;
  }
  return changed;
}

/** Returns whether the value of a flag is an empty text. */
export function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.join() === '');
}
