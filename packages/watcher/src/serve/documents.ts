/**
 * The JSON documents that are served, and their ETag.
 * Whether they can be trusted is `readiness.ts`.
 */
import type {
  GatewaysDocument,
  HttpAddresses,
  ProfileDocument,
  StateDocument,
} from '@fleet-estop/protocol';
import { jsonText } from '@fleet-estop/sentinel-core';
import { judge } from '../state/acknowledgement.ts';
import { documentOf } from '../state/document.ts';
import { holdsOf } from '../state/fleet-state.ts';
import type { Snapshot } from '../state/store.ts';
import type { Contribution, ServeContext } from './context.ts';
import { healthOf, rejectedIn } from './readiness.ts';
import type { WorkInHand } from './work.ts';

/** Before names are removed for some clients. */
type ProfileWithWork = Omit<ProfileDocument, 'work'> & { readonly work: WorkInHand };

export interface Documents {
  /** The same text for the same state; `health` in it may be up to a second old. */
  state(): string;
  /** Changes whenever the state changes; mere ages do not count. */
  tag(): string;
  profile(name: string): ProfileWithWork | null;
  gateways(): GatewaysDocument;
}

export interface DocumentsOptions {
  readonly context: ServeContext;
  readonly served: () => HttpAddresses;
  readonly writing: () => 'off' | 'token';
  readonly contribution: Contribution;
  readonly workOf: (name: string) => WorkInHand;
}

/** Simultaneous requests get the same text. */
const MAX_AGE_MS = 1_000;

export function documents(options: DocumentsOptions): Documents {
  const { context, served, writing, contribution, workOf } = options;
  const { store } = context;
  let cached: { readonly of: string; readonly atMs: number; readonly text: string } | undefined;
  let generation = 0;
  let seen: Pick<Snapshot, 'fleet' | 'gateways'> = store.snapshot();
  let rest = '';

  const tag = (): string => {
    const { epoch, revision, fleet, gateways } = store.snapshot();
    const restNow = JSON.stringify([
      fleet.rejected,
      fleet.unreadable,
      fleet.shared.map(({ expired }) => expired),
      rejectedIn(context),
      writing(),
      contribution.state?.(),
    ]);
    const sameScopes =
      fleet === seen.fleet ||
      fleet.profiles.every((profile, at) => profile.own === seen.fleet.profiles[at]?.own);
    if (gateways !== seen.gateways || restNow !== rest || !sameScopes) generation += 1;
    seen = { fleet, gateways };
    rest = restNow;
    return `W/"${epoch}-${revision}-${generation}"`;
  };

  return {
    tag,
    state() {
      const of = tag();
      const atMs = performance.now();
      if (cached !== undefined && cached.of === of && atMs - cached.atMs < MAX_AGE_MS)
        return cached.text;
      const document: StateDocument = {
        ...documentOf(store.snapshot()),
        config: { rejected: rejectedIn(context), writing: writing() },
        health: healthOf(context, served()),
        ...contribution.state?.(),
      };
      cached = { of, atMs, text: jsonText(document) };
      return cached.text;
    },
    profile(name) {
      const snapshot = store.snapshot();
      const { epoch, revision, looked_at, fleet, profileRevisions } = snapshot;
      const profile = fleet.profiles.find((candidate) => candidate.name === name);
      if (profile === undefined) return null;
      const { profiles, gateways } = judge(snapshot);
      return {
        schema: 'fleet/profile/v1',
        epoch,
        revision,
        looked_at,
        root: fleet.root,
        profile: {
          ...profile,
          revision: profileRevisions.get(name) ?? null,
          acknowledgement: profiles.get(name) ?? null,
        },
        holds: holdsOf(fleet, profile),
        gateways: gateways.filter(({ profiles }) =>
          profiles.some((served) => served.name === name),
        ),
        work: workOf(name),
      };
    },
    gateways() {
      const snapshot = store.snapshot();
      const { epoch, revision, looked_at } = snapshot;
      const { gateways } = judge(snapshot);
      return { schema: 'fleet/gateways/v1', epoch, revision, looked_at, gateways };
    },
  };
}
