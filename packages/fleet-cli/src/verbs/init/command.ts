/**
 * `fleet init`: makes the root of a fleet. No other verb does. Existing files stay as they are.
 * Making it is `make-fleet.ts`; the output is `text.ts`.
 */

import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { FleetError, resolveRoot, whyNeverRoot } from '@fleet-estop/sentinel-core';
import { Argument, type Command } from 'commander';
import type { Answer } from '../../cli/answer.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { flag, valued } from '../../cli/flags.ts';
import { packageFolder } from '../../cli/package.ts';
import { usageError } from '../../cli/values.ts';
import type { Verb } from '../../cli/verb.ts';
import type { GlobalOptions } from '../../fleet/session.ts';
import { readFleetFile } from '../../fleet/settings.ts';
import type { InitFacts, Place } from './facts.ts';
import { findGroup, type Group, readGroup } from './group.ts';
import { type MakeResult, makeFleet } from './make-fleet.ts';
import { initDocument, initLines, initNotices } from './text.ts';

interface InitOptions extends GlobalOptions {
  readonly example?: true;
  readonly empty?: true;
  readonly group?: string;
}

export const init: Verb = {
  description:
    'Make the root of a fleet: a settings file that sets nothing, and no profiles. Files that exist are kept as they are.',
  examples: ['fleet init', 'fleet init /tmp/try --example', 'fleet init /srv/fleet --group ops'],
  configure: (command) =>
    void command
      .addArgument(
        new Argument('[dir]', 'the folder (default: --root, else FLEET_ROOT, else ~/.fleet)'),
      )
      .addOption(flag('--example', 'with example profiles to look at'))
      .addOption(flag('--empty', 'without them, as is the default').conflicts('example'))
      .addOption(
        valued('--group <name>', 'shared by the members of this group', { read: readGroup }),
      ),
  run,
};

async function run(command: Command): Promise<Answer> {
  const options = command.opts<InitOptions>();
  const { path, source } = placeOf(command.args[0], options);
  refuseWhereNoRootIs(path);
  const group = options.group === undefined ? null : findGroup(options.group);
  const example = join(packageFolder(), 'dist', 'profiles.example');
  if (!existsSync(example)) {
    throw new FleetError('SCOPE_UNUSABLE', `\`${example}\` is missing`, {
      hint: 'this installation of fleet is incomplete: install it again',
    });
  }
  const makeResult = makeFleet(path, { example, withProfiles: options.example === true, group });
  const root = makeResult.failed === null ? realpathSync.native(path) : path;
  const facts: InitFacts = {
    root,
    source,
    group,
    makeResult,
    unshared: group === null ? [] : await unsharedOf(root, makeResult, group),
    found: isFound(root),
  };
  const whole = makeResult.failed === null && facts.unshared.length === 0;
  return {
    exit: whole ? EXIT.done : EXIT.notAsAsked,
    document: () => initDocument(facts),
    lines: (view) => initLines(facts, view),
    notices: initNotices(facts),
  };
}

function placeOf(argument: string | undefined, { root }: InitOptions): Place {
  const { FLEET_ROOT, HOME } = process.env;
  if (argument !== undefined) {
    if (argument === '') throw usageError('the folder is empty', 'name a folder');
    if (root !== undefined) throw usageError('a folder and `--root`', 'name the folder once');
    return { path: absolute(argument), source: 'argument' };
  }
  if (root !== undefined) return { path: absolute(root), source: '--root' };
  if (FLEET_ROOT) return { path: absolute(FLEET_ROOT), source: 'FLEET_ROOT' };
  if (HOME && isFolder(HOME)) return { path: absolute(join(HOME, '.fleet')), source: '~/.fleet' };
  throw new FleetError('ROOT_MISSING', 'there is no home folder to make a fleet in', {
    hint: 'name the folder: fleet init DIR',
  });
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function absolute(path: string): string {
  try {
    return resolve(path);
  } catch (cause) {
    throw new FleetError('ROOT_MISSING', `\`${path}\` is relative to a folder that is gone`, {
      hint: 'name an absolute path',
      cause,
    });
  }
}

/** Refuses a folder that every reader would take for a part of another fleet. */
function refuseWhereNoRootIs(path: string): void {
  const why = whyNeverRoot(path) ?? whyNeverRoot(realPathOf(path));
  if (why === null) return;
  throw usageError(
    `\`${path}\` cannot be a fleet: ${why}`,
    'name another folder, neither called `profiles` nor in one that is',
  );
}

/** Also for a folder that does not exist yet. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path === dirname(path) ? path : join(realPathOf(dirname(path)), basename(path));
  }
}

/** Existing files that do not fit a shared fleet. They are reported, and never changed. */
async function unsharedOf(root: string, { kept }: MakeResult, group: Group): Promise<string[]> {
  const unshared = kept.filter((path) => path.endsWith('/') && !isShared(join(root, path), group));
  if (kept.includes('fleet.yaml')) {
    const file = await readFleetFile(root);
    const named = file.state === 'read' ? file.settings.access?.group : undefined;
    if (named !== group.name) unshared.push('fleet.yaml');
  }
  return unshared;
}

function isShared(path: string, { id }: Group): boolean {
  try {
    const { gid, mode } = statSync(path);
    return gid === id && (mode & 0o2070) === 0o2070;
  } catch {
    return false;
  }
}

function isFound(root: string): boolean {
  try {
    const userHome = process.env.HOME ?? null;
    return resolveRoot({ env: process.env, userHome }).root === root;
  } catch {
    return false;
  }
}
