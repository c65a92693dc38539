// The clock of the client.
import { useEffect, useState } from 'preact/hooks';
import type { ClockReading } from '../control/types.js';
import { Button, Card, Fold } from './controls.js';
import { Field, Form } from './form.js';
import { usePage } from './page.js';
import { toSecond } from './text.js';

const HOUR_MS = 3_600_000;

const STEPS = [
  ['+1 min', HOUR_MS / 60],
  ['+1 h', HOUR_MS],
  ['+1 day', 24 * HOUR_MS],
] as const;

export function ClockCard() {
  const { control, client } = usePage();
  const { clock } = client;
  const { isFrozen } = clock;
  const selection = { clientId: client.clientId };
  const time = clock.now.toISOString().slice(0, 19);
  const button = (label: string, action: () => Promise<unknown>, about = 'the clock') => (
    <Button key={label} label={label} about={about} done={`${label}: done`} onPress={action} />
  );

  return (
    <Card name="clock" title="Clock">
      <Face clock={clock} />
      <div class="row">
        {STEPS.map(([label, ms]) => button(label, () => control.advanceClock(ms, selection), 'on the clock'))}
        {button(isFrozen ? 'Resume' : 'Freeze', () => control.setClock({ isFrozen: !isFrozen }, selection))}
        {button('Reset', () => control.resetClock(selection))}
      </div>
      <Fold title="Set the clock">
        <Form
          button="Set"
          done="The clock is set"
          onSend={(change: { now?: string }) => control.setClock(change, selection)}
        >
          <Field name="/now" label="Time to set (UTC)" kind="moment" value={time} />
        </Form>
      </Fold>
    </Card>
  );
}

function Face({ clock: { now, isFrozen, offsetMs } }: { clock: ClockReading }) {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const hours = Math.abs(offsetMs / HOUR_MS);
  const offset = hours < 1 ? `${Math.round(hours * 60)} min` : `${hours.toFixed(1)} h`;
  return (
    <>
      <p class="face">{toSecond(isFrozen ? now : new Date(Date.now() + offsetMs))} UTC</p>
      <p class="hint">
        {isFrozen && <span class="tag warm">frozen</span>}
        {!isFrozen && offsetMs === 0 && 'the system time'}
        {!isFrozen && offsetMs !== 0 && `${offset} ${offsetMs > 0 ? 'ahead of' : 'behind'} the system time`}
      </p>
    </>
  );
}
