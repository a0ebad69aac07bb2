/**
 * `POST /hooks/NAME`: turns a delivery into a card on the board. The delivery is authenticated in
 * `http.ts`, validated here, and asks the door before anything is recorded.
 */
import { randomUUID } from 'node:crypto';
import { type Gate, nodeDoor } from '@fleet-estop/gateway';
import { type Board, CARD_ID } from './board.ts';
import { type Call, type Route, sendJson } from './http.ts';
import type { Log } from './log.ts';

const MAX_TITLE = 200;
const MAX_STEPS = 600;

export function webhookRoute(gate: Gate, board: Board, log: Log): Route {
  const door = nodeDoor<Call>(gate, {
    principal: ({ principal }) => principal,
    onMistake: (error) =>
      log('a delivery was refused because of an error', { error: String(error) }),
  });

  return (call) => {
    const { name, headers, principal, response } = call;
    const wanted = deliveryOf(call.body);
    const id = headers['x-delivery'] ?? `${name}-${randomUUID().slice(0, 8)}`;
    if (wanted === null || typeof id !== 'string' || !CARD_ID.test(id) || !CARD_ID.test(name)) {
      const error = `a delivery is {"title"?: text, "steps"?: 0 to ${MAX_STEPS}}; its name, and x-delivery where it is sent, are of a-z, 0-9, - and _`;
      return sendJson(response, 400, { error });
    }
    if (!door(call, response)) return;
    const isNew = board.add({ id, title: name, ...wanted, failures: 0, by: principal });
    // A delivery that is sent twice becomes one card.
    sendJson(response, isNew ? 202 : 200, { card: id, new: isNew });
  };
}

function deliveryOf(body: unknown): { title?: string; steps: number } | null {
  if (body === null) return { steps: 1 };
  if (typeof body !== 'object') return null;
  const { title, steps = 1 } = body as { title?: unknown; steps?: unknown };
  if (typeof steps !== 'number' || !Number.isInteger(steps)) return null;
  if (steps < 0 || steps > MAX_STEPS) return null;
  if (title === undefined) return { steps };
  return typeof title === 'string' && title.length <= MAX_TITLE ? { title, steps } : null;
}
