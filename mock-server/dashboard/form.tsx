// Forms that fill an object. A field has the JSON Pointer of its member, so that problems show at their fields.
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Problem } from '../../lib/index.js';
import { MockControlError } from '../control/connect.js';
import { statusOf } from './live.js';
import { usePage } from './page.js';

/** How the text of an input becomes a value. Default: unchanged. A moment is in UTC. */
type Kind = 'number' | 'moment';

const NAMES = 'input, select, textarea';

/** Reads the members that are not empty. Values stay as typed where they do not fit: the mock explains the problem. */
function readForm(form: HTMLFormElement): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of form.querySelectorAll<HTMLInputElement>(NAMES)) {
    const value = field.type === 'checkbox' ? field.checked : toValue(field.value.trim(), field);
    if (value === '') continue;
    const names = field.name.slice(1).split('/');
    const last = names.pop() ?? '';
    let parent = body;
    for (const name of names) {
      parent[name] ??= {};
      parent = parent[name] as Record<string, unknown>;
    }
    parent[last] = value;
  }
  return body;
}

function toValue(text: string, { name, type, dataset }: HTMLInputElement): unknown {
  const kind = dataset['kind'] as Kind | undefined;
  if (text === '' || (kind === undefined && type !== 'textarea')) return text;
  if (kind === 'moment') return `${text}Z`;
  if (kind === 'number') return Number.isNaN(Number(text)) ? text : Number(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    const problems = [{ pointer: name, rule: 'json', detail: (error as Error).message }] as const;
    throw new MockControlError(400, 'request_invalid', 'This is not JSON.', { problems });
  }
}

const ProblemsContext = createContext<readonly Problem[]>([]);

interface FormProps<T> {
  class?: string;
  /** Without a button, every input is sent at once. */
  button?: string;
  /** Announced when the action is done. */
  done?: string;
  /** Keeps what was typed after the action. */
  isKept?: boolean;
  onSend: (body: T) => unknown;
  children: ComponentChildren;
}

/** T is what the fields fill. The mock checks it. */
export function Form<T>(props: FormProps<T>) {
  const { button, done, isKept = button === undefined, onSend, children } = props;
  const { announce } = usePage();
  const form = useRef<HTMLFormElement>(null);
  const [failure, setFailure] = useState<{ error: unknown; problems: readonly Problem[] }>();
  const names = [...(form.current?.querySelectorAll<HTMLInputElement>(NAMES) ?? [])].map(({ name }) => name);
  const problems = failure?.problems ?? [];
  // Problems that have no field.
  const others = problems.filter((problem) => !names.some((name) => concerns(problem, name)));

  useEffect(() => {
    if (failure === undefined) return;
    const fields = form.current?.querySelectorAll<HTMLElement>('[aria-invalid]') ?? [];
    for (const field of fields) field.closest('details')?.setAttribute('open', '');
    fields[0]?.focus();
  }, [failure?.error]);

  async function send(event: Event): Promise<void> {
    event.preventDefault();
    try {
      await onSend(readForm(event.currentTarget as HTMLFormElement) as T);
      setFailure(undefined);
      if (!isKept) form.current?.reset();
      if (done !== undefined) announce(done);
    } catch (error) {
      const { problems = [] } = error as { problems?: readonly Problem[] };
      setFailure({ error, problems });
    }
  }

  /** A problem goes when its field changes; the last one takes the notice with it. */
  function correct({ target }: Event): void {
    const { name } = target as HTMLInputElement;
    const left = problems.filter((problem) => !concerns(problem, name));
    setFailure(failure && left.length > 0 ? { ...failure, problems: left } : undefined);
  }

  return (
    <form
      ref={form}
      class={props.class}
      noValidate
      onSubmit={send}
      onInput={button === undefined ? send : correct}
    >
      <ProblemsContext.Provider value={problems}>{children}</ProblemsContext.Provider>
      {failure !== undefined && (
        <div role="alert">
          <ProblemNotice
            message={problems.length > 0 ? 'The mock rejects this.' : messageOf(failure.error)}
            problems={others}
          />
        </div>
      )}
      {button !== undefined && (
        <button type="submit" class="button">
          {button}
        </button>
      )}
    </form>
  );
}

/** Says what is wrong, with the problems that have no field. */
export function ProblemNotice({ message, problems }: { message: string; problems: readonly Problem[] }) {
  return (
    <div class="notice">
      <p>{message}</p>
      <ul>
        {problems.map(({ pointer, parameter, detail }) => (
          <li key={`${pointer ?? parameter} ${detail}`}>
            <code>{pointer ?? parameter}</code> {detail}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Says why an action failed. Without a status there was no response: the browser's own words do not help. */
export function messageOf(error: unknown): string {
  // Of the actions on the page, only copying needs a permission.
  if ((error as Error).name === 'NotAllowedError') return 'The browser does not let this page copy.';
  return statusOf(error) === undefined ? 'The mock does not respond.' : (error as Error).message;
}

function concerns({ pointer, parameter }: Problem, name: string): boolean {
  return pointer === name || `/${parameter}` === name || pointer?.startsWith(`${name}/`) === true;
}

interface FieldProps {
  /** JSON Pointer of its member. */
  name: string;
  label: string;
  kind?: Kind;
  value?: string | undefined;
  hint?: string;
  placeholder?: string;
  /** Values to choose from, with their labels. */
  choices?: readonly (readonly [value: string, label: string])[];
  suggestions?: readonly string[];
  /** Makes it a text area for JSON, as wide as the form. */
  rows?: number;
  isWide?: boolean;
}

export function Field(props: FieldProps) {
  const { name, label, value = '', hint, placeholder, choices, suggestions, rows } = props;
  const id = useId();
  const problems = useContext(ProblemsContext).filter((problem) => concerns(problem, name));
  const hasMore = hint !== undefined || problems.length > 0;
  const attributes = {
    id,
    name,
    'data-kind': props.kind,
    'aria-invalid': problems.length > 0 || undefined,
    'aria-describedby': hasMore ? `${id}-more` : undefined,
  };
  const typed = { ...attributes, placeholder, defaultValue: value, autocomplete: 'off', spellcheck: false };
  return (
    <div class={props.isWide || rows !== undefined ? 'wide' : ''}>
      <label for={id}>{label}</label>
      {choices !== undefined && (
        <select {...attributes}>
          {choices.map(([choice, text]) => (
            <option key={choice} value={choice} selected={choice === value}>
              {text}
            </option>
          ))}
        </select>
      )}
      {rows !== undefined && <textarea {...typed} rows={rows} />}
      {choices === undefined && rows === undefined && (
        <input
          {...typed}
          {...(props.kind === 'moment' ? { type: 'datetime-local', step: 1 } : { type: 'text' })}
          list={suggestions && `${id}-list`}
        />
      )}
      {suggestions !== undefined && (
        <datalist id={`${id}-list`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
      {hasMore && (
        <div id={`${id}-more`} class="hint">
          {problems.map(({ pointer, detail }) => (
            <p key={`${pointer} ${detail}`} class="wrong">
              <code>{pointer?.slice(name.length)}</code> {detail}
            </p>
          ))}
          {hint}
        </div>
      )}
    </div>
  );
}
