/**
 * Gateways under a supervisor that starts them again when they exit, with a `gateway.restart` in their
 * `profile.yaml` that ends them, and what was done in their homes.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFile } from '../../../../scripts/bundle.mjs';
import type { Document, Fleet } from './fleet.ts';
import { ask } from './gateways.ts';
import { type Live, startProcess, until } from './live.ts';

const gateway = await bundleFile(
  fileURLToPath(new URL('./restartable-gateway.ts', import.meta.url)),
);
const supervisor = fileURLToPath(new URL('./supervisor.mjs', import.meta.url));

/** Ends the process whose id stands in a file, and waits until it is gone. */
const STOP = `const fs = require('node:fs'); const pid = Number(fs.readFileSync(process.argv[1]));
  try { process.kill(pid, 'SIGTERM'); } catch {}
  const look = () => { try { process.kill(pid, 0); setTimeout(look, 10); } catch { console.log('ended ' + pid); } };
  look();`;

export interface Supervised {
  /** Of the gateway that runs now. */
  pid(): number;
  /** After its next end it is not started again. */
  abandon(): void;
  readonly live: Live;
}

/** Writes `profile.yaml` with these means. */
export function setMeans(fleet: Fleet, lane: string, restart: unknown): void {
  const yaml = `version: 1\ngateway: { restart: ${JSON.stringify(restart)} }\n`;
  writeFileSync(join(fleet.folder(lane), 'profile.yaml'), yaml, { mode: 0o644 });
}

/** The means that ends the gateway of a supervisor. */
export const commandOf = (fleet: Fleet, lane: string): readonly string[] => [
  process.execPath,
  '-e',
  STOP,
  join(fleet.folder(lane), 'run', 'pid'),
];

/** Resolves when the watcher has heard the gateway acknowledge what stands for all of its lanes. */
export async function superviseGateway(fleet: Fleet, ...lanes: string[]): Promise<Supervised> {
  const [first = ''] = lanes;
  const folder = join(fleet.folder(first), 'run');
  mkdirSync(folder);
  for (const lane of lanes) {
    setMeans(fleet, lane, { command: commandOf(fleet, first) });
    mkdirSync(join(fleet.folder(lane), 'inbox'));
  }
  const homes = lanes.map((lane) => fleet.folder(lane));
  const live = startProcess(process.execPath, [
    supervisor,
    folder,
    process.execPath,
    gateway,
    ...homes,
  ]);
  for (const lane of lanes) await untilServed(fleet, lane);
  return {
    live,
    pid: () => Number(readFileSync(join(folder, 'pid'), 'utf8')),
    abandon: () => rmSync(join(folder, 'keep')),
  };
}

/** The instances that have acknowledged the newest state of a lane. */
export async function servingOf(fleet: Fleet, lane: string): Promise<string[]> {
  const { gateways } = await ask(fleet.root);
  return gateways.flatMap(({ instance, link, profiles }: Document) =>
    link !== 'gone' &&
    profiles.some(({ name, standing }: Document) => name === lane && standing === 'acknowledged')
      ? [instance]
      : [],
  );
}

export async function untilServed(fleet: Fleet, lane: string): Promise<string> {
  let instance: string | undefined;
  await untilSo(async () => {
    [instance] = await servingOf(fleet, lane);
    return instance !== undefined;
  });
  return instance ?? '';
}

/** As `until`, of something that must be asked. */
async function untilSo(isSo: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + 50_000;
  while (!(await isSo())) {
    if (performance.now() > endsAt) throw new Error(`still not so: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const giveTurn = (fleet: Fleet, lane: string, name: string): void =>
  writeFileSync(join(fleet.folder(lane), 'inbox', name), '');

/** Names of what a lane has begun, in order, once for each beginning. */
export function begunIn(fleet: Fleet, lane: string): string[] {
  const path = join(fleet.folder(lane), 'begun.log');
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
}

/** Whom its gateways have told that their work is cut, and why, once for each time. */
export function toldIn(fleet: Fleet, lane: string): string[] {
  const path = join(fleet.folder(lane), 'told.log');
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
}

export const doneIn = (fleet: Fleet, lane: string): string[] => {
  const folder = join(fleet.folder(lane), 'done');
  return existsSync(folder) ? readdirSync(folder).sort() : [];
};

export const untilBegun = (fleet: Fleet, lane: string, name: string): Promise<void> =>
  until(() => begunIn(fleet, lane).includes(name));

export const setMode = (fleet: Fleet, lane: string, mode: string): void =>
  writeFileSync(join(fleet.folder(lane), 'mode'), mode);
