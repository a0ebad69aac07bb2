/**
 * Everything that the explorer uses of the shipped protocol, under the names that it uses here.
 * Nothing is decided in this file.
 */

export { arm } from '../../src/disk/arm.ts';
export { check } from '../../src/disk/check.ts';
export { inspect, type Sentinel, tagOf } from '../../src/disk/inspect.ts';
export { type LiftOptions, lift } from '../../src/disk/lift.ts';
export {
  isClaim,
  isPin,
  newName,
  newOfPin,
  ODD,
  pinName,
  SENTINEL,
  STAGING,
  seenByPin,
  standsAside,
  TENURE,
} from '../../src/disk/names.ts';
export type { DiskPort, Entry, Handle, OpenMode } from '../../src/disk/port.ts';
export { recover } from '../../src/disk/recover.ts';
export type {
  ArmRequest,
  LiftSelection,
  Patience,
} from '../../src/disk/results.ts';
export { retire } from '../../src/disk/retire.ts';
export { failureOf } from '../../src/files/errno.ts';
export { readBody, writeBody } from '../../src/model/body.ts';
export { DEFAULT_HOLDER, type Hold } from '../../src/model/hold.ts';
export { formatInstant } from '../../src/model/stamp.ts';

/**
 * `new:<token>:<serial>`: arm and lift number their own bodies from 0; what they write for others,
 * giving back and settling, begins at 200.
 */
export const isOwnSerial = (serial: number): boolean => serial < 100;

/** By the last part of its path: a body being written under a tenure. */
export const isDraft = (path: string): boolean => path.includes('/new:');

/** Inside a tenure, by the last part of its path: a sentinel taken out by a lift, and what was seen of it. */
export const isRemoval = (path: string): boolean => path.includes('/lift:');
export const seenByRemoval = (path: string): string => path.split(':')[2] ?? '';
