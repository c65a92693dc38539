// The faults that are set, and a form that sets one.
import type { ActiveFault, Fault, FaultEffect } from '../control/types.js';
import { DEFAULT_AFTER_BYTES, DEFAULT_BYTES_PER_SECOND } from '../schemas/defaults.js';
import { FAULT_EFFECTS, ROUTE_NAMES } from '../schemas/fault.js';
import { Button, Card, Fold } from './controls.js';
import { Field, Form } from './form.js';
import { useLoaded, usePage } from './page.js';
import { join, toChoices, toDuration } from './text.js';

const ACTIONS: [value: string, label: string][] = [
  ['status', 'respond with the status'],
  ...Object.entries(FAULT_EFFECTS),
  ['delay', 'only delay the response'],
];

export function FaultsCard() {
  const { control, client } = usePage();
  const { clientId } = client;
  const all = useLoaded(() => control.faults(), [control]);
  // A fault without a client is for all of them.
  const faults = all?.filter((fault) => [undefined, clientId].includes(fault.clientId));

  return (
    <Card
      name="faults"
      title="Faults"
      count={faults?.length}
      actions={
        faults?.some((fault) => fault.clientId === clientId) && (
          <Button
            label="Clear those of this client"
            done="The faults are cleared"
            onPress={() => control.clearFaults({ clientId })}
          />
        )
      }
    >
      {faults?.length === 0 && <p class="hint">No fault of this client is set.</p>}
      <ul class="rows" aria-label="Faults">
        {faults?.map((fault) => (
          <li key={fault.id} class="fault">
            <p>
              <b>{describe(fault)}</b>
              <span class="hint">{describeLimits(fault)}</span>
            </p>
            <Button
              label="Clear"
              about={`the fault: ${describe(fault)}`}
              done="The fault is cleared"
              onPress={() => control.clearFaults({ id: fault.id })}
            />
          </li>
        ))}
      </ul>
      <Form
        button="Set the fault"
        done="The fault is set"
        onSend={(typed: TypedFault) => control.addFault({ clientId, ...toFault(typed) })}
      >
        <div class="fields">
          <Field name="/does" label="The mock will" choices={ACTIONS} isWide />
          <Field name="/route" label="Route" choices={toChoices('every route', ROUTE_NAMES)} />
          <Field name="/status" kind="number" label="Status" value="503" />
          <Field name="/delayMs" kind="number" label="Delay in ms" placeholder="100-800" />
          <Field name="/bytesPerSecond" kind="number" label="Bytes per second" placeholder="1000, for slow" />
          <Field name="/afterBytes" kind="number" label="After bytes" placeholder="1000, for a cut" />
          <Field name="/times" kind="number" label="Requests" value="1" placeholder="no limit" />
        </div>
        <Fold title="User, share, body, headers" isInForm>
          <div class="fields">
            <Field name="/userId" label="User id" placeholder="every user" />
            <Field name="/rate" kind="number" label="Share, 0 to 1" placeholder="1" />
            <Field name="/body" label="Body as JSON" placeholder="a problem that fits" rows={3} />
            <Field name="/headers" label="Headers as JSON" placeholder='{ "retry-after": "5" }' rows={2} />
          </div>
        </Fold>
      </Form>
    </Card>
  );
}

type TypedFault = Fault & { does: 'status' | 'delay' | FaultEffect };

function toFault({ does, status, ...fault }: TypedFault): Fault {
  if (does === 'delay') return fault;
  if (does !== 'status') return { ...fault, effect: does };
  return { ...fault, ...(status !== undefined && { status }) };
}

function describe({ status, effect, delayMs }: ActiveFault): string {
  const delay = typeof delayMs === 'number' ? toDuration(delayMs) : `${delayMs} ms`;
  const parts = [
    delayMs !== undefined && `wait ${delay}`,
    status !== undefined && `respond ${status}`,
    effect && FAULT_EFFECTS[effect],
  ];
  return join(parts, ', then ') || 'another body';
}

function describeLimits(fault: ActiveFault): string {
  const { clientId, route, userId, effect, bytesPerSecond, afterBytes, times, rate = 1, hits } = fault;
  return join([
    clientId === undefined && 'all clients',
    userId !== undefined && `user ${userId}`,
    route ?? 'every route',
    effect === 'slow' && `${bytesPerSecond ?? DEFAULT_BYTES_PER_SECOND} bytes per second`,
    effect === 'cut-upload' && `after ${afterBytes ?? DEFAULT_AFTER_BYTES} bytes`,
    times !== undefined && `${times} left`,
    rate < 1 && `${Number((rate * 100).toFixed(2))} % of requests`,
    hits === 1 ? '1 hit' : `${hits} hits`,
  ]);
}
