/**
 * A small but complete gateway of one profile: wires the parts, starts and stops them in order.
 * Each part has its own file.
 */
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openGate, pauseCommand } from '@fleet-estop/gateway';
import { addressFile, writeAddress } from './address.ts';
import { openBoard } from './board.ts';
import { openChat } from './chat.ts';
import { startCron } from './cron.ts';
import { openDispatcher } from './dispatch.ts';
import { serveHttp } from './http.ts';
import { openLog } from './log.ts';
import { nowRoutes } from './now.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { makePeople, openPeople, peopleFile } from './people.ts';
import { statusRoutes } from './status.ts';
import { webhookRoute } from './webhook.ts';

const DRAIN_MS = 10_000;
const log = openLog();

async function main(options: Options): Promise<void> {
  const { home, stepMs } = options;
  const gate = openGate({
    home,
    software: 'sample-gateway/0.1',
    resumeSpreadMs: options.resumeSpreadMs,
    log: { info: (fields, message) => log(message, fields) },
    onLink: ({ link }) => log('watcher', { link }),
    onFound({ cutOff, adopted, previous }) {
      if (previous?.clean) log('the last run ended cleanly', { instance: previous.instance });
      for (const { door, id, since } of cutOff) log('was cut off', { door, id, since });
      for (const { door, id, pid } of adopted) log('still runs in a worker', { door, id, pid });
    },
  });
  const users = peopleFile(home);
  if (makePeople(users)) log('created the users file, with a token for each user', { users });
  const people = openPeople(users);
  const control = pauseCommand({ home, mayControl: (principal) => people.mayPause(principal) });
  const board = openBoard(home);
  const chat = openChat(gate, control, stepMs);
  const scheduler = startCron(gate, home, options.cron, log);
  const dispatcher = openDispatcher(gate, board, stepMs, log);
  const routes = {
    'POST /chat': chat.route,
    'POST /hooks/*': webhookRoute(gate, board, log),
    ...nowRoutes(people, scheduler, dispatcher),
    ...statusRoutes(gate, { board, dispatcher, chat }),
  };
  const server = await serveHttp(options.port, { people, routes, log });
  const boardTimer = setInterval(() => {
    dispatcher.door
      .tick()
      .catch((error: unknown) => log('a board tick failed', { error: String(error) }));
  }, options.boardEveryMs);
  const url = writeAddress(home, server);
  log('listening', { url, home });

  gate.onDrain(({ drained, left }) => log(drained ? 'drained' : 'draining', { in_flight: left }));
  // A chat platform would be called here; a sample has only its log.
  gate.onNotice(({ conversation, reason }) => log('work is cut', { conversation, reason }));

  async function stop(signal: string): Promise<void> {
    log('stopping: waiting for work in hand', { signal, in_flight: gate.inFlight() });
    clearInterval(boardTimer);
    scheduler.close();
    server.close();
    rmSync(addressFile(home), { force: true });
    const endMs = performance.now() + DRAIN_MS;
    while (chat.turns().length + dispatcher.workers().size > 0 && performance.now() < endMs) {
      await delay(50);
    }
    log('stopped', { in_flight: gate.inFlight() });
    gate.close();
    // A turn that is still running ends here, and the next start reports it; a worker continues.
    process.exit(0);
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    let asked = false;
    process.on(signal, () => {
      if (!asked) void stop(signal);
      asked = true;
    });
  }
}

try {
  await main(optionsOrUsage());
} catch (error) {
  const { message, hint } = error as { message?: string; hint?: string };
  process.stderr.write(`${message ?? String(error)}\n${hint === undefined ? '' : `${hint}\n`}`);
  process.exit(1);
}

function optionsOrUsage(): Options {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}
