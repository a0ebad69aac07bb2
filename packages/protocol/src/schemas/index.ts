/** The schemas, and what is made of them. Loads zod. */
import * as z from 'zod';
import { cliDocuments } from './cli/documents.ts';
import * as events from './events.ts';
import * as holds from './holds.ts';
import * as ledger from './ledger.ts';
import * as socket from './socket.ts';
import * as state from './state.ts';

export { jsonPage } from './cli/page.ts';
export { eventFileSchema } from './event-file.ts';
export { openapi } from './openapi.ts';
export { events, socket };

/** Documents by the name in their `schema`. */
export const documents: Readonly<Record<string, z.ZodType>> = {
  ...cliDocuments,
  'fleet/state/v1': z.union([state.state, state.knownState, state.lookedAt]),
  'fleet/profile/v1': state.profileState,
  'fleet/gateways/v1': state.gateways,
  'fleet/cut/v1': state.cut,
  'fleet/health/v1': state.alive,
  'fleet/ready/v1': state.ready,
  'fleet/error/v1': state.error,
  'fleet/refusals/v1': ledger.refusals,
  'fleet/armed/v1': holds.armed,
  'fleet/would-arm/v1': holds.wouldArm,
  'fleet/lifted/v1': holds.lifted,
};
