/**
 * The turn door: decides whether a message may be served. While held, only messages that start no new
 * work pass.
 * Control commands are `command/`; serving the message is the author's.
 */
import { isPauseCommand } from '../command/parse.ts';
import type { Applicant, Gate, Refused } from '../gate/gate.ts';
import { atOnce, mistakesOf, type OnMistake } from './mistakes.ts';
import { shownNotices } from './shown-notices.ts';

export interface TurnMessage {
  /** The author's id of the conversation. Each conversation gets the full notice once per engagement. */
  readonly conversation: string;
  readonly text: string;
  /** Authenticated identity, compared as exact text; absent or null if unknown. */
  readonly principal?: string | null;
  /** The serving profile. Required if the gate serves several. */
  readonly profile?: string;
}

/**
 * Rules for messages that pass while held; they are called only then. A rule returns synchronously, and
 * only `true` means yes: any other value, a promise or an exception means no.
 */
export interface TurnRules<Message> {
  /** Is it a command that the gateway answers itself, without an agent? Default: `/pause` and `/resume`. */
  readonly isControl?: (message: Message) => boolean;
  /**
   * Is it a reply to, or steering of, work that certainly runs? Check a process or the register, not a
   * slot that may have been left behind. Default: no.
   */
  readonly liveWork?: (message: Message) => boolean;
  /** Does it answer an approval that running work waits for? Default: no. */
  readonly pendingApproval?: (message: Message) => boolean;
  /** Does it answer a pending confirmation? Default: no. */
  readonly pendingConfirmation?: (message: Message) => boolean;
}

export interface TurnOptions<Message> extends TurnRules<Message> {
  /** Conversations to remember; a forgotten one gets its notice again. Default: 10,000. */
  readonly maxConversations?: number;
  /** Called with what a rule threw; the rule counted as no. Default: one process warning. */
  readonly onMistake?: OnMistake;
}

/** Where a message comes from. It is an argument because a message could claim anything. */
export type TurnOrigin = 'outside' | 'internal';

export type TurnDecision =
  | {
      readonly serve: true;
      /** `admitted`: nothing refuses it. Any other value: the profile is held, and why it passes. */
      readonly because:
        | 'admitted'
        | 'control'
        | 'internal'
        | 'live-work'
        | 'pending-approval'
        | 'pending-confirmation';
    }
  | {
      readonly serve: false;
      /** To show in the conversation; null if it was already shown there and nothing has changed. */
      readonly notice: string | null;
      readonly refused: Refused;
    };

export interface TurnDoor<Message> {
  /**
   * Decides about one message. Each refusal leaves one receipt. Pass `internal` for messages from your
   * own code, such as the completion of work in hand. Default: `outside`. Throws only what `gate.admit`
   * throws.
   */
  decide(message: Message, origin?: TurnOrigin): TurnDecision;
}

export function turnDoor<Message extends TurnMessage>(
  gate: Gate,
  options: TurnOptions<Message> = {},
): TurnDoor<Message> {
  const { maxConversations = 10_000, isControl = ({ text }) => isPauseCommand(text) } = options;
  const { liveWork = no, pendingApproval = no, pendingConfirmation = no } = options;
  gate.announce('turn');
  const mistake = mistakesOf('turn', options.onMistake);
  const shown = shownNotices(maxConversations);
  const rules = [
    ['control', isControl],
    ['live-work', liveWork],
    ['pending-approval', pendingApproval],
    ['pending-confirmation', pendingConfirmation],
  ] as const;

  const isTrue = (rule: (message: Message) => unknown, message: Message): boolean => {
    try {
      return atOnce(rule(message), 'a rule of the turn door') === true;
    } catch (error) {
      mistake(error);
      return false;
    }
  };

  return {
    decide(message, origin = 'outside') {
      const applicant = applicantOf(message);
      if (gate.ask(applicant).admitted) return { serve: true, because: 'admitted' };
      if (origin === 'internal') return { serve: true, because: 'internal' };
      for (const [because, rule] of rules) {
        if (isTrue(rule, message)) return { serve: true, because };
      }
      // Asked again to write the receipt: only now it is certain that the message is refused.
      const admission = gate.admit(applicant);
      if (admission.admitted) return { serve: true, because: 'admitted' };
      const isNew = shown.isNew(message.conversation, message.principal ?? null, admission);
      return { serve: false, notice: isNew ? admission.notice : null, refused: admission };
    },
  };
}

const no = (): boolean => false;

/** Only the fields of an applicant: an author's message type may have others. */
function applicantOf({ principal, profile }: TurnMessage): Applicant {
  return {
    door: 'turn',
    principal: principal ?? null,
    ...(profile === undefined ? {} : { profile }),
  };
}
