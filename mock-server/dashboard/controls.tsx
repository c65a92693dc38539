// The parts that cards are made of: the card itself, buttons, texts, lists that grow, parts that fold.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type CurlRequest, curlLine, isPasteable } from '../curl.js';
import { usePage } from './page.js';

interface CardProps {
  /** Also the fragment of its address. */
  name: string;
  title: ComponentChildren;
  count?: string | number | undefined;
  /** Shown beside the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export function Card({ name, title, count, actions, children }: CardProps) {
  const focused = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that was pressed is gone after some actions. Its row gets the focus then, or the heading of the card.
  useLayoutEffect(() => {
    const element = focused.current;
    if (element === null || element.isConnected || document.activeElement !== document.body) return;
    focused.current = null;
    heading.current?.focus();
  });
  return (
    <section
      id={name}
      class="card"
      aria-labelledby={`${name}-title`}
      onFocusIn={({ target }) => {
        const element = target as HTMLElement;
        focused.current = element.closest('li') ?? element;
      }}
    >
      <div class="head row">
        <h2 id={`${name}-title`} tabIndex={-1} ref={heading}>
          <bdi>{title}</bdi> {count !== undefined && <span class="count">{count}</span>}
        </h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

interface ButtonProps {
  label: string;
  /** Completes the label for screen readers: the link, the fault. */
  about?: string;
  /** Announced when the action is done. */
  done?: string;
  /** Asked before the action. */
  question?: string;
  /** The page shows why it failed. */
  onPress: () => unknown;
}

export function Button({ label, about, done, question, onPress }: ButtonProps) {
  const { announce, report } = usePage();
  const press = async () => {
    if (question !== undefined && !confirm(question)) return;
    try {
      await onPress();
      if (done !== undefined) announce(done);
    } catch (error) {
      report(error);
    }
  };
  return (
    <button type="button" class="button small" onClick={press}>
      {label}
      {about !== undefined && <span class="vh"> {about}</span>}
    </button>
  );
}

/** Copies a text. Browsers allow that on loopback and HTTPS only; elsewhere there is no button. */
export function CopyButton({ text, about, label = 'Copy' }: { text: string; about: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  if (navigator.clipboard === undefined) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return <Button label={isCopied ? 'Copied' : label} about={about} done={`Copied ${about}`} onPress={copy} />;
}

/** A text of any length that can be selected and scrolled by keyboard. */
export function Block({ title, text }: { title: string; text: string }) {
  return (
    <label class="block">
      {title}
      <textarea readOnly spellcheck={false} rows={Math.min(text.split('\n').length, 16)} value={text} />
    </label>
  );
}

/** A request as a command line, for the shell of this machine. */
export function Curl({ title, request }: { title: string; request: CurlRequest }) {
  const line = curlLine(request, navigator.platform.startsWith('Win') ? 'win32' : 'linux');
  if (!isPasteable(line))
    return (
      <p class="hint">
        The request has control characters. There is no curl line: a terminal would act on them.
      </p>
    );
  return (
    <>
      <Block title={title} text={line} />
      <CopyButton label="Copy as curl" text={line} about={title} />
    </>
  );
}

/** Most rows that the mock lists. */
const MAX_LIMIT = 1000;

export function More(props: { limit: number; total: number | undefined; onMore: (limit: number) => void }) {
  const { limit, total = 0, onMore } = props;
  if (limit >= Math.min(total, MAX_LIMIT)) return null;
  return (
    <p class="row">
      <Button label="Show more" onPress={() => onMore(Math.min(limit * 2, MAX_LIMIT))} />
      <span class="hint">
        {limit} of {total}
      </span>
    </p>
  );
}

interface FoldProps {
  title: ComponentChildren;
  /** The content exists while it is closed as well: its fields belong to the form around it. */
  isInForm?: boolean;
  children: ComponentChildren;
}

/** A part that most readers leave closed. Its content exists while it is open. */
export function Fold({ title, isInForm = false, children }: FoldProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="fold" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {(isOpen || isInForm) && <div class="folded">{children}</div>}
    </details>
  );
}
