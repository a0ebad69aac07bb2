/**
 * The turn door: decides whether a message may be served. While held, only messages that start no new
 * work pass.
 * Control commands are `command/`; serving the message is the author's.
 */
import { isPauseCommand } from '../command/parse.ts';
import type { Applicant, Gate, Refused, Work, WorkInHand } from '../gate/gate.ts';
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
  /** Milliseconds without `touch` after which a turn is wedged. Default: never. */
  readonly stallMs?: number;
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

export type TurnRun<Value> =
  | { readonly outcome: 'served'; readonly value: Value }
  /** As `serve: false` of a decision. */
  | {
      readonly outcome: 'refused';
      readonly notice: string | null;
      readonly refused: Refused;
    }
  /** A turn of this conversation is in hand already, or may be. */
  | { readonly outcome: 'busy' };

export interface TurnDoor<Message> {
  /**
   * Decides about one message. Each refusal leaves one receipt. Pass `internal` for messages from your
   * own code, such as the completion of work in hand. Default: `outside`. Throws only what `gate.admit`
   * throws.
   */
  decide(message: Message, origin?: TurnOrigin): TurnDecision;
  /**
   * Decides, begins the work, asks the disk again and serves the message, in one call; ends the work in
   * any case. If the second question refuses, the work is given back without a mark. The work has the
   * conversation as its id and as its address. A message that is no new work (a control command, a reply
   * to running work) is served without a claim of its own. Rejects with what `serve` throws.
   */
  run<Value>(
    message: Message,
    serve: (inHand: WorkInHand | null) => Value | Promise<Value>,
    origin?: TurnOrigin,
  ): Promise<TurnRun<Value>>;
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

  const refuse = (message: Message, refused: Refused) => {
    const isNew = shown.isNew(message.conversation, message.principal ?? null, refused);
    return { notice: isNew ? refused.notice : null, refused };
  };

  const passes = (message: Message) => rules.find(([, rule]) => isTrue(rule, message))?.[0];

  const decide = (message: Message, origin: TurnOrigin = 'outside'): TurnDecision => {
    const applicant = applicantOf(message);
    if (gate.ask(applicant).admitted) return { serve: true, because: 'admitted' };
    if (origin === 'internal') return { serve: true, because: 'internal' };
    const because = passes(message);
    if (because !== undefined) return { serve: true, because };
    // Asked again to write the receipt: only now it is certain that the message is refused.
    const admission = gate.admit(applicant);
    if (admission.admitted) return { serve: true, because: 'admitted' };
    return { serve: false, ...refuse(message, admission) };
  };

  return {
    decide,
    async run(message, serve, origin) {
      const decision = decide(message, origin);
      if (!decision.serve) {
        const { notice, refused } = decision;
        return { outcome: 'refused', notice, refused };
      }
      const isNewWork = decision.because === 'admitted' || decision.because === 'internal';
      if (!isNewWork) return { outcome: 'served', value: await serve(null) };
      const inHand = gate.begin(workOf(message, options.stallMs));
      if (inHand === null) {
        // While nothing holds the profile, `decide` admits without asking the rules.
        if (passes(message) === undefined) return { outcome: 'busy' };
        return { outcome: 'served', value: await serve(null) };
      }
      try {
        if (decision.because === 'admitted') {
          const again = gate.admit(applicantOf(message));
          if (!again.admitted) return { outcome: 'refused', ...refuse(message, again) };
        }
        return { outcome: 'served', value: await serve(inHand) };
      } finally {
        inHand.end();
      }
    },
  };
}

const workOf = (message: TurnMessage, stallMs: number | undefined): Work => ({
  ...applicantOf(message),
  id: message.conversation,
  conversation: message.conversation,
  ...(stallMs === undefined ? {} : { stallMs }),
});

const no = (): boolean => false;

/** Only the fields of an applicant: an author's message type may have others. */
function applicantOf({ principal, profile }: TurnMessage): Applicant {
  return {
    door: 'turn',
    principal: principal ?? null,
    ...(profile === undefined ? {} : { profile }),
  };
}
