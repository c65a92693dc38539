// The methods that read and replace the whole state of a mock, or of a client.
import { invalidValue } from '../control/errors.js';
import type { Scenario } from '../control/scenario.js';
import type { ClientSelection, MockStateReport } from '../control/types.js';
import { checkScenario } from '../scenario/scenario-check.js';
import type { Clients } from './clients.js';
import type { createClock } from './clock.js';
import { toScenario, toScenarioClient } from './exported.js';
import type { Reports } from './reports.js';

/** The parts of a mock that have a state. */
interface StatefulParts {
  clients: Pick<Clients, 'select' | 'defaults' | 'start' | 'reset'>;
  clock: ReturnType<typeof createClock>;
  reports: Pick<Reports, 'requests' | 'onChange' | 'clear'>;
}

export function createMockState(
  header: Pick<MockStateReport, 'publicUrl' | 'seed' | 'refDate'>,
  { clients, clock: { clock }, reports }: StatefulParts,
) {
  const { select, defaults } = clients;
  return {
    state: (selection: ClientSelection = {}): MockStateReport => ({
      ...header,
      clock: clock(selection),
      clients: select(selection).map((client) => ({
        ...client.client,
        clock: clock(client),
        links: client.countLinks(),
        requests: reports.requests.methods.countRequests({ clientId: client.clientId }),
      })),
    }),
    scenario: (selection: ClientSelection = {}): Scenario =>
      toScenario(
        select(selection).map((client) => toScenarioClient(client.save(), client.userIds, client.now())),
        selection.clientId === undefined ? defaults.faults : [],
      ),
    /** Changes nothing if it throws. @throws `request_invalid` */
    setScenario({ scenario }: { scenario: Scenario }): void {
      const problems = checkScenario(scenario);
      if (problems.length > 0) throw invalidValue('The scenario', problems);
      clients.start(scenario);
      reports.clear();
      reports.onChange(null, 'everything');
    },
    reset(selection: ClientSelection = {}): void {
      clients.reset(selection);
      reports.clear(selection);
      reports.onChange(selection.clientId ?? null, 'everything');
    },
  };
}
