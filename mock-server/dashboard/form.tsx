// Forms whose problems are shown at their fields. A field has the JSON Pointer of the member that it fills.
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { statusOf } from './live.js';
import { usePage } from './page.js';

/** One problem of a request body or a parameter. */
interface Problem {
  pointer?: string;
  parameter?: string;
  detail: string;
}

/** A problem that the page finds itself. */
class FieldError extends Error {
  readonly details: readonly Problem[];
  constructor(pointer: string, detail: string) {
    super('The form has a mistake.');
    this.details = [{ pointer, detail }];
  }
}

/** Reads the fields of a form. */
export interface Fields {
  /** Text of a field; empty if there is none. */
  text(name: string): string;
  /** Text of a field, for members that are left out when it is empty. */
  optional(name: string): string | undefined;
  isChecked(name: string): boolean;
  /** Parses a field as JSON. */
  json(name: string): unknown;
}

function readFields(form: HTMLFormElement): Fields {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? '').trim();
  return {
    text,
    optional: (name) => text(name) || undefined,
    isChecked: (name) => data.has(name),
    json(name) {
      try {
        return JSON.parse(text(name));
      } catch (error) {
        throw new FieldError(name, (error as Error).message);
      }
    },
  };
}

const ProblemsContext = createContext<readonly Problem[]>([]);

interface FormProps {
  button: string;
  isPrimary?: boolean;
  /** Announced when the action is done. */
  done: string;
  /** Keeps what was typed after the action. */
  isKept?: boolean;
  onSend: (fields: Fields) => Promise<unknown>;
  children: ComponentChildren;
}

export function Form({ button, isPrimary = false, done, isKept = false, onSend, children }: FormProps) {
  const { announce } = usePage();
  const form = useRef<HTMLFormElement>(null);
  const [failure, setFailure] = useState<{ message: string; problems: readonly Problem[] }>();
  const problems = failure?.problems ?? [];
  const names = [...(form.current?.elements ?? [])].map((element) => element.getAttribute('name') ?? '');
  const others = problems.filter((problem) => !names.some((name) => concerns(problem, name)));

  useEffect(() => {
    if (failure === undefined) return;
    const fields = form.current?.querySelectorAll<HTMLElement>('[aria-invalid]') ?? [];
    for (const field of fields) field.closest('details')?.setAttribute('open', '');
    fields[0]?.focus();
  }, [failure]);

  async function send(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (form.current === null) return;
    try {
      await onSend(readFields(form.current));
      setFailure(undefined);
      if (!isKept) form.current?.reset();
      announce(done);
    } catch (error) {
      setFailure({
        message: messageOf(error),
        problems: (error as { details?: readonly Problem[] }).details ?? [],
      });
    }
  }

  return (
    <form ref={form} noValidate onSubmit={send}>
      <ProblemsContext.Provider value={problems}>{children}</ProblemsContext.Provider>
      {failure !== undefined && (
        <div class="notice bad" role="alert">
          <p>{failure.message}</p>
          {others.length > 0 && (
            <ul>
              {others.map(({ pointer, parameter, detail }) => (
                <li key={pointer}>
                  <code>{pointer ?? parameter}</code> {detail}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      <p class="row">
        <button type="submit" class={isPrimary ? 'button primary' : 'button'}>
          {button}
        </button>
      </p>
    </form>
  );
}

/** Says why an action failed. Without a status there was no response: the browser's own words do not help. */
export function messageOf(error: unknown): string {
  const isOwn = error instanceof FieldError || statusOf(error) !== undefined;
  return isOwn ? (error as Error).message : 'The mock does not respond.';
}

function concerns({ pointer, parameter }: Problem, name: string): boolean {
  if (name === '') return false;
  return pointer === name || parameter === name || (pointer?.startsWith(`${name}/`) ?? false);
}

interface FieldProps {
  /** JSON Pointer of its member, or name of its parameter. */
  name: string;
  label: string;
  value?: string;
  hint?: string;
  placeholder?: string;
  /** Values to choose from, with their labels. */
  choices?: readonly (readonly [value: string, label: string])[];
  /** Values to suggest. */
  suggestions?: readonly string[];
  /** Makes it a text area. */
  rows?: number;
  type?: 'text' | 'datetime-local';
  isWide?: boolean;
}

export function Field(props: FieldProps) {
  const { name, label, value = '', hint, placeholder, choices, suggestions, rows, type = 'text' } = props;
  const id = useId();
  const problems = useContext(ProblemsContext).filter((problem) => concerns(problem, name));
  const attributes = {
    id,
    name,
    ...(problems.length > 0 && { 'aria-invalid': true }),
    ...(hint !== undefined || problems.length > 0 ? { 'aria-describedby': `${id}-more` } : {}),
  };
  const typed = { autocomplete: 'off', spellcheck: false, ...(placeholder !== undefined && { placeholder }) };
  return (
    <div class={props.isWide ? 'field wide' : 'field'}>
      <label for={id}>{label}</label>
      {choices !== undefined ? (
        <select {...attributes}>
          {choices.map(([choice, text]) => (
            <option key={choice} value={choice} selected={choice === value}>
              {text}
            </option>
          ))}
        </select>
      ) : rows !== undefined ? (
        <textarea {...attributes} {...typed} rows={rows} defaultValue={value} />
      ) : (
        <input
          {...attributes}
          {...typed}
          type={type}
          defaultValue={value}
          {...(type === 'datetime-local' && { step: 1 })}
          {...(suggestions !== undefined && { list: `${id}-list` })}
        />
      )}
      {suggestions !== undefined && (
        <datalist id={`${id}-list`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
      {(hint !== undefined || problems.length > 0) && (
        <div id={`${id}-more`} class="hint">
          {problems.map(({ pointer, detail }) => (
            <p key={pointer} class="wrong">
              {pointer !== undefined && pointer !== name && <code>{pointer.slice(name.length)} </code>}
              {detail}
            </p>
          ))}
          {hint}
        </div>
      )}
    </div>
  );
}
