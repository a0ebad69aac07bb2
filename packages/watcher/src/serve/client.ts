/**
 * Which client a stream counts for: the token's owner, the unix socket, the address that a reverse
 * proxy on this host names, or an unnamed client.
 * How many streams each may have is `stream-admission.ts`. It prevents that behind a reverse proxy,
 * where all come from one address, one client takes the streams of all others.
 */
import { isIP } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { maySeeNames } from './token.ts';

/** `named`: by a proxy, or by its remote address; `unnamed`: all others together. */
export type ClientKind = 'named' | 'unnamed' | 'token' | 'socket';

export interface Client {
  readonly kind: ClientKind;
  /** An address, or a network that one client owns as a whole; empty if unnamed. */
  readonly name: string;
}

export type WhoAsks = (c: Context<{ Bindings: HttpBindings }>) => Client;

export const onSocket: WhoAsks = () => ({ kind: 'socket', name: '' });

/**
 * A foreign token gives no rights here, and is no reason to refuse: a proxy with passwords passes
 * on the browser's `Authorization` header.
 */
export const onTcp =
  (root: string): WhoAsks =>
  (c) => {
    const authorization = c.req.header('authorization');
    if (authorization !== undefined && maySeeNames(root, authorization) === null) {
      return { kind: 'token', name: '' };
    }
    const name = nameOf(c.env.incoming.socket.remoteAddress, (header) => c.req.header(header));
    return name === null ? { kind: 'unnamed', name: '' } : { kind: 'named', name };
  };

/**
 * Only the last hop counts: earlier ones were written by the proxy's client. Nobody can be sure
 * that there is a proxy at all, so a name grants nothing: it only moves its client from the limit
 * of unnamed clients to that of named ones, with a few streams each.
 */
export function nameOf(
  remote: string | undefined,
  header: (name: string) => string | undefined,
): string | null {
  if (remote === undefined) return null;
  // Forwarded by the host's network rules: then this is the client's address.
  if (!isLoopback(remote)) return addressOf(remote);
  // Proxies that set this header pass `Forwarded` on unchanged, so that is read only without this
  // one.
  const plain = header('x-forwarded-for');
  if (plain !== undefined) return addressOf(lastOf(plain));
  const forwarded = header('forwarded');
  return forwarded === undefined ? null : addressOf(forOf(lastOf(forwarded)));
}

const isLoopback = (address: string): boolean =>
  address === '::1' || /^(::ffff:)?127\./i.test(address);

const lastOf = (list: string): string => list.slice(list.lastIndexOf(',') + 1).trim();

/**
 * No two parts of the pattern match the same text: otherwise a long header would cause exponential
 * backtracking.
 */
function forOf(hop: string): string {
  const found = /(?:^|;)[ \t]*for=(?:"([^";]*)"|([^";\s]*))[ \t]*(?:;|$)/i.exec(hop);
  return found?.[1] ?? found?.[2] ?? '';
}

/** The longest IPv6 address with zone, brackets and port; anything longer is no address. */
const MAX_ADDRESS = 64;

/** null: no address, such as `unknown`. */
function addressOf(text: string): string | null {
  if (text.length > MAX_ADDRESS) return null;
  // The port differs for each connection, so it is not part of the name.
  const found =
    /^\[([^\]]+)\](?::[0-9]{1,5})?$/.exec(text) ?? /^([0-9.]+)(?::[0-9]{1,5})$/.exec(text);
  const address = (found?.[1] ?? text).replace(/%.*$/, '');
  if (isIP(address) === 4) return address;
  return isIP(address) === 6 ? networkOf(address) : null;
}

/** Whoever has one IPv6 address has 2⁶⁴ of them. An IPv4-mapped address counts as IPv4. */
function networkOf(address: string): string {
  const [head = '', tail = ''] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const [first, last] = [head, tail].map((part) => part.split(':').filter((group) => group !== ''));
  const given = [...(first ?? []), ...(last ?? [])];
  const groups = [...(first ?? []), ...Array<string>(8 - given.length).fill('0'), ...(last ?? [])];
  const [high, low] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  if (
    groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff' &&
    high !== undefined &&
    low !== undefined
  ) {
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  return `${groups.slice(0, 4).join(':')}::/64`;
}
