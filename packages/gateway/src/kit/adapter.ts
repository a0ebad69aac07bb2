/**
 * The adapter that an author writes for their gateway: how to start it, and how to start work at each of
 * its doors. The cases are `cases/`.
 */

/** The kit's own fleet, in a temporary folder, with one profile. */
export interface KitFleet {
  readonly root: string;
  /** Home folder of the profile that your gateway must serve. */
  readonly home: string;
  /** Its name. */
  readonly profile: string;
}

/** Three principals that your gateway can authenticate. */
export interface KitPrincipals {
  /** On the allowlist of holds that have one. Default: `kit-listed`. */
  readonly listed: string;
  /** On no allowlist, and may not use `/pause`. Default: `kit-other`. */
  readonly other: string;
  /** May use `/pause`. Default: `kit-operator`. */
  readonly operator: string;
}

export interface GatewayAdapter<Gateway> {
  /** Starts the whole gateway, as in production, for this home. */
  start(fleet: KitFleet): Promise<Gateway> | Gateway;
  stop(gateway: Gateway): Promise<void> | void;
  readonly principals?: Partial<KitPrincipals>;
  /** Drivers by door; null for a door that your gateway does not have. Its test is reported as skipped. */
  readonly doors: {
    readonly turn: TurnDriver<Gateway> | null;
    readonly cron: StartDriver<Gateway> | null;
    readonly 'cron-misfire': StartDriver<Gateway> | null;
    readonly 'cron-webhook': WebhookDriver<Gateway> | null;
    readonly kanban: BoardDriver<Gateway> | null;
  };
  /** Drivers for your own doors, by door name. */
  readonly ownDoors?: Readonly<Record<string, OwnDriver<Gateway>>>;
  readonly work: WorkDriver<Gateway> | null;
  readonly control: ControlDriver<Gateway> | null;
  /** true if the gateway links to the watcher, which is the default of `openGate`; null if it never does. */
  readonly link: true | null;
  readonly begun: BegunDriver<Gateway> | null;
}

/**
 * Counts the pieces of work that have begun at this door so far. Count where the work begins, not by what
 * was decided or answered: this detects a door that waits after its decision. Called for `turn`, `cron`,
 * `cron-misfire` and your own doors; webhook and board drivers report it themselves.
 */
export type BegunDriver<Gateway> = (gateway: Gateway, door: string) => Promise<number> | number;

/** Sends one message. Answers whether a turn began, and the notice that was shown if none did. */
export type TurnDriver<Gateway> = (
  gateway: Gateway,
  message: {
    readonly conversation: string;
    readonly principal: string;
    readonly text: string;
  },
) => Promise<{ readonly admitted: boolean; readonly notice?: string | null }>;

/**
 * Makes one piece of work due (a job for `cron`, a missed run for `cron-misfire`), runs the scheduler
 * once, and answers whether that work began.
 */
export type StartDriver<Gateway> = (gateway: Gateway) => Promise<boolean>;

/** Like `StartDriver`, for a door that knows the principal. */
export type OwnDriver<Gateway> = (
  gateway: Gateway,
  ask: { readonly principal: string },
) => Promise<boolean>;

export interface WebhookDriver<Gateway> {
  /** Posts one delivery as this principal, or without credentials if it is null. */
  post(
    gateway: Gateway,
    delivery: { readonly id: string; readonly principal: string | null },
  ): Promise<WebhookAnswer>;
  /** true if the work of this delivery has begun. Look at the work itself, not at the answer. */
  ran(gateway: Gateway, id: string): Promise<boolean> | boolean;
}

/** The part of a `Response` that the kit reads. */
export interface WebhookAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export interface BoardDriver<Gateway> {
  /** Adds a card that is ready to be worked on; answers its id. */
  add(gateway: Gateway): Promise<string> | string;
  /**
   * Runs the dispatcher once. It must await `between`, with the card's id, after a card was claimed and
   * before its worker is spawned.
   */
  dispatch(gateway: Gateway, between: (id: string) => Promise<void>): Promise<void>;
  card(gateway: Gateway, id: string): Promise<CardView> | CardView;
}

export interface CardView {
  /** `ready`: unclaimed. `claimed`: claimed, no worker started. `spawned`: its worker was started. */
  readonly state: 'ready' | 'claimed' | 'spawned';
  /** Failures or attempts counted against the card. */
  readonly failures: number;
}

/** Begins work that runs until `finish` is called. */
export type WorkDriver<Gateway> = (
  gateway: Gateway,
  id: string,
) => Promise<{
  readonly running: () => Promise<boolean> | boolean;
  /** Ends the work. Answers whether it ended successfully. */
  readonly finish: () => Promise<boolean> | boolean;
}>;

/** Sends a control command as a chat message. Answers the reply; null if there was none. */
export type ControlDriver<Gateway> = (
  gateway: Gateway,
  message: { readonly principal: string; readonly text: string },
) => Promise<string | null>;
