/**
 * `/pause` in band: permitted users arm and lift a profile's hold from its own chat.
 * It is control traffic: it asks no gate, and works while the profile is held or busy.
 * Parsing is `parse.ts`, execution `act.ts`, the lines of a reply `replies.ts`.
 */
import {
  type Chain,
  chainOfHome,
  DEFAULT_HOLDER,
  type DiskPort,
  FleetError,
  HOLDER_NAME_RULE,
  isHolderName,
  nodeDisk,
} from '@fleet-estop/sentinel-core';
import { oneLine } from '../gate/notice.ts';
import { liftHold, pauseProfile } from './act.ts';
import { type PauseCommand, parsePauseCommand, USAGE } from './parse.ts';
import { holdLines, MAX_WORDS, type PauseReply } from './replies.ts';
import { nameOf, type PauseTarget, readChain } from './target.ts';

export type ControlAction = 'pause' | 'resume' | 'status';

export interface PauseCommandOptions {
  /** Home folder of the served profile. Only its own sentinel is written, never the fleet's. */
  readonly home: string;
  /** Root of the fleet that is meant, as for `openGate`. Default: the fleet that contains the home. */
  readonly root?: string;
  /**
   * Decides whether a principal may do this. Only `true` means yes; any other value, an exception and a
   * missing function mean no. Also called for `status`, which shows reasons and holders.
   */
  readonly mayControl?: (
    principal: string,
    action: ControlAction,
  ) => boolean | PromiseLike<boolean>;
  /** Holder of the hold. Other holders' holds are never changed. Not `operator`. Default: `chat`. */
  readonly holder?: string;
  readonly disk?: DiskPort;
}

export interface ChatMessage {
  readonly text: string;
  /** Authenticated by the author; null if unknown, and then only `help` is answered. */
  readonly principal: string | null;
}

export interface PauseControl {
  /** Answers a message, or null if it is not for `/pause`. Never rejects. */
  handle(message: ChatMessage): Promise<PauseReply | null>;
}

/** Throws what `openGate` throws for a home, and VALUE_INVALID for an invalid holder. */
export function pauseCommand(options: PauseCommandOptions): PauseControl {
  const { home, root, mayControl, holder = 'chat', disk = nodeDisk() } = options;
  const chain = chainOfHome(home, root);
  requireHolder(holder);

  return {
    async handle({ text, principal }) {
      const command = parsePauseCommand(text);
      if (command.kind === 'not-a-command') return null;
      if (command.kind === 'mistaken') return mistakenReply(command);
      // Help reveals nothing about the fleet, so everybody may read it.
      if (command.kind === 'help') return HELP;
      const denial = await denialOf(mayControl, principal, command.kind, chain);
      if (denial !== null || principal === null) return denial;
      const target: PauseTarget = { disk, chain, holder, principal };
      try {
        return answer(target, command);
      } catch (cause) {
        // Foreseen failures are values. This one is a bug, so the state of the profile is unknown.
        const unsure = `NOT confirmed: the state of ${nameOf(target)} is unknown. Check it with \`fleet status\`.`;
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

/** The reply of a denial; null if this principal may. */
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
  if (isHolderName(holder) && holder !== DEFAULT_HOLDER) return;
  throw new FleetError(
    'VALUE_INVALID',
    `\`${oneLine(holder, 64)}\` cannot be the holder of /pause`,
    {
      hint: `${HOLDER_NAME_RULE}, and not \`${DEFAULT_HOLDER}\`: an operator's hold is not a chat's to change`,
    },
  );
}
