/**
 * The types of messages, documents and events. They are inferred from `schemas/`, of which nothing is
 * loaded: a gateway and the start of `fleet` do not pay for a schema library.
 */
import type * as z from 'zod';
import type * as events from './schemas/events.ts';
import type * as fleet from './schemas/fleet.ts';
import type * as holds from './schemas/holds.ts';
import type * as ledger from './schemas/ledger.ts';
import type * as socket from './schemas/socket.ts';
import type * as state from './schemas/state.ts';

/** What a schema describes, read-only at every depth. */
type Of<Schema extends z.ZodType> = Deep<z.infer<Schema>>;
type Deep<T> = T extends readonly (infer Item)[]
  ? readonly Deep<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Deep<T[Key]> }
    : T;

export type ServedProfile = Of<typeof socket.servedProfile>;
export type GatewayMark = Of<typeof socket.processMark>;
export type Feature = Of<typeof socket.feature>;
export type Hello = Of<typeof socket.hello>;
export type Ack = Of<typeof socket.ack>;
export type GatewayHeartbeat = Of<typeof socket.gatewayHeartbeat>;
export type CutDone = Of<typeof socket.cutDone>;
export type Goodbye = Of<typeof socket.goodbye>;
export type FromGateway = Of<typeof socket.fromGateway>;
export type StateHold = Of<typeof socket.stateHold>;
export type State = Of<typeof socket.state>;
export type WatcherHeartbeat = Of<typeof socket.watcherHeartbeat>;
export type Cut = Of<typeof socket.cut>;
export type ConnectionRefusal = Of<typeof socket.connectionRefusal>;
export type FromWatcher = Of<typeof socket.fromWatcher>;

export type HoldView = Of<typeof fleet.hold>;
export type ScopeView = Of<typeof fleet.scope>;
export type ProfileView = Of<typeof fleet.profile>;
export type RejectedProfile = Of<typeof fleet.rejectedProfile>;
export type RejectedSettings = Of<typeof fleet.rejectedSettings>;
export type Unreadable = Of<typeof fleet.unreadable>;
export type LinkState = Of<typeof fleet.link>;
export type Acknowledgement = Of<typeof fleet.acknowledgement>;
export type JudgedGateway = Of<typeof fleet.gateway>;
/** A gateway of which nobody has judged yet what it has acknowledged. */
export type GatewayView = Omit<JudgedGateway, 'profiles' | 'returning'> & {
  readonly returning?: boolean;
  readonly profiles: readonly GatewayProfileView[];
};
export type GatewayProfileView = Omit<JudgedGateway['profiles'][number], 'standing'>;

export type HttpAddresses = Of<typeof state.served>;
export type HealthView = Of<typeof state.health>;
export type WebhookView = Of<typeof state.webhook>;
export type LookDocument = Of<typeof state.lookedAt>;
export type KnownState = Of<typeof state.knownState>;
export type StateDocument = Of<typeof state.state>;
export type ProfileDocument = Of<typeof state.profileState>;
export type CutDocument = Of<typeof state.cut>;
export type GatewaysDocument = Of<typeof state.gateways>;
export type ReadyDocument = Of<typeof state.ready>;

export type WorkDocument = Of<typeof ledger.work>;
export type ProfileRefusals = Of<typeof ledger.profileRefusals>;
export type RefusedWork = Of<typeof ledger.refusedWork>;
export type RefusalsDocument = Of<typeof ledger.refusals>;

export type HoldTerms = Of<typeof holds.holdTerms>;
export type HoldEffect = Of<typeof holds.effect>;
export type ArmedDocument = Of<typeof holds.armed>;
export type WouldArmDocument = Of<typeof holds.wouldArm>;
export type LiftedDocument = Of<typeof holds.lifted>;

export type EventEnvelope = Of<typeof events.envelope>;
export type HeartbeatData = Of<typeof events.heartbeat>;
export type GapData = Of<typeof events.gap>;
