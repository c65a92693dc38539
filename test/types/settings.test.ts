// The settings of a client, whose types are generated, against those of 0.2 as a person wrote them.
import t from 'tap';
import type { ClientForm, ClientSettings, RecipientMember, RecipientQuestion } from '../../lib/index.js';
import { type Equal, expectAll } from './equality.js';

/** `ClientSettings` of 0.2. */
interface Released {
  redirectAfterSeconds?: number | 'never';
  continueOnPhone?: boolean;
  allowDecline?: boolean;
  form?: ClientForm;
  recipientCheck?: readonly RecipientMember[];
}

/** What 0.2 knows of today's settings. */
type Known = Pick<ClientSettings, keyof Released>;

expectAll<{
  'settings of 0.2 that do not compile': Released extends ClientSettings ? true : false;
  'a setting that has another type than in 0.2': Equal<
    Omit<Known, 'recipientCheck'>,
    Omit<Released, 'recipientCheck'>
  >;
  'a check that is more than the list of 0.2 or a question': Equal<
    Exclude<Known['recipientCheck'], RecipientQuestion>,
    Released['recipientCheck']
  >;
}>();

t.pass('this file compiles');
