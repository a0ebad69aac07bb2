/**
 * `fleet status --watch`: shows the state again whenever it has changed, until it is interrupted or
 * its reader goes away. How one state is shown is `render/status.ts`; a terminal's screen is `screen.ts`.
 */
import { FleetError, type Following, follow, type Outlook } from '@fleet-estop/sentinel-core';
import { type Answer, writtenAnswer } from '../answer.ts';
import type { StatusFacts } from '../commands/status.ts';
import { type Delivery, deliver } from '../deliver.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { statusDocument, statusLines, statusNotices } from '../render/status.ts';
import { bothTimes } from '../render/time.ts';
import { type ColorChoice, viewOf } from '../render/view.ts';
import { visibleJson } from '../render/visible.ts';
import { outlookOf } from './outlook.ts';
import { canRepaint, openScreen } from './screen.ts';

interface WatchOptions {
  readonly json?: true;
  readonly color?: ColorChoice;
}

/** A place where states are shown one after another. */
interface Display {
  readonly show: (facts: StatusFacts) => Delivery;
  /** So that time goes on where nothing changes; null: what was shown is not touched again. */
  readonly tick: ((facts: StatusFacts) => Delivery) | null;
  readonly close: () => void;
}

const TICK_MS = 1000;
/** How long a folder may be gone that is put back by another, before that is an end. */
const GRACE_MS = 1000;

export function watchStatus(
  read: (nowMs: number) => { readonly facts: StatusFacts; readonly exit: ExitCode },
  options: WatchOptions,
): Promise<Answer> {
  // What is mistaken is refused before anything is shown.
  read(Date.now());
  const display = displayOf(options);
  return new Promise((resolve, reject) => {
    let facts: StatusFacts | null = null;
    let exit: ExitCode = EXIT.done;
    let shown = '';
    let failingSince: number | null = null;
    let outlook: Outlook = { scopes: [], deadlineMs: null };
    let done = false;
    let following: Following | undefined;

    const finish = (settle: () => void): void => {
      if (done) return;
      done = true;
      following?.close();
      clearInterval(ticker);
      process.off('SIGINT', onInterrupt);
      for (const signal of REPAINTING) process.off(signal, tick);
      display.close();
      settle();
    };
    const onInterrupt = (): void => finish(() => resolve(writtenAnswer(EXIT.done)));
    const onDelivery = (delivery: Delivery): void => {
      if (delivery === 'whole') return;
      const notices =
        delivery === 'reader-gone'
          ? []
          : [`the answer could not be written to stdout: ${delivery}`];
      // An answer that did not arrive is not a good answer.
      const code = exit === EXIT.done && notices.length > 0 ? EXIT.unreadable : exit;
      finish(() => resolve(writtenAnswer(code, notices)));
    };

    const look = (): Outlook => {
      if (done) return outlook;
      const nowMs = Date.now();
      try {
        ({ facts, exit } = read(nowMs));
        failingSince = null;
        outlook = outlookOf(facts.session, [facts.root, ...facts.lanes], null);
        const state = stateOf(facts);
        if (state !== shown) {
          shown = state;
          onDelivery(display.show(facts));
        }
      } catch (error) {
        failingSince ??= performance.now();
        const isLasting = performance.now() - failingSince >= GRACE_MS;
        if (isLasting || !(error instanceof FleetError)) finish(() => reject(error));
        outlook = { ...outlook, deadlineMs: nowMs + GRACE_MS };
      }
      return outlook;
    };

    function tick(): void {
      if (facts !== null && display.tick !== null) onDelivery(display.tick(facts));
    }

    const ticker = display.tick === null ? undefined : setInterval(tick, TICK_MS);
    process.on('SIGINT', onInterrupt);
    for (const signal of REPAINTING) process.on(signal, tick);
    following = follow(look);
    // Its first look comes before there is anything to close.
    if (done) following.close();
  });
}

/** After these, what a terminal shows is no longer what was painted. */
const REPAINTING = ['SIGWINCH', 'SIGCONT'] as const;

/** What makes a state another one: everything in it but the time. */
const stateOf = (facts: StatusFacts): string =>
  JSON.stringify(statusDocument({ ...facts, session: { ...facts.session, nowMs: 0 } }));

function displayOf({ json, color = 'auto' }: WatchOptions): Display {
  if (json) return documents();
  if (!canRepaint()) return blocks(color);
  const screen = openScreen();
  const paint = (facts: StatusFacts): Delivery => {
    const nowMs = Date.now();
    const now = { ...facts, session: { ...facts.session, nowMs } };
    // In the frame, and not on stderr, which is most often the same terminal.
    const lines = [...statusLines(now, viewOf(color, nowMs)), ...blank(statusNotices(now))];
    return screen.paint(lines);
  };
  return { show: paint, tick: paint, close: screen.close };
}

/** One document on each line. */
const documents = (): Display => ({
  show: (facts) => {
    deliver(2, textOf(statusNotices(facts)));
    return deliver(1, `${visibleJson(statusDocument(facts), 0)}\n`);
  },
  tick: null,
  close: () => {},
});

/** One block of lines after the other, each with the time at which it began to be so. */
function blocks(color: ColorChoice): Display {
  let separator: readonly string[] = [];
  return {
    show: (facts) => {
      const { nowMs } = facts.session;
      const lines = [`at ${bothTimes(nowMs)}`, ...statusLines(facts, viewOf(color, nowMs))];
      deliver(2, textOf(statusNotices(facts)));
      const delivery = deliver(1, textOf([...separator, ...lines]));
      separator = [''];
      return delivery;
    },
    tick: null,
    close: () => {},
  };
}

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

const blank = (lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', ...lines];
