/**
 * `--wait` leaves one request with the watcher, which answers when the state changes; a watcher that cannot do
 * that is asked again and again.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { makeFleet } from '../support/fleet.ts';
import { startFleet } from '../support/live.ts';
import { saidWatcher, stateText } from '../support/said-watcher.ts';

/** lane-a is free at revision 3, and its one gateway has acknowledged this revision of it. */
const stateAt = (acknowledged: number): string =>
  stateText({
    profiles: [{ name: 'lane-a', engaged: false, own: null, revision: 3 }],
    gateways: [
      {
        instance: 'i',
        pid: 1,
        software: 's',
        link: 'connected',
        profiles: [
          {
            name: 'lane-a',
            doors: [],
            in_flight: 0,
            refused: 0,
            acknowledged,
            acknowledged_at: null,
          },
        ],
      },
    ],
  });

async function resumeAt(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const fleet = makeFleet('lane-a');
  const asked: string[] = [];
  await saidWatcher(fleet.root, (request, response) => {
    asked.push(`${request.url} ${request.headers['if-none-match'] ?? ''}`.trim());
    answer(request, response);
  });
  const words = ['resume', '-p', 'lane-a', '--root', fleet.root, '--wait', '--timeout', '30s'];
  const { code } = await startFleet(words).ended;
  return { code, asked };
}

it('the second request names the first answer and the profiles, and its answer ends the wait', async () => {
  const { code, asked } = await resumeAt((request, response) => {
    const isSecond = request.headers['if-none-match'] === '"a"';
    response.setHeader('etag', isSecond ? '"b"' : '"a"').end(stateAt(isSecond ? 3 : 2));
  });
  expect(code).toBe(0);
  expect(asked).toEqual([
    expect.stringMatching(/^\/v1\/wait\?timeout=\d+$/),
    expect.stringMatching(/^\/v1\/wait\?timeout=\d+&profile=lane-a "a"$/),
  ]);
});

it.each([
  [404, 'is older'],
  [503, 'has too many waiting clients'],
])('a watcher that answers %i, since it %s, is asked for the state', async (status) => {
  let answers = 0;
  const { code, asked } = await resumeAt((request, response) => {
    if (request.url?.startsWith('/v1/wait')) response.writeHead(status).end('{}');
    else {
      answers += 1;
      response.end(stateAt(answers < 3 ? 2 : 3));
    }
  });
  expect(code).toBe(0);
  expect(asked.filter((line) => line === '/v1/state')).toHaveLength(3);
});
