/**
 * `POST /chat`: handles a message of a conversation. `/pause` comes first, then the turn door, then the
 * turn, which is work in hand while it runs. The text of an answer is `agent.ts`.
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
  /** Conversations with a running turn. */
  turns(): readonly string[];
}

const MAX_CONVERSATION = 200;
const MAX_TEXT = 8_000;
const MAX_INBOX = 100;

export function openChat(gate: Gate, control: PauseControl, stepMs: number): Chat {
  // Contains a conversation exactly while its turn runs, so membership proves that the turn is live.
  const running = new Map<string, Turn>();
  const turnOf = ({ conversation, principal }: Message): Turn | undefined => {
    const turn = running.get(conversation);
    // Only the principal of a turn may steer it.
    return turn?.principal === principal ? turn : undefined;
  };
  const turns = turnDoor<Message>(gate, { liveWork: (message) => turnOf(message) !== undefined });

  async function serve(message: Message, response: ServerResponse): Promise<void> {
    const { conversation, text, principal } = message;
    const turn = turnOf(message);
    if (turn !== undefined) {
      if (turn.inbox.length < MAX_INBOX) turn.inbox.push(text);
      return say(response, { event: 'told', text: 'the running turn got your message' });
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
    if (!did.begun) say(response, { event: 'busy', text: 'another user’s turn is running here' });
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

/** Writes one event. The client may have disconnected; the turn continues. */
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
