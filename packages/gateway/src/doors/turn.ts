/**
 * The turn door: may this message be served? While held, only what starts no new work passes.
 * What a control command does is `command/`; serving the message is the author's.
 */
import { isPauseCommand } from '../command/parse.ts';
import type { Applicant, Gate, Refused } from '../gate/gate.ts';
import { atOnce, mistakesOf, type OnMistake } from './mistakes.ts';
import { shownNotices } from './shown-notices.ts';

export interface TurnMessage {
  /** The author's name for the conversation: one full notice is said in each. */
  readonly conversation: string;
  readonly text: string;
  /** Authenticated identity, compared as exact text; absent or null: none is known. */
  readonly principal?: string | null;
  /** The serving profile; may be left out where the gate serves one only. */
  readonly profile?: string;
}

/**
 * What passes while held. Each is asked only then, answers at once, and means yes by `true` alone:
 * whatever else it answers, a promise too, and whatever it throws, is a no.
 */
export interface TurnRules<Message> {
  /** Is it a command for the gateway itself, which no agent is asked about? Default: `/pause` and `/resume`. */
  readonly isControl?: (message: Message) => boolean;
  /**
   * Does work that is proven to live own this message, as its answer or its steering? Proven by its
   * process or its register, not by a slot that somebody may have left behind. Default: no.
   */
  readonly liveWork?: (message: Message) => boolean;
  /** Does it answer an approval that work in hand waits for? Default: no. */
  readonly pendingApproval?: (message: Message) => boolean;
  /** Does it answer a confirmation that was asked for? Default: no. */
  readonly pendingConfirmation?: (message: Message) => boolean;
}

export interface TurnOptions<Message> extends TurnRules<Message> {
  /** How many conversations are remembered; one that is forgotten is told again. Default: 10,000. */
  readonly maxConversations?: number;
  /** Hears what a rule threw; the message has been refused. */
  readonly onMistake?: OnMistake;
}

/** Where a message comes from. Never read from the message: what is outside could say anything. */
export type TurnOrigin = 'outside' | 'internal';

export type TurnDecision =
  | {
      readonly serve: true;
      /** `admitted`: nothing refuses. Otherwise it is held, and this is why the message passes. */
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
      /** To say in the conversation; null: it has been said there, and nothing has changed. */
      readonly notice: string | null;
      readonly refused: Refused;
    };

export interface TurnDoor<Message> {
  /**
   * Decides about one message; each refusal leaves one receipt. `internal` is for what your own
   * code puts in, such as the completion of work in hand. Throws only where `gate.admit` does.
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
      // Asked again, for the receipt: only now it is known that somebody is refused.
      const admission = gate.admit(applicant);
      if (admission.admitted) return { serve: true, because: 'admitted' };
      const isNew = shown.isNew(message.conversation, message.principal ?? null, admission);
      return { serve: false, notice: isNew ? admission.notice : null, refused: admission };
    },
  };
}

const no = (): boolean => false;

/** Nothing else of a message, whatever else an author's type holds. */
function applicantOf({ principal, profile }: TurnMessage): Applicant {
  return {
    door: 'turn',
    principal: principal ?? null,
    ...(profile === undefined ? {} : { profile }),
  };
}
