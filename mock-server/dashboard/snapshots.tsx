// Snapshots and reset, of one client or of the whole mock.
import { Button, Card, Entry, useScope } from './controls.js';
import { Field, Form } from './form.js';
import { changeOf, nameOfScope, useLoaded, usePage } from './page.js';
import { toSecond } from './text.js';

export function SnapshotsCard() {
  const { control, client } = usePage();
  const [scope, scopeControl] = useScope();
  const isForAll = scope.clientId === undefined;
  const all = useLoaded(() => control.snapshots(scope), changeOf('snapshots'), [control, scope.clientId]);
  const snapshots = all?.filter(({ clientId }) => clientId === (scope.clientId ?? null));

  return (
    <Card name="snapshots" title="Snapshots" count={snapshots?.length} actions={scopeControl}>
      <ul class="rows" aria-label="Snapshots">
        {snapshots?.map(({ name, takenAt }) => (
          <Entry key={name} name={name} hint={`${nameOfScope(scope)} · ${toSecond(takenAt)}`}>
            <Button
              label="Restore"
              about={`the snapshot ${name}`}
              done={`${name} is restored`}
              onPress={() => control.restore(name, scope)}
            />
            <Button
              label="Delete"
              about={`the snapshot ${name}`}
              done={`${name} is deleted`}
              onPress={() => control.deleteSnapshot(name, scope)}
            />
          </Entry>
        ))}
      </ul>
      <Form
        button="Take a snapshot"
        done="The snapshot is taken"
        onSend={({ name = 'snapshot' }: { name?: string }) => control.snapshot(name, scope)}
      >
        <Field name="/name" label="Name of the snapshot" placeholder="snapshot" />
      </Form>
      <p class="row">
        <Button
          label={isForAll ? 'Reset everything' : `Reset ${client.clientId}`}
          done="The state is reset"
          onPress={() => control.reset(scope)}
        />
        <span class="hint">sessions, links, clock, faults, requests{isForAll && ', added clients'}</span>
      </p>
    </Card>
  );
}
