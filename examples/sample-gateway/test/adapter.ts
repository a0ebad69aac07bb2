/** The kit's adapter of the sample: over HTTP and the files of its home, like any client. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { GatewayAdapter } from '@fleet-estop/gateway/kit';
import {
  admitPeople,
  BUILT,
  endSample,
  type Sample,
  startSample,
  statusOf,
  until,
} from './sample.ts';

const OPERATOR = 'kit-operator';
/** Timers so long that work starts only when the test triggers it. */
const WORDS = ['--cron', '0 0 1 1 *', '--board-every', '3600000', '--step', '20'];
/** Catch-up work starts at once. */
const AT_ONCE = ['--resume-spread', '0'];
const LONG_AGO = 400 * 86_400_000;
/** Prints the claimed card, and waits until the test opens the FIFO. */
const PREPARE =
  '#!/bin/sh\necho "$1" > claimed.new && mv claimed.new claimed\nexec timeout 20 cat go\n';

let names = 0;
let turnsBegun = 0;

export const sampleAdapter = (entry = BUILT): GatewayAdapter<Sample> => ({
  async start({ home }) {
    admitPeople(home, ['kit-listed', 'kit-other', OPERATOR]);
    const board = join(home, 'board');
    mkdirSync(board);
    writeFileSync(join(board, 'prepare'), PREPARE, { mode: 0o700 });
    if (spawnSync('mkfifo', [join(board, 'go')]).status !== 0) throw new Error('no mkfifo');
    return startSample(home, { entry, words: [...WORDS, ...AT_ONCE] });
  },
  async stop(sample) {
    await endSample(sample, 'SIGKILL');
  },
  doors: {
    async turn(sample, { principal, ...message }) {
      const answer = await sample.fetch('/chat', { as: principal, body: message });
      const decoder = new TextDecoder();
      let text = '';
      let admitted = false;
      for await (const chunk of answer.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        // Counted when the turn begins, not when it ends.
        if (!admitted && text.includes('{"event":"began"}')) {
          admitted = true;
          turnsBegun += 1;
        }
      }
      const events = text.trim().split('\n');
      const refused = events.map((line) => JSON.parse(line)).find((it) => it.event === 'refused');
      return { admitted, notice: refused?.notice ?? null };
    },
    cron: (sample) => ranNow(sample, 'on time', '/now/cron'),
    'cron-misfire': (sample) => ranNow(sample, 'made up for', '/now/catch-up'),
    'cron-webhook': {
      post: (sample, { id, principal }) =>
        sample.fetch('/hooks/kit', { as: principal, body: { steps: 0 }, id }),
      ran: ({ home }, id) =>
        ['todo', 'doing', 'done'].some((it) => existsSync(join(home, 'board', it, `${id}.json`))),
    },
    kanban: {
      add({ home }) {
        const todo = join(home, 'board/todo');
        // Cards that the webhook has added are not part of this case.
        for (const name of readdirSync(todo)) rmSync(join(todo, name));
        const id = `card-${names++}`;
        const card = { title: 'of the kit', steps: 0, failures: 0, by: 'kit-other' };
        writeFileSync(join(home, 'board', id), JSON.stringify(card));
        renameSync(join(home, 'board', id), join(todo, `${id}.json`));
        return id;
      },
      dispatch: lookOnce,
      async card(sample, id) {
        const answer = await sample.fetch('/board', { as: OPERATOR });
        const { cards } = (await answer.json()) as { cards: BoardCard[] };
        const card = cards.find((it) => it.id === id);
        const failures = card?.failures ?? 0;
        if (card === undefined || card.column === 'todo') return { state: 'ready', failures };
        const isStarted = card.worker !== null || card.column === 'done';
        return { state: isStarted ? 'spawned' : 'claimed', failures };
      },
    },
  },
  async work(sample, id) {
    const message = { as: 'kit-other', conversation: id };
    let running = true;
    const events = sample.chat({ ...message, text: 'count to 100000' }).finally(() => {
      running = false;
    });
    // If the turn is not finished, the gateway is stopped with it.
    events.catch(() => {});
    await until('the turn runs', async () => (await statusOf(sample, OPERATOR)).turns.includes(id));
    return {
      running: () => running,
      async finish() {
        // A message to the running turn passes while held.
        const [told] = await sample.chat({ ...message, text: 'stop' });
        if (told?.event !== 'told') return false;
        const [said, ended] = (await events).slice(-2);
        return ended?.event === 'ended' && said?.text?.startsWith('stopped') === true;
      },
    };
  },
  async control(sample, { principal, text }) {
    const events = await sample.chat({ as: principal, conversation: 'control', text });
    return events.find(({ event }) => event === 'reply')?.text ?? null;
  },
  link: true,
  begun: ({ home }, door) => {
    if (door === 'turn') return turnsBegun;
    const path = join(home, 'cron.log');
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length : 0;
  },
});

interface BoardCard {
  readonly id: string;
  readonly column: string;
  readonly worker: number | null;
  readonly failures: number | null;
}

/**
 * The job is due, the scheduler looks, and this look has run it: by what it says, and by a line that the
 * job itself has left. A sweep of the gateway's own after the lift before may leave one, too.
 */
async function ranNow(sample: Sample, kind: string, look: string): Promise<boolean> {
  const { home } = sample;
  const path = join(home, 'cron.log');
  const lines = () => (existsSync(path) ? readFileSync(path, 'utf8').split(kind).length : 1);
  const before = lines();
  const at = new Date(Date.now() - LONG_AGO).toISOString();
  writeFileSync(join(home, 'cron.json.kit'), JSON.stringify({ pulse: { at, owed: 0 } }));
  renameSync(join(home, 'cron.json.kit'), join(home, 'cron.json'));
  const answer = await sample.fetch(look, { as: OPERATOR, body: {} });
  const { ran } = (await answer.json()) as { ran: string[] };
  return ran.length > 0 && lines() > before;
}

async function lookOnce(sample: Sample, between: (id: string) => Promise<void>): Promise<void> {
  const board = join(sample.home, 'board');
  const claimed = join(board, 'claimed');
  let answered = false;
  const looking = sample.fetch('/now/board', { as: OPERATOR, body: {} }).finally(() => {
    answered = true;
  });
  while (!answered) {
    if (existsSync(claimed)) {
      const id = readFileSync(claimed, 'utf8').trim();
      rmSync(claimed);
      await between(id);
      await writeFile(join(board, 'go'), '');
    }
    await delay(5);
  }
  await looking;
}
