// The form that makes a link. Each field has the JSON Pointer of its member, so that problems show at their fields.
import type { LinkRequest } from '../../lib/index.js';
import { STEP_KEYS } from '../../lib/widget/fields.js';
import type { MockLink } from '../control/types.js';
import { exampleLink } from '../example-requests.js';
import { Fold } from './controls.js';
import { Field, Form } from './form.js';
import { usePage } from './page.js';
import { toChoices } from './text.js';

const STEPS = toChoices('the first', STEP_KEYS);

export function LinkForm({ onCreated }: { onCreated: (link: MockLink) => void }) {
  const { control, client, state, userId } = usePage();
  const { clientId, userIds } = client;
  const { callbackUrl, config } = exampleLink(state.publicUrl, client, userId);
  const { contact, policy } = config;
  return (
    <Form
      button="Make the link"
      done="The link is ready"
      isKept
      onSend={async ({ request }: { request: LinkRequest }) =>
        onCreated(await control.createLink(clientId, request))
      }
    >
      <div class="fields">
        <Field name="/request/config/currentUserId" label="User id" value={userId} suggestions={userIds} />
        <Field name="/request/config/initialStepKey" label="Step to start at" choices={STEPS} />
        <Field
          name="/request/callbackUrl"
          label="Callback URL"
          value={callbackUrl}
          hint="The browser goes there in the end. {SESSION_REFERENCE} and {STATUS} are replaced."
          isWide
        />
      </div>
      <label class="check">
        <input type="checkbox" name="/request/callbackOnSubmit" />
        <span>Redirect immediately, without a success page</span>
      </label>
      <Fold title="Policy to prefill" isInForm>
        <Field
          name="/request/config/policy"
          label="Policy as JSON"
          value={JSON.stringify(policy, null, 2)}
          rows={12}
        />
      </Fold>
      <Fold title="Help and privacy" isInForm>
        <div class="fields">
          <Field name="/request/config/contact/email" label="Contact email" value={contact.email} />
          <Field name="/request/config/contact/phone" label="Contact phone" value={contact.phone} />
          <Field name="/request/config/contact/link" label="Contact link" />
          <Field name="/request/config/privacyPolicyUrl" label="Privacy policy URL" />
        </div>
      </Fold>
    </Form>
  );
}
