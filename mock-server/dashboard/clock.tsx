// The clock of the client, or of all clients.
import { useEffect, useState } from 'preact/hooks';
import type { ClockReading } from '../control.js';
import { Button, Card, Fold, useScope } from './controls.js';
import { Field, Form } from './form.js';
import { usePage, useRun } from './page.js';
import { toSecond, toSpan, UNITS } from './text.js';

const STEPS = [
  ['+1 min', UNITS.minutes],
  ['+1 h', UNITS.hours],
  ['+1 day', UNITS.days],
] as const;

export function ClockCard() {
  const { control, client, state } = usePage();
  const run = useRun();
  const [scope, scopeControl] = useScope();
  const clock = scope.clientId === undefined ? state.clock : client.clock;
  const { isFrozen } = clock;

  return (
    <Card name="clock" title="Clock" actions={scopeControl}>
      <Face clock={clock} />
      <div class="acts">
        {STEPS.map(([label, ms]) => (
          <Button
            key={label}
            label={label}
            about="on the clock"
            onPress={() => run(`The clock advanced: ${label}`, () => control.advanceClock(ms, scope))}
          />
        ))}
        <Button
          label={isFrozen ? 'Resume' : 'Freeze'}
          about="the clock"
          onPress={() =>
            run(isFrozen ? 'The clock runs' : 'The clock is frozen', () =>
              control.setClock({ isFrozen: !isFrozen }, scope),
            )
          }
        />
        <Button
          label="Reset"
          about="the clock"
          onPress={() => run('The clock is reset', () => control.resetClock(scope))}
        />
      </div>
      <Fold title="Advance by, set to">
        <Form
          button="Advance"
          done="The clock advanced"
          onSend={(fields) =>
            control.advanceClock(
              Number(fields.text('/ms')) * UNITS[fields.text('unit') as keyof typeof UNITS],
              scope,
            )
          }
        >
          <div class="fields">
            <Field name="/ms" label="Advance by" value="90" />
            <Field
              name="unit"
              label="Unit"
              value="minutes"
              choices={Object.keys(UNITS).map((unit) => [unit, unit])}
            />
          </div>
        </Form>
        <Form
          button="Set"
          done="The clock is set"
          onSend={(fields) => control.setClock({ now: `${fields.text('/now')}Z` }, scope)}
        >
          <Field
            name="/now"
            label="Set to (UTC)"
            type="datetime-local"
            value={clock.now.toISOString().slice(0, 19)}
          />
        </Form>
      </Fold>
    </Card>
  );
}

function Face({ clock }: { clock: ClockReading }) {
  const { now, isFrozen, offsetMs } = clock;
  const [, setTick] = useState(0);
  useEffect(() => {
    if (isFrozen) return undefined;
    const timer = setInterval(() => setTick((tick) => tick + 1), 1000);
    return () => clearInterval(timer);
  }, [isFrozen]);
  const shown = isFrozen ? now : new Date(Date.now() + offsetMs);
  return (
    <>
      <p class="face">
        <time dateTime={shown.toISOString()}>{toSecond(shown)}</time> <span class="hint">UTC</span>
      </p>
      <p class="hint">{isFrozen ? <span class="tag warm">frozen</span> : describeOffset(offsetMs)}</p>
    </>
  );
}

function describeOffset(ms: number): string {
  if (ms === 0) return 'the system time';
  return `${toSpan(Math.abs(ms))} ${ms > 0 ? 'ahead of' : 'behind'} the system time`;
}
