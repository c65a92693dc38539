// The form that makes a link. Each field has the JSON Pointer of its member, so that problems show at their fields.
import type { LinkRequest, PolicyPrefill, Session } from '../../lib/index.js';
import { STEP_KEYS } from '../../lib/widget/fields.js';
import { defaultCallbackUrl } from '../callback.js';
import type { MockLink } from '../control.js';
import { Fold } from './controls.js';
import { Field, Form } from './form.js';
import { useLoaded, usePage } from './page.js';
import { toChoices } from './text.js';

const STEPS = toChoices('the first', STEP_KEYS);

export function LinkForm({ onCreated }: { onCreated: (link: MockLink) => void }) {
  const { control, client, state, userId } = usePage();
  const { clientId, userIds } = client;
  const policy = useLoaded(async () => {
    const [session] = await control.sessions(clientId, userId);
    return JSON.stringify(session === undefined ? {} : toPrefill(session), null, 2);
  }, [control, clientId, userId]);
  if (policy === undefined) return null;

  return (
    <Form
      button="Make the link"
      done="The link is ready"
      isPrimary
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
          value={defaultCallbackUrl(state.publicUrl, client)}
          hint="The browser goes there in the end. {SESSION_REFERENCE} and {STATUS} are replaced."
          isWide
        />
      </div>
      <label class="check">
        <input type="checkbox" name="/request/callbackOnSubmit" />
        <span>Redirect immediately, without a success page</span>
      </label>
      <Fold title="Policy to prefill" isInForm>
        <Field name="/request/config/policy" label="Policy as JSON" value={policy} rows={12} />
      </Fold>
      <Fold title="Help and privacy" isInForm>
        <div class="fields">
          <Field name="/request/config/contact/email" label="Contact email" value="claims@example.com" />
          <Field name="/request/config/contact/phone" label="Contact phone" value="+1 555 0100" />
          <Field name="/request/config/contact/link" label="Contact link" />
          <Field
            name="/request/config/privacyPolicyUrl"
            label="Privacy policy URL"
            value="https://example.com/privacy"
          />
        </div>
      </Fold>
    </Form>
  );
}

/** The policy of a session as a link request may contain it: without the id of the holder. */
function toPrefill({ selectedPolicy: { holder, ...policy } }: Session): PolicyPrefill {
  const { id: _, ...person } = holder;
  return { ...policy, holder: person };
}
