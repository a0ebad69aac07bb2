/**
 * Where our answer differs from the recorded one on purpose, and why.
 * That each still differs, in exactly these fields and never to the laxer side, is asserted by
 * `scenarios.test.ts`.
 */
export type Field =
  | 'engaged'
  | 'state'
  | 'allowed'
  | 'present_after_engaged'
  | 'disengage'
  | 'present_after_disengage';

export interface Deviation {
  readonly name: string;
  readonly reason: string;
  /** Scenario ids, each with the fields in which it differs for this reason. */
  readonly differs: Readonly<Record<string, readonly Field[]>>;
}

export const DEVIATIONS: readonly Deviation[] = [
  {
    name: 'a link is never followed',
    reason:
      'Whoever may write where a link points could otherwise lift or open a hold here; a link that ' +
      'leads nowhere is something that stands at the name, so it holds. A profile whose link leads ' +
      "to the root's sentinel has a hold of its own, and lifting everything lifts both.",
    differs: {
      'kind/dangling-symlink-root': ['engaged', 'state'],
      'kind/dangling-symlink-profile': ['engaged', 'state'],
      'kind/symlink-loop': ['engaged', 'state'],
      'kind/symlink-to-future-allow': ['state', 'allowed'],
      'kind/symlink-to-expired': ['engaged', 'state', 'present_after_engaged'],
      'kind/profile-symlink-to-root-sentinel': ['allowed', 'present_after_disengage'],
      'kind/profile-symlink-to-root-expired': [
        'engaged',
        'state',
        'present_after_engaged',
        'present_after_disengage',
      ],
      'kind/profile-symlink-to-root-absent': ['engaged', 'state'],
    },
  },
  {
    name: 'a body of more than 64 KiB is not read',
    reason: 'The question at a gate does bounded work, whatever was put there.',
    differs: {
      'body/huge-padding-expired': ['engaged', 'state', 'present_after_engaged'],
      'body/huge-padding-future-allow': ['state', 'allowed'],
    },
  },
  {
    name: 'the question is always answered',
    reason: 'Upstream waits for ever at a pipe and fails on deep nesting; here both are held.',
    differs: {
      'body/deep-array-100000': ['engaged', 'state', 'allowed'],
      'body/deep-value-expired-100000': ['engaged', 'state', 'allowed'],
      'kind/fifo-root': ['engaged', 'state', 'allowed'],
      'kind/fifo-profile': ['engaged', 'state', 'allowed'],
    },
  },
  {
    name: 'an empty list of profiles narrows to nobody',
    reason: 'A list that is there was meant to narrow; losing its names must not widen it.',
    differs: {
      'allow/both-profile-empty-list': ['state', 'allowed'],
      'allow/both-profile-blank': ['state', 'allowed'],
    },
  },
  {
    name: 'an id is a text or a number',
    reason: 'Upstream admits a principal called `True` or `None`, which nobody wrote.',
    differs: {
      'allow/user-scalar-true': ['state', 'allowed'],
      'allow/user-scalar-false': ['state'],
      'allow/user-list-true': ['state', 'allowed'],
      'allow/user-list-null': ['state', 'allowed'],
      'allow/user-list-nested': ['state'],
      'allow/user-list-object': ['state'],
    },
  },
  {
    name: 'an object is no list of ids',
    reason: 'Upstream admits `u1` for `{"u1": false}`, which more likely says the opposite.',
    differs: {
      'allow/user-object': ['state', 'allowed'],
      'allow/both-profile-object': ['state', 'allowed'],
    },
  },
  {
    name: 'an expired hold is not reported as the reason',
    reason: 'Where what does hold cannot be read, a deadline that has passed would mislead.',
    differs: {
      'matrix/empty+expired': ['state'],
      'matrix/corrupt+expired': ['state'],
      'compose/corrupt+expired-with-metadata': ['state'],
      'kind/directory-profile+expired-root': ['state'],
    },
  },
  {
    name: "lifting everything removes a folder in the sentinel's place too",
    reason:
      'It holds, so an operator must be able to lift it; with something in it, it is set aside.',
    differs: {
      'kind/directory-root': ['disengage', 'present_after_disengage'],
      'kind/directory-profile': ['disengage', 'present_after_disengage'],
      'kind/directory-profile+expired-root': ['present_after_disengage'],
      'kind/directory-nonempty': ['disengage', 'present_after_disengage'],
    },
  },
];

/** The fields in which this scenario is meant to differ. */
export function deviatingFields(id: string): readonly Field[] {
  return DEVIATIONS.flatMap(({ differs }) => differs[id] ?? []);
}
