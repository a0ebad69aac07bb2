/** `GET /status` and `GET /board`: the state of this gateway, for authenticated users. */
import type { Gate } from '@fleet-estop/gateway';
import { type Board, COLUMNS } from './board.ts';
import type { Chat } from './chat.ts';
import type { Dispatcher } from './dispatch.ts';
import { type Routes, sendJson } from './http.ts';

export function statusRoutes(
  gate: Gate,
  { board, dispatcher, chat }: { board: Board; dispatcher: Dispatcher; chat: Chat },
): Routes {
  const [profile = ''] = gate.profiles;
  return {
    'GET /status'({ response }) {
      // `ask`, not `admit`: a status request is no work, so it leaves no receipt.
      const admission = gate.ask({ door: 'turn' });
      sendJson(response, 200, {
        profile,
        paused: !admission.admitted,
        notice: admission.admitted ? null : admission.notice,
        in_flight: gate.inFlight(),
        turns: chat.turns(),
        workers: Object.fromEntries(dispatcher.workers()),
        watcher: gate.link().link,
      });
    },
    'GET /board'({ response }) {
      const workers = dispatcher.workers();
      const cards = COLUMNS.flatMap((column) =>
        board.list(column).map((id) => ({
          id,
          column,
          worker: workers.get(id) ?? null,
          failures: board.read(column, id)?.failures ?? null,
        })),
      );
      sendJson(response, 200, { cards });
    },
  };
}
