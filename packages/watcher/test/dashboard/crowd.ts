/** Another client that takes the places for streams, and what the page says then. */
import { type EventStream, openStream } from '../support/served.ts';

export const NOT_LIVE =
  'Not live: the watcher has no place for another stream now. So this page asks every 2 s what stands';

export async function crowd(url: string, count: number): Promise<readonly EventStream[]> {
  const { port } = new URL(url);
  const one = () => openStream({ host: '127.0.0.1', port, path: '/v1/events' });
  return Promise.all(Array.from({ length: count }, one));
}
