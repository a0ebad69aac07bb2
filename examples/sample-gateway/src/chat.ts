/**
 * `POST /chat`: a message of a conversation. `/pause` first, then the turn door, then the turn, which
 * is work in hand for as long as it takes. What an answer says is the agent's.
 */
import type { ServerResponse } from 'node:http';
import { type Gate, type PauseControl, turnDoor, withWork } from '@fleet-estop/gateway';
import { takeTurn } from './agent.ts';
import { type Route, sendJson } from './http.ts';

interface Message {
  readonly conversation: string;
  readonly text: string;
  readonly principal: string;
}

interface Turn {
  readonly principal: string;
  readonly inbox: string[];
}

export interface Chat {
  readonly route: Route;
  /** Conversations whose turn runs. */
  turns(): readonly string[];
}

const MAX_CONVERSATION = 200;
const MAX_TEXT = 8_000;
const MAX_INBOX = 100;

export function openChat(gate: Gate, control: PauseControl, stepMs: number): Chat {
  // One is in here from before its turn begins until it has settled, and not a moment longer: that is
  // the proof that it lives.
  const running = new Map<string, Turn>();
  const turnOf = ({ conversation, principal }: Message): Turn | undefined => {
    const turn = running.get(conversation);
    // Somebody else's turn is not this one's to steer.
    return turn?.principal === principal ? turn : undefined;
  };
  const turns = turnDoor<Message>(gate, { liveWork: (message) => turnOf(message) !== undefined });

  async function serve(message: Message, response: ServerResponse): Promise<void> {
    const { conversation, text, principal } = message;
    const turn = turnOf(message);
    if (turn !== undefined) {
      if (turn.inbox.length < MAX_INBOX) turn.inbox.push(text);
      return say(response, { event: 'told', text: 'the turn that runs here was told' });
    }
    const did = await withWork(gate, { door: 'turn', id: conversation, principal }, async () => {
      const mine: Turn = { principal, inbox: [] };
      running.set(conversation, mine);
      try {
        say(response, { event: 'began' });
        await takeTurn(text, {
          stepMs,
          say: (words) => say(response, { event: 'said', text: words }),
          heard: () => mine.inbox.splice(0),
        });
        say(response, { event: 'ended' });
      } finally {
        running.delete(conversation);
      }
    });
    if (!did.begun) say(response, { event: 'busy', text: 'somebody else’s turn runs here' });
  }

  return {
    turns: () => [...running.keys()],
    async route({ body, principal, response }) {
      const message = messageOf(body, principal);
      if (message === null) {
        const error = `a message is {"conversation", "text"}, of at most ${MAX_CONVERSATION} and ${MAX_TEXT} characters`;
        return sendJson(response, 400, { error });
      }
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      const reply = await control.handle(message);
      if (reply !== null) {
        say(response, { event: 'reply', text: reply.text, done: reply.done });
        return void response.end();
      }
      const decision = turns.decide(message);
      if (!decision.serve) say(response, { event: 'refused', notice: decision.notice });
      else await serve(message, response);
      response.end();
    },
  };
}

/** Whoever listened may be gone: the turn goes on. */
function say(response: ServerResponse, event: object): void {
  if (response.writable) response.write(`${JSON.stringify(event)}\n`);
}

function messageOf(body: unknown, principal: string): Message | null {
  if (typeof body !== 'object' || body === null) return null;
  const { conversation, text } = body as { conversation?: unknown; text?: unknown };
  if (typeof conversation !== 'string' || typeof text !== 'string') return null;
  if (conversation === '' || conversation.length > MAX_CONVERSATION) return null;
  return text.length > MAX_TEXT ? null : { conversation, text, principal };
}
