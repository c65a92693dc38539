// A kind of histories: how a seed becomes a plan, how a plan becomes a history, and which history breaks a promise.

/** What an actor does at a time. */
export interface TimedAction {
  id: number;
  atMs: number;
  actor: string;
  /** false: the storage and `onSubmit` answer at once and do not fail. */
  hasFaults: boolean;
  step: { kind: string };
}

/** The actions of a seed. A plan without some of them is a plan as well. */
export interface SeededPlan {
  seed: number;
  actions: readonly TimedAction[];
}

/** An event of a history. Few histories are printed, so the text is made on demand. */
export interface LogEntry {
  atMs: number;
  text: () => string;
}

/** A history has its events for people, in the order of time. */
export interface LoggedHistory {
  log: readonly LogEntry[];
}

export interface Violation {
  promise: string;
  detail: string;
}

/** Numbers of what happened, by the words that name it. */
export type Counts = Readonly<Record<string, number>>;

export interface Kind<P extends SeededPlan, H extends LoggedHistory> {
  name: 'core' | 'pages';
  /** The flags of `npm run proof -- simulate` that select it. */
  flags: string;
  createPlan(seed: number): P;
  runPlan(plan: P): Promise<H>;
  /** Returns the first violation, or undefined if the history keeps all promises. */
  findViolation(history: H): Violation | undefined;
  count(history: H): Counts;
  /** The count without which histories show nothing. It is at least half the number of histories. */
  essential: string;
  /** Each makes a plan simpler, with the same actions. */
  simplifications: readonly ((plan: P) => P)[];
  /** Says where a plan runs. */
  describe(plan: P): string;
}

/** A plan that breaks a promise. */
export interface Failure<P extends SeededPlan, H extends LoggedHistory> {
  plan: P;
  history: H;
  violation: Violation;
}

/** Runs a plan. Returns undefined if it keeps all promises. */
export async function findFailure<P extends SeededPlan, H extends LoggedHistory>(
  kind: Pick<Kind<P, H>, 'runPlan' | 'findViolation'>,
  plan: P,
): Promise<Failure<P, H> | undefined> {
  const history = await kind.runPlan(plan);
  const violation = kind.findViolation(history);
  return violation && { plan, history, violation };
}
