/**
 * `fleet events`: shows events until it is interrupted or the reader closes stdout.
 * Receiving them is `watcher-client/follow-events.ts`, the text of one is `text.ts`.
 */
import { type Answer, writtenAnswer } from '../../cli/answer.ts';
import { type Delivery, deliver } from '../../cli/deliver.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { probeReader } from '../../cli/reader-gone.ts';
import { type ColorChoice, viewOf } from '../../text/view.ts';
import { visible, visibleJson } from '../../text/visible.ts';
import type { FleetEvent, Message, Snapshot } from '../../watcher-client/event-message.ts';
import { followEvents } from '../../watcher-client/follow-events.ts';
import type { EventFilter } from './filter.ts';
import {
  awayLine,
  eventDocument,
  eventLine,
  type Gap,
  gapDocument,
  gapLine,
  type Now,
  nowLine,
} from './text.ts';

export interface ShowOptions {
  readonly json: boolean;
  readonly color: ColorChoice;
  readonly filter: EventFilter;
  /** null: all of them. */
  readonly profiles: ReadonlySet<string> | null;
  readonly after: string | null;
  readonly recent: number;
  readonly waits: boolean;
  /** The first line of text output. */
  readonly headline: string;
}

export async function showEvents(root: string, options: ShowOptions): Promise<Answer> {
  const { filter, profiles, after, recent, waits } = options;
  const stop = new AbortController();
  const display = displayOf(options);
  let gap: Extract<Message, { kind: 'gap' }> | null = null;
  let failure: string | null = null;
  let mistaken = 0;

  const show = (text: string): void => {
    const delivery: Delivery = deliver(1, text);
    if (delivery === 'whole') return;
    if (delivery !== 'reader-gone') failure = delivery;
    stop.abort();
  };
  const report = (text: string): void => void deliver(2, `${text}\n`);

  const showGap = (id: string | null, now: Now | null): void => {
    if (gap !== null) show(display.gap({ after: gap.after, why: gap.why, id, now }));
    gap = null;
  };

  const onMessage = (message: Message, id: string | undefined): void => {
    // A gap is shown with the snapshot that follows, or without it if the snapshot is not understood.
    if (message.kind !== 'snapshot') showGap(null, null);
    switch (message.kind) {
      case 'event':
        if (filter.isWanted(message.event)) show(display.event(message.event));
        return;
      case 'gap':
        gap = message;
        return;
      case 'snapshot': {
        const { snapshot } = message;
        filter.learn(snapshot);
        const now = nowIn(snapshot, profiles);
        if (gap === null) show(display.now(now));
        showGap(id ?? null, now);
        return;
      }
      case 'mistaken':
        // Reported once, because there may be many such messages.
        if (mistaken === 0) report('skipped a message of the watcher that is not understood');
        mistaken += 1;
        return;
      default:
        return;
    }
  };

  const onInterrupt = (): void => stop.abort();
  // Only JSON output can be probed: in text, the space would be visible.
  const stopProbing = options.json ? probeReader(onInterrupt) : () => {};
  process.on('SIGINT', onInterrupt);
  try {
    show(display.begin);
    const ended = await followEvents(root, {
      after,
      recent,
      waits,
      signal: stop.signal,
      onMessage,
      onDisconnect: (why) => report(awayLine(why)),
      onReconnect: (again) => report(again ? 'the watcher is back' : 'a watcher is running'),
    });
    if (failure !== null) {
      // A success that could not be written is not reported as success.
      return writtenAnswer(EXIT.unreadable, [
        `the answer could not be written to stdout: ${failure}`,
      ]);
    }
    if (ended.end === 'asked') return writtenAnswer(EXIT.done);
    const what = ended.end === 'refused' ? 'the event stream was refused' : 'no watcher answers';
    return writtenAnswer(EXIT.unreadable, [`no events: ${what}: ${visible(ended.why)}`]);
  } finally {
    stopProbing();
    process.off('SIGINT', onInterrupt);
  }
}

function nowIn(snapshot: Snapshot, wanted: ReadonlySet<string> | null): Now {
  const { heldBy, unreadable } = snapshot;
  const shown = snapshot.profiles.filter(({ name }) => wanted?.has(name) ?? true);
  const paused = shown.filter(({ engaged }) => engaged).length;
  return { profiles: shown.length, paused, heldBy, unreadable };
}

/** Texts for stdout: each is complete lines, or empty. */
interface Display {
  readonly begin: string;
  readonly event: (event: FleetEvent) => string;
  readonly gap: (gap: Gap) => string;
  readonly now: (now: Now) => string;
}

function displayOf({ json, color, headline }: ShowOptions): Display {
  if (json) {
    const line = (document: unknown): string => `${visibleJson(document, 0)}\n`;
    return {
      begin: '',
      event: (event) => line(eventDocument(event)),
      gap: (gap) => line(gapDocument(gap, Date.now())),
      now: () => '',
    };
  }
  const view = () => viewOf(color, Date.now());
  return {
    begin: `${headline}\n`,
    event: (event) => `${eventLine(event, view())}\n`,
    gap: (gap) => `${gapLine(gap, view())}\n`,
    now: (now) => `${nowLine(now)}\n`,
  };
}
