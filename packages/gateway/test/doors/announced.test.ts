/** Doors that the watcher lists before their first admission. */
import { expect, test } from 'vitest';
import {
  cronDoor,
  expressDoor,
  fastifyDoor,
  fetchDoor,
  type Gate,
  honoDoor,
  kanbanDoor,
  misfireDoor,
  nodeDoor,
  turnDoor,
} from '../../src/index.ts';
import { doorFleet } from './door-fleet.ts';

const principal = () => 'ops';
const nothing = () => null;

test.each<[string, (gate: Gate) => unknown, readonly unknown[]]>([
  ['cronDoor', (gate) => cronDoor(gate), ['cron', 'a']],
  [
    'misfireDoor',
    (gate) => misfireDoor(gate, { missed: () => [], start: () => {} }).close(),
    ['cron-misfire', 'a'],
  ],
  [
    'kanbanDoor',
    (gate) => kanbanDoor(gate, { claim: nothing, spawn: nothing, giveBack: () => {} }),
    ['kanban', 'a'],
  ],
  // For every served profile: the profile is only known with each message.
  ['turnDoor', (gate) => turnDoor(gate), ['turn']],
  ['nodeDoor', (gate) => nodeDoor(gate, { principal }), ['cron-webhook', undefined]],
  ['expressDoor', (gate) => expressDoor(gate, { principal, profile: 'a' }), ['cron-webhook', 'a']],
  [
    'fastifyDoor',
    (gate) => fastifyDoor(gate, { principal, profile: () => 'a' }),
    ['cron-webhook', undefined],
  ],
  ['fetchDoor', (gate) => fetchDoor(gate, { principal, door: 'upload' }), ['upload', undefined]],
  ['honoDoor', (gate) => honoDoor(gate, { principal }), ['cron-webhook', undefined]],
])('`%s` announces its door when it is made', (_, make, announced) => {
  const { gate } = doorFleet();
  const heard: unknown[][] = [];
  make({ ...gate, announce: (...words) => void heard.push(words) });
  expect(heard).toEqual([announced]);
});
