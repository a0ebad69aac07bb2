/**
 * What an author tells the kit about their own gateway: how to start it, and how to probe at each of
 * its doors. What is then asked of it is `cases/`.
 */

/** A fleet of the kit's own, in a temporary folder, with one profile. */
export interface KitFleet {
  readonly root: string;
  /** The home folder of the profile that is to be served. */
  readonly home: string;
  /** Its name. */
  readonly profile: string;
}

/** Three people, by the identity that your gateway knows when they are authenticated. */
export interface KitPrincipals {
  /** Let pass by a hold that admits somebody. Default: `kit-listed`. */
  readonly listed: string;
  /** Let pass by no hold, and may control nothing. Default: `kit-other`. */
  readonly other: string;
  /** May pause and resume. Default: `kit-operator`. */
  readonly operator: string;
}

export interface GatewayAdapter<Gateway> {
  /** Starts the whole gateway, as it runs in earnest, for this home. */
  start(fleet: KitFleet): Promise<Gateway> | Gateway;
  stop(gateway: Gateway): Promise<void> | void;
  readonly principals?: Partial<KitPrincipals>;
  /** A door that your gateway does not have is null: what is not tested is said. */
  readonly doors: {
    readonly turn: TurnDriver<Gateway> | null;
    readonly cron: StartDriver<Gateway> | null;
    readonly 'cron-misfire': StartDriver<Gateway> | null;
    readonly 'cron-webhook': WebhookDriver<Gateway> | null;
    readonly kanban: BoardDriver<Gateway> | null;
  };
  /** Doors of your own, by the names under which they ask. */
  readonly ownDoors?: Readonly<Record<string, OwnDriver<Gateway>>>;
  readonly work: WorkDriver<Gateway> | null;
  readonly control: ControlDriver<Gateway> | null;
  /** Does the watcher hear of it, as `openGate` has it unless told otherwise? null: it never links. */
  readonly link: true | null;
  readonly begun: BegunDriver<Gateway> | null;
}

/**
 * How many pieces of work have begun at this door so far: counted where the work begins, and not by
 * what was decided or answered. It tells a guard that waits after its decision. It is asked for `turn`,
 * `cron`, `cron-misfire` and doors of your own: the others say it themselves.
 */
export type BegunDriver<Gateway> = (gateway: Gateway, door: string) => Promise<number> | number;

/** Sends one message, and tells whether a turn began, and what was said where none did. */
export type TurnDriver<Gateway> = (
  gateway: Gateway,
  message: {
    readonly conversation: string;
    readonly principal: string;
    readonly text: string;
  },
) => Promise<{ readonly admitted: boolean; readonly notice?: string | null }>;

/**
 * Makes one piece of work due, lets the scheduler look once, and tells whether that work began: a job
 * for `cron`, a missed run for `cron-misfire`.
 */
export type StartDriver<Gateway> = (gateway: Gateway) => Promise<boolean>;

/** As `StartDriver`, for a door that knows who asks. */
export type OwnDriver<Gateway> = (
  gateway: Gateway,
  ask: { readonly principal: string },
) => Promise<boolean>;

export interface WebhookDriver<Gateway> {
  /** Posts one delivery as this principal; null: without any credentials. */
  post(
    gateway: Gateway,
    delivery: { readonly id: string; readonly principal: string | null },
  ): Promise<WebhookAnswer>;
  /** Has the work of this delivery begun? By what it did, and not by what was answered. */
  ran(gateway: Gateway, id: string): Promise<boolean> | boolean;
}

/** As much of a `Response` as is looked at. */
export interface WebhookAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export interface BoardDriver<Gateway> {
  /** Puts a card on the board, ready to be worked on; answers its id. */
  add(gateway: Gateway): Promise<string> | string;
  /**
   * Lets the dispatcher look once. `between` is awaited after a card was claimed, before its worker is
   * spawned; it tells which card that is.
   */
  dispatch(gateway: Gateway, between: (id: string) => Promise<void>): Promise<void>;
  card(gateway: Gateway, id: string): Promise<CardView> | CardView;
}

export interface CardView {
  /** `ready`: nobody has it. `claimed`: taken, and nothing was started. `spawned`: its worker was. */
  readonly state: 'ready' | 'claimed' | 'spawned';
  /** Failures or attempts that count against the card. */
  readonly failures: number;
}

/** Begins work that goes on until it is told to finish. */
export type WorkDriver<Gateway> = (
  gateway: Gateway,
  id: string,
) => Promise<{
  readonly running: () => Promise<boolean> | boolean;
  /** Lets it end, and tells whether it ended as it should. */
  readonly finish: () => Promise<boolean> | boolean;
}>;

/** Sends a control command as a message of the chat, and answers what was replied. */
export type ControlDriver<Gateway> = (
  gateway: Gateway,
  message: { readonly principal: string; readonly text: string },
) => Promise<string | null>;
