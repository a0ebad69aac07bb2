/**
 * The phases of the stress: who hammers the folder in each.
 * What each of these roles does is `holder.ts`, `bystanders.ts` and `contender.ts`; what must hold
 * meanwhile is said where it is watched.
 */
import type { Dice } from './dice.ts';

export type RoleKind =
  /** Arms, re-arms and lifts its own hold. */
  | 'holder'
  /** Lifts everyone's. */
  | 'everyone'
  | 'retire'
  | 'recover'
  /** Only checks. */
  | 'look'
  /** Races others for one generation, or for one hold. */
  | 'contender';

export interface Role {
  readonly kind: RoleKind;
  /** Unique in its phase; a holder's is its holder. */
  readonly name: string;
}

export interface Phase {
  readonly roles: readonly Role[];
  readonly hardLinks: boolean;
  /** How long the next hold shall stand; null: without a deadline. */
  readonly ttlMs: (dice: Dice) => number | null;
  /** Whether holders rest, so that what expired is there to be retired. */
  readonly rests: boolean;
  /** Who watches from the main process. */
  readonly watch: 'holders' | 'foreign' | 'contest';
}

/** Stands in the phase `keep` from the first to the last moment. */
export const PERMANENT = { holder: 'permanent', userId: 'p' } as const;

const never = () => null;
const role = (kind: RoleKind, name: string = kind): Role => ({ kind, name });
const holders = [role('holder', 'a'), role('holder', 'b')];

export const phases = {
  /** A hold that nobody touches is in every look, and ESTOP is never missing. */
  keep: {
    roles: [...holders, role('look'), role('recover')],
    hardLinks: true,
    ttlMs: (dice) => (dice.chance(0.5) ? null : dice.between(100, 400)),
    rests: false,
    watch: 'holders',
  },
  /** Short deadlines only: until one has passed, check says held. */
  expire: {
    roles: [...holders, role('retire'), role('recover')],
    hardLinks: true,
    ttlMs: (dice) => dice.between(8, 70),
    rests: true,
    watch: 'holders',
  },
  /** A hold may vanish once a lift of everyone's has begun, and never comes back. */
  all: {
    roles: [...holders, role('everyone'), role('recover')],
    hardLinks: true,
    ttlMs: never,
    rests: false,
    watch: 'holders',
  },
  /** Other programs' writers, which know no tenure, against retirements of what they replace. */
  foreign: {
    roles: [role('retire', 'retire-1'), role('retire', 'retire-2'), role('recover')],
    hardLinks: true,
    ttlMs: never,
    rests: false,
    watch: 'foreign',
  },
  /** Of several that compare and set one generation, or lift one hold by its id, exactly one wins. */
  cas: {
    roles: [1, 2, 3, 4].map((n) => role('contender', `contender-${n}`)),
    hardLinks: true,
    ttlMs: never,
    rests: false,
    watch: 'contest',
  },
  /** As `expire`, now and then without a deadline, where the file system refuses hard links. */
  nolink: {
    roles: [...holders, role('retire'), role('recover')],
    hardLinks: false,
    ttlMs: (dice) => (dice.chance(0.2) ? null : dice.between(8, 100)),
    rests: true,
    watch: 'holders',
  },
} satisfies Record<string, Phase>;

export type PhaseName = keyof typeof phases;

export const phaseNames = Object.keys(phases) as PhaseName[];
export const phaseOf = (name: PhaseName): Phase => phases[name];
