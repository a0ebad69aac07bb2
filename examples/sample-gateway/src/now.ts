/**
 * `POST /now/…`: runs a job, the catch-up sweep or the board now instead of on schedule, for users who may
 * pause. It uses the same doors, so nothing starts that would not start by itself.
 */
import type { Scheduler } from './cron.ts';
import type { Dispatcher } from './dispatch.ts';
import { type Call, type Route, type Routes, sendJson } from './http.ts';
import type { People } from './people.ts';

export function nowRoutes(people: People, scheduler: Scheduler, dispatcher: Dispatcher): Routes {
  const forOperators =
    (look: (call: Call) => Promise<object>): Route =>
    async (call) => {
      if (people.mayPause(call.principal)) return sendJson(call.response, 200, await look(call));
      sendJson(call.response, 403, { error: 'only users who may pause can do this' });
    };
  return {
    'POST /now/cron': forOperators(async () => {
      const ran: string[] = [];
      for (const job of scheduler.jobs) if (await scheduler.tick(job)) ran.push(job);
      return { ran };
    }),
    'POST /now/catch-up': forOperators(async () => {
      const { ran, failed, held } = await scheduler.catchUp.sweep();
      return { ran, failed: failed.map(({ job }) => job), held };
    }),
    'POST /now/board': forOperators(async () => {
      const { spawned, givenBack, held } = await dispatcher.door.tick();
      const ids = (cards: typeof givenBack) => cards.map(({ card }) => card.id);
      return { started: ids(spawned.map(({ card }) => card)), given_back: ids(givenBack), held };
    }),
  };
}
