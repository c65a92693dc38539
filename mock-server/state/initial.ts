// The initial state of clients: from options, from a scenario, or for a client that is added later.
import type { LinkSigner, SessionRecord } from '../../lib/index.js';
import type { ActiveFault, Fault, MockClientOptions } from '../control.js';
import { SPECIAL_USERS } from '../defaults.js';
import { parseMoment } from '../moment.js';
import type { ResolvedMockOptions } from '../options.js';
import type { ScenarioClient } from '../scenario/scenario.js';
import type { Seeder } from '../seed/seed.js';
import type { ClockSetting } from './clock.js';
import { completeSession, createScenarioLink } from './fill.js';
import type { ClientSnapshot } from './snapshot.js';

/** A client with the function that creates its initial state. */
export interface InitialClient {
  client: MockClientOptions;
  userIds: readonly string[];
  createInitial: () => ClientSnapshot;
}

/** What initial states are made with. */
export interface InitialContext {
  options: ResolvedMockOptions;
  publicUrl: string;
  seeder: Seeder;
  signer: LinkSigner;
  activate(fault: Fault): ActiveFault;
}

/** Returns the clients of the options and of the scenario. */
export function initialClients(context: InitialContext): InitialClient[] {
  const { clients, faults, scenario } = context.options;
  const faultsOf = (clientId: string) => faults.filter((fault) => fault.clientId === clientId);
  const fromScenario = (scenario?.clients ?? []).map((client) =>
    scenarioClient(context, client, faultsOf(client.clientId)),
  );
  const others = clients.map((client) =>
    plainClient(context, client, { offsetMs: 0 }, faultsOf(client.clientId)),
  );
  return [...fromScenario, ...others];
}

/** Returns a client without sessions and links of its own. */
export function plainClient(
  { options, activate }: Pick<InitialContext, 'options' | 'activate'>,
  client: MockClientOptions,
  clock: ClockSetting,
  faults: readonly Fault[] = [],
): InitialClient {
  return {
    client,
    userIds: Array.from({ length: options.userCount }, (_, index) => `user-${index + 1}`),
    createInitial: () => ({
      client,
      exactUsers: [],
      sessions: [],
      links: [],
      clock,
      faults: faults.map(activate),
      draws: 0,
    }),
  };
}

/** Returns the faults that are set for all clients from the start. */
export function initialSharedFaults({ latencyMs, errorRate, faults }: ResolvedMockOptions): Fault[] {
  const initial: Fault[] = SPECIAL_USERS.flatMap(({ id, fault }) =>
    fault ? [{ userId: id, ...fault }] : [],
  );
  if (errorRate > 0) initial.unshift({ status: 500, rate: errorRate });
  if (latencyMs !== 0) initial.unshift({ delayMs: latencyMs });
  return [...initial, ...faults.filter(({ clientId }) => clientId === undefined)];
}

function scenarioClient(
  context: InitialContext,
  client: ScenarioClient,
  optionFaults: readonly Fault[],
): InitialClient {
  const { options, seeder } = context;
  const { users = [], links = [], faults = [], clock = {}, ...configured } = client;
  const { clientId } = client;
  const plain = plainClient(context, configured, { offsetMs: 0 });
  const clientFaults = [...faults.map((fault) => ({ clientId, ...fault })), ...optionFaults];
  const sessions = users.flatMap(({ userId, sessions: given = [] }) =>
    given.map((session, index): SessionRecord => {
      const seeded = seeder.extraSessionOf(clientId, userId, index + 1);
      return { clientId, userId, ...completeSession(session, seeded) };
    }),
  );

  return {
    client: configured,
    userIds: users.length > 0 ? users.map(({ userId }) => userId) : plain.userIds,
    createInitial() {
      const systemTime = options.now().getTime();
      const { now, frozen = false } = clock;
      const time = (now === undefined ? undefined : parseMoment(now))?.getTime() ?? systemTime;
      const created = links.map((link, index) =>
        createScenarioLink(link, client, { ...context, now: new Date(time), ordinal: index + 1 }),
      );
      const submitted = created.flatMap(({ link, session }) =>
        session === undefined ? [] : [{ clientId, userId: link.userId, ...session }],
      );
      return {
        ...plain.createInitial(),
        exactUsers: users.filter((user) => user.sessions !== undefined).map(({ userId }) => userId),
        sessions: [...sessions, ...submitted],
        links: created,
        clock: { offsetMs: time - systemTime, ...(frozen && { frozenAt: time }) },
        faults: clientFaults.map(context.activate),
      };
    },
  };
}
