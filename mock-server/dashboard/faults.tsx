// The faults that are set, and a form that sets one.
import {
  type ActiveFault,
  type Delay,
  FAULT_EFFECTS,
  type Fault,
  type FaultEffect,
  ROUTE_NAMES,
  type RouteName,
  type Scope,
} from '../control.js';
import { Button, Card, Fold, useScope } from './controls.js';
import { Field, type Fields, Form } from './form.js';
import { nameOfScope, useLoaded, usePage, useRun } from './page.js';
import { toDuration } from './text.js';

const EFFECTS: Readonly<Record<FaultEffect, string>> = {
  'reset-before': 'reset the connection before any effect',
  'reset-after': 'reset the connection after the effect',
  truncate: 'end the response inside its body',
  malformed: 'send a malformed body',
};

export function FaultsCard() {
  const { control, client } = usePage();
  const run = useRun();
  const [scope, scopeControl] = useScope();
  const [all] = useLoaded(
    () => control.faults(),
    // A request uses up one of the times of a fault.
    (event) =>
      (event.type === 'changed' && event.part === 'faults') ||
      (event.type === 'request' && event.request.fault !== undefined),
    [control],
  );
  const isForAll = scope.clientId === undefined;
  const faults = all?.filter(
    ({ clientId }) => isForAll || clientId === undefined || clientId === client.clientId,
  );

  return (
    <Card name="faults" title="Faults" count={faults?.length} actions={scopeControl}>
      {faults?.length === 0 && <p class="hint">No fault is set.</p>}
      <ul class="rows" aria-label="Faults">
        {faults?.map((fault) => (
          <li key={fault.id} class="entry">
            <p>
              <b>{describe(fault)}</b>
              <span class="hint">{describeLimits(fault)}</span>
            </p>
            <Button
              label="Clear"
              about={`the fault: ${describe(fault)}`}
              onPress={() => run('The fault is cleared', () => control.clearFaults({ id: fault.id }))}
            />
          </li>
        ))}
      </ul>
      {faults !== undefined && faults.length > 1 && (
        <Button
          label={isForAll ? 'Clear all faults' : `Clear the faults of ${client.clientId}`}
          onPress={() => run('The faults are cleared', () => control.clearFaults(scope))}
        />
      )}
      <Form
        button="Set the fault"
        done="The fault is set"
        onSend={(fields) => control.addFault(toFault(fields, scope))}
      >
        <div class="fields">
          <Field
            name="/effect"
            label="The mock will"
            choices={[
              ['status', 'respond with the status'],
              ...Object.entries(EFFECTS),
              ['delay', 'only delay the response'],
            ]}
            isWide
          />
          <Field
            name="/route"
            label="Route"
            choices={[['', 'every route'], ...ROUTE_NAMES.map((name) => [name, name] as const)]}
          />
          <Field name="/status" label="Status" value="503" />
          <Field name="/delayMs" label="Delay in ms" placeholder="100-800" />
          <Field name="/times" label="Requests" value="1" placeholder="no limit" />
        </div>
        <Fold title="User, share, body, headers" isInForm>
          <div class="fields">
            <Field name="/userId" label="User id" placeholder="every user" />
            <Field name="/rate" label="Share, 0 to 1" placeholder="1" />
            <Field
              name="/body"
              label="Body of the response"
              placeholder="a problem that fits"
              rows={3}
              isWide
            />
            <Field
              name="/headers"
              label="Headers as JSON"
              placeholder='{ "retry-after": "5" }'
              rows={2}
              isWide
            />
          </div>
        </Fold>
      </Form>
    </Card>
  );
}

/** The fault as typed: the mock checks it. */
function toFault(fields: Fields, scope: Scope): Fault {
  const number = (name: string) => {
    const text = fields.optional(name);
    return text === undefined || Number.isNaN(Number(text)) ? (text as number | undefined) : Number(text);
  };
  const effect = fields.text('/effect');
  const isStatus = effect === 'status';
  const members = {
    ...scope,
    userId: fields.optional('/userId'),
    route: fields.optional('/route') as RouteName | undefined,
    status: isStatus ? number('/status') : undefined,
    headers: fields.text('/headers') === '' ? undefined : fields.json('/headers'),
    body: toBody(fields.optional('/body')),
    effect: FAULT_EFFECTS.find((name) => name === effect),
    delayMs: number('/delayMs') as Delay | undefined,
    times: number('/times'),
    rate: number('/rate'),
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** A JSON object or list is sent as JSON, everything else as text. */
function toBody(text: string | undefined): unknown {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' ? value : text;
  } catch {
    return text;
  }
}

function describe({ status, effect, delayMs }: ActiveFault): string {
  const parts = [
    delayMs !== undefined && `wait ${typeof delayMs === 'number' ? toDuration(delayMs) : `${delayMs} ms`}`,
    status !== undefined && `respond ${status}`,
    effect !== undefined && EFFECTS[effect],
  ];
  return parts.filter(Boolean).join(', then ') || 'another body';
}

function describeLimits(fault: ActiveFault): string {
  const { route, userId, times, rate, hits } = fault;
  const parts = [
    nameOfScope(fault),
    userId !== undefined && `user ${userId}`,
    route ?? 'every route',
    times !== undefined && `${times} left`,
    rate !== undefined && rate < 1 && `${Number((rate * 100).toFixed(2))} % of requests`,
    hits === 1 ? '1 hit' : `${hits} hits`,
  ];
  return parts.filter(Boolean).join(' · ');
}
