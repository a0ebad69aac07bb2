/**
 * Another client that uses up the stream limit, and the page's message then.
 */
import { type EventStream, openStream } from '../support/served.ts';

export const NOT_LIVE =
  'Not live: the stream limit of the watcher is reached. Until there is a stream, this page polls every 2 s';

export async function crowd(url: string, count: number): Promise<readonly EventStream[]> {
  const { port } = new URL(url);
  const one = () => openStream({ host: '127.0.0.1', port, path: '/v1/events' });
  return Promise.all(Array.from({ length: count }, one));
}
