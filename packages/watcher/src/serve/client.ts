/**
 * Whom the places for streams count a request to: who has the token, who came by our own socket, the
 * address that a reverse proxy on this host names, or nobody in particular.
 * How many places each has is `stream-admission.ts`.
 */
import { isIP } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { maySeeNames } from './token.ts';

/** `named`: by a proxy, or by where it connects from; `unnamed`: everybody else, as one. */
export type ClientKind = 'named' | 'unnamed' | 'token' | 'socket';

export interface Client {
  readonly kind: ClientKind;
  /** An address, or a network of which one client has all; empty where it is not named. */
  readonly name: string;
}

export type WhoAsks = (c: Context<{ Bindings: HttpBindings }>) => Client;

export const onSocket: WhoAsks = () => ({ kind: 'socket', name: '' });

/**
 * A token that is not ours makes nobody an operator here, and is no reason to refuse: a proxy that
 * asks for passwords passes on what browsers send to it in the same header.
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
 * Only the last hop is looked at: what stands before it was written by whoever asked the proxy.
 * Nobody can be sure that there is a proxy at all. So a name never gives anything: it only moves its
 * bearer from the places of the unnamed to those of the named, of which it may have a few.
 */
export function nameOf(
  remote: string | undefined,
  header: (name: string) => string | undefined,
): string | null {
  if (remote === undefined) return null;
  // Sent on to us by rules of the host's network: then this is where it comes from.
  if (!isLoopback(remote)) return addressOf(remote);
  // Proxies that write this one pass the other on as it came, so it is asked only where this is absent.
  const plain = header('x-forwarded-for');
  if (plain !== undefined) return addressOf(lastOf(plain));
  const forwarded = header('forwarded');
  return forwarded === undefined ? null : addressOf(forOf(lastOf(forwarded)));
}

const isLoopback = (address: string): boolean =>
  address === '::1' || /^(::ffff:)?127\./i.test(address);

const lastOf = (list: string): string => list.slice(list.lastIndexOf(',') + 1).trim();

/** No two parts of the pattern take the same text: of a long header they would try all ways to share it. */
function forOf(hop: string): string {
  const found = /(?:^|;)[ \t]*for=(?:"([^";]*)"|([^";\s]*))[ \t]*(?:;|$)/i.exec(hop);
  return found?.[1] ?? found?.[2] ?? '';
}

/** The longest address of IPv6 with its zone, brackets and port; what is longer is none. */
const MAX_ADDRESS = 64;

/** null: that is no address, such as `unknown`. */
function addressOf(text: string): string | null {
  if (text.length > MAX_ADDRESS) return null;
  // A port is another one for each connection, and so no part of a name.
  const found =
    /^\[([^\]]+)\](?::[0-9]{1,5})?$/.exec(text) ?? /^([0-9.]+)(?::[0-9]{1,5})$/.exec(text);
  const address = (found?.[1] ?? text).replace(/%.*$/, '');
  if (isIP(address) === 4) return address;
  return isIP(address) === 6 ? networkOf(address) : null;
}

/** Whoever has one address of IPv6 has 2⁶⁴ of them. One of IPv4 in that clothing is itself. */
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
