/**
 * `/pause` in band: arms and lifts a profile's hold for whoever may, from within its own chat.
 * It is control traffic: it asks no gate, and works while the profile is held and while it is busy.
 * What a message asks is `parse.ts`; the lines of a reply are `replies.ts`.
 */
import {
  type Chain,
  DEFAULT_HOLDER,
  type DiskPort,
  FleetError,
  laneOf,
  nodeDisk,
} from '@fleet-estop/sentinel-core';
import { oneLine } from '../gate/notice.ts';
import { liftHold, pauseProfile } from './act.ts';
import { type PauseCommand, parsePauseCommand, USAGE } from './parse.ts';
import { holdLines, MAX_WORDS, type PauseReply } from './replies.ts';
import { nameOf, type PauseTarget, readChain } from './target.ts';

export type ControlAction = 'pause' | 'resume' | 'status';

export interface PauseCommandOptions {
  /** Of the profile that is served here. Its own sentinel is written, never the fleet's. */
  readonly home: string;
  /** The fleet that is meant, as for `openGate`. Default: the one that the home lies in. */
  readonly root?: string;
  /**
   * May this principal do that? Only exactly `true` is a yes: without this function, where it throws,
   * and whatever else it answers, nobody may. `status` asks too, since it tells reasons and holders.
   */
  readonly mayControl?: (
    principal: string,
    action: ControlAction,
  ) => boolean | PromiseLike<boolean>;
  /** Whose hold it is; nobody else's is touched, and so it cannot be `operator`. Default: `chat`. */
  readonly holder?: string;
  readonly disk?: DiskPort;
}

export interface ChatMessage {
  readonly text: string;
  /** Authenticated by the author; null: nobody is known, and nobody unknown may do anything. */
  readonly principal: string | null;
}

export interface PauseControl {
  /** null: the message is not for `/pause`. Never rejects. */
  handle(message: ChatMessage): Promise<PauseReply | null>;
}

/** Throws where `openGate` does for a home, and VALUE_INVALID for a holder that cannot be one. */
export function pauseCommand(options: PauseCommandOptions): PauseControl {
  const { home, root, mayControl, holder = 'chat', disk = nodeDisk() } = options;
  const chain = laneOf(home, root);
  requireHolder(holder);

  return {
    async handle({ text, principal }) {
      const command = parsePauseCommand(text);
      if (command.kind === 'not-a-command') return null;
      if (command.kind === 'mistaken') return mistakenReply(command);
      // It tells nothing of the fleet, and so is for everybody.
      if (command.kind === 'help') return HELP;
      const denial = await denialOf(mayControl, principal, command.kind, chain);
      if (denial !== null || principal === null) return denial;
      const target: PauseTarget = { disk, chain, holder, principal };
      try {
        return answer(target, command);
      } catch (cause) {
        // Foreseen failures are values: this one is a mistake of ours, and nothing is claimed.
        const unsure = `NOT confirmed: what holds ${nameOf(target)} now is not known. Look with \`fleet status\`.`;
        return { outcome: 'failed', done: false, engaged: null, text: unsure, cause };
      }
    },
  };
}

function answer(
  target: PauseTarget,
  command: Exclude<PauseCommand, { kind: 'not-a-command' | 'mistaken' | 'help' }>,
): PauseReply {
  if (command.kind === 'pause') return pauseProfile(target, command);
  return command.kind === 'resume' ? liftHold(target) : statusOf(target);
}

function statusOf(target: PauseTarget): PauseReply {
  const { states, engaged } = readChain(target);
  const text = engaged
    ? [`${nameOf(target)} is paused:`, ...holdLines(states, target.holder, target.disk.now())].join(
        '\n',
      )
    : `Nothing holds ${nameOf(target)}.`;
  return { outcome: 'status', done: true, engaged, text };
}

/** null: this principal may. */
async function denialOf(
  mayControl: PauseCommandOptions['mayControl'],
  principal: string | null,
  action: ControlAction,
  { profile }: Chain,
): Promise<PauseReply | null> {
  const verb = action === 'status' ? 'ask what holds' : action;
  const text = `You may not ${verb} ${oneLine(profile, 64)} here. Nothing was changed.`;
  const denied = { outcome: 'refused', done: false, engaged: null, text } as const;
  if (principal === null || principal === '' || mayControl === undefined) return denied;
  try {
    const yes: unknown = await mayControl(principal, action);
    return yes === true ? null : denied;
  } catch (cause) {
    return { ...denied, cause };
  }
}

const HELP: PauseReply = {
  outcome: 'help',
  done: true,
  engaged: null,
  text: `Nothing was changed. To pause: ${USAGE}.`,
};

const mistakenReply = ({ message, hint }: { message: string; hint: string }): PauseReply => ({
  outcome: 'mistaken',
  done: false,
  engaged: null,
  text: oneLine(`Nothing was changed: ${message}. To do: ${hint}.`, 2 * MAX_WORDS),
});

function requireHolder(holder: string): void {
  if (holder !== '' && holder !== DEFAULT_HOLDER && oneLine(holder, 64) === holder) return;
  throw new FleetError(
    'VALUE_INVALID',
    `\`${oneLine(holder, 64)}\` cannot be the holder of /pause`,
    {
      hint: `a holder is 1 to 64 characters, all of them visible, and not \`${DEFAULT_HOLDER}\`: an operator's hold is not a chat's to change`,
    },
  );
}
