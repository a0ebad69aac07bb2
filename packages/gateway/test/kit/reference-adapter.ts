/** The adapter of the reference gateway, as an author writes one for their own. */
import type { GatewayAdapter } from '../../src/kit/index.ts';
import { type Flaw, type ReferenceGateway, referenceGateway } from './reference-gateway.ts';

type Answer = { reply?: string; notice?: string | null; ran?: boolean };

async function post(
  gateway: ReferenceGateway,
  path: string,
  principal: string | null,
  message: object = {},
): Promise<Answer> {
  const headers = principal === null ? {} : { authorization: `Bearer ${principal}` };
  const body = JSON.stringify(message);
  const response = await gateway.send(path, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Answer;
}

let names = 0;

export const referenceAdapter = (flaw?: Flaw): GatewayAdapter<ReferenceGateway> => ({
  start: ({ home }) => referenceGateway(home, flaw),
  stop: (gateway) => gateway.stop(),
  doors: {
    async turn(gateway, { principal, ...message }) {
      const { reply, notice } = await post(gateway, '/turn', principal, message);
      return { admitted: reply !== undefined, notice: notice ?? null };
    },
    cron: async (gateway) => (await post(gateway, '/tick', null)).ran === true,
    async 'cron-misfire'(gateway) {
      const job = `missed-${names++}`;
      gateway.missed.add(job);
      await post(gateway, '/sweep', null);
      return gateway.started.has(job);
    },
    'cron-webhook': {
      post(gateway, { id, principal }) {
        const who = principal === null ? {} : { authorization: `Bearer ${principal}` };
        const headers = { 'x-delivery': id, ...who };
        return gateway.send('/hook', { method: 'POST', headers });
      },
      ran: (gateway, id) => gateway.counted().started.has(id),
    },
    kanban: {
      add(gateway) {
        const id = `card-${names++}`;
        gateway.board.set(id, { state: 'ready', failures: 0 });
        return id;
      },
      async dispatch(gateway, between) {
        gateway.between = between;
        await post(gateway, '/board', null);
      },
      card(gateway, id) {
        const { state, failures } = gateway.counted().board.get(id) ?? {
          state: 'ready',
          failures: 0,
        };
        return { state: state === 'blocked' ? 'ready' : state, failures };
      },
    },
  },
  ownDoors: {
    dispatch: async (gateway, { principal }) =>
      (await post(gateway, '/dispatch', principal)).ran === true,
  },
  work(gateway, id) {
    const work = gateway.beginWork(id);
    return Promise.resolve({ running: () => !work.ended, finish: work.finish });
  },
  async control(gateway, { principal, text }) {
    const message = { conversation: 'control', text };
    return (await post(gateway, '/turn', principal, message)).reply ?? null;
  },
  link: true,
  begun: (gateway, door) => gateway.counted().begun(door),
});
