/**
 * Shows on stderr what a drain is waiting for: painted in place on a terminal, and elsewhere one line for each
 * change.
 */
import { deliver } from '../cli/deliver.ts';
import { fields } from '../text/fields.ts';
import { span } from '../text/time.ts';
import { visible } from '../text/visible.ts';
import { type DrainLook, isAllQuiet, isAnswered, isQuiet } from './judge.ts';
import { countsText, oldestRows, silentRows, wedgedRows, workRows } from './rows.ts';

export interface Progress {
  readonly show: (look: DrainLook) => void;
  /** Says something beside it. */
  readonly say: (line: string) => void;
  /** Removes what is painted. */
  readonly close: () => void;
}

/** Rows of one kind on a terminal, and lines of one look in a log. */
const MOST = 8;
const DEFAULT_COLUMNS = 80;
/** The first look is shown only if the wait is not over by then. */
const QUIET_MS = 400;

export function progressOf(timeoutMs: number, isQuietMode: boolean): Progress {
  if (isQuietMode) return { show: () => {}, say: log, close: () => {} };
  return isTerminal() ? painted(timeoutMs) : logged();
}

/** Of stderr. Node's `tty` module loads networking code, so it is not imported for every start. */
const isTerminal = (): boolean =>
  process.getBuiltinModule('node:tty').isatty(2) && process.env['TERM'] !== 'dumb';

const log = (line: string): void => void deliver(2, `${line}\n`);

/** One line for each profile or gateway of which something else is known than before. */
function logged(): Progress {
  let known = new Map<string, string>();
  return {
    show(look) {
      const now = new Map<string, string>();
      for (const one of look.profiles) now.set(visible(one.profile), countsText(one));
      for (const [name, value] of silentRows(look)) now.set(`${name} ${value}`, '');
      const isFirst = known.size === 0;
      const changed = [...now].filter(([name, text]) =>
        isFirst ? !text.startsWith('nothing') : (known.get(name) ?? 'nothing in hand') !== text,
      );
      const heard = [...known].filter(([name, text]) => text === '' && !now.has(name));
      known = now;
      const lines = [
        ...changed.map(([name, text]) => (text === '' ? `  ${name}` : `  ${name}: ${text}`)),
        ...heard.map(([name]) => `  no longer ${name}`),
      ];
      if (isFirst && lines.length > 0) log('draining (Ctrl-C ends only the waiting):');
      for (const line of lines.slice(0, MOST)) log(line);
      if (lines.length > MOST) log(`  and ${lines.length - MOST} more changes`);
      const oldest = changed.length === 0 ? [] : oldestRows(look, Date.now());
      for (const [name, value] of oldest) log(`  ${name} ${value}`);
    },
    say: log,
    close: () => {},
  };
}

const CLEAR_BELOW = '\u001b[J';
const NO_WRAP = '\u001b[?7l';
const WRAP = '\u001b[?7h';

/** Lines that are longer than a row would take two, so they are cut. */
function painted(timeoutMs: number): Progress {
  const began = performance.now();
  let height = 0;
  const up = (): string => (height === 0 ? '\r' : `\u001b[${height}A\r`);
  const close = (): void => {
    if (height > 0) deliver(2, `${up()}${CLEAR_BELOW}`);
    height = 0;
  };
  return {
    show(look) {
      const passedMs = performance.now() - began;
      if (isAnswered(look) && isAllQuiet(look)) return;
      if (height === 0 && passedMs < QUIET_MS) return;
      const nowMs = Date.now();
      const busy = look.profiles.filter((one) => !isQuiet(one)).length;
      const head = `draining for ${span(passedMs)} of ${span(timeoutMs)}, ${busy} of ${look.profiles.length} profiles busy (Ctrl-C ends only the waiting)`;
      const rows = [
        ...silentRows(look).slice(0, MOST),
        ...workRows(look, MOST),
        ...oldestRows(look, nowMs),
        ...wedgedRows(look, nowMs, MOST),
      ];
      const columns = process.stderr.columns || DEFAULT_COLUMNS;
      const lines = [head, ...(rows.length === 0 ? [] : fields(rows))];
      const shown = lines.slice(0, Math.max(2, (process.stderr.rows || 24) - 2));
      const text = shown.map((line) => `${[...line].slice(0, columns - 1).join('')}\n`).join('');
      deliver(2, `${NO_WRAP}${up()}${CLEAR_BELOW}${text}${WRAP}`);
      height = shown.length;
    },
    say(line) {
      close();
      log(line);
    },
    close,
  };
}
